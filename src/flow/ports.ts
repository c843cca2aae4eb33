// What the flow needs from outside. The adapters implement these interfaces; a step takes only the ones it touches.
import type { Approval } from "../domain/approval.ts"
import type { Case, Place } from "../domain/case.ts"
import type { CaseEvent } from "../domain/event.ts"
import type { Face } from "../domain/face.ts"
import type { JsonObject } from "../domain/json.ts"
import type { Person, SlackId } from "../domain/person.ts"
import type { Policy } from "../domain/policy.ts"
import type { Seal } from "../domain/seal.ts"
import type { Answer } from "./answer.ts"
import type { Home, Ticket } from "./inbound.ts"
import type { Press, ReplyTo } from "./press.ts"

/** Every error that an adapter throws at the flow has these (STYLE 13). */
export interface PortError extends Error {
  readonly code: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean
}

/** Tells a port's error from a mistake in our own code. */
export function isPortError(error: unknown): error is PortError {
  return error instanceof Error && "code" in error && "retryable" in error && typeof error.retryable === "boolean"
}

/** Epoch milliseconds. */
export type Clock = () => number

// --- the platform -----------------------------------------------------------------------------------------------------------

/** What an item of a list that cannot be read is reported as; its neighbours are not touched by it. */
export interface Unreadable {
  readonly id: string | null
  readonly why: string
}

/** One page of pending approvals, newest first. `unreadable` items stood on it too. */
export interface Page {
  readonly approvals: readonly Approval[]
  readonly unreadable: readonly Unreadable[]
}

/** What a resolve came to. `refused` is definite (403, 404, 422: no effect); 401 and 429 are `later`; what threw is unaccounted for. */
export type Resolved =
  | { readonly kind: "row"; readonly approval: Approval }
  | { readonly kind: "conflict"; readonly detail: string }
  | { readonly kind: "refused"; readonly status: 403 | 404 | 422; readonly detail: string }
  | { readonly kind: "later"; readonly status: number; readonly detail: string }

/** The client of one instance. Throws `PlatformError` (a `PortError`) for time-outs, resets, 5xx and answers that are no JSON. */
export interface Platform {
  /** Yields the pending approvals page by page, each approval once, while new ones arrive. */
  pending(): AsyncIterable<Page>
  /** The newest approved approvals, at most 100; what can't be read of them is left out. */
  approved(): Promise<readonly Approval[]>
  /** How many are pending. */
  count(): Promise<number>
  /** The record, or null on 404 (believed only when repeated). */
  get(approvalId: string): Promise<Approval | null>
  /** The short form, which also answers for rows that `get` cannot read; null on 404. */
  status(approvalId: string): Promise<{ readonly status: string; readonly resolvedBy: string | null } | null>
  /** Sends the exact body once. Never repeats it by itself. */
  resolve(approvalId: string, body: string): Promise<Resolved>
}

// --- the store --------------------------------------------------------------------------------------------------------------

/** How a commit went. `stale` holds the case as it is now; `duplicate`: the interaction was consumed before; `config`: another revision is active (R16). */
export type Committed =
  | { readonly kind: "committed"; readonly case: Case }
  | { readonly kind: "stale"; readonly case: Case | null }
  | { readonly kind: "duplicate" }
  | { readonly kind: "config" }

/** One commit: the next case, the version that the step read, and what the ledger says of it. All of it or none of it. */
export interface Commit {
  readonly next: Case
  readonly expectedVersion: number
  readonly events: readonly CaseEvent[]
  /** Consumed with the commit and remembered for 24 h (R11). */
  readonly interaction?: string
}

/** A case that Redis holds but that was not sealed by us. */
export interface Tampered {
  readonly kind: "tampered"
  readonly caseId: string
}

/** Which cases a list shows, newest first. */
export interface ListQuery {
  readonly offset: number
  readonly limit: number
}

/** Cases and ledger. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface CaseStore {
  /** The run of the Redis server that answers now; another after a restart or failover (R17). */
  epoch(): Promise<string>
  /** The case, null if there is none, or `Tampered` (R14). */
  read(caseId: string): Promise<Case | Tampered | null>
  commit(commit: Commit): Promise<Committed>
  /** Marks a tampered case frozen and writes the entry; reading it then still says `Tampered`. */
  freeze(caseId: string, events: readonly CaseEvent[]): Promise<void>
  /** True if the interaction was consumed by a commit in the last 24 h. */
  consumed(interaction: string): Promise<boolean>
  /** `markOf` of those of the given approvals that have a case, by approval id; "" for a settled one. */
  known(instance: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Ids of approvals of an instance whose cases are open or sending. */
  openApprovals(instance: string): Promise<readonly string[]>
  /**
   * Cases with work left: sending, or settled and not closed, or with a card that could not be posted yet. Oldest first, `limit` of them,
   * beginning where turn `turn - 1` ended and anew after the last, so that none is starved. `turn` defaults to 0.
   */
  unfinished(limit: number, turn?: number): Promise<readonly string[]>
  /** Open and sending cases, newest first. */
  listOpen(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
  /** Settled and closed cases, latest first. */
  listSettled(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
}

/** E-mails and the Slack ids that they were pinned to when first seen (R7), sealed. */
export interface Pins {
  read(email: string): Promise<SlackId | null>
  /** Pins an e-mail unless it is pinned already; returns what it is pinned to. Writes a ledger entry. */
  pin(email: string, to: SlackId, at: number): Promise<SlackId>
}

/** A view that we opened for a person (R18), sealed, kept for a day. */
export interface OpenedView {
  readonly viewId: string
  readonly person: SlackId
  readonly caseId: string
  readonly route: string
  readonly revision: number
  readonly digest: string
  readonly purpose: "details" | "form"
  readonly verb: "approve" | "reject" | null
  /** True once what is masked was shown in it, or in the view below it. */
  readonly revealed: boolean
  /** The card it was opened from, or null when from a command. */
  readonly place: Place | null
}

/** The views on record. */
export interface Views {
  remember(view: OpenedView): Promise<void>
  read(viewId: string): Promise<OpenedView | null>
}

/** Whose Home is kept up to date. It says to whom something is shown, never what they may see. */
export interface Homes {
  opened(id: SlackId, at: number): Promise<void>
  /** Who opened their Home in the last days, latest first. */
  list(limit: number): Promise<readonly SlackId[]>
  /** What a person's Home shows, by its hash. */
  shown(id: SlackId, hash: string): Promise<void>
  lastShown(id: SlackId): Promise<string | null>
  /** Some case changed since the Homes were last looked at. */
  changed(): Promise<void>
  /** True, once, if some case changed. */
  takeChanged(): Promise<boolean>
}

// --- Slack ------------------------------------------------------------------------------------------------------------------

/** Posts and edits cards and thread lines. Throws `ChatError` (a `PortError`) with `retryAfterMs` on 429 and Slack's own code. */
export interface Chat {
  /** Posts a card and says where it hangs. */
  postCard(face: Face): Promise<Place>
  /** Shows a face on a card that hangs already. Answers `gone` if the message was deleted or can't be edited any more. */
  updateCard(place: Place, face: Face): Promise<"updated" | "gone">
  /** One line in the card's thread; `number` counts the lines of the case from 0. */
  tell(place: Place, face: Face, event: CaseEvent, number: number): Promise<void>
  /** The card that a process posted before it died, found by its metadata since `since` (ms); null if none, or if we may not look. */
  findCard(face: Face, since: number): Promise<Place | null>
  /** How many lines of the case stand in the thread already; null if we may not look. */
  countLines(place: Place, face: Face): Promise<number | null>
  /** Settles the message a click came from by its response_url; false if Slack does not take it any more. */
  settleClicked(responseUrl: string, face: Face): Promise<boolean>
  /** Shows a person their Home. */
  publishHome(user: string, home: Home): Promise<void>
  /** Tells one person privately what became of their act. `to` says how Slack lets us reach them. */
  answer(to: ReplyTo, answer: Answer): Promise<void>
}

/** Looks people up. Throws `ChatError` if Slack does not say; then nobody decides. */
export interface People {
  /** A user as Slack tells them, read at most `maxAgeMs` ago. */
  look(id: SlackId, maxAgeMs: number): Promise<Person>
  /** Members of a user group, as `personKey`s, read at most `maxAgeMs` ago. */
  members(group: string, maxAgeMs: number): Promise<readonly string[]>
  /** True if a person is a member of a channel, read at most `maxAgeMs` ago; false where we may not look. */
  inChannel(channel: string, id: SlackId, maxAgeMs: number): Promise<boolean>
  /** Whom an e-mail means now, or null if nobody. Read at most `maxAgeMs` ago. */
  byEmail(email: string, maxAgeMs: number): Promise<SlackId | null>
  /** The team that user ids in the config belong to: ours. */
  readonly team: string
}

// --- queue ------------------------------------------------------------------------------------------------------------------

/** Follow-ups that another process may take over. Asking for one now brings one that waits forward; asking for later leaves it as it is. */
export interface Jobs {
  /** Brings cards and threads of a case up to date. */
  present(caseId: string, delayMs?: number): Promise<void>
  /** Goes on with a verdict that is being sent. */
  resolve(caseId: string, delayMs: number): Promise<void>
  /** Compares a case with the platform's record. */
  reconcile(caseId: string, delayMs?: number): Promise<void>
}

/** Tickets: presses that are safe in Redis, encrypted, and fire in another process if this one dies (R11, R15). */
export interface Tickets {
  write(press: Press): Promise<Ticket>
  /** The press was carried out and answered. */
  remove(ticketId: string): Promise<void>
}

/** Says when a channel may get its next message: own pacing, so that Slack never has to refuse. */
export interface Pace {
  /**
   * Asks for a slot of a channel in the name of `key`. 0: post now, the slot is used up. Else how many ms to wait: the slot is reserved
   * for `key`, which asks again when it has come. A reservation that nobody came for lapses after a minute.
   */
  reserve(channel: string, key: string): Promise<number>
  /** Slack refused with Retry-After: nobody posts to the channel before. */
  hold(channel: string, ms: number): Promise<void>
}

// --- proof ------------------------------------------------------------------------------------------------------------------

/** Signs what others can verify without us: a compact JWS over the canonical JSON of the claims, under a key that Redis never sees. */
export interface Receipts {
  sign(purpose: "receipt" | "checkpoint", claims: JsonObject): Promise<string>
}

/** One entry of the ledger as a checkpoint sees it. `number` is null for a place that we would not give. */
export interface Leaf {
  readonly number: number | null
  readonly hash: Buffer
  /** True if its MAC holds. */
  readonly ours: boolean
}

/** The ledger, read for checkpoints. Throws `StoreError` (a `PortError`). */
export interface LedgerFeed {
  /** The last sequence number; NaN if Redis holds something else there. */
  length(): Promise<number>
  /** The entries after one number, up to another, in the ledger's order. */
  leaves(after: number, upTo: number): AsyncIterable<Leaf>
}

// --- what happens beside the flow ----------------------------------------------------------------------------------------------

/** What an operator must see. Each code is stable. */
export interface Alarm {
  readonly code: string
  readonly caseId?: string
  readonly [field: string]: unknown
}

/** One JSON line per event; secrets are removed. */
export interface Log {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  error(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Everything a step may be handed; each names what it takes by `Pick`. */
export interface Ports {
  readonly installation: string
  /** True when Slack is the local sandbox: entries are marked (R19). */
  readonly sandbox: boolean
  readonly store: CaseStore
  readonly pins: Pins
  readonly views: Views
  readonly homes: Homes
  readonly platforms: ReadonlyMap<string, Platform>
  readonly chat: Chat
  readonly people: People
  readonly jobs: Jobs
  readonly tickets: Tickets
  readonly pace: Pace
  readonly policy: Policy
  /** Template of `resolved_by`. */
  readonly resolvedBy: string
  readonly seal: Seal
  readonly receipts: Receipts
  readonly clock: Clock
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
  /** A fresh random id. */
  readonly newId: () => string
}
