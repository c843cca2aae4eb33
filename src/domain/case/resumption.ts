// The resumption of a case: whether we continued the paused run, and how the run ended. Pure steps, and the words for
// such an end; the rules are `docs/platform-facts.md` 5.8.
import type { z } from "zod"
import type { Frozen } from "../content/record/frozen.ts"
import type { Case, Step, StopNote } from "./case.ts"
import type { CaseEvent } from "./event.ts"
import { usualReceiptLifeMs } from "./receipt.ts"
import type { continueSchema, resumptionSchema, runEndSchema, waitSchema, withheldSchema } from "./record/run-record.ts"
import { stepTo } from "./steps.ts"

/** How a run stood when we had nothing more to do about it. */
export interface RunEnd extends Frozen<z.infer<typeof runEndSchema>> {}

/** Said wherever only an operator can find out what is wrong. */
export const mustLook = "whoever runs Countersign has to look"

/** How a run ended, in words for people: Slack and the page say the same. */
export const runEndWords: Readonly<Record<RunEnd["kind"], string>> = {
  completed: "The run is completed",
  failed: "The run went on and failed",
  cancelled: "The run was cancelled",
  paused: "The run went on and has paused again: its next approval is asked for by itself",
  unasked: `The run went on and has paused again, and nobody is asked for its next call: ${mustLook}`,
  forked: `Another run answered than the one that was decided: ${mustLook}`,
  refused: "The platform did not continue the run; it has to be continued by hand",
  unknown: `Nobody can tell what became of the run. It is not continued again; ${mustLook}`,
}

/** Follows such an end if somebody else continued the run. */
export const continuedByOthers = "It was continued from outside Countersign"

/** One continue that we sent, or are about to send. We never send it again. */
export interface Continue extends Frozen<z.infer<typeof continueSchema>> {}

/** Why a run still waits: how often in a row we could not read it, and how many of its approvals are pending. */
export interface Wait extends Frozen<z.infer<typeof waitSchema>> {}

/**
 * Why we do not continue a run. `nobody`: nobody else can continue it, either. `late`: a stop held it for longer than
 * its approval counts, so nobody should (R21).
 */
export interface Withheld extends Frozen<z.infer<typeof withheldSchema>> {}

/** How far we are with the run of a decided case. If a case has null here, we continue nothing. */
export type Resumption = Frozen<z.infer<typeof resumptionSchema>>

/** True while something is left to do about the run. */
export function isResuming({ resumption }: Pick<Case, "resumption">): boolean {
  return resumption?.kind === "waiting" || resumption?.kind === "continuing"
}

/** The settled case, with a note that we have to continue its run. */
export function awaitRun(current: Case, at: number): Case {
  return { ...current, resumption: { kind: "waiting", since: at, misses: 0, beside: 0 } }
}

/** The case, with a note that its waiting run may have been continued already. */
export function doubted(current: Case): Case {
  const { resumption } = current
  return resumption?.kind === "waiting" ? { ...current, resumption: { ...resumption, doubtful: true } } : current
}

/** True if the run may have been continued already, and Redis has forgotten that (R17). */
export function isDoubtful({ resumption }: Pick<Case, "resumption">): boolean {
  return resumption?.kind === "waiting" && resumption.doubtful === true
}

/** Notes that the run could not be read again, or has other pending approvals; null if we know that already. */
export function noteWait(current: Case, wait: Wait): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "waiting") return null
  const { misses, beside, links, ...still } = resumption
  const before: Wait = { misses, beside, ...(links && { links }) }
  if (JSON.stringify(before) === JSON.stringify(wait)) return null
  return stepTo({ ...current, resumption: { ...still, ...wait } }, [])
}

/** True if a stop kept the waiting run from going on, even if that stop has ended. */
function wasHeldUp({ resumption }: Pick<Case, "resumption">): boolean {
  return resumption?.kind === "waiting" && resumption.stopped !== undefined
}

/** True for a run that a stop kept waiting until its approval counted no more. `now`: epoch ms. */
export function isOutdated(current: Pick<Case, "resumption" | "decision">, now: number): boolean {
  const { decision } = current
  if (decision?.verb !== "approve" || !wasHeldUp(current)) return false
  return now > (decision.expiresAt ?? decision.at + usualReceiptLifeMs)
}

/** Notes that we are about to continue the run. From here on nobody sends another first continue. */
export function beginContinue(current: Case, sent: Continue): Step | null {
  if (current.state !== "settled" || current.resumption?.kind !== "waiting") return null
  return continuing(current, sent)
}

function continuing(current: Case, sent: Continue): Step {
  const { at, background } = sent
  const { runner, component, runId: run } = sent.address
  const event: CaseEvent = { kind: "continued", at, run, runner, component, background }
  return stepTo({ ...current, resumption: { kind: "continuing", sent } }, [event])
}

/** Notes that the second and last POST is about to go out, because the durable queue demands `background=true`. */
export function continueInBackground(current: Case, at: number): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "continuing" || resumption.sent.background) return null
  return continuing(current, { ...resumption.sent, at, background: true })
}

/** Keeps what the platform said about a continue, if only the run can tell how it ended. */
export function noteSaid(current: Case, said: string): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "continuing" || resumption.sent.said !== null) return null
  return stepTo({ ...current, resumption: { kind: "continuing", sent: { ...resumption.sent, said } } }, [])
}

/** Notes that the connection broke before the answer came. */
export function noteBroken(current: Case): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "continuing" || resumption.sent.broken === true) return null
  return stepTo({ ...current, resumption: { kind: "continuing", sent: { ...resumption.sent, broken: true } } }, [])
}

/** Takes back a continue that was never sent. We may send it later. */
export function takeBack(current: Case, at: number): Step | null {
  if (current.resumption?.kind !== "continuing") return null
  return stepTo(current.resumption.sent.refusing === true ? refusalAwaited(current, at) : awaitRun(current, at), [])
}

/**
 * Prepares a second continue, which refuses a pause: after a rejection the run was continued, and paused again without
 * asking anybody. Null if this was the second continue already.
 */
export function refuseNext(current: Case, at: number): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "continuing" || resumption.sent.refusing === true) return null
  return stepTo(refusalAwaited(current, at), [])
}

function refusalAwaited(current: Case, at: number): Case {
  return { ...current, resumption: { kind: "waiting", since: at, misses: 0, beside: 0, refusing: true } }
}

/** True while we refuse a second pause of the run, or are about to. */
export function isRefusing({ resumption }: Case): boolean {
  if (resumption?.kind === "waiting") return resumption.refusing === true
  return resumption?.kind === "continuing" && resumption.sent.refusing === true
}

/** Notes how the continued run ended. Only the case that continued the run may send the run's answer. */
export function endRun(current: Case, run: string, end: RunEnd, at: number): Step | null {
  const { resumption } = current
  if (!isResuming(current)) return null
  const { kind, by, ...rest } = end
  const event: CaseEvent = { kind: "run-ended", at, run, end: kind, by, ...rest }
  const sent = resumption?.kind === "continuing" && kind === "completed" && by === "us" ? resumption.sent : null
  const { address, answerMask: mask } = sent ?? {}
  const answer = address === undefined || mask === undefined ? {} : { answer: { address, mask } }
  return stepTo({ ...current, resumption: { kind: "ended", at, end, ...answer } }, [event])
}

/** What we mask in the answer of a run that these cases decided; undefined if no rule of theirs wants that sent. */
export function answerMaskOf(cases: readonly Pick<Case, "revision">[]): readonly string[] | undefined {
  const looks = cases.map(({ revision }) => revision.look)
  if (!looks.some((look) => look.resultToRequester === true)) return undefined
  return [...new Set(looks.flatMap((look) => look.mask))]
}

/** Notes that we do not continue the run. */
export function withhold(current: Case, withheld: Withheld, at: number): Step | null {
  return isResuming(current) ? withheldStep(current, withheld, at) : null
}

/** Like `withhold`, for a case that settles just now. */
export function withheldAtOnce(current: Case, why: string, at: number): Step {
  return withheldStep(current, { why }, at)
}

function withheldStep(current: Case, withheld: Withheld, at: number): Step {
  const event: CaseEvent = { kind: "not-resumed", at, ...withheld, who: current.summary.requester }
  return stepTo({ ...current, resumption: { kind: "withheld", at, ...withheld } }, [event])
}

/** What became of the run after a decision of ours. `left`: we do not continue it, so whoever started it has to. */
export type CardRun =
  | { readonly kind: "left" }
  | {
      readonly kind: "waiting"
      readonly beside: number
      readonly links?: readonly string[]
      /** The stop that keeps the run from going on. */
      readonly stopped?: StopNote
    }
  | { readonly kind: "continuing"; readonly since: number }
  | { readonly kind: "ended"; readonly end: RunEnd }
  | ({ readonly kind: "withheld" } & Withheld)

/** What a card says of the run; null if it says nothing. */
export function cardRunOf({ resumption, outcome }: Case): CardRun | null {
  switch (resumption?.kind) {
    case undefined:
      return outcome?.kind === "ours" ? { kind: "left" } : null
    case "waiting":
      return waitingRunOf(resumption)
    case "continuing":
      return { kind: "continuing", since: resumption.sent.at }
    case "ended":
      return { kind: "ended", end: resumption.end }
    case "withheld": {
      const { at: _since, ...withheld } = resumption
      return withheld
    }
  }
}

function waitingRunOf({ beside, links, stopped }: Extract<Resumption, { kind: "waiting" }>): CardRun {
  return { kind: "waiting", beside, ...(links && { links }), ...(stopped && { stopped }) }
}
