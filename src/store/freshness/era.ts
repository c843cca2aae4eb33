// Eras: each begins where entries were lost, or may have been, and says which chains that touched (R17).
import { isCaseChain } from "../redis/keys.ts"
import type { Head } from "./head.ts"
import type { OpenEntry } from "./open-entry.ts"

/** An era. What was done last in the chains that it touches may be lost, so it counts no more until somebody begins it anew. */
export interface Era {
  /** Counts up from 1; before the first it is era 0. */
  readonly id: number
  /** The sequence number of the entry that began it. */
  readonly number: number
  /** Null: every open case. */
  readonly chains: ReadonlySet<string> | null
  /** True if an operator accepted a roll-back with it. */
  readonly accepts: boolean
}

/** The eras with an entry taken in. */
export function withEntry(eras: readonly Era[], { number, era }: OpenEntry): readonly Era[] {
  if (era === null) return eras
  const { id, chains, accepts } = era
  return [...eras, { id, number, accepts, chains: chains === null ? null : new Set(chains) }]
}

/** The id of the last era. */
export function lastEra(eras: readonly Era[]): number {
  return Math.max(0, ...eras.map(({ id }) => id))
}

/** True if an era that began after a chain did touches it. Of a case that is over nothing counts; any other chain that is gone stays touched, since nobody knows what it said. */
export function isTouchedBy(eras: readonly Era[], chain: string, head: Head | null): boolean {
  if (head === null && isCaseChain(chain)) return false
  const since = head?.era ?? 0
  return eras.some(({ id, chains }) => id > since && (chains === null ? isCaseChain(chain) : chains.has(chain)))
}

/** The id of the last era with which an operator accepted a roll-back; what is known from before it does not bind any more. 0: none. */
export function acceptedEra(eras: readonly Era[]): number {
  return lastEra(eras.filter(({ accepts }) => accepts))
}
