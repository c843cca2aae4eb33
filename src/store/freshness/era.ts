// Eras: each begins where entries were lost, or may have been, and says which chains are touched (R17).

import { largest } from "../../domain/content/largest.ts"
import { type InstallationOptions, readInstallation, writeInstallation } from "../ledger/installation.ts"
import { chainOf, isCaseChain, isSumChain } from "../redis/keys.ts"
import type { Head } from "./head.ts"
import type { KnownLedger } from "./known-ledger.ts"
import type { OpenEntry } from "./open-entry.ts"

/** An era. It touches chains whose last acts may be lost: these acts do not count until people repeat them. */
export interface Era {
  /** Counts up from 1. Era 0 is the time before the first. */
  readonly id: number
  /** The sequence number of the entry that began the era. */
  readonly number: number
  /** The chains that the era touches. Null: every open case, and every sum. */
  readonly chains: ReadonlySet<string> | null
  /** True if an operator began the era by accepting a roll-back. */
  readonly accepts: boolean
  /** Where the config's chain ended before it lost its end, by the MACs that anybody names. Null: it lost nothing. */
  readonly config: readonly string[] | null
}

/** What Redis lost. */
export interface Lost {
  readonly chains: readonly string[]
  /** Where the config's chain ended, if it lost its end. */
  readonly config: readonly string[]
}

/** The eras after an entry. The entry may begin one more. */
export function withEntry(eras: readonly Era[], { number, era }: OpenEntry): readonly Era[] {
  if (era === null) return eras
  const { id, chains, accepts, config } = era
  return [...eras, { id, number, accepts, config, chains: chains === null ? null : new Set(chains) }]
}

/** The id of the last era. */
export function lastEra(eras: readonly Era[]): number {
  return largest(
    0,
    eras.map(({ id }) => id),
  )
}

/**
 * True if an era touches a chain that existed before this era. A case that is over is never touched: nothing of it
 * counts any more. Any other lost chain stays touched, because nobody knows what it said.
 */
export function isTouchedBy(eras: readonly Era[], chain: string, head: Head | null): boolean {
  if (chain === chainOf.config) return lostConfigIn(eras, head) !== null
  if (head === null && isCaseChain(chain)) return false
  const since = head?.era ?? 0
  const always = isCaseChain(chain) || isSumChain(chain)
  return eras.some(({ id, chains }) => id > since && (chains === null ? always : chains.has(chain)))
}

/** Where the config's chain ended before Redis lost its end, until that is put back. Empty: unknown. Null: none. */
export function lostConfigIn(eras: readonly Era[], head: Head | null): readonly string[] | null {
  const lost = eras.flatMap(({ id, config }) => (config !== null && id > (head?.era ?? 0) ? [config] : []))
  if (lost.length === 0 || head === null) return null
  return lost.some((ends) => ends.length === 0) ? [] : [...new Set(lost.flat())]
}

/** Id of the last era with which an operator accepted a roll-back; nothing from before it counts. 0: none. */
export function acceptedEra(eras: readonly Era[]): number {
  return lastEra(eras.filter(({ accepts }) => accepts))
}

/** An era that is to begin. */
export interface NextEra {
  /** The chains that the era touches; null: all open cases and all sums. */
  readonly touched: readonly string[] | null
  /** Where the config's chain ended, if it lost its end; empty: nobody knows. Null: it lost nothing. */
  readonly config: readonly string[] | null
  /** `lost`: the ledger's end was missing. `unvouched`: nothing confirms it. `accepted`: an operator accepted it. */
  readonly why: "lost" | "unvouched" | "accepted"
  /** The ledger that the operator saw and accepts. */
  readonly accepted?: { readonly size: number; readonly root: string }
  /** Epoch ms. */
  readonly at: number
  /** The lowest id for the era: a rolled-back ledger does not know its last era. Default: the next id. */
  readonly atLeast?: number
}

/** What `beginEra` needs. Its `commit` must not wait until the era has begun. */
export interface EraOptions extends InstallationOptions {
  readonly known: () => KnownLedger
  /** Reads to the end of the ledger. */
  readonly catchUp: () => Promise<unknown>
}

/** Begins an era, unless another replica has begun such an era. False: the ledger names another installation record. */
export async function beginEra(options: EraOptions, next: NextEra): Promise<boolean> {
  const began = lastEra(options.known().eras())
  for (;;) {
    await options.catchUp()
    const known = options.known()
    if (covers(known, began, next)) return true
    const record = await readInstallation(options)
    const head = known.head(chainOf.installation)
    if (record === null || head === null || record.chain.mac !== head.mac) {
      // Another replica may have begun an era between the two reads.
      await options.catchUp()
      if (options.known().head(chainOf.installation)?.mac === head?.mac) return false
      continue
    }
    const { at, why, touched, config, accepted, atLeast = 0 } = next
    const era = Math.max(lastEra(known.eras()) + 1, atLeast)
    const more = { ...(config === null ? {} : { config }), ...(accepted === undefined ? {} : { accepted }) }
    const event = { kind: "era", at, era, why, touched, ...more } as const
    if (await writeInstallation(options, record, { event })) return true
  }
}

/** True if eras that began meanwhile touch all that the next era would touch. */
function covers(known: KnownLedger, began: number, { touched, why, config }: NextEra): boolean {
  if (why === "accepted") return false
  const since = known.eras().filter(({ id }) => id > began)
  if (!(config ?? []).every((end) => since.some((era) => era.config?.includes(end) === true))) return false
  if (touched === null) return since.some(({ chains }) => chains === null)
  return since.length > 0 && touched.every((chain) => since.some(({ chains }) => chains === null || chains.has(chain)))
}
