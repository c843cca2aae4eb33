// What programs, and people who only look, can read of cases and ledger.
import type { Case } from "../../domain/case/case.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { Tampered } from "./store.ts"

/** Where a case stands in the list of all cases: when it was first seen (epoch ms), and its id. */
export interface CasePlace {
  readonly openedAt: number
  readonly caseId: string
}

/** A case of the list, with its place. */
export interface ListedCase {
  readonly place: CasePlace
  readonly found: Case | Tampered
}

/** An entry of the ledger as we show it. If its MAC does not hold, we show only its number. */
export interface ShownEntry {
  /** Its number in the ledger. */
  readonly number: number
  readonly mac: string
  readonly said: {
    readonly chain: string
    /** Its place in the chain, from 1. */
    readonly n: number
    readonly sandbox: boolean
    /** The event, with the texts and names that lie beside the ledger, unless they were erased. */
    readonly event: JsonObject
    /** Whether it has texts and names beside the ledger: `kept`, or `gone`, which `ledger verify` explains; or none. */
    readonly text: "kept" | "gone" | null
  } | null
}

/** Reads cases and ledger as they are now, and changes nothing. Throws `StoreError` (a `PortError`). */
export interface Reading {
  /** All cases, latest first: those after the place `after`, if we first saw them at `until` (epoch ms) or before. */
  cases(ask: {
    readonly after: CasePlace | null
    readonly until: number | null
    readonly limit: number
  }): Promise<readonly ListedCase[]>
  /** One case, null if there is none, or `Tampered` (R14). */
  case(caseId: string): Promise<Case | Tampered | null>
  /** The entries of a case in order, without the first `after` of them. */
  entriesOf(caseId: string, ask: { readonly after: number; readonly limit: number }): Promise<readonly ShownEntry[]>
  /** The entries of the whole ledger in order, after a sequence number. */
  ledger(ask: { readonly after: number; readonly limit: number }): Promise<readonly ShownEntry[]>
  /** The receipt of a decision as Redis has it, or null. It proves nothing before somebody verifies it. */
  receipt(decisionId: string): Promise<string | null>
  /** How many cases wait for people or the platform, and since when the oldest waits (epoch ms; null if none). */
  waiting(): Promise<{ readonly pending: number; readonly oldestAt: number | null; readonly unfinished: number }>
}
