// What people do in a seed beside votes: somebody is away and another stands in, the glass is broken and looked at, and
// other rules are proposed and voted on. Tells each to the oracles.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import { has, saysOf, targetIn } from "../faults/screen.ts"
import { anOperator } from "../support/orders.ts"
import type { Watched } from "./people.ts"
import type { Act } from "./schedule.ts"
import { formFromDetails, heard, heardBy, pick, waitFor } from "./screen.ts"
import { idOf, lastRevision, rulesOf } from "./settings.ts"
import type { Stage } from "./stage.ts"

type Of<Kind extends Act["kind"]> = Extract<Act, { kind: Kind }>

/** What is known of absences and proposals in a seed so far. */
export interface Overseen {
  /** Tells the oracle that whoever is away is back. */
  backs: ((at: number) => void)[]
  /** The last config that was proposed, counted from 1; null: none was. */
  proposed: number | null
  /** The last card of a proposal that could be pressed, as it was, and of which config. */
  screen: { readonly card: PostedMessage; readonly revision: number } | null
}

/** How long it takes at most until a card hangs that nobody asked a platform for, in ms of simulated time. */
const cardMs = 12_000

/** Nothing was done. */
export function nothingOverseen(): Overseen {
  return { backs: [], proposed: null, screen: null }
}

/** Does one of these acts. */
export async function oversee(
  watched: Watched,
  one: Of<"away" | "back" | "break" | "review" | "propose" | "rule">,
): Promise<void> {
  switch (one.kind) {
    case "away":
      return leave(watched, one)
    case "back":
      return comeBack(watched, one)
    case "break":
      return breakGlass(watched, one)
    case "review":
      return review(watched, one)
    case "propose":
      return propose(watched)
    case "rule":
      return rule(watched, one)
  }
}

const keyOf = (user: string) => `T0SANDBOX:${user}`

async function leave({ stage, oracle }: Watched, { person, ms }: Of<"away">): Promise<void> {
  const { operator, ground, timeline, overseen } = stage
  const at = ground.clock.now()
  const of = { person: idOf[person], standIn: idOf.rita }
  const times = { from: at, until: at + ms, at }
  const who = { person: keyOf(of.person), standIn: keyOf(of.standIn), by: anOperator() }
  try {
    const done = await operator.config.orders.beginAbsence({ ...who, ...times })
    if (done.kind === "begun") overseen.backs.push(oracle.away(of, at, ms))
    timeline.note("operator", `${person} is away for ${ms} ms: ${done.kind}`)
  } catch (error) {
    timeline.note("operator", `cannot note that ${person} is away: ${String(error)}`)
  }
}

async function comeBack({ stage }: Watched, { when }: Of<"back">): Promise<void> {
  const { operator, ground, timeline, overseen, ordered } = stage
  const end = async () => {
    try {
      for (const { id } of await operator.config.orders.listAbsences())
        await operator.config.orders.endAbsence(id, { by: anOperator(), at: ground.clock.now() })
      for (const back of overseen.backs.splice(0)) back(ground.clock.now())
      timeline.note("operator", "whoever was away is back")
    } catch (error) {
      timeline.note("operator", `cannot note that anybody is back: ${String(error)}`)
    }
  }
  if (when === "now") await end()
  else ordered.pending = end
}

async function breakGlass({ stage, oracle }: Watched, one: Of<"break">): Promise<void> {
  const { sandbox, ground, timeline, platform } = stage
  const asked = pick(stage, one.approval)
  if (asked === undefined || !platform.waits(asked.id)) return
  const person = idOf[one.person]
  const opened = await formFromDetails(stage, person, asked, { action: actionIds.breakGlass, form: viewIds.form })
  if (opened === null) return timeline.note(one.person, `gets no form to break the glass of ${asked.tool}`)
  const { form, details } = opened
  const shown = targetIn(details.definition.blocks)
  const carriedOut = oracle.pressed(asked.id, { person, verb: "approve", shown, glass: true }, ground.clock.now())
  const before = heardBy(stage, person)
  await sandbox.submit(person, form.id, { [formIds.reason]: "it burns", [formIds.typed]: asked.tool })
  timeline.note(one.person, `breaks the glass of ${asked.tool} showing ${shown}`)
  await heard(stage, person, { before, carriedOut })
}

async function review({ stage }: Watched, one: Of<"review">): Promise<void> {
  const { sandbox, timeline } = stage
  const look = () => sandbox.messages(sandboxCast.payments).findLast(({ blocks }) => has(blocks, actionIds.glassRight))
  const card = await waitFor(stage, look, cardMs)
  if (card === null) return timeline.note(one.person, "finds nothing to review")
  const person = idOf[one.person]
  const before = heardBy(stage, person)
  await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.glassRight)
  timeline.note(one.person, "says that breaking the glass was right")
  await waitFor(stage, () => (heardBy(stage, person) > before ? true : undefined))
}

async function propose({ stage, changes }: Watched): Promise<void> {
  const { replicas, overseen, ground, timeline } = stage
  const [first] = replicas
  const next = Math.max(overseen.proposed ?? 1, first?.revision ?? 1) + 1
  if (first === undefined || next > lastRevision) return
  overseen.proposed = next
  changes.asked(proposalName(next), proposalName(next), ground.clock.now())
  const came = await stage.restart(first, next)
  timeline.note(first.name, `proposes config ${next}: ${came ? "up" : "not up"}`)
}

const proposalName = (revision: number) => `config ${revision}`

/** The card of a proposal, while it can be approved. */
function proposalOf({ sandbox, overseen, hashes }: Stage): Overseen["screen"] {
  const open = sandbox.messages(sandboxCast.payments).findLast(({ blocks }) => has(blocks, actionIds.approve))
  const to = open === undefined ? undefined : /to_revision\W+([0-9a-f]+)/.exec(saysOf(open))?.[1]
  const revision = to === undefined ? -1 : hashes.findIndex((hash) => hash.startsWith(to))
  if (open === undefined || revision < 0) return overseen.screen
  overseen.screen = { card: open, revision: revision + 1 }
  return overseen.screen
}

async function rule({ stage, oracle, changes }: Watched, one: Of<"rule">): Promise<void> {
  const { sandbox, timeline, ground, schedule } = stage
  const { clock } = ground
  const seen = await waitFor(stage, () => proposalOf(stage) ?? undefined, cardMs)
  if (seen === null) return timeline.note(one.person, "finds no proposal")
  const { card, revision } = seen
  const person = idOf[one.person]
  const name = proposalName(revision)
  const before = heardBy(stage, person)
  const carriedOut = changes.pressed(name, { person, verb: one.verb, shown: name }, clock.now())
  timeline.note(one.person, `presses ${one.verb} on ${name}`)
  const approved = one.verb === "approve" && changes.sent(name, "approve", clock.now()) === null
  const active = approved ? oracle.activating(rulesOf(schedule, revision), clock.now()) : null
  await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds[one.verb], { seen: card })
  await heard(stage, person, { before, carriedOut })
  if (active === null) return
  const counts = () => sandbox.messages(card.channelId).find(({ ts }) => ts === card.ts)
  const told = await waitFor(stage, () => {
    const now = counts()
    return now !== undefined && saysOf(now).includes("These rules count now.") ? true : undefined
  })
  if (told !== null) active(clock.now())
  timeline.note("oracle", `${name} counts: ${told === null ? "perhaps" : "for certain"}`)
}
