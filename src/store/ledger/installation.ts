// Checks whose installation this Redis holds. If another key sealed it, we refuse to start (R14).

import { z } from "zod"
import { attempt, StoreError } from "../errors.ts"
import { type DataSchema, demandKnown } from "../redis/data-schema.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, recordOf, type SealedPlace } from "../redis/sealed-record.ts"
import { type ChainedPlace, commitRecord, type RecordWriter } from "./chained-record.ts"
import { noEntries } from "./entry.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/** What claiming an installation needs. */
export interface InstallationOptions extends SealedPlace, RecordWriter {
  readonly schema: DataSchema
  readonly installation: string
}

const storedInstallation = z.object({
  version: z.number(),
  keyId: z.string(),
  at: z.number(),
  /** All data of the installation have at least this version. */
  data: z.number(),
  chain: z.object({ count: z.number(), mac: z.string() }),
})
type StoredInstallation = Readonly<z.infer<typeof storedInstallation>>

/**
 * Makes the installation ours if it is new, else checks our key. Throws `StoreError`: `other-key` if it is not ours,
 * `tampered` if somebody changed the record, `newer-data` or `older-data` if this Countersign cannot read its data.
 */
export async function claimInstallation(options: InstallationOptions, at: number): Promise<"new" | "ours"> {
  const { schema, installation, seal } = options
  const found = await readInstallation(options)
  if (found !== null) {
    demandKnown(schema, `installation ${installation}`, found.data)
    return "ours"
  }
  const { keyId } = seal
  const none = { version: 0, keyId, at, data: schema.version, chain: noEntries }
  const written = await writeInstallation(options, none, { event: { kind: "installed", at, installation, keyId } })
  return written ? "new" : await claimInstallation(options, at)
}

/** Replaces the record `before`, and adds one entry about that. False: somebody was faster. */
export async function writeInstallation(
  options: RecordWriter,
  before: StoredInstallation,
  { data = before.data, event }: { readonly data?: number; readonly event: LedgerEvent },
): Promise<boolean> {
  const { keyId, at, version, chain: head } = before
  const change = { before: { version, head }, next: { keyId, at, data }, fields: () => ({ keyId }), events: [event] }
  return (await commitRecord(options, installationPlace(options.keys), change)).done.kind === "committed"
}

/** Says whether an installation is there, without making one. Throws `StoreError`: `other-key`, `tampered`. */
export async function checkInstallation(options: ReadOptions): Promise<"absent" | "ours"> {
  return (await readInstallation(options)) === null ? "absent" : "ours"
}

type ReadOptions = Pick<InstallationOptions, "redis" | "keys" | "seal" | "installation">

/** The fields of a record, then the id of its key. */
const fieldNames = ["version", "sealed", "frozen", "keyId"] as const

/** The record, or null if there is none. Throws as `checkInstallation` does. */
export async function readInstallation(options: ReadOptions): Promise<StoredInstallation | null> {
  const { redis, keys, seal, installation } = options
  // One command reads all: between two commands, another replica may make the record.
  const fields = await attempt("read the installation", () => redis.hmgetBuffer(keys.installation, ...fieldNames))
  const keyId = fields.at(-1)?.toString() ?? null
  const value = openRecord(seal, installationPlace(keys), recordOf(fields))
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

function installationPlace(keys: Keys): ChainedPlace {
  return { purpose: "installation", key: keys.installation, chain: chainOf.installation }
}
