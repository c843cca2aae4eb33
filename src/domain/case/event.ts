// What can happen to a case: the body of a ledger entry. Some events are also told in the card's thread.
import type { Runner } from "../content/run.ts"
import type { Asked } from "../policy/asked.ts"
import type { Verb } from "../policy/judge.ts"
import { maskText } from "../text/mask.ts"
import type { Case, Place, ProposalOutcome, Question } from "./case.ts"
import type { RunEnd, Withheld } from "./resumption.ts"
import type { RepeatDecision, Vote } from "./vote.ts"

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
  /** The case answers what this person proposed when they sent another case back, under these rules. */
  | {
      readonly kind: "counterproposal-answered"
      readonly case: string
      readonly person: string
      readonly rules: readonly string[]
      /** Set if all that can be compared is as proposed. */
      readonly asProposed?: true
    }
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
      /** Set if nobody decided in time (R13), or if a rejection of the same call lasts (R22). */
      readonly by?: "expiry" | "again"
      /** The lasting rejection of which this is a repeat. */
      readonly as?: RepeatDecision["as"]
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
  /** Somebody asked a question about the case. */
  | {
      readonly kind: "asked"
      readonly person: string
      readonly to: Question["to"]
      readonly text: string
      readonly interaction: string
    }
  /** The first answer to a question. `question`: the interaction that asked it; `asker`: whose it is. */
  | {
      readonly kind: "answered"
      readonly person: string
      /** `requester`: the platform names this person as the one who asked for the run (R6). */
      readonly as: Question["to"]
      readonly asker: string
      readonly question: string
      readonly text: string
      readonly interaction: string
    }
  /** No reviewer of these rules looked at it in time. */
  | { readonly kind: "glass-left"; readonly rules: readonly string[] }
  /** Its rejection lasts, and this case of the same call was rejected by itself (R22). */
  | { readonly kind: "repeated"; readonly case: string }
  /**
   * The same call was asked in a loop, and is left undecided (R22). `case`: the case that was left so or, in the chain
   * of that one, the case whose rejection lasts.
   */
  | { readonly kind: "looping"; readonly case: string }
  /** People are asked again: somebody says so or, if `person` is null, the time is over. `asked`: about this case. */
  | {
      readonly kind: "asks-again"
      readonly person: string | null
      readonly interaction?: string
      readonly asked?: readonly Asked[]
    }
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

/** Which fields of an event are a platform's own words: these may quote an argument, or name somebody. */
export const platformWords = {
  attempted: ["result"],
  reopened: ["why"],
  "run-ended": ["detail"],
  "not-resumed": ["why"],
} as const satisfies { readonly [Kind in CaseEvent["kind"]]?: readonly string[] }

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
  "counterproposal-answered",
  "voted",
  "called-back",
  "voided",
  "withdrawn",
  "decided",
  "glass-broken",
  "glass-reviewed",
  "glass-left",
  "asked",
  "answered",
  "looping",
  "asks-again",
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

/** The tool and team that the platform names, without what the rules mask. Reports count by them. */
export function namedFact({ summary: { tool, team }, revision }: Pick<Case, "summary" | "revision">) {
  const shown = (name: string) => maskText(name, revision.look.mask)
  return { ...(tool === null ? {} : { tool: shown(tool) }), ...(team === undefined ? {} : { team: shown(team) }) }
}
