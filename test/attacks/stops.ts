// What an operator stops in a seed (R21).
import { coverOf, type StopMatch, type Stoppable } from "../../src/domain/order/stop.ts"
import { anApproval } from "../support/builders.ts"
import { anOperator } from "../support/orders.ts"
import type { Oracle } from "./oracle.ts"
import type { Act } from "./schedule.ts"
import type { Asked, Stage } from "./stage.ts"

/** What was ordered in a seed so far. */
export interface Ordered {
  /** A stop that is made once a replica reads a record. */
  pending: (() => Promise<void>) | null
  /** What every stop covers, by its id. */
  readonly matches: Map<string, StopMatch>
  /** Tells the oracle that the stops in force are ended. */
  ends: ((at: number) => void)[]
}

/** Nothing was ordered. */
export function noOrdersYet(): Ordered {
  return { pending: null, matches: new Map(), ends: [] }
}

/** An operator stops the calls of an approval, or everything: now, or at the next read of a record. */
export async function stopCalls(
  stage: Stage,
  oracle: Oracle,
  { approval, when }: Extract<Act, { kind: "stop" }>,
): Promise<void> {
  const asked = approval === null ? undefined : stage.asked[approval % Math.max(1, stage.asked.length)]
  const match = asked === undefined ? {} : { tool: [asked.tool] }
  const make = () => makeStop(stage, oracle, match)
  if (when === "now") return make()
  await allPlaced(stage)
  stage.ordered.pending = make
}

/** How long to wait for that at most, and between two looks, in ms. */
const patienceMs = 5_000
const lookMs = 200

/** Who presses before the bot has noted where the card hangs is judged later. */
async function allPlaced({ asked, placed, ground: { clock } }: Stage): Promise<void> {
  const until = clock.now() + patienceMs
  while (clock.now() < until && asked.some(({ caseId }) => !placed.has(caseId))) await clock.wait(lookMs)
}

async function makeStop({ operator, ground, timeline, asked, ordered }: Stage, oracle: Oracle, match: StopMatch) {
  const { clock } = ground
  const wanted = { match, by: anOperator(), reason: "runaway", at: clock.now(), until: null }
  const done = await operator.config.orders.stop(wanted)
  if (done.kind === "too-many") throw new Error("50 stops are in force")
  ordered.matches.set(done.stop.id, match)
  const covers = (id: string) => {
    const one = asked.find((each) => each.id === id)
    return one !== undefined && coverOf({ match }, subjectOf(one)) !== null
  }
  ordered.ends.push(oracle.stopped(covers, clock.now()))
  timeline.note("operator", `stops ${JSON.stringify(match)}: ${done.stop.id}`)
}

/** An operator ends all that is stopped. */
export async function endStops({ operator, ground, timeline, ordered }: Stage): Promise<void> {
  const { clock } = ground
  ordered.pending = null
  for (const end of ordered.ends.splice(0)) end(clock.now())
  for (const { id } of (await operator.config.orders.list()).stops) {
    await operator.config.orders.end(id, { by: anOperator(), at: clock.now() })
    timeline.note("operator", `ends the stop ${id}`)
  }
}

/** What a stop looks at of an approval. */
export function subjectOf({ id, tool }: Asked): Stoppable {
  return { instance: "main", approval: anApproval({ id, toolName: tool, requirements: null }) }
}
