// Everything that the ledger can tell: what happens to cases, and to the store's other records.
import type { CaseEvent } from "../../domain/case/event.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { StopMatch } from "../../domain/order/stop.ts"
import type { OrdererEntry } from "../../domain/people/orderer.ts"
import type { ConfigPart } from "../../domain/policy/shared-config.ts"
import type { ProposalEnd } from "../../domain/rule/proposal.ts"
import type { AuditRow, FingerprintEvent, Removed, SumEvent } from "../../flow/ports.ts"

/** What happens to the records that are no cases. `at` is epoch milliseconds. */
type StoreEvent = { readonly at: number } & (
  | { readonly kind: "installed"; readonly installation: string; readonly keyId: string }
  /** The data of an older Countersign were brought up to date. */
  | { readonly kind: "migrated"; readonly from: number; readonly to: number; readonly cases: number }
  | {
      readonly kind: "activated"
      readonly revision: string
      /** The revision that was active before, or null. */
      readonly before: string | null
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
      /** Which other parts of the config differ; all parts if we do not know the config before. */
      readonly besides: readonly ConfigPart[]
      /** True if an operator asked for a revision that had been active earlier. */
      readonly again: boolean
      /** The proposal that it was, and the decision that approved it; absent where nobody had to approve. */
      readonly proposal?: string
      readonly decision?: string
      /** True if an operator activated it without approval, and the operator's account; absent else. */
      readonly unapproved?: true
      readonly name?: string | null
    }
  /** Another config was proposed, which needs approval. `before`: the active revision. `file`: the file's SHA-256. */
  | {
      readonly kind: "proposed"
      readonly proposal: string
      readonly revision: string
      readonly before: string
      readonly host: string
      readonly file: string | null
    }
  /** A proposal ended without becoming active. `decision`: what rejected it; absent: nobody did. */
  | {
      readonly kind: "proposal-ended"
      readonly proposal: string
      readonly how: Exclude<ProposalEnd, "approved" | "unapproved">
      readonly decision?: string
    }
  /** A stop begins (R21): nothing that it covers is approved until an entry ends it. */
  | ({
      readonly kind: "stopped"
      readonly stop: string
      readonly match: StopMatch
      readonly reason: string
      /** When it ends by itself, epoch ms; null: never. */
      readonly until: number | null
    } & OrdererEntry)
  /** Somebody stopped what this stop covers already; nothing changed. */
  | ({ readonly kind: "stopped-again"; readonly stop: string; readonly reason: string } & OrdererEntry)
  /** `revision`: the active config's, under which whoever ended it was judged (R5). */
  | ({ readonly kind: "stop-ended"; readonly stop: string; readonly revision: string } & OrdererEntry)
  /** Somebody (`away`, as `team:user`) is away, and another person (`standIn`) may vote for them. */
  | ({
      readonly kind: "absence-begun"
      readonly absence: string
      readonly away: string
      readonly standIn: string
      /** From when to when it counts, epoch ms. */
      readonly from: number
      readonly until: number
    } & OrdererEntry)
  | ({ readonly kind: "absence-ended"; readonly absence: string; readonly away: string } & OrdererEntry)
  /**
   * A hold begins (R15): cases that it covers stay. One of the three says which; `requester` may be a person's name.
   */
  | ({
      readonly kind: "hold-begun"
      readonly hold: string
      readonly requester?: string
      readonly tool?: string
      readonly case?: string
      readonly reason: string
    } & OrdererEntry)
  | ({ readonly kind: "hold-ended"; readonly hold: string } & OrdererEntry)
  /** A person was erased but where a hold covers their cases: there they are erased when it ends. */
  | { readonly kind: "erasure-waits"; readonly person: string; readonly by: string; readonly cases: number }
  /** Nothing of that person is left to erase on hold. */
  | { readonly kind: "erasure-done"; readonly person: string; readonly by: string }
  /** Redis lost its last second. These orders are in force, as whoever knew their newest version says. */
  | {
      readonly kind: "orders-restored"
      readonly stops: readonly string[]
      readonly absences?: readonly string[]
      readonly holds?: readonly string[]
    }
  /**
   * Nobody knows which orders are in force: this stop of everything is, until somebody ends it (R17). No absence counts
   * any more.
   */
  | { readonly kind: "orders-unknown"; readonly stop: string; readonly why: "lost" | "repaired" }
  | { readonly kind: "pinned"; readonly email: string; readonly person: string }
  /** A linked address means somebody else, `now`: it counts for nobody until an operator links it again (R7). */
  | { readonly kind: "contested"; readonly email: string; readonly person: string; readonly now: string }
  /** An operator linked an address to a person. `by`: the operator's account. `before`: the person linked before. */
  | {
      readonly kind: "linked"
      readonly email: string
      readonly person: string
      readonly before: string | null
      readonly by: string
    }
  | { readonly kind: "unlinked"; readonly email: string; readonly person: string; readonly by: string }
  /** An operator erased a person: the erasable records and receipts of this chain that have these hashes. */
  | {
      readonly kind: "erased"
      readonly person: string
      readonly by: string
      readonly erasables: readonly string[]
      readonly receipts: readonly string[]
    }
  /** A closed case is past its `retention`: its record, erasable records and receipts are gone. */
  | ({ readonly kind: "removed"; readonly settledAt: number } & Removed)
  /**
   * The last acts of these chains (null: of all open cases and sums) may be lost: they do not count until people
   * repeat them (R17). `accepted`: an operator accepted a roll-back, and was shown a ledger of this size and root.
   */
  | {
      readonly kind: "era"
      readonly era: number
      readonly why: "lost" | "unvouched" | "accepted"
      readonly touched: readonly string[] | null
      /** Where the config's chain ended before it lost its end; empty: nobody knows. Absent: it lost nothing. */
      readonly config?: readonly string[]
      readonly accepted?: { readonly size: number; readonly root: string }
    }
  /** From here on each audit row of an instance gets an entry. */
  | { readonly kind: "audits-begun"; readonly instance: string }
  /** Somebody confirmed a call at the platform, and we had never asked about it. */
  | ({ readonly kind: "audited"; readonly instance: string } & AuditRow)
  /** A public key (RFC 7517) that signs from now on. */
  | { readonly kind: "key-added"; readonly key: JsonObject }
)

/** Everything that an entry can tell. */
export type LedgerEvent = CaseEvent | StoreEvent | SumEvent | FingerprintEvent
