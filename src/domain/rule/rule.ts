// What a rule of countersign.yaml is: who is asked, about what, where and by when. Types, and the hash of all it says.
import { hashOf } from "../content/canonical.ts"
import { once } from "../content/once.ts"
import type { Checksum } from "../text/checksum.ts"
import { whatIsSaid } from "./said.ts"

/** Where cards of a rule go: a channel, or a person by direct message. */
export type Route = { readonly kind: "channel"; readonly id: string } | { readonly kind: "person"; readonly id: string }

/** Who may decide: a Slack user id (of our workspace, or of `team`), an e-mail linked to one (R7), or a user group. */
export type Approver =
  | { readonly kind: "user"; readonly id: string; readonly team?: string }
  | { readonly kind: "email"; readonly email: string }
  | { readonly kind: "group"; readonly id: string }

/** What a rule is about. One word of a list is enough; an absent field matches all. `tool` may have `*` and `?`. */
export interface Match {
  readonly instance?: readonly string[]
  readonly agent?: readonly string[]
  readonly team?: readonly string[]
  readonly workflow?: readonly string[]
  readonly tool?: readonly string[]
  readonly pause?: readonly string[]
  readonly source?: readonly string[]
}

/** The risk that a rule sees in its calls; the card says it. */
export type Risk = "low" | "medium" | "high"

/**
 * One rule of `countersign.yaml`, with every default filled in. If a key is absent, it says nothing (`whatIsSaid`).
 * Make a new key optional, too, so that rules without it keep their hash.
 */
export interface Rule {
  readonly name: string
  readonly match: Match
  /** True: if the platform leaves a field null, the rule is possible, and so it is demanded (R1). */
  readonly matchUnknown: boolean
  readonly routes: readonly Route[]
  readonly approvers: readonly Approver[]
  /** People who may vote for an approver who is away; no groups. Absent: nobody may. */
  readonly standIns?: readonly Approver[]
  readonly quorum: number
  readonly forbidSelfApproval: boolean
  /** True: whoever proposed a value when they sent a call back does not count as one who asks for it (R6). */
  readonly proposerMayApprove?: boolean
  /** Who may approve if nobody knows who asked (R6). */
  readonly unknownRequester: "refuse" | "two" | "allow"
  readonly requireReason: "never" | "reject" | "approve" | "always"
  /** Reasons that the form offers. */
  readonly reasons: readonly string[]
  /** Names of keys and `/patterns/` whose values are masked. */
  readonly mask: readonly string[]
  readonly risk: Risk | null
  /** True: what is approved cannot be undone, and the card says so. */
  readonly danger: boolean
  /** Arguments that a card shows first. */
  readonly showFirst?: readonly string[]
  /** A sentence about a call (`sentence.ts`). */
  readonly say?: string | undefined
  /** True: only Details show arguments. */
  readonly argumentsInDetails?: boolean
  /** True: Details quotes what the requester wrote to start the run. */
  readonly requestInDetails?: boolean
  /** True: the requester gets the answer of the resumed run. */
  readonly resultToRequester?: boolean
  /** True: we do not compare its calls with those approved before, and remember nothing of them. */
  readonly withoutNews?: boolean
  readonly allowGuests: boolean
  readonly allowExternal: boolean
  /** True: another company may share its channels, and so read every call. */
  readonly allowSharedChannel?: boolean
  /** What else must be true of a call: a condition that was read and found good (`when.ts`). */
  readonly when?: string | undefined
  /** The time zone of the clock that `when` looks at: a name of the IANA time zone database. */
  readonly timeZone?: string | undefined
  /** The classes of data that `when` asks for. */
  readonly classes?: readonly DataClass[] | undefined
  /** The last day, such as 2027-06-30, by which somebody has to look at the rule again. */
  readonly reviewBy?: string | undefined
  /** By when the rule wants a decision; undefined: it can wait for ever. */
  readonly timing?: Timing | undefined
  /** The sum of many calls above which the rule asks more people. */
  readonly limit?: RuleLimit | undefined
  /** Who answers questions about a call if nobody knows who asked for it. Absent: nobody. */
  readonly ask?: readonly Route[] | undefined
  /** Who may approve without the others in an emergency, and who looks at that afterwards. */
  readonly breakGlass?: BreakGlass | undefined
  /** For how long whoever rejects a call may also reject the same call when it is asked again (R22). */
  readonly afterRejection?: { readonly sameCallMs: number } | undefined
}

/** What a rule says about time. Durations are ms since the case was opened. */
export interface Timing {
  readonly remindAfter: readonly number[]
  /** Who else is asked later; earliest first. */
  readonly escalate: readonly EscalationStep[]
  /** Null: never. */
  readonly expireAfter: number | null
  readonly onExpiry: "leave" | "reject"
  /** Null: all hours count. */
  readonly workingHours: WorkingHours | null
}

/** Who else is asked once a case has waited for so many ms, and where. Those who were asked before stay asked. */
export interface EscalationStep {
  readonly after: number
  readonly routes: readonly Route[]
  readonly approvers: readonly Approver[]
}

/** When time counts: one shift on each of the days. It begins at `from`. */
export interface WorkingHours {
  /** A name of the IANA time zone database. */
  readonly timeZone: string
  /** 1 is Monday, 7 is Sunday. Never empty. */
  readonly days: readonly number[]
  /** Minutes after midnight, by the clocks there. */
  readonly from: number
  /** Later than `from`. If a shift ends on the next day, this is beyond 1440, the end of the day. */
  readonly to: number
  /** Dates (`2026-12-25`), by the calendar of the time zone, on which no shift begins. */
  readonly holidays: readonly string[]
}

/** One kind of data: what finds it, and how many different finds a call must have. */
export interface DataClass {
  readonly name: string
  readonly find:
    | { readonly kind: "pattern"; readonly pattern: string }
    | { readonly kind: "checksum"; readonly checksum: Checksum }
  readonly atLeast: number
}

/** The limit of a rule. */
export interface RuleLimit {
  /** Where the amount of a call stands, such as `args.amount`. */
  readonly sum: string
  /** Where a call says whose sum it is; absent: all calls share one sum. */
  readonly per?: string
  readonly windowMs: number
  /** A number as the rule writes it. The sum must be more than this. */
  readonly above: string
  /** Who must agree, too, if the sum is above that. */
  readonly asks: LimitDemand
}

/** The people that a limit asks once it is passed. */
export interface LimitDemand {
  readonly quorum: number
  readonly approvers: readonly Approver[]
  readonly routes: readonly Route[]
}

/** Breaking glass: an approval without those whom the rule asks, which others look at afterwards. */
export interface BreakGlass {
  /** Whose vote meets the rule by itself. */
  readonly approvers: readonly Approver[]
  /** Who says afterwards whether it was right. */
  readonly reviewers: readonly Approver[]
  /** Where the reviewers are asked. */
  readonly route: Route
  /** If nobody has said so after this many ms, an alarm stands. */
  readonly withinMs: number
}

/** An approver as the config lists them. */
export function approverAsText(approver: Approver): string {
  switch (approver.kind) {
    case "email":
      return approver.email
    case "group":
      return approver.id
    case "user":
      return approver.team === undefined ? approver.id : `${approver.team}:${approver.id}`
  }
}

/** The hash of one rule: a vote is bound to it, and a changed rule makes a new revision (R5). */
export const ruleHash = once((rule: Rule): string => hashOf(whatIsSaid(rule)))
