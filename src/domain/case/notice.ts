// Notices: what comes to light about a case or its run, before the decision or long after it. Each is told once, in the
// thread. Also the card that tells the requester how the case ended. Pure.
import { type Approval, openGatedCalls } from "../content/approval.ts"
import { canonicalJson } from "../content/canonical.ts"
import type { JsonObject } from "../content/json.ts"
import { largest } from "../content/largest.ts"
import { gateRefusal } from "../content/run.ts"
import type { RunReport } from "../content/run-report.ts"
import { foldName, personKey, type SlackId } from "../people/person.ts"
import { answerOn, type CounterproposalAnswer, isAsProposed } from "../send-back/proposals.ts"
import { isThread } from "./card-steps.ts"
import { type Case, cardOn, type Step } from "./case.ts"
import type { CaseEvent } from "./event.ts"
import { emptyCard, joined, stepTo } from "./steps.ts"

/** The events that are notices. */
export type Notice = Extract<
  CaseEvent,
  { kind: "without-effect" | "paused-again" | "run-over" | "ran-otherwise" | "decided-outside-rules" }
>

/** Tells a notice, unless its kind was told before. A closed case is settled again until its threads have the line. */
export function notice(current: Case, told: Notice): Step | null {
  if (current.state === "frozen" || current.noticed.includes(told.kind)) return null
  const awake = current.state === "closed" ? wake(current, told.at) : current
  return stepTo({ ...awake, noticed: [...current.noticed, told.kind] }, [told])
}

/** Notes in a case that it answers a counterproposal. */
export function noteAnswer(current: Case, answers: CounterproposalAnswer, at: number): Step {
  const { case: asked, by, rules } = answers
  const next = { ...current, answers }
  const { answers: shown } = answerOn(next)
  const event = { kind: "counterproposal-answered", at, case: asked, person: by, rules } as const
  return stepTo(next, [shown !== undefined && isAsProposed(shown) ? { ...event, asProposed: true } : event])
}

/** Notes that nobody can read who proposed what a call of this case may be: so no single person approves it (R6). */
export function noteUnread(current: Case): Step {
  return stepTo({ ...current, proposerUnread: true }, [])
}

/**
 * Notes what the record says about the run while the approval is pending; null if we know that already. Tells that the
 * run is over, and what ran without a decision.
 */
export function noteReport(current: Case, report: RunReport | null, at: number): Step | null {
  if (JSON.stringify(current.reported ?? null) === JSON.stringify(report)) return null
  const next = withReport(current, report)
  if (report?.over !== true) return stepTo(next, [])
  const { status, ran: deviations = [] } = report
  const told = joined(next, [
    (now) => notice(now, { kind: "run-over", at, team: null, status }),
    (now) => (deviations.length === 0 ? null : notice(now, { kind: "ran-otherwise", at, deviations })),
  ])
  return told ?? stepTo(next, [])
}

/** The case with what its record says about the run. */
export function withReport({ reported: _before, ...rest }: Case, report: RunReport | null): Case {
  return report === null ? rest : { ...rest, reported: report }
}

/** Settles a closed case again. Lines that were erased when it closed keep their numbers; nobody tells them again. */
export function wake(closed: Case, at: number): Case {
  const told = largest(
    0,
    closed.cards.filter((card) => !isThread(card)).map((card) => card.told),
  )
  const lines = Array.from({ length: told }, (): CaseEvent => ({ kind: "closed", at }))
  return {
    ...closed,
    state: "settled",
    lines,
    cards: closed.cards.map((card) => (isThread(card) ? card : { ...card, told })),
  }
}

/**
 * How the run differs from what was decided, one sentence for each difference (`docs/platform-facts.md` 5.4, traps 62
 * and 63). It may have run a call that was rejected or not decided, or used other arguments. Values from a form are not
 * other arguments.
 */
export function deviationsFromRecord(approval: Approval, tools: readonly JsonObject[]): readonly string[] {
  return openGatedCalls(approval).flatMap((call) => {
    const execution = tools.find((tool) => call.id !== null && tool["tool_call_id"] === call.id)
    if (execution === undefined || !hasToolRun(execution)) return []
    const name = call.tool ?? "a tool"
    if (approval.status === "rejected") return [`${name} ran although it was rejected`]
    if (approval.status === "pending") return [`${name} ran although nobody had decided`]
    const same = canonicalJson(execution["tool_args"] ?? {}) === canonicalJson(call.args)
    return same || call.pauseType !== "confirmation" ? [] : [`${name} ran with other arguments than those approved`]
  })
}

/** True if the tool ran. A refused call has an error and was not confirmed, or a gate says that it refused. */
function hasToolRun(execution: JsonObject): boolean {
  const { result = null, confirmed, tool_call_error: failed } = execution
  if (gateRefusal(execution) !== null) return false
  return failed === true ? confirmed === true : result !== null
}

/** Lines that tell how a case ended. */
const endKinds: ReadonlySet<CaseEvent["kind"]> = new Set(["resolved", "elsewhere", "vanished", "recovered"])

/** True if the case ended, and nobody has checked yet whether to tell the requester. */
export function isUninformed(current: Case): boolean {
  return current.state === "settled" && !current.informed
}

/** True if a person ended the case themselves: by a vote of the decision, or elsewhere under the requester's name. */
export function hasDecided({ decision, outcome, summary }: Case, person: SlackId): boolean {
  if (outcome?.kind === "elsewhere")
    return outcome.resolvedBy !== null && foldName(outcome.resolvedBy) === foldName(summary.requester ?? "")
  return (decision?.votes ?? []).some((vote) => personKey(vote.person) === personKey(person))
}

/** Gives the requester a card, unless they have one. Null: nobody gets one. The card's thread gets only later lines. */
export function inform(current: Case, requester: SlackId | null): Step {
  const route = `person:${requester?.user ?? ""}`
  const has = requester === null || cardOn(current, route) !== undefined
  const from = current.lines.findLastIndex(({ kind }) => endKinds.has(kind)) + 1
  const cards = has ? current.cards : [...current.cards, { ...emptyCard(route), told: from, from }]
  return { next: { ...current, cards, informed: true }, events: [] }
}
