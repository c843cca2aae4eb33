// Cards, threads, answers and people in Slack, as the flow needs them.
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Place, Question } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { Json } from "../../domain/content/json.ts"
import type { HomeTeam, Person, SlackId } from "../../domain/people/person.ts"
import type { SummaryModel } from "./backlog.ts"
import type { PortError } from "./error.ts"
import type { Details, Home } from "./inbound.ts"
import type { ReplyTo } from "./interaction.ts"
import type { Stop } from "./order/stop-acts.ts"
import type { AbsenceNews } from "./order/told-orders.ts"
import type { Answer } from "./reply.ts"
import type { PageSize } from "./store.ts"

/**
 * Posts and edits cards and thread lines. Throws `ChatError` (a `PortError`) with Slack's own code, and on 429 with
 * `retryAfterMs`. If another company also reads a channel and no rule allows that, a post throws `shared-channel`, and
 * an edit covers the message.
 */
export interface Chat {
  /** Posts a card and returns its place. */
  postCard(model: CardModel): Promise<Place>
  /** Edits a posted card so that it shows a card model. */
  updateCard(place: Place, model: CardModel): Promise<Edited>
  /**
   * Posts the first of these lines in the card's thread, as many as one message holds. Returns how many it posted, at
   * least one. Returns 0 if Slack found the message too long and took nothing: then call again with `shorter` one
   * higher.
   */
  tell(place: Place, model: CardModel, lines: Lines): Promise<number>
  /** Posts lines in the same way in the thread of the summary that names the case, with the case's name. */
  tellOnSummary(place: Place, model: CardModel, lines: Lines): Promise<number>
  /** What Slack says about a thread that is not ours: a link to it, and whether we may write there. */
  lookAtThread(place: Place): Promise<{ readonly link: string | null; readonly open: boolean }>
  /** Posts one message of a case in such a thread, which has `first` lines of the case, and should have `due`. */
  tellThread(place: Place, model: CardModel, lines: { readonly first: number; readonly due: number }): Promise<void>
  /** Posts a summary and returns its place. */
  postSummary(model: SummaryModel): Promise<Place>
  /** Edits a posted summary so that it shows a model. */
  updateSummary(place: Place, model: SummaryModel): Promise<Edited>
  /** Finds the summary that a process posted before it died; null if there is none, or if we may not look. */
  findSummary(model: SummaryModel, since: number): Promise<Place | null>
  /** Finds a dead process' card, posted at `since` (ms) or later; null if there is none, `unseen` if we can't look. */
  findCard(model: CardModel, since: number): Promise<Place | "unseen" | null>
  /** How many lines of the case are posted in the thread; null if we may not look. */
  countLines(place: Place, model: CardModel): Promise<number | null>
  /** Settles the clicked message by its response_url. */
  settleClicked(responseUrl: string, model: CardModel): Promise<Settled>
  /** A link to a message, or null if Slack gives none. */
  linkTo(place: Place): Promise<string | null>
  /** Looks at a card that nobody touched: does its message exist, and can people act on it? */
  look(place: Place, route: string): Promise<CardSight>
  /**
   * True if another company also reads a route's channel and no rule allows that, by an answer of Slack that is at most
   * `maxAgeMs` old.
   */
  exposed(route: string, maxAgeMs: number): Promise<boolean>
  /** Tells the people of a route of a stop, in one message. */
  tellStop(route: string, stop: Stop): Promise<void>
  /** Tells one of the two people of an absence (`team:user`) of it, directly. */
  tellAbsence(person: string, news: AbsenceNews): Promise<void>
  /** Posts a question on a route (`model.route`), with a button to answer it. Returns its place. */
  postQuestion(model: CardModel, question: Question): Promise<Place>
  /** Finds a question that a process posted before it died; null if there is none, `unseen` if we may not look. */
  findQuestion(model: CardModel, question: Question): Promise<Place | "unseen" | null>
  /** Edits a posted question so that it shows what became of it; of a blank model only that something was asked. */
  updateQuestion(place: Place, model: CardModel, question: Question): Promise<Edited>
  /** Tells whoever asked a question (`team:user`) its answer, directly. */
  tellAnswer(person: string, model: CardModel, question: Question): Promise<void>
  /** Shows a person their Home. */
  publishHome(user: string, home: Home): Promise<void>
  /**
   * Tells one person privately what became of their act. `to` says how Slack lets us reach them. `again`: the case as
   * their view shows it below the words, so they can act again at once.
   */
  answer(to: ReplyTo, answer: Answer, again?: ReopenedView): Promise<void>
}

/** What an edit by a response_url came to. `unknown`: nobody heard, so Slack may draw it later, over what is newer. */
export type Settled = "taken" | "refused" | "unknown"

/** What an edit of a message came to. */
export type Edited = { readonly kind: "updated" } | RefusedEdit

/**
 * Slack refuses the edit, and says why in `error`. `gone`: the message was deleted. `uneditable`: the message exists,
 * and nobody can edit it any more. `shut`: its channel takes no edit now.
 */
export interface RefusedEdit {
  readonly kind: "gone" | "uneditable" | "shut"
  readonly error: PortError
}

/** What happened to a case: a line for each event, at least one. `first`: the number of the first line, from 0. */
export interface Lines {
  readonly first: number
  readonly events: readonly CaseEvent[]
  /** How often Slack has already found the message too long. Default: 0. */
  readonly shorter?: number
  /** What we post below the line that says that the run is completed. Default: nothing. */
  readonly answer?: RunAnswer
}

/** What a resumed run answered (a text or a value), and what the rules mask in it; or that we could not read it. */
export type RunAnswer =
  | { readonly kind: "read"; readonly content: Json; readonly mask: readonly string[] }
  | { readonly kind: "unread" }

/** What Slack says about a card. `shut`: nobody can act on it, and why. `unknown`: we may not look. */
export type CardSight =
  | { readonly kind: "there" | "gone" | "unknown" | "exposed" }
  | { readonly kind: "shut"; readonly why: string }

/** A case as the person of a view may see it, the card from which they opened the view, and the view's page size. */
export interface ReopenedView {
  readonly details: Details
  readonly place: Place | null
  readonly pageSize: PageSize
}

/** What somebody saw: a card, or a number of pages of Details of one size, with masks revealed or not. */
export type Shown =
  | { readonly kind: "card" }
  | { readonly kind: "details"; readonly pages: number; readonly pageSize: PageSize; readonly revealed: boolean }

/** How surfaces show a case. Pure: the same model always looks the same. */
export interface Surfaces {
  /** True if a surface showed everything that would run, whole and unchanged, so that people may approve there (R4). */
  carries(model: CardModel, shown: Shown): boolean
}

/** Looks people up. Throws `ChatError` if Slack does not say; then nobody decides. */
export interface People {
  /** A user as Slack describes them, read at most `maxAgeMs` ago. */
  look(id: SlackId, maxAgeMs: number): Promise<Person>
  /** The people of a user group, read at most `maxAgeMs` ago. */
  members(group: string, maxAgeMs: number): Promise<Members>
  /** True if a person is a member of a channel, read at most `maxAgeMs` ago; false if we may not look. */
  inChannel(channel: string, id: SlackId, maxAgeMs: number): Promise<boolean>
  /** The person who has an e-mail, or null, read at most `maxAgeMs` ago. Throws also if Slack never tells. */
  byEmail(email: string, maxAgeMs: number): Promise<SlackId | null>
  /** Like `byEmail`, for an address that a rule lists. If Slack never tells whose it is, `trouble` says why. */
  holderOf(email: string, maxAgeMs: number): Promise<Holder>
  /** The team where the app is installed: user ids in the config belong to this team. */
  readonly home: HomeTeam
  /**
   * The same lookups for people who only look. While Slack does not answer, these use what Slack said in the last ten
   * minutes. A group or an address about which Slack has said nothing yet stands for nobody.
   */
  readonly patient: People
  /**
   * The same lookups for whoever stops something: while Slack does not answer, what it said in the last day counts. The
   * one exception to R5: a stop only takes rights away.
   */
  readonly lately: Omit<People, "patient" | "spare" | "lately">
  /**
   * The same lookups for names that nobody waits for, at most ten minutes old while Slack does not answer. They leave a
   * part of Slack's calls per minute to votes, and throw if the rest is used up. An agent writes who asked, so it could
   * otherwise make us ask for so many people that Slack refuses.
   */
  readonly spare: Omit<People, "patient" | "spare" | "lately">
}

/** The people of a user group as `personKey`s. `trouble`: why we cannot rely on the group, in words; null if we can. */
export interface Members {
  readonly keys: readonly string[]
  readonly trouble: string | null
  /** What people call the group; absent if Slack does not say. */
  readonly name?: string
}

/** The person who has an e-mail. `trouble`: why Slack does not tell, in words; null if it does. */
export interface Holder {
  readonly person: SlackId | null
  readonly trouble: string | null
}

/** Recent answers of Slack, which all replicas share. No step depends on them: if one is missing, we ask Slack. */
export interface SharedAnswers {
  /** An answer by its name, and when we asked for it (epoch ms); or null. The reader decides whether it is too old. */
  read(name: string): Promise<{ readonly at: number; readonly value: Json } | null>
  keep(name: string, answer: { readonly at: number; readonly value: Json }): Promise<void>
}

/** A socket of this process. */
export interface OwnSocket {
  /** Fresh for each socket. */
  readonly id: string
  /** How many open sockets of the app are not ours. */
  readonly foreign: number
}

/** The sockets of all replicas of this installation. Throws `StoreError` (a `PortError`). */
export interface Sockets {
  /** Notes that a socket is open, which holds for a minute. Returns how many are open now, over all replicas. */
  note(socket: OwnSocket): Promise<number>
}
