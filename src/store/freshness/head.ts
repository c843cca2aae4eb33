// The head of a chain: where it ends, and what of its past still counts.
import type { Notice } from "../../domain/case/notice.ts"
import { isCaseChain } from "../redis/keys.ts"
import type { OpenEntry } from "./open-entry.ts"

/** The head of a chain that may still count. */
export interface Head {
  /** How many entries the chain has, and the MAC of the last. */
  readonly count: number
  readonly mac: string
  /** The era in which the chain was begun, or begun anew. */
  readonly era: number
  /** `frozen`: nothing in the chain counts any more. `vanished`: its approval was not found, and may come back. */
  readonly state: "open" | "frozen" | "vanished"
  /** The interactions that voted on the case, by the first characters of their ids: none may vote twice. */
  readonly voted: readonly string[]
}

/** This many characters tell an interaction's id from all others of its case: 72 bits. */
const idLength = 18

/** After these events a record is as if it had been made in this era. */
const renewals: ReadonlySet<string> = new Set([
  "opened",
  "renewed",
  "doubtful",
  "pinned",
  "linked",
  "unlinked",
  "sum-begun",
  "fingerprint-begun",
  "orders-restored",
  "orders-unknown",
])

/** After these events a case that was over counts again, until we have told its thread. */
const awakening: Readonly<Record<Notice["kind"], true>> = {
  "without-effect": true,
  "paused-again": true,
  "run-over": true,
  "ran-otherwise": true,
  "decided-outside-rules": true,
}

/** True if an entry may come next in its chain. If we have no head of a case, any entry may: the case may be over. */
export function follows(before: Head | null, { n, prev, chain }: OpenEntry): boolean {
  if (before !== null) return n === before.count + 1 && prev === before.mac
  return n === 1 ? prev === "" : isCaseChain(chain)
}

/** True if the interaction behind an entry voted on this case before. */
export function votesTwice(before: Head | null, { vote }: OpenEntry): boolean {
  return vote !== null && before?.voted.includes(vote.slice(0, idLength)) === true
}

/** The head after an entry that was made in an era; null if nothing of the chain counts any more. */
export function headAfter(before: Head | null, entry: OpenEntry, era: number): Head | null {
  const { chain, kind, n, mac, vote } = entry
  if (kind === "removed" || (kind === "closed" && before?.state !== "vanished")) return null
  // No other event makes a case that is over count again.
  if (before === null && isCaseChain(chain) && kind !== "opened" && !(kind in awakening)) return null
  const voted = before?.voted ?? []
  return {
    count: n,
    mac,
    era: before === null || renewals.has(kind) ? era : before.era,
    state: stateAfter(before, kind),
    voted: vote === null ? voted : [...voted, vote.slice(0, idLength)],
  }
}

function stateAfter(before: Head | null, kind: string): Head["state"] {
  // These events end a freeze: what they say rests on nothing that came before.
  if (kind === "linked" || kind === "sum-begun" || kind === "fingerprint-begun") return "open"
  if (before?.state === "frozen" || kind === "frozen") return "frozen"
  if (kind === "opened" || kind === "returned") return "open"
  return kind === "vanished" ? "vanished" : (before?.state ?? "open")
}
