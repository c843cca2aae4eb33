// A case: what Countersign remembers of one approval, from first seen to closed. Each legal step is a pure function in
// `…steps.ts` or `verdict.ts`. It leads from one case to the next, with the events that go into the ledger.
import type { Approval } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import { digestOf, isApprovable } from "../content/digest.ts"
import type { JsonObject } from "../content/json.ts"
import type { RunOrigin } from "../content/run.ts"
import type { RunReport } from "../content/run-report.ts"
import type { Surroundings } from "../content/surroundings.ts"
import type { News } from "../fingerprint/news.ts"
import type { Reservation } from "../limit/sum.ts"
import type { Verb } from "../policy/judge.ts"
import type { LimitReading } from "../policy/limit-reading.ts"
import { type Look, lookOf } from "../policy/look.ts"
import { type Demand, demandHash, demandOf, type Policy, type PolicyNow } from "../policy/policy.ts"
import { type CaseTime, routesUnder } from "../policy/timing.ts"
import type { Circumstances, RuleContext } from "../policy/when.ts"
import type { Route } from "../rule/rule.ts"
import { maskText } from "../text/mask.ts"
import type { CaseEvent } from "./event.ts"
import type { RelatedApproval } from "./related-approval.ts"
import type { Resumption } from "./resumption.ts"
import { type Decision, type Quotas, quotasOf, type ValuedQuotas, type Vote } from "./vote.ts"

/** Where a card hangs. */
export interface Place {
  readonly channel: string
  readonly ts: string
}

/** One state of an approval's content under the rules in force. If either changes, there is a new one (R2, R5). */
export interface Revision {
  readonly number: number
  readonly digest: string
  readonly demand: string
  /** The policy revision under which the demand was last found (R16). */
  readonly policy: string
  readonly quotas: Quotas["quotas"]
  /** What votes with certain values need, where these make it something else; absent where none do. */
  readonly byValues?: readonly ValuedQuotas[]
  /** Who asked, and when, as it was known when the revision was made; absent where no rule looks at it. */
  readonly circumstances?: Circumstances
  /** How the limits of its rules were read last; absent where none has one. Votes change it without a new revision. */
  readonly limits?: readonly LimitReading[]
  /** What was new of its calls when the revision was made; absent where nothing was. */
  readonly news?: News
  /** False if a call has no rule for certain: nobody may decide. */
  readonly covered: boolean
  /** False if programs would show the content differently (a lone surrogate). */
  readonly approvable: boolean
  /** What the rules say about how the case is shown. */
  readonly look: Look
}

/** The card of one route. */
export interface Card {
  /** `routeKey` of the route. */
  readonly route: string
  /** Where the case hangs: on a card of its own or, while `summary` is true, on a line of that message. */
  readonly place: Place | null
  /** True while a summary names the case and it has no card of its own. */
  readonly summary: boolean
  /** The revision that the card shows; 0 before it is posted. */
  readonly revision: number
  /** `cardModelHash` of what the card shows; null before it is posted. */
  readonly modelHash: string | null
  /** How many of the case's lines its thread has, those left out at its beginning included. */
  readonly told: number
  /** How many lines the thread leaves out, since they are older than the card. Default 0. */
  readonly from?: number
  /** The lease: who posts now, until when (epoch ms). Expired: a process died between posting and remembering. */
  readonly lease: { readonly by: string; readonly until: number } | null
  /** The epoch of Redis in which we asked Slack what hangs there. Default: none. */
  readonly lookedIn?: string
  /** How often the message was posted again: it was gone, or we could not look whether it hangs. */
  readonly reposts: number
  /**
   * Why we can post nothing there, and when to try again (epoch ms); null if nothing is wrong. `edit`: the thread takes
   * lines, only the card can't be edited.
   */
  readonly trouble: { readonly why: string; readonly retryAt: number; readonly edit?: true } | null
}

/**
 * One POST of the frozen body. `unaccounted`: nobody knows whether the platform carried it out. `unheard`: the same,
 * and no answer will come any more. `refused`: it certainly had no effect.
 */
export interface Attempt {
  readonly at: number
  readonly result: "unaccounted" | "unheard" | "refused"
  /** The platform refused our own credential, or could not check it: we can tell it nothing until that works again. */
  readonly barred?: true
}

/** A frozen verdict on its way to the platform (R9). `body` is the exact JSON text of every POST. */
export interface Sending {
  readonly body: string
  /** The decision's signed receipt, which is also part of `body`. */
  readonly receipt?: string
  readonly attempts: readonly Attempt[]
  /**
   * Since when we may have lost how the sending went, epoch ms. Then we never send it again; it ends if the record
   * stays pending for long (R17).
   */
  readonly doubtfulAt?: number
}

/** What the platform's record finally says, and who decided it. `resolvedBy` is in the platform's own words. */
export type Outcome =
  | {
      readonly kind: "ours"
      readonly verb: Verb
      readonly decisionId: string
      readonly resolvedBy: string | null
      readonly at: number
    }
  | { readonly kind: "elsewhere"; readonly status: string; readonly resolvedBy: string | null; readonly at: number }
  | { readonly kind: "vanished"; readonly at: number }

/** Words for a case that waits. `deciding`: the verdict is on its way. `held`: a rejection that is not sent (R12). */
export const waitingStatuses = ["waiting", "expired", "deciding", "held"] as const

/** Words for one that ended. `expired`: nobody decided in time. `elsewhere`: not by us. `gone`: deleted there. */
export const pastStatuses = ["approved", "rejected", "expired", "elsewhere", "gone"] as const

/** Any of them. */
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
/** What a platform's record may say that people ask for. */
const recordWords = ["approved", "rejected", "expired"] as const

/** What Countersign remembers of one approval. */
export interface Case {
  readonly id: string
  /** The version that the store holds; 0 before the first commit. */
  readonly version: number
  readonly installation: string
  readonly instance: string
  readonly approvalId: string
  /** Deadlines count from here. A case that closed although its approval is pending starts again. */
  readonly openedAt: number
  readonly time: CaseTime
  /** `closed`: settled, the run needs nothing more, and every card and thread says how it ended. */
  readonly state: "open" | "sending" | "settled" | "closed" | "frozen"
  readonly revision: Revision
  /** The content of the current revision; null once closed (R15). */
  readonly approval: Approval | null
  /** Once closed: the content with what the rules mask hidden, and until when (epoch ms) we may show it. */
  readonly kept?: { readonly approval: Approval; readonly until: number }
  /** The content before its last change, to show people what changed. Null if it never changed, and once closed. */
  readonly before: { readonly revision: number; readonly approval: Approval } | null
  /** What remains after the content was erased. */
  readonly summary: CaseSummary
  /** The valid votes on the current revision, one a person. */
  readonly votes: readonly Vote[]
  readonly decision: Decision | null
  /** What the approved calls were added to, while it can still be taken away again; absent where no limit counts. */
  readonly reserved?: Reservation
  readonly sending: Sending | null
  readonly outcome: Outcome | null
  /** How far we are with the run that we continue; null if we continue none. */
  readonly resumption: Resumption | null
  readonly cards: readonly Card[]
  /**
   * Admission: the agent that the case counts for (a hash), and whether it may have cards; until then it has none
   * (R20).
   */
  readonly admission: { readonly agent: string; readonly given: boolean }
  /** The events that people read in the thread, in order; a card's `told` counts into it. */
  readonly lines: readonly CaseEvent[]
  /** Kinds of notices that the threads have told (`notice.ts`): each is told once. */
  readonly noticed: readonly string[]
  /** What we found out around the approval that its record does not say. */
  readonly around: Surroundings
  /** What the platform's record says of the run while it is pending; absent while the run waits. */
  readonly reported?: RunReport
  /** The calls that it is or was about, by `callKeysOf`. Related approvals find each other by them. */
  readonly calls: readonly string[]
  readonly related: readonly RelatedApproval[]
  /** The Slack thread in which its run began; absent if there is none, or if nobody has looked yet. */
  readonly origin?: RunOrigin
  /** True once we know whom to tell the end: the requester's card is among the cards, or there is nobody to tell. */
  readonly informed: boolean
  /** How often in a row, and since when, the platform did not know it. `alone`: we knew no other approval then. */
  readonly missing: { readonly times: number; readonly since: number; readonly alone?: boolean } | null
  /** The run of Redis under which the case was last compared with the platform (R17). */
  readonly epoch: string
  /** The ids of its decisions that ended without effect: if the platform has one later, somebody else sent it (R9). */
  readonly ended: readonly string[]
  /** The interactions of the last day that counted or were refused: none of them counts again (R11). */
  readonly used: readonly UsedInteraction[]
  /** The case's chain in the ledger: how many entries, the last one's MAC, the last era. Kept by the store. */
  readonly chain: { readonly count: number; readonly mac: string; readonly era: number }
}

/** An interaction that counted or was refused: whose it was (`team:user`), and when they made it, epoch ms. */
interface UsedInteraction {
  readonly interaction: string
  readonly person: string
  readonly at: number
}

/** The plain facts of an approval that may be kept for good. */
interface CaseSummary {
  readonly tool: string | null
  readonly agent: string | null
  /** Absent if there is none, and in older records. */
  readonly team?: string
  readonly workflow?: string
  readonly requester: string | null
  readonly calls: number
  readonly createdAt: number | null
}

/** The plain facts of a case as they may be shown: only patterns mask parts of them, and nothing hides who asked. */
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

/** The revision that an approval's content and the rules in force make. */
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
 * The rules that a case's approval demands now, with what is escalated of them; empty once its content is erased. With
 * what a vote filled in: those that votes with these values need. Limits are as they were read last.
 */
export function demandNow(current: Case, policy: Policy, filled: JsonObject | null = null): Demand {
  return demandAs(current, policy, { filled })
}

/** The same as limits were read just now. */
export function demandAs(current: Case, policy: Policy, known: RuleContext): Demand {
  if (current.approval === null) return { rules: [], covered: false }
  const demand = demandOf(current.approval, policy.rules, { ...current.revision, ...known })
  const escalated = current.time.escalated.map(({ rule }) => rule)
  return escalated.length === 0 ? demand : { ...demand, escalated }
}

/** The routes of a demand, each once, in the rules' order. */
export function routesOf(demand: Demand): readonly string[] {
  return [...new Set(demand.rules.flatMap((rule) => routesUnder(demand, rule).map(routeKey)))]
}

/** Where a case has a card of its own on a route; null if it has none yet, or hangs on a summary. */
export function ownPlace(card: Card | undefined): Place | null {
  return card === undefined || card.summary ? null : card.place
}

/** The card of a route, if the case has one. */
export function cardOn(current: Case, route: string): Card | undefined {
  return current.cards.find((card) => card.route === route)
}
