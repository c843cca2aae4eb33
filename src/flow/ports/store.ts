// What the flow needs remembered: cases, ledger, identity links, opened views and Homes.

import type { z } from "zod"
import type { Case } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import type { FingerprintId } from "../../domain/fingerprint/call-fields.ts"
import type { Fingerprint, Learning } from "../../domain/fingerprint/fingerprint.ts"
import type { SumId, SumState } from "../../domain/limit/sum.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Admission } from "./backlog.ts"
import type { Interaction } from "./interaction.ts"
import type { Clock } from "./operator.ts"
import type { openedViewSchema } from "./record/port-records.ts"

/**
 * How a commit went. `besides`: the other cases as written, in their order. `stale`: one of the cases as it is now.
 * `duplicate`: the interaction was consumed before. `config`: another one is active (R16). `full`: no admission (R20).
 * `frozen`: one record is not ours, or not the newest (R14). `sum`: a sum or fingerprint is another than was read.
 */
export type Committed =
  | { readonly kind: "committed"; readonly case: Case; readonly besides: readonly Case[] }
  | { readonly kind: "stale"; readonly caseId: string; readonly case: Case | null }
  | { readonly kind: "duplicate" }
  | { readonly kind: "config" }
  | { readonly kind: "full" }
  | { readonly kind: "frozen"; readonly caseId: string }
  | { readonly kind: "sum" }

/** How a case goes on in a commit: the next case, the version that was read, the entries for the ledger. */
export interface CaseChange {
  readonly next: Case
  readonly expectedVersion: number
  readonly events: readonly CaseEvent[]
}

/** One commit: of a case, and of others that change with it. All of it or none of it. */
export interface Commit extends CaseChange {
  /** Other cases. Each is compared with what we read of it before anything is written. */
  readonly besides?: readonly CaseChange[]
  /** Sums of limits that change with it, each compared likewise. */
  readonly sums?: readonly SumChange[]
  /** Fingerprints that change with it. None of them keeps a case from its commit for good. */
  readonly fingerprints?: readonly FingerprintChange[]
  /** Consumed with the commit and remembered for 24 h (R11). */
  readonly interaction?: string
  /** The case is admitted to have cards, only if fewer than this many are (R20). */
  readonly within?: Admission
}

/**
 * A sum as it was read. `doubt`: why what it holds is not all that there was, or null. `none`: there is no record yet.
 * `lost`: Redis lost its end. `behind`: its record is not the newest, or was not written by us.
 */
export interface SumAsRead {
  readonly id: SumId
  /** Null unless there is a record that can be read. */
  readonly state: SumState | null
  readonly doubt: "none" | "lost" | "behind" | null
  /** What the record must still be when it is replaced. */
  readonly version: string
  readonly chain: { readonly count: number; readonly mac: string }
}

/** What happened to a sum; `at` is epoch ms. */
export type SumEvent = { readonly at: number } & (
  | {
      readonly kind: "sum-begun"
      readonly why: "none" | "lost" | "behind" | "longer"
      /** Until when not all of it is known, epoch ms; 0: all is known. */
      readonly blindUntil: number
    }
  /** A decision was made, and what it lets happen is part of the sum. */
  | { readonly kind: "sum-added"; readonly case: string; readonly decision: string }
  /** Nothing of that decision will happen. */
  | { readonly kind: "sum-freed"; readonly case: string; readonly decision: string }
)

/** How a sum goes on in a commit. */
export interface SumChange {
  readonly read: SumAsRead
  readonly next: SumState
  /** At least one. */
  readonly events: readonly SumEvent[]
}

/**
 * A fingerprint as it was read. `doubt`: `none`: there is no record yet. `behind`: its record is not the newest, or was
 * not written by us, or is gone.
 */
export interface FingerprintAsRead extends Pick<SumAsRead, "version" | "chain"> {
  readonly name: string
  /** Null unless there is a record that can be read. */
  readonly state: Fingerprint | null
  readonly doubt: "none" | "behind" | null
}

/** What happened to a fingerprint; `at` is epoch ms. */
export type FingerprintEvent = { readonly at: number } & (
  | { readonly kind: "fingerprint-begun"; readonly why: "none" | "behind"; readonly case: string }
  /** A decided case became part of it. */
  | { readonly kind: "fingerprint-changed"; readonly case: string }
  /** What was too old in it is gone. */
  | { readonly kind: "fingerprint-aged" }
)

/** How a fingerprint goes on in a commit. */
export interface FingerprintChange {
  readonly read: FingerprintAsRead
  readonly next: Fingerprint
  readonly event: FingerprintEvent
}

/** The cases that were decided, or settled, since a moment. */
export interface DecidedCases {
  readonly cases: readonly string[]
}

/** A case on which nobody may act: we did not seal what Redis holds, or it is older than the ledger. */
export interface Tampered {
  readonly kind: "tampered"
  readonly caseId: string
  /** In words. */
  readonly why: string
}

/** The era in which we took an act (default: now), and its case as just read: the commit notices later changes. */
export interface TakenBefore {
  readonly era?: number
  readonly read?: Case | Tampered | null | undefined
}

/**
 * A case for an act on it. `asked-anew`: its last acts may be lost, or the act is of an earlier era and was not counted
 * then (R17). `tampered` too where it is behind what the surface showed (R14).
 */
export type SeenCase =
  | { readonly kind: "case" | "asked-anew"; readonly case: Case }
  | { readonly kind: "unknown-case" | "frozen" }
  | Tampered

/** Which cases a list shows, newest first. */
export interface ListQuery {
  /** Only those whose id, or whose approval's id, begins like this, in no order. Only open and sending cases. */
  readonly beginning?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** Cases and ledger. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface CaseStore {
  /** The epoch of the Redis server that answers now; another one after a restart or failover (R17). */
  epoch(): Promise<string>
  /** How long that run lasts already, in ms. */
  upForMs(): Promise<number>
  /** The clock of Redis, which all replicas share: what one promises the others is measured by it. */
  sharedClock(): Promise<Clock>
  /** The case, null if there is none, or `Tampered` (R14). */
  read(caseId: string): Promise<Case | Tampered | null>
  /** The case of an act, compared with what that knew. Throws `StoreError` if we can't tell where the ledger ends. */
  readFor(act: Pick<Interaction, "interaction" | "target">, before: TakenBefore): Promise<SeenCase>
  commit(commit: Commit): Promise<Committed>
  /** Sums of limits as they are now, in the order of the ids. */
  sums(ids: readonly SumId[]): Promise<readonly SumAsRead[]>
  /** Fingerprints in the order of the ids: as this process knows them from memory, where the ledger says the same. */
  fingerprints(ids: readonly FingerprintId[]): Promise<readonly FingerprintAsRead[]>
  /**
   * Takes out of all fingerprints what is too old by `learning`, and forgets decisions that ended so long ago that no
   * gate takes their receipts.
   */
  forgetOld(learning: Learning): Promise<void>
  /** Carries out work that changes these sums, once all earlier such work of this process is done. */
  inTurn<Result>(ids: readonly SumId[], work: () => Promise<Result>): Promise<Result>
  /** Writes a sum by itself. False if it is another by now. */
  putSum(change: SumChange): Promise<boolean>
  /** What the ledger says was decided since then (epoch ms); null if it cannot tell all of it. */
  decidedSince(at: number): Promise<DecidedCases | null>
  /** Marks a tampered case as frozen and writes the entry; a read still says `Tampered`. */
  freeze(caseId: string, events: readonly CaseEvent[]): Promise<void>
  /** True if a commit of the last 24 h consumed the interaction. */
  consumed(interaction: string): Promise<boolean>
  /** `markOf` of those of the given approvals that have a case, by approval id; "" for a settled one. */
  known(instance: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Ids of approvals of an instance whose cases are open or sending, some at a time; one may come twice. */
  openApprovals(instance: string): AsyncIterable<readonly string[]>
  /** Ids of the cases of an instance that are not closed and are about one of these calls (`callKeysOf`). */
  about(instance: string, calls: readonly string[]): Promise<readonly string[]>
  /**
   * Cases with work left: sending, or settled and not closed, or with a card that could not be posted yet. Oldest
   * first, `limit` of them. It begins where turn `turn - 1` ended, and at the start after the last, so none starves.
   * `turn` defaults to 0.
   */
  unfinished(limit: number, turn?: number): Promise<readonly string[]>
  /** Open cases on which something is due next, the earliest first (epoch ms). The case itself says what. */
  deadlines(limit: number): Promise<readonly { readonly caseId: string; readonly at: number }[]>
  /** Open and sending cases, newest first of each kind: those with cards come first, so no backlog hides them (R20). */
  listOpen(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
  /** Settled and closed cases, latest first. */
  listSettled(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
}

/** What was removed of one case: how many erasable records and receipts. */
export interface Removed {
  readonly approval: string
  readonly instance: string
  readonly erasables: number
  readonly receipts: number
}

/** The end of settled cases, where the config gives them one. Throws `StoreError` if Redis does not answer. */
export interface Retention {
  /** Ids of cases that settled before then (epoch ms), oldest first, from `offset` on. */
  due(before: number, page: { readonly offset: number; readonly limit: number }): Promise<readonly string[]>
  /**
   * Removes a closed case, its erasable records and its receipts, with a ledger entry; its entries stay. Null if it is
   * not closed (any more), or if its own sealed record says that it settled later than `settledBefore` (epoch ms):
   * `due` has no authority (R14).
   */
  remove(caseId: string, order: { readonly at: number; readonly settledBefore: number }): Promise<Removed | null>
}

/** Whom an e-mail is linked to. */
export interface IdentityLink {
  readonly person: SlackId
  /**
   * Somebody else whom the e-mail has meant since: it counts for nobody until an operator links it again (R7). Else
   * null.
   */
  readonly contested: SlackId | null
}

/** E-mails and the Slack ids that they were linked to when first seen (R7), sealed. */
export interface IdentityLinks {
  read(email: string): Promise<IdentityLink | null>
  /** Links an e-mail unless it is linked already; returns the person it is linked to. Writes a ledger entry. */
  pin(email: string, to: SlackId, at: number): Promise<IdentityLink>
  /** Remembers that a linked e-mail means somebody else, and writes a ledger entry the first time. */
  contest(email: string, now: SlackId, at: number): Promise<void>
}

/** How much a page of Details holds: `small` once Slack did not take the large ones of a view. */
export type PageSize = "large" | "small"

/** A view that we opened for a person (R18), sealed, kept for a day. */
export interface OpenedView extends Frozen<z.infer<typeof openedViewSchema>> {}

/** The views on record. */
export interface Views {
  remember(view: OpenedView): Promise<void>
  read(viewId: string): Promise<OpenedView | null>
}

/** Whose Home we keep up to date. It says whom we show something, never what they may see. */
export interface Homes {
  opened(id: SlackId, at: number): Promise<void>
  /** Who opened their Home in the last days, latest first. */
  list(limit: number): Promise<readonly SlackId[]>
  /** What a person's Home shows, by its hash. */
  shown(id: SlackId, hash: string): Promise<void>
  lastShown(id: SlackId): Promise<string | null>
  /** Notes that some case changed since the Homes were last looked at. */
  changed(): Promise<void>
  /** True, once, if some case changed. */
  takeChanged(): Promise<boolean>
}

/** Whose card we look at next: the one whose last look is oldest, over all replicas. */
export interface Turns {
  /** The next open cases. */
  next(limit: number): Promise<readonly Turn[]>
  /** Notes that the case's card on a route was looked at; null: all of its cards. */
  done(caseId: string, route: string | null): Promise<void>
}

/** A case whose turn it is. `after`: the route of its card that we looked at last; null: none yet. */
export interface Turn {
  readonly caseId: string
  readonly after: string | null
}
