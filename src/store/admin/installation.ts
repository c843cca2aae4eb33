// Whose installation this Redis holds: another key than the one that sealed it refuses to start (R14).
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import { attempt, StoreError } from "../errors.ts"
import { type Committer } from "../ledger/commit.ts"
import { extendChain, noEntries } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type RecordPlace, recordOf, sealRecord } from "../redis/sealed-record.ts"
import { type DataSchema, newerData } from "./data-schema.ts"

/** What claiming an installation takes. */
export interface InstallationOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly schema: DataSchema
  readonly installation: string
  readonly commit: Committer
  readonly sandbox: boolean
}

const storedInstallation = z.object({
  version: z.number(),
  keyId: z.string(),
  at: z.number(),
  /** The version that all data of the installation have at least. */
  data: z.number().default(1),
  chain: z.object({ count: z.number(), mac: z.string() }),
})
type StoredInstallation = Readonly<z.infer<typeof storedInstallation>>

/**
 * Makes the installation ours if it is new, else checks that our key sealed it. Throws `StoreError`: `other-key` when it was another's,
 * `tampered` when the record was changed since, `newer-data` when a newer Countersign has been at work.
 */
export async function claimInstallation(options: InstallationOptions, at: number): Promise<"new" | "ours"> {
  const { schema, installation, seal } = options
  const found = await readInstallation(options)
  if (found !== null && found.data > schema.version)
    throw newerData(`installation ${installation}`, { found: found.data, known: schema.version })
  if (found !== null) return "ours"
  const { keyId } = seal
  const first = { version: 1, keyId, at, data: schema.version, chain: noEntries }
  const written = await writeInstallation(options, first, { kind: "installed", at, installation, keyId })
  return written ? "new" : await claimInstallation(options, at)
}

/** Writes the record with one entry about it; false if somebody was faster. `next` has the chain as it was. */
export async function writeInstallation(
  options: Pick<InstallationOptions, "keys" | "seal" | "sandbox" | "commit">,
  next: StoredInstallation,
  event: LedgerEvent,
): Promise<boolean> {
  const { keys, seal, sandbox, commit } = options
  const { version, keyId } = next
  const chain = { chain: chainOf.installation, head: next.chain, sandbox }
  const { entries, head } = extendChain(seal, chain, [event])
  const sealed = sealRecord(seal, placeOf(keys), version, JSON.stringify({ ...next, chain: head }))
  const result = await commit({
    key: keys.installation,
    expectedVersion: String(version - 1),
    fields: { version: String(version), sealed, keyId },
    chain: chain.chain,
    chainCount: next.chain.count,
    entries,
  })
  return result.kind === "committed"
}

/** Says whether an installation is there, without making one. Throws `StoreError`: `other-key`, `tampered`. */
export async function checkInstallation(options: ReadOptions): Promise<"absent" | "ours"> {
  return (await readInstallation(options)) === null ? "absent" : "ours"
}

type ReadOptions = Pick<InstallationOptions, "redis" | "keys" | "seal" | "installation">

/** What a record is made of, then the id of its key. */
const fieldNames = ["version", "sealed", "frozen", "keyId"] as const

/** The record, or null where there is none. Throws as `checkInstallation` does. */
export async function readInstallation(options: ReadOptions): Promise<StoredInstallation | null> {
  const { redis, keys, seal, installation } = options
  // In one command: another replica may make it between two of them.
  const fields = await attempt("read the installation", () => redis.hmgetBuffer(keys.installation, ...fieldNames))
  const keyId = fields.at(-1)?.toString() ?? null
  const value = openRecord(seal, placeOf(keys), recordOf(fields))
  if (value === null && keyId === null) return null
  if (keyId !== null && keyId !== seal.keyId) throw otherKey(installation, keyId, seal.keyId)
  const read = storedInstallation.safeParse(value)
  if (!read.success || keyId === null)
    throw new StoreError("tampered", `the record of installation ${installation} in Redis was not written by us`)
  return read.data
}

function otherKey(installation: string, theirs: string, ours: string): StoreError {
  const whose = `installation ${installation} in this Redis was made with key ${theirs}, not with ours (${ours})`
  return new StoreError("other-key", `${whose}. Set COUNTERSIGN_KEY to that key, or choose another installation name`)
}

function placeOf(keys: Keys): RecordPlace {
  return { purpose: "installation", key: keys.installation }
}
