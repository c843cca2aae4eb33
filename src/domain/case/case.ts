// A case: what Countersign remembers of one approval, from first seen to closed. Each legal step is a pure function in
// `…steps.ts` or `verdict.ts`. It leads from one case to the next, with the events that go into the ledger.
import type { z } from "zod"
import type { Approval } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import { digestOf, isApprovable } from "../content/digest.ts"
import type { JsonObject } from "../content/json.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { lookOf } from "../policy/look.ts"
import { type Demand, demandHash, demandOf, type Policy, type PolicyNow } from "../policy/policy.ts"
import { routesUnder } from "../policy/timing.ts"
import type { RuleContext } from "../policy/when.ts"
import type { Route } from "../rule/rule.ts"
import { maskText } from "../text/mask.ts"
import type { CaseEvent } from "./event.ts"
import type { lastingSchema, loopedSchema } from "./record/again-record.ts"
import type {
  attemptSchema,
  cardSchema,
  caseSchema,
  outcomeSchema,
  placeSchema,
  questionSchema,
  sendingSchema,
  standInNoteSchema,
  summarySchema,
} from "./record/case-record.ts"
import type { stopNoteSchema } from "./record/stop-note.ts"
import type { glassReviewSchema, glassSchema, revisionSchema } from "./record/vote-record.ts"
import { quotasOf } from "./vote.ts"

/** Where a message is posted. */
export interface Place extends Frozen<z.infer<typeof placeSchema>> {}

/** One state of an approval's content under the rules in force. If either changes, we make a new revision (R2, R5). */
export interface Revision extends Frozen<z.infer<typeof revisionSchema>> {}

/** The card of one route. */
export interface Card extends Frozen<z.infer<typeof cardSchema>> {}

/**
 * One POST of the frozen body. `unaccounted`: nobody knows whether the platform carried it out. `unheard`: the same,
 * and no answer will come any more. `refused`: it certainly had no effect.
 */
export interface Attempt extends Frozen<z.infer<typeof attemptSchema>> {}

/** A frozen verdict on its way to the platform (R9). `body` is the exact JSON text of every POST. */
export interface Sending extends Frozen<z.infer<typeof sendingSchema>> {}

/** A question about a case to whoever asked for the run, or to those whom its rules list, and its answer. */
export interface Question extends Frozen<z.infer<typeof questionSchema>> {}

/** A stop that covers a case, as its cards tell it. */
export interface StopNote extends Frozen<z.infer<typeof stopNoteSchema>> {}

/** Who may vote for somebody who is away, as the cards of a case tell it. */
export interface StandInNote extends Frozen<z.infer<typeof standInNoteSchema>> {}

/** How the glass was broken for a decision, and who looked at that. */
export interface Glass extends Frozen<z.infer<typeof glassSchema>> {}

/** What one reviewer says: whether it was right. */
export interface GlassReview extends Frozen<z.infer<typeof glassReviewSchema>> {}

/** A rejection that also counts for the same call for a while (R22), and what it rejected by itself. */
export interface Lasting extends Frozen<z.infer<typeof lastingSchema>> {}

/** One call that was asked again. */
export type Repeat = Lasting["repeats"][number]

/** By which lasting rejection a case is left undecided. */
export interface Looped extends Frozen<z.infer<typeof loopedSchema>> {}

/** What the platform's record finally says, and who decided it. `resolvedBy` is in the platform's own words. */
export type Outcome = Frozen<z.infer<typeof outcomeSchema>>

/** How a proposal of other rules ended that nobody decided. `newer`: the case of the proposal that took its place. */
export type ProposalOutcome = NonNullable<Extract<Outcome, { kind: "elsewhere" }>["proposal"]>

/** Words for a case that waits. `deciding`: the verdict is on its way. `held`: a rejection that is not sent (R12). */
export const waitingStatuses = ["waiting", "expired", "deciding", "held"] as const

/** Words for a case that ended. `expired`: nobody decided in time. `elsewhere`: others did. `gone`: record deleted. */
export const pastStatuses = ["approved", "rejected", "expired", "elsewhere", "gone"] as const

/** A word of either list. */
export type CaseStatus = (typeof waitingStatuses)[number] | (typeof pastStatuses)[number]

/** The words for how a case ended. */
export function outcomesOf({ outcome, decision }: Pick<Case, "outcome" | "decision">): readonly CaseStatus[] {
  switch (outcome?.kind) {
    case undefined:
      return []
    case "vanished":
      return ["gone"]
    case "ours":
      return [verdictWords[outcome.verb], ...(decision?.by === "expiry" ? (["expired"] as const) : [])]
    case "elsewhere": {
      const said = recordWords.find((word) => word === outcome.status)
      return ["elsewhere", ...(said === undefined ? [] : [said])]
    }
  }
}

const verdictWords = { approve: "approved", reject: "rejected" } as const
/** The statuses of a platform's record by which people search for cases. */
const recordWords = ["approved", "rejected", "expired"] as const

/** What Countersign remembers of one approval. */
export interface Case extends Frozen<z.infer<typeof caseSchema>> {}

/** The plain facts of an approval that may be kept for good. */
interface CaseSummary extends Frozen<z.infer<typeof summarySchema>> {}

/** Masks the plain facts of a case, so that we may show them. Only patterns mask parts; nothing hides who asked. */
export function maskSummary(summary: CaseSummary, words: readonly string[]): CaseSummary {
  const shown = (name: string | null, by: readonly string[]) => (name === null ? null : maskText(name, by))
  const { tool, agent, requester } = summary
  return { ...summary, tool: shown(tool, words), agent: shown(agent, words), requester: shown(requester, []) }
}

/** A step: the next case, with the entries for the ledger. */
export interface Step {
  readonly next: Case
  readonly events: readonly CaseEvent[]
}

/** The id of an approval's case: 20 hex characters, the same in every replica, so nobody opens a second one. */
export function caseIdOf(installation: string, instance: string, approvalId: string): string {
  return sha256(JSON.stringify([installation, instance, approvalId])).slice(0, 20)
}

/** `channel:C…` or `person:U…`. */
export function routeKey(route: Route): string {
  return `${route.kind}:${route.id}`
}

/** Makes the revision of an approval's content under the rules in force. */
export function revisionOf(approval: Approval, policy: PolicyNow, number: number): Revision {
  const demand = demandOf(approval, policy.rules, policy)
  const { rules, covered } = demand
  const quotas = quotasOf(approval, rules, policy)
  const compared = { digest: digestOf(approval), demand: demandHash(demand), policy: policy.revision }
  const look = lookOf(approval, rules, policy)
  const { circumstances, limits = [], news } = policy
  const seen = { ...(circumstances && { circumstances }), ...(limits.length > 0 && { limits }), ...(news && { news }) }
  return { number, ...compared, quotas, ...seen, covered, approvable: isApprovable(approval), look }
}

/**
 * The rules that a case's approval demands now, and which are escalated; empty once the content is erased. `filled` is
 * what a vote filled in: with it, the rules for votes with the same values. Uses the limits as we last read them.
 */
export function demandNow(current: Case, policy: Policy, filled: JsonObject | null = null): Demand {
  return demandAs(current, policy, { filled })
}

/** Like `demandNow`, but uses the limits as we have just read them. */
export function demandAs(current: Case, policy: Policy, known: RuleContext): Demand {
  if (current.approval === null) return { rules: [], covered: false }
  const demand = demandOf(current.approval, policy.rules, { ...current.revision, ...known })
  const { escalated } = current.time
  return escalated.length === 0 ? demand : { ...demand, escalated }
}

/** The routes of a demand, each once, in the rules' order. */
export function routesOf(demand: Demand): readonly string[] {
  return [...new Set(demand.rules.flatMap((rule) => routesUnder(demand, rule).map(routeKey)))]
}

/** True if a vote of this interaction counts, or made the decision. Then the interaction does not count again (R11). */
export function isCounted({ votes, decision }: Case, interaction: string): boolean {
  return [...votes, ...(decision?.votes ?? [])].some((vote) => vote.interaction === interaction)
}

/** Where a case has a card of its own on a route; null if it has none yet, or only a line on a summary. */
export function ownPlace(card: Card | undefined): Place | null {
  return card === undefined || card.summary ? null : card.place
}

/** The card of a route, if the case has one. */
export function cardOn(current: Case, route: string): Card | undefined {
  return current.cards.find((card) => card.route === route)
}

/** The rules, by name, whose glass was broken and that have no review yet; none once nobody looked at it in time. */
export function rulesToReview({ glass }: Pick<Case, "glass">): readonly string[] {
  if (glass === undefined || glass.left === true) return []
  const reviewed = new Set(glass.reviews.flatMap(({ rules }) => rules))
  return glass.rules.filter((rule) => !reviewed.has(rule))
}

/** True while a case owes a review: of this rule, or of any. */
export function owesReview(current: Pick<Case, "glass">, rule?: string): boolean {
  const owed = rulesToReview(current)
  return rule === undefined ? owed.length > 0 : owed.includes(rule)
}

/** True if a settled case waits for nothing but a person who looks at its broken glass, or its lasting rejection. */
export function waitsSettled(current: Pick<Case, "glass" | "lasting" | "informed" | "resumption">): boolean {
  const { lasting, informed, resumption } = current
  const goesOn = resumption?.kind === "waiting" || resumption?.kind === "continuing"
  return (owesReview(current) || lasting !== undefined) && informed && !goesOn
}
