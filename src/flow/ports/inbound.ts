// What the surfaces may ask of the flow: the one door from Slack's listeners to the steps.
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Case, CaseStatus, Place, StandInNote } from "../../domain/case/case.ts"
import type { Inputs } from "../../domain/content/inputs.ts"
import type { Json, JsonObject } from "../../domain/content/json.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Judgement, Verb } from "../../domain/policy/judge.ts"
import type { WhenReading } from "../../domain/policy/when.ts"
import type { KeptReceipt, OpenedView, TakenBefore } from "../ports.ts"
import type { Interaction, Manner, Press, ReviewInteraction, SendBackForm, Target } from "./interaction.ts"
import type { Absence, AbsenceActs } from "./order/absence-acts.ts"
import type { OrderActs, Stop } from "./order/stop-acts.ts"
import type { CaseQuestions, QuestionActs } from "./question/question-acts.ts"
import type { Answer } from "./reply.ts"

/** An interaction that is safe in Redis. Next we acknowledge it, then carry it out. */
export interface Ticket {
  readonly id: string
  readonly interaction: Interaction
  /** When it was written, epoch ms. */
  readonly takenAt: number
  /** Its era. In a later era it casts no vote (R17). */
  readonly era: number
}

/** An interaction that we took, and its case as read while we wrote the ticket; undefined if that read failed. */
export interface Taken {
  readonly ticket: Ticket
  readonly current: Promise<TakenBefore["read"]>
}

/** Everything that the Details view shows to one person. */
export interface Details extends CaseQuestions {
  readonly model: CardModel
  readonly approve: Judgement
  readonly reject: Judgement
  /** Set if this person started the run, and may call the request back (R1). */
  readonly callBack?: true
  /** What stops whoever asks for this, as it is typed; absent if nobody can type it, and for guests and strangers. */
  readonly stopWords?: string
  /** Set if this person may break the glass now (R1). */
  readonly glass?: true
  /** This person's vote, if it counts and they can withdraw it. */
  readonly own: Verb | null
  /** What started the run. Nobody decides about it. Absent if no rule wants it shown. */
  readonly request?: RunRequest
}

/** What somebody wrote to start a run, or why nobody can tell. */
export type RunRequest =
  | { readonly kind: "read"; readonly input: Json }
  | { readonly kind: "unread"; readonly why: "not-allowed" | "unknown-run" | "unreachable" }

/** What a person has to fill in before they can vote. */
export interface VoteForm {
  readonly model: CardModel
  /** What an approval asks for; empty for a rejection. */
  readonly inputs: Inputs
  /** Null if nobody asks for a reason. */
  readonly reason: { readonly required: boolean; readonly choices: readonly string[] } | null
  /** What the first approver filled in (`{values?, result?}`), or null (R3). */
  readonly earlier: JsonObject | null
  /** Set for a form that breaks the glass: what has to be typed, the name of the tool or the id of the case. */
  readonly glass?: { readonly word: string; readonly names: "tool" | "case" }
  /** Set for a form that sends the case back. */
  readonly sendBack?: SendBackForm
  /** Set for the form of a plain rejection, if this person may send the case back instead. */
  readonly maySendBack?: true
  /** For how long the rejection may last, in ms; absent if it may not (R22). */
  readonly lastingMs?: number
}

/** What a press for the form of a review gets: the case, or the answer that the review would get. */
export type ReviewFormOrAnswer =
  | { readonly kind: "form"; readonly model: CardModel }
  | { readonly kind: "answer"; readonly answer: Answer }

/** What a press for a form gets. */
export type FormOrAnswer =
  | { readonly kind: "form"; readonly form: VoteForm }
  | { readonly kind: "answer"; readonly answer: Answer }

/**
 * Which cases a list shows; an absent field excludes none. A name is found by how it begins, or by a whole pattern with
 * `*` and `?`; upper and lower case are the same.
 */
export interface Filter {
  /** Only cases whose id, or whose approval's id, begins with this. */
  readonly beginning?: string
  readonly agent?: string
  readonly team?: string
  readonly workflow?: string
  readonly tool?: string
  readonly instance?: string
  readonly rule?: string
  readonly status?: CaseStatus
  /** Who asked, as the platform names them. */
  readonly requester?: string
  /** Only cases that this person asked for. */
  readonly requestedBy?: SlackId
  /** Only cases that this person asked for or voted on. */
  readonly concerning?: SlackId
  /** Who voted: a Slack user id, or a name as the vote has it. */
  readonly person?: string
  /** The earliest time of a case, epoch ms: when it settled or, if it waits, when somebody asked for it. */
  readonly since?: number
  /** The latest such time. */
  readonly until?: number
  /** Only cases that hold each of these words: in a name, an id, a rule's sentence or an argument. Masks hide words. */
  readonly text?: string
  /** Only cases that have waited for at least this long, in ms. */
  readonly olderMs?: number
  /** Only cases with a deadline that has passed. */
  readonly overdue?: true
  /** Only cases with a limit that was passed when we last read it. */
  readonly limit?: true
}

/** A page of cases that wait, the most urgent first, or of settled cases, latest first. */
export interface Listing {
  readonly models: readonly CardModel[]
  readonly total: number
  /** True if there are more cases: the page was full before we had looked through all. */
  readonly more: boolean
  /** Where the next look begins. Set only if this look went through as many cases as one answer may. */
  readonly next?: FurtherLook
}

/** Where a look goes on after an earlier one. */
export interface FurtherLook {
  /** How many cases we looked through so far. */
  readonly after: number
  /** When the last of these cases settled or, if it waits, when somebody asked for it; epoch ms. */
  readonly back: number
}

/** Which part of a list is wanted. */
export interface PageAsk {
  readonly offset: number
  readonly limit: number
  /** How many cases to skip, in the order of the store: `next.after` of an earlier look. Default 0. */
  readonly after?: number
}

/** Which of the waiting cases are wanted. */
export interface ListAsk extends PageAsk {
  /** Only cases that wait for this person's vote. */
  readonly mine: boolean
  readonly filter: Filter
}

/** Which part of the history is wanted. */
export interface HistoryAsk extends PageAsk {
  readonly filter: Filter
}

/** Who may decide a case under one rule. */
export interface RuleAsked {
  readonly name: string
  readonly quorum: number
  /** Who may decide under the rule (Slack user ids), without people who are listed but may not. */
  readonly users: readonly string[]
  /** How many more the rule lists. We did not look whether they may decide. */
  readonly more: number
  /** How we read its condition; absent for a rule without one. */
  readonly when?: WhenReading
  /** Who may vote for those of them who are away; absent if nobody may. */
  readonly standIns?: readonly StandInNote[]
}

/** Who could break the glass now (Slack user ids), and how many we did not look up; or why nobody may. */
export type GlassNow =
  | { readonly kind: "people"; readonly users: readonly string[]; readonly more: number }
  | { readonly kind: "nobody"; readonly why: "no-glass" | "unknown-requester" | "open-reviews"; readonly rule: string }
  | { readonly kind: "nobody"; readonly why: "nobody-listed" | "stopped" }

/** Who may decide a case, and why this person may or may not. */
export interface Why {
  readonly details: Details
  readonly rules: readonly RuleAsked[]
  /** Absent if none of the rules lets anybody break the glass, or if nobody can approve the case any more. */
  readonly glass?: GlassNow
  /** Set for a proposal that nobody may approve: how many could approve the next one, and how many it takes. */
  readonly lockedOut?: { readonly able: number; readonly quorum: number }
}

/** One case in the review of a summary, and how many cases wait after it. */
export interface Reviewed {
  readonly details: Details
  readonly left: number
}

/** How many waiting cases one page of a Home shows. */
export const homePageSize = 10

/** What a person's Home shows. */
export interface Home {
  /** A page of the cases that wait for their vote, the most urgent first; and the number of that page, from 1. */
  readonly mine: Listing
  readonly page: number
  /** How many cases wait that they may see. */
  readonly waiting: number
  /** The waiting cases that they asked for. */
  readonly requests: Listing
  /** The cases that were decided lately by this person's vote, or on their request. */
  readonly decided: Listing
  /** The stops in force, oldest first. Absent if there are none, or if this person may not see them. */
  readonly stops?: readonly Stop[]
  /** The absences in which they are away or stand in; absent if there is none. */
  readonly absences?: readonly Absence[]
  /** Set if they are not away, and a rule lets somebody stand in for them. */
  readonly mayBeAway?: true
  /** What they searched for, and what we found; null if they did not search. */
  readonly found: { readonly asked: string; readonly waiting: Listing; readonly decided: Listing } | null
  /** The time of all this, epoch ms. */
  readonly at: number
}

/** What a Home should show: a page of the waiting cases, from 1, and a search (null: no search). */
export interface HomeAsk {
  readonly page: number
  readonly search: { readonly asked: string; readonly filter: Filter } | null
}

/** A press on "Receipt". `place`: the message with the button; null if it was not on a message. */
export interface ReceiptAsk {
  readonly person: SlackId
  readonly target: Target
  readonly place: Place | null
}

/** The receipt with its case, or why it is not shown. */
export type ReceiptShown =
  | (Extract<KeptReceipt, { kind: "kept" }> & {
      readonly summary: Case["summary"]
      /** The voters' reasons, as the case has them; the receipt does not sign them. */
      readonly reasons: readonly { readonly user: string; readonly reason: string }[]
    })
  | Exclude<KeptReceipt, { kind: "kept" }>
  | { readonly kind: "told"; readonly answer: Answer }

/** What a surface may ask of the flow. */
export interface Inbound extends OrderActs, AbsenceActs, QuestionActs {
  /**
   * Throws a `PortError` if this replica may not read what Slack delivers, because a newer Countersign took over. Then
   * we take and acknowledge nothing, and tell nobody anything. So call it before `take`.
   */
  demandNewest(): Promise<void>
  /** Writes the ticket, the one Redis write before the ack. Throws if Redis refuses; then the press does not count. */
  take(interaction: Interaction): Promise<Taken>
  /** Carries the interaction out, answers the person, removes the ticket. Never rejects: after a failure it stays. */
  carryOut(taken: Taken): Promise<void>
  /** True if this vote needs a form: a press is not enough. Never rejects. */
  needsForm(taken: Taken): Promise<boolean>
  /**
   * The form of a vote, for somebody whose vote could count now; else the answer that such a vote would get. Throws a
   * `PortError` if Slack or Redis does not answer.
   */
  ask(press: Press): Promise<FormOrAnswer>
  /** Drops an interaction that only opened a form (R11). Never rejects: a ticket that stays casts no vote. */
  drop(taken: Taken): Promise<void>
  /** A case as this person may see it, or null. Throws a `PortError` if the platform or Slack does not answer. */
  details(caseId: string, person: SlackId, route: string | null): Promise<Details | null>
  /**
   * What to tell somebody if `details` is null. `place`: the message that they pressed, or null. Throws like `details`.
   */
  notShown(caseId: string, person: SlackId, place: Place | null): Promise<Answer>
  /**
   * The form of an act. Null if the case is not open, or if a press is enough for an approval. That of a rejection
   * always has a field for a reason.
   */
  form(target: Pick<Target, "caseId" | "route">, wish: Pick<Press, "verb"> & Manner): Promise<VoteForm | null>
  /** What a press gets that opens the form of a review. Throws like `ask`. */
  askReview(press: ReviewInteraction): Promise<ReviewFormOrAnswer>
  /** Publishes the Home that somebody opened. Throws a `PortError` if that is not possible now. */
  openedHome(person: SlackId, ask?: HomeAsk): Promise<void>
  /** Reveals to an approver what is masked in their view; ledger and vote record it. False if they may not see it. */
  reveal(viewId: string, person: SlackId): Promise<boolean>
  /** Handles a message that was deleted. If it was a card, we look, and post it again if need be. */
  deleted(caseId: string, place: Place): Promise<void>
  /** Handles a channel that was shared with another company, or is ours alone again. */
  channelChanged(channel: string): Promise<void>
  /** Remembers a view that was opened for a person (R18). */
  opened(view: OpenedView): Promise<void>
  /** The view of that id, or null if we did not open it. */
  view(viewId: string): Promise<OpenedView | null>
  /** The cases that wait, as this person may see them. */
  list(person: SlackId, ask: ListAsk): Promise<Listing>
  /** The settled cases, as this person may see them. */
  history(person: SlackId, ask: HistoryAsk): Promise<Listing>
  /** The receipt of a settled case's decision, for people who may see the case. */
  receipt(ask: ReceiptAsk): Promise<ReceiptShown>
  /**
   * The next case of a route's summary that waits for this person's vote, after the case `after` (null: from the
   * first); null if there is none. We give that case a card of its own before the others. Throws like `details`.
   */
  review(route: string, person: SlackId, after: string | null): Promise<Reviewed | null>
  /** Who may decide a case; null where `details` is null. */
  why(caseId: string, person: SlackId): Promise<Why | null>
}
