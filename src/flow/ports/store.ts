// What the flow needs to remember: cases, ledger, identity links, opened views, Homes.

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
 * How a commit went. `besides`: the other cases as written, in order. `stale`: a case had changed; this is how it is
 * now. `duplicate`: the interaction was consumed before. `config`: another config is active (R16). `full`: no admission
 * (R20). `frozen`: a record is not ours, or not the newest (R14). `sum`: a sum or fingerprint changed since we read it.
 */
export type Committed =
  | { readonly kind: "committed"; readonly case: Case; readonly besides: readonly Case[] }
  | { readonly kind: "stale"; readonly caseId: string; readonly case: Case | null }
  | { readonly kind: "duplicate" }
  | { readonly kind: "config" }
  | { readonly kind: "full" }
  | { readonly kind: "frozen"; readonly caseId: string }
  | { readonly kind: "sum" }

/** How a case changes in a commit: the next case, the version that we read, and the entries for the ledger. */
export interface CaseChange {
  readonly next: Case
  readonly expectedVersion: number
  readonly events: readonly CaseEvent[]
}

/** One commit: of a case, and of others that change with it. It happens as a whole or not at all. */
export interface Commit extends CaseChange {
  /** Other cases. The commit compares all with what we read of them before it writes anything. */
  readonly besides?: readonly CaseChange[]
  /** Sums of limits that change with the case. The commit compares them in the same way. */
  readonly sums?: readonly SumChange[]
  /** Fingerprints that change with the case. The commit leaves out one that it cannot write, so none blocks it. */
  readonly fingerprints?: readonly FingerprintChange[]
  /** The id that this commit consumes; we remember it for 24 h (R11). */
  readonly interaction?: string
  /** The commit admits the case, but only if fewer cases than this have admission (R20). */
  readonly within?: Admission
}

/**
 * A sum as we read it. `doubt`: why the record does not hold all of the sum, or null. `none`: there is no record yet.
 * `lost`: Redis lost the end of its chain. `behind`: the record is not the newest, or we did not write it.
 */
export interface SumAsRead {
  readonly id: SumId
  /** Null if there is no record, or if we cannot read it. */
  readonly state: SumState | null
  readonly doubt: "none" | "lost" | "behind" | null
  /** What Redis must still hold when the record is replaced. */
  readonly version: string
  readonly chain: { readonly count: number; readonly mac: string }
}

/** What happened to a sum; `at` is epoch ms. */
export type SumEvent = { readonly at: number } & (
  | {
      readonly kind: "sum-begun"
      readonly why: "none" | "lost" | "behind" | "longer"
      /** Until when some of the sum is unknown, epoch ms; 0: all is known. */
      readonly blindUntil: number
    }
  /** A decision was made, and the sum now includes what it lets happen. */
  | { readonly kind: "sum-added"; readonly case: string; readonly decision: string }
  /** Nothing of that decision will happen. */
  | { readonly kind: "sum-freed"; readonly case: string; readonly decision: string }
)

/** How a sum changes in a commit. */
export interface SumChange {
  readonly read: SumAsRead
  readonly next: SumState
  /** At least one event. */
  readonly events: readonly SumEvent[]
}

/**
 * A fingerprint as we read it. `doubt` is `none` if there is no record yet, and `behind` if the record is gone, not the
 * newest, or not written by us.
 */
export interface FingerprintAsRead extends Pick<SumAsRead, "version" | "chain"> {
  readonly name: string
  /** Null if there is no record, or if we cannot read it. */
  readonly state: Fingerprint | null
  readonly doubt: "none" | "behind" | null
}

/** What happened to a fingerprint; `at` is epoch ms. */
export type FingerprintEvent = { readonly at: number } & (
  | { readonly kind: "fingerprint-begun"; readonly why: "none" | "behind"; readonly case: string }
  /** The fingerprint took in a decided case. */
  | { readonly kind: "fingerprint-changed"; readonly case: string }
  /** The fingerprint lost what was too old. */
  | { readonly kind: "fingerprint-aged" }
)

/** How a fingerprint changes in a commit. */
export interface FingerprintChange {
  readonly read: FingerprintAsRead
  readonly next: Fingerprint
  readonly event: FingerprintEvent
}

/** The cases that were decided or settled after a moment. */
export interface DecidedCases {
  readonly cases: readonly string[]
}

/** A case on which nobody may act: we did not seal what Redis holds, or it is older than the ledger says. */
export interface Tampered {
  readonly kind: "tampered"
  readonly caseId: string
  /** In words. */
  readonly why: string
}

/** In which era we took an act (default: now), and its case as just read. The commit notices later changes. */
export interface TakenBefore {
  readonly era?: number
  readonly read?: Case | Tampered | null | undefined
}

/**
 * A case for an act on it. `asked-anew`: we may have lost the case's last acts, or the act was made in an earlier era,
 * and not counted then (R17). `tampered`: also if the case is behind what the surface showed (R14).
 */
export type SeenCase =
  | { readonly kind: "case" | "asked-anew"; readonly case: Case }
  | { readonly kind: "unknown-case" | "frozen" }
  | Tampered

/** Which part of a list of cases to read. */
export interface ListQuery {
  /** For `listOpen` alone: gives only cases whose id, or whose approval's id, begins like this, in no order. */
  readonly beginning?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** Cases and ledger. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface CaseStore {
  /** The epoch of the Redis server that answers now. It differs after a restart or failover (R17). */
  epoch(): Promise<string>
  /** How long that Redis server has been running, in ms. */
  upForMs(): Promise<number>
  /** The clock of Redis, which all replicas share. What one replica promises to others is measured by this clock. */
  sharedClock(): Promise<Clock>
  /** The case, null if there is none, or `Tampered` (R14). */
  read(caseId: string): Promise<Case | Tampered | null>
  /** The case of an act, compared with what its surface knew. Throws `StoreError` if the ledger's end is unknown. */
  readFor(act: Pick<Interaction, "interaction" | "target">, before: TakenBefore): Promise<SeenCase>
  commit(commit: Commit): Promise<Committed>
  /** Sums of limits as they are now, in the order of the ids. */
  sums(ids: readonly SumId[]): Promise<readonly SumAsRead[]>
  /** Fingerprints in the order of the ids. They come from memory if the ledger says that they have not changed. */
  fingerprints(ids: readonly FingerprintId[]): Promise<readonly FingerprintAsRead[]>
  /**
   * Removes from all fingerprints what is too old by `learning`. Forgets decisions that ended so long ago that no gate
   * accepts their receipts.
   */
  forgetOld(learning: Learning): Promise<void>
  /** Does work that changes these sums, after all earlier such work of this process is done. */
  inTurn<Result>(ids: readonly SumId[], work: () => Promise<Result>): Promise<Result>
  /** Writes a sum by itself. False if the sum changed since we read it. */
  putSum(change: SumChange): Promise<boolean>
  /** What people decided since this moment (epoch ms), by the ledger; null if the ledger does not tell all of it. */
  decidedSince(at: number): Promise<DecidedCases | null>
  /** Marks a tampered case as frozen and writes the entry. A read still returns `Tampered`. */
  freeze(caseId: string, events: readonly CaseEvent[]): Promise<void>
  /** True if a commit of the last 24 h consumed the interaction. */
  consumed(interaction: string): Promise<boolean>
  /** `markOf` of the given approvals that have a case, by approval id; "" if the case is settled. */
  known(instance: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Ids of an instance's approvals whose cases are open or sending, in portions; an id may come twice. */
  openApprovals(instance: string): AsyncIterable<readonly string[]>
  /** Ids of an instance's cases that are not closed and are about one of these calls (`callKeysOf`). */
  about(instance: string, calls: readonly string[]): Promise<readonly string[]>
  /** Ids of cases that were sent back in a session (`sessionKey`) and still propose something; some 20. */
  sentBackIn(instance: string, session: string): Promise<readonly string[]>
  /**
   * Cases with work left: sending, settled and not closed, or with a card that could not be posted yet. Oldest first,
   * at most `limit`. Each turn begins where the turn before it ended (after the last case: with the first), so that no
   * case is left out for long. Default `turn`: 0.
   */
  unfinished(limit: number, turn?: number): Promise<readonly string[]>
  /** Open cases on which something will be due, the earliest first (epoch ms). The case itself says what. */
  deadlines(limit: number): Promise<readonly { readonly caseId: string; readonly at: number }[]>
  /** Open and sending cases, first those with cards, so no backlog hides them (R20); oldest first in both parts. */
  listOpen(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
  /** Settled and closed cases, latest first. */
  listSettled(query: ListQuery): Promise<{ readonly cases: readonly Case[]; readonly total: number }>
}

/** What we removed of one case: the number of its erasable records and receipts. */
export interface Removed {
  readonly approval: string
  readonly instance: string
  readonly erasables: number
  readonly receipts: number
}

/** Removes settled cases, if the config says so. Throws `StoreError` if Redis does not answer. */
export interface Retention {
  /** Ids of cases that settled before this moment (epoch ms), oldest first, from `offset` on. */
  due(before: number, page: { readonly offset: number; readonly limit: number }): Promise<readonly string[]>
  /**
   * Removes a closed case, its erasable records and its receipts, with a ledger entry; its entries stay. Null if the
   * case is not closed (any more), or if its sealed record says that it settled after `settledBefore` (epoch ms). We
   * believe the record, not `due` (R14). `on-hold`: a hold covers it, so it stays.
   */
  remove(
    caseId: string,
    order: { readonly at: number; readonly settledBefore: number },
  ): Promise<Removed | "on-hold" | null>
}

/** The person that an e-mail is linked to. */
export interface IdentityLink {
  readonly person: SlackId
  /**
   * Somebody else who has had the e-mail since; null if there is nobody. The e-mail then counts for nobody until an
   * operator links it again (R7).
   */
  readonly contested: SlackId | null
}

/** E-mails and the Slack ids that they were linked to when first seen (R7), sealed. */
export interface IdentityLinks {
  read(email: string): Promise<IdentityLink | null>
  /** Links an e-mail unless it is linked already; returns its link. Writes a ledger entry. */
  pin(email: string, to: SlackId, at: number): Promise<IdentityLink>
  /** Remembers that a linked e-mail belongs to somebody else, and writes a ledger entry the first time. */
  contest(email: string, now: SlackId, at: number): Promise<void>
}

/** How much a page of Details holds: `small` after Slack refused the large pages of a view. */
export type PageSize = "large" | "small"

/** A view that we opened for a person (R18), sealed, kept for a day. */
export interface OpenedView extends Frozen<z.infer<typeof openedViewSchema>> {}

/** The views on record. */
export interface Views {
  remember(view: OpenedView): Promise<void>
  read(viewId: string): Promise<OpenedView | null>
}

/** People whose Home we keep up to date. It says to whom we show something, never what they may see. */
export interface Homes {
  opened(id: SlackId, at: number): Promise<void>
  /** Who opened their Home in the last days, latest first. */
  list(limit: number): Promise<readonly SlackId[]>
  /** Notes the hash of what a person's Home shows. */
  shown(id: SlackId, hash: string): Promise<void>
  lastShown(id: SlackId): Promise<string | null>
  /** Notes that a case changed. */
  changed(): Promise<void>
  /** True if a case changed; then false until the next change. */
  takeChanged(): Promise<boolean>
}

/** Whose cards we look at next: those of the case that we looked at longest ago, over all replicas. */
export interface Turns {
  /** The next open cases. */
  next(limit: number): Promise<readonly Turn[]>
  /** Notes that we looked at the case's card on a route; null: at all of its cards. */
  done(caseId: string, route: string | null): Promise<void>
}

/** A case whose turn it is. `after`: the route of its card that we looked at last; null: none yet. */
export interface Turn {
  readonly caseId: string
  readonly after: string | null
}
