// Cards, threads, answers and people in Slack, as the flow needs them.
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Place } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { Json } from "../../domain/content/json.ts"
import type { HomeTeam, Person, SlackId } from "../../domain/people/person.ts"
import type { SummaryModel } from "./backlog.ts"
import type { Details, Home } from "./inbound.ts"
import type { ReplyTo } from "./interaction.ts"
import type { Answer } from "./reply.ts"

/**
 * Posts and edits cards and thread lines. Throws `ChatError` (a `PortError`) with `retryAfterMs` on 429 and Slack's own
 * code. Nothing of a case is written in a channel that another company reads too where no rule allows that
 * (`shared-channel`); an edit there covers what hangs.
 */
export interface Chat {
  /** Posts a card and says where it hangs. */
  postCard(model: CardModel): Promise<Place>
  /** Shows a card model on a card that hangs. `gone` if the message was deleted or can't be edited any more. */
  updateCard(place: Place, model: CardModel): Promise<"updated" | "gone">
  /**
   * Lines in the card's thread: the first of them, as many as one message holds. Answers how many it told, at least
   * one; 0 if Slack found the message too long, which took nothing: then they are to be told once more, `shorter` by
   * one.
   */
  tell(place: Place, model: CardModel, lines: Lines): Promise<number>
  /** The same in the thread of the summary that the case hangs on, with the case's name. */
  tellOnSummary(place: Place, model: CardModel, lines: Lines): Promise<number>
  /** What Slack says of a thread that is not ours: a link to it, and whether we may write there. */
  lookAtThread(place: Place): Promise<{ readonly link: string | null; readonly open: boolean }>
  /** One message of a case in such a thread. `first`: how many of its lines stand there; `due`: how many then do. */
  tellThread(place: Place, model: CardModel, lines: { readonly first: number; readonly due: number }): Promise<void>
  /** Posts a summary and says where it hangs. */
  postSummary(model: SummaryModel): Promise<Place>
  /** Shows a summary as it is now. */
  updateSummary(place: Place, model: SummaryModel): Promise<"updated" | "gone">
  /** The summary that a process posted before it died, like `findCard`; null also if we may not look. */
  findSummary(model: SummaryModel, since: number): Promise<Place | null>
  /** A dead process' card, by its metadata, since `since` (ms); null if none, `unseen` if we may not look. */
  findCard(model: CardModel, since: number): Promise<Place | "unseen" | null>
  /** How many lines of the case stand in the thread already; null if we may not look. */
  countLines(place: Place, model: CardModel): Promise<number | null>
  /** Settles the message a click came from by its response_url; false if Slack does not take it any more. */
  settleClicked(responseUrl: string, model: CardModel): Promise<boolean>
  /** A link to a message, or null where Slack gives none. */
  linkTo(place: Place): Promise<string | null>
  /** What became of a card that nobody touched: is its message there, and can people still act on it. */
  look(place: Place, route: string): Promise<CardSight>
  /** True if another company reads a route's channel and no rule allows it, as Slack said `maxAgeMs` ago at most. */
  exposed(route: string, maxAgeMs: number): Promise<boolean>
  /** Shows a person their Home. */
  publishHome(user: string, home: Home): Promise<void>
  /**
   * Tells one person privately what became of their act. `to` says how Slack lets us reach them. `again`: where they
   * acted in a view, it shows the case below the words, so that they can act again at once.
   */
  answer(to: ReplyTo, answer: Answer, again?: ReopenedView): Promise<void>
}

/** What happened to a case, a line each, at least one. `first`: the number of the first, counted from 0 in the case. */
export interface Lines {
  readonly first: number
  readonly events: readonly CaseEvent[]
  /** How often Slack found them too long already. Default: 0. */
  readonly shorter?: number
  /** What stands below the line that the run is completed. Default: nothing. */
  readonly answer?: RunAnswer
}

/** What a resumed run answered, a text or a value, and what the rules mask in it; or that it could not be read. */
export type RunAnswer =
  | { readonly kind: "read"; readonly content: Json; readonly mask: readonly string[] }
  | { readonly kind: "unread" }

/** A card as Slack tells of it. `shut`: nobody can act there, and why. `unknown`: we may not look. */
export type CardSight =
  | { readonly kind: "there" | "gone" | "unknown" | "exposed" }
  | { readonly kind: "shut"; readonly why: string }

/** A case as the person of a view may see it, and the card that the view was opened from. */
export interface ReopenedView {
  readonly details: Details
  readonly place: Place | null
}

/** What somebody had before them: a card, or so many pages of Details, from the first, with masks opened or not. */
export type Shown =
  | { readonly kind: "card" }
  | { readonly kind: "details"; readonly pages: number; readonly revealed: boolean }

/** What surfaces show of a case. Pure: the same model shows the same. */
export interface Surfaces {
  /** True if everything that would run was shown as it is, so that an approval may be given there (R4). */
  carries(model: CardModel, shown: Shown): boolean
}

/** Looks people up. Throws `ChatError` if Slack does not say; then nobody decides. */
export interface People {
  /** A user as Slack tells them, read at most `maxAgeMs` ago. */
  look(id: SlackId, maxAgeMs: number): Promise<Person>
  /** Whom a user group stands for, read at most `maxAgeMs` ago. */
  members(group: string, maxAgeMs: number): Promise<Members>
  /** True if a person is a member of a channel, read at most `maxAgeMs` ago; false where we may not look. */
  inChannel(channel: string, id: SlackId, maxAgeMs: number): Promise<boolean>
  /** Whom an e-mail means, or null: `maxAgeMs` old at most. Throws also where Slack never tells. */
  byEmail(email: string, maxAgeMs: number): Promise<SlackId | null>
  /** The same of an address that a rule lists: where Slack does not tell of it for good, that is an answer. */
  holderOf(email: string, maxAgeMs: number): Promise<Holder>
  /** Where the app is installed: user ids in the config belong to its team. */
  readonly home: HomeTeam
  /**
   * The same for who only looks: while Slack does not answer, what it said in the last ten minutes; and a group or an
   * address of which it said nothing yet means nobody.
   */
  readonly patient: People
}

/** The people of a user group as `personKey`s. `trouble`: why it stands for nobody, in words; null while it is well. */
export interface Members {
  readonly keys: readonly string[]
  readonly trouble: string | null
  /** What people call the group; absent where Slack does not say. */
  readonly name?: string
}

/** Whom an e-mail means. `trouble`: why Slack does not tell, in words; null where it does. */
export interface Holder {
  readonly person: SlackId | null
  readonly trouble: string | null
}

/** What Slack said a moment ago, shared by all replicas. Never relied on: what is not there is asked of Slack. */
export interface SharedAnswers {
  /** An answer by its name, and when it was asked for (epoch ms), or null. The reader says whether it is too old. */
  read(name: string): Promise<{ readonly at: number; readonly value: Json } | null>
  keep(name: string, answer: { readonly at: number; readonly value: Json }): Promise<void>
}

/** A socket of this process. */
export interface OwnSocket {
  /** Fresh for each socket. */
  readonly id: string
  /** How many sockets of the app were found to be somebody else's. */
  readonly foreign: number
}

/** The sockets of all replicas of this installation. Throws `StoreError` (a `PortError`). */
export interface Sockets {
  /** Says that a socket is open, which holds for a minute; and how many sockets that holds for, over all replicas. */
  note(socket: OwnSocket): Promise<number>
}
