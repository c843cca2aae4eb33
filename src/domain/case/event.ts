// What can happen to a case: the body of a ledger entry. Some events are also told in the card's thread.
import type { Approval } from "../content/approval.ts"
import type { Runner } from "../content/run.ts"
import type { Verb } from "../policy/judge.ts"
import { demandOf, type PolicyNow } from "../policy/policy.ts"
import type { Approver } from "../rule/rule.ts"
import { maskText } from "../text/mask.ts"
import type { Case, Place, ProposalOutcome } from "./case.ts"
import type { RunEnd, Withheld } from "./resumption.ts"
import type { Vote } from "./vote.ts"

/** `at` is epoch milliseconds; people are `team:user`. */
export type CaseEvent = { readonly at: number } & CaseFact

/** Who can still decide (`team:user`): some by name, and how many more. */
export interface Eligible {
  readonly people: readonly string[]
  readonly more: number
}

type CaseFact =
  | {
      readonly kind: "opened"
      readonly approval: string
      readonly instance: string
      readonly revision: number
      readonly digest: string
      readonly rules: readonly string[]
      /** The tool and the team as the platform names them, masked; absent if it names none. */
      readonly tool?: string
      readonly team?: string
      readonly asked: readonly Asked[]
    }
  | {
      readonly kind: "revised"
      readonly revision: number
      readonly digest: string
      readonly rules: readonly string[]
      readonly why: "content" | "rules"
      readonly voided: readonly string[]
      /** Who is asked now. Set if the rules changed. */
      readonly asked?: readonly Asked[]
      /** As in `opened`, if the content changed. */
      readonly tool?: string
      readonly team?: string
    }
  /** A vote found a sum above the limit of a rule. So from now on these people are asked, too. */
  | { readonly kind: "raised"; readonly asked: readonly Asked[] }
  | { readonly kind: "placed"; readonly route: string; readonly place: Place; readonly revision: number }
  /** A line of a summary stands for the case until it gets a card of its own. */
  | { readonly kind: "summarised"; readonly route: string; readonly place: Place; readonly revision: number }
  /** The cards of a case that waited are admitted (R20). */
  | { readonly kind: "admitted" }
  | VoteFact<"voted">
  /** The requester called the request back: a rejection under no rule (R1). */
  | VoteFact<"called-back">
  | { readonly kind: "withdrawn"; readonly person: string; readonly interaction: string }
  | { readonly kind: "revealed"; readonly person: string; readonly revision: number; readonly digest: string }
  | { readonly kind: "voided"; readonly person: string; readonly why: string }
  | {
      readonly kind: "refused"
      readonly person: string
      readonly verb: Verb
      readonly why: string
      readonly interaction: string
    }
  | {
      readonly kind: "decided"
      readonly decision: string
      readonly verb: Verb
      readonly people: readonly string[]
      readonly subject: string
      readonly reason: string | null
      readonly digest: string
      /** The `receiptHash` of the decision's receipt. The receipt itself lies beside the ledger. */
      readonly receipt?: string
      /** Set if nobody decided in time (R13). */
      readonly by?: "expiry"
      /** Set if one person decided by breaking glass (R1). */
      readonly glass?: true
    }
  /** The glass was broken for the decision. `asked`: everybody whom the rules ask and who had not agreed. */
  | { readonly kind: "glass-broken"; readonly person: string; readonly asked: readonly Asked[] }
  /** A reviewer of these rules says whether breaking the glass was right. */
  | {
      readonly kind: "glass-reviewed"
      readonly person: string
      readonly name: string
      readonly rules: readonly string[]
      readonly right: boolean
      readonly reason: string | null
      readonly interaction: string
    }
  /** No reviewer of these rules looked at it in time. */
  | { readonly kind: "glass-left"; readonly rules: readonly string[] }
  /** `by`: until when the case can be decided, epoch ms; null if for ever. */
  | ({ readonly kind: "reminded"; readonly by: number | null } & Eligible)
  | ({ readonly kind: "escalated"; readonly rules: readonly string[]; readonly by: number | null } & Eligible)
  /** `rejects`: we reject at the platform, too; else its record stays as it is. */
  | { readonly kind: "expired"; readonly rejects: boolean }
  /** One more POST of the same body is about to go out; `decided` covers the first one. */
  | { readonly kind: "sent"; readonly decision: string; readonly attempt: number }
  /** No answer to a POST will come any more. */
  | { readonly kind: "unheard"; readonly decision: string; readonly attempt: number }
  /** A POST was refused for certain. */
  | { readonly kind: "attempted"; readonly decision: string; readonly attempt: number; readonly result: string }
  | { readonly kind: "reopened"; readonly decision: string; readonly why: string }
  | {
      readonly kind: "resolved"
      readonly decision: string
      readonly verb: Verb
      readonly resolvedBy: string | null
      readonly sandbox: boolean
    }
  | {
      readonly kind: "elsewhere"
      readonly status: string
      readonly resolvedBy: string | null
      readonly claimsToBeOurs: boolean
      /** How a proposal of other rules ended that nobody decided (R16). Absent for all else. */
      readonly proposal?: ProposalOutcome
    }
  | { readonly kind: "missed"; readonly times: number }
  | { readonly kind: "found" }
  | { readonly kind: "vanished" }
  /** The approval had seemed gone, but is pending, unchanged: the case goes on. `voided`: whose votes are void. */
  | { readonly kind: "returned"; readonly revision: number; readonly voided: readonly string[] }
  | { readonly kind: "recovered"; readonly decision: string; readonly verb: Verb; readonly resolvedBy: string | null }
  | { readonly kind: "frozen"; readonly why: string }
  /**
   * Redis lost its last second, and perhaps what people did. `voided`: whose votes are void. `held`: a rejection stays.
   */
  | { readonly kind: "renewed"; readonly revision: number; readonly voided: readonly string[]; readonly held: boolean }
  /**
   * Nobody knows whether this verdict was sent, so we do not send it again: Redis lost its last second or, with `why`,
   * a stop covers it (R21).
   */
  | { readonly kind: "doubtful"; readonly decision: string; readonly why?: "stopped" }
  /** The platform took the decision, but the run had ended before. */
  | { readonly kind: "without-effect"; readonly runStatus: string }
  /** The approved run was continued and paused again, and nobody is asked about the new pause. */
  | { readonly kind: "paused-again" }
  /** The run ended while the approval was pending. `team`: the team whose run it was; null: the approval's own run. */
  | { readonly kind: "run-over"; readonly team: string | null; readonly status: string }
  /** How what ran differs from what was decided, one sentence for each difference. */
  | { readonly kind: "ran-otherwise"; readonly deviations: readonly string[] }
  /** Somebody decided the approval elsewhere, and the rules would not admit them. `why` is a sentence of ours. */
  | { readonly kind: "decided-outside-rules"; readonly why: string }
  /** A rejection counts, but we do not send it, because the platform would not enforce it (R12). */
  | { readonly kind: "held" /** Null if nobody decided in time. */; readonly person: string | null }
  /** The paused run is about to be continued, once. */
  | {
      readonly kind: "continued"
      readonly run: string
      readonly runner: Runner
      readonly component: string
      readonly background: boolean
    }
  | {
      readonly kind: "run-ended"
      readonly run: string
      readonly end: RunEnd["kind"]
      readonly by: RunEnd["by"]
      readonly detail: string | null
      readonly deviations: readonly string[]
      readonly ran?: readonly string[]
    }
  /**
   * `who`: the requester as the platform names them; that person has to continue the run, unless `nobody` can. `late`:
   * a stop held the run for longer than its approval counts (R21).
   */
  | ({ readonly kind: "not-resumed"; readonly who: string | null } & Withheld)
  | { readonly kind: "closed" }

/** A vote: the rules by name, the filled-in values by their hash. */
interface VoteFact<Kind extends string>
  extends Omit<Vote, "installation" | "caseId" | "person" | "rules" | "values" | "calledBack"> {
  readonly kind: Kind
  readonly person: string
  readonly rules: readonly string[]
  /** For whom the voter stands in, as `team:user`; absent for most votes. */
  readonly for?: readonly string[]
  readonly values: string | null
}

const toldKinds: readonly CaseEvent["kind"][] = [
  "opened",
  "voted",
  "called-back",
  "voided",
  "withdrawn",
  "decided",
  "glass-broken",
  "glass-reviewed",
  "glass-left",
  "reopened",
  "resolved",
  "elsewhere",
  "vanished",
  "returned",
  "recovered",
  "revised",
  "raised",
  "reminded",
  "escalated",
  "expired",
  "frozen",
  "renewed",
  "doubtful",
  "without-effect",
  "paused-again",
  "run-over",
  "ran-otherwise",
  "decided-outside-rules",
  "held",
  "run-ended",
  "not-resumed",
]

/** True for the kinds of entries that are somebody's vote; the same press never makes two of them (R11). */
export function isVoteKind(kind: unknown): boolean {
  return kind === "voted" || kind === "called-back"
}

/** True for events after which a card shows a different failure of a verdict, or none any more. */
export function settlesFailure(kind: CaseEvent["kind"]): boolean {
  return isVoteKind(kind) || kind === "reopened" || kind === "withdrawn" || kind === "revised"
}

/** True for events that people read in the thread. */
export function isTold(event: CaseEvent): boolean {
  return toldKinds.includes(event.kind)
}

/** Who is asked under one rule: Slack ids of users and groups, and e-mails, as the rule lists them. */
export interface Asked {
  readonly rule: string
  readonly quorum: number
  readonly approvers: readonly string[]
  /** On a route: the names of those whom the route's card mentions. `approvers` leaves these people out. */
  readonly names?: readonly string[]
}

/** A card names only the first approvers of a rule, at most this many. The line in its thread has the rest. */
export const mentionedOnCard = 3

/** Who is asked under each of the demanded rules, in the rules' order. */
export function askedOf(approval: Approval, policy: PolicyNow): readonly Asked[] {
  return demandOf(approval, policy.rules, policy).rules.map(({ name, quorum, approvers }) => ({
    rule: name,
    quorum,
    approvers: approvers.map(approverWord),
  }))
}

/** The tool and team that the platform names, without what the rules mask. Reports count by them. */
export function namedFact({ summary: { tool, team }, revision }: Pick<Case, "summary" | "revision">) {
  const shown = (name: string) => maskText(name, revision.look.mask)
  return { ...(tool === null ? {} : { tool: shown(tool) }), ...(team === undefined ? {} : { team: shown(team) }) }
}

/** How entries and lines name somebody whom a rule lists: by id, or by the address that the rule gives. */
export function approverWord(approver: Approver): string {
  return approver.kind === "email" ? approver.email : approver.id
}
