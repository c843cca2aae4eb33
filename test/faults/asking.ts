// What programs do in a seed: they ask for an approval, ask anew what somebody sent back, or ask the same once more.
import type { PressAct } from "./schedule.ts"
import { type Asked, cast, type Doings } from "./screen.ts"
import type { Stage } from "./stage.ts"
import { hasTalk, isLasting } from "./talks.ts"
import { amount } from "./terms.ts"

/** What a program does after somebody sent its call back, or rejected it. */
export type ProgramAct =
  /** Asks anew, as was proposed or otherwise; in the same run, or in another one of the session. */
  | {
      readonly kind: "next-call"
      readonly asProposed: boolean
      readonly sameRun: boolean
      /** What people press on its card then. */
      readonly presses: readonly PressAct[]
    }
  /** Asks the same once more, so often, one after the other. */
  | { readonly kind: "same-call"; readonly times: number; readonly sameRun: boolean }

/** A program asks for the approval of a story. */
export async function ask(stage: Stage, doings: Doings, number: number): Promise<Asked> {
  const { terms, stories } = stage.schedule
  const story = stories[number] ?? []
  const requester = hasTalk(story) ? "rita" : terms.requester
  const tool = `${isLasting(story) ? "again" : "task"}_${number}`
  const run = hasTalk(story) ? { run: `r-${tool}` } : {}
  return askFor(stage, doings, { number, tool, requester, target: `T${number}-v1`, ...run })
}

interface Call {
  readonly number: number
  readonly tool: string
  readonly requester: "rita" | "alice" | null
  readonly target: string
  /** Whose call it is; then its session is that of the tool. */
  readonly run?: string
  readonly follows?: Asked
}

async function askFor(stage: Stage, doings: Doings, call: Call): Promise<Asked> {
  const { number, tool, requester, target, run, follows } = call
  const who = requester === null ? null : `${requester}@sandbox.example`
  const more = stage.schedule.terms.limit === null ? {} : { amount }
  const origin = run === undefined ? undefined : { run_id: run, session_id: `s-${tool}` }
  const id = await stage.platform.ask(tool, target, who, more, origin)
  const person = requester === null ? null : cast[requester]
  const after = follows === undefined ? {} : { follows }
  const asked: Asked = { number, tool, id, requester: person, targets: [target], elsewhere: false, ...after }
  doings.asked.push(asked)
  stage.attack?.oracle.asked(id, target, stage.ground.clock.now())
  stage.timeline.note("program", `asks for ${tool} on ${target}: ${id}`)
  return asked
}

/** How long a program waits until its call is decided, and between two looks, in ms. */
const patienceMs = 7_000
const lookMs = 400

/** Asks after a call was decided, or after its program lost patience. Returns what it asked for last. */
export async function askAfter(stage: Stage, doings: Doings, first: Asked, one: ProgramAct): Promise<Asked> {
  const { clock } = stage.ground
  const { number, tool } = first
  let last = first
  const times = one.kind === "next-call" ? 1 : one.times
  for (let time = 0; time < times; time += 1) {
    const until = clock.now() + patienceMs
    while (stage.platform.waits(last.id) && clock.now() < until) await clock.wait(lookMs)
    const proposed = doings.said.findLast((said) => said.kind === "send-back" && said.asked === first)?.text
    const anew = one.kind === "next-call" && one.asProposed ? proposed : `T${number}-v90`
    const target = one.kind === "same-call" ? first.targets[0] : anew
    const run = one.sameRun ? `r-${tool}` : `r-${tool}-${doings.asked.length}`
    const call = { number, tool, requester: "rita", target: target ?? `T${number}-v91`, run, follows: first } as const
    last = await askFor(stage, doings, call)
  }
  return last
}
