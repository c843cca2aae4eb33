// Whose installation this Redis holds: another key than the one that sealed it refuses to start (R14).
import type { Redis } from "ioredis"
import type { Seal } from "../domain/seal.ts"
import { openRecord, type RecordPlace, sealRecord } from "./codec.ts"
import { type Committer, readRecord } from "./commit.ts"
import { extendChain, noEntries } from "./entry.ts"
import { attempt, StoreError } from "./errors.ts"
import { chainOf, type Keys } from "./keys.ts"

/** What claiming an installation takes. */
export interface InstallationOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly installation: string
  readonly commit: Committer
  readonly sandbox: boolean
}

/**
 * Makes the installation ours if it is new, else checks that our key sealed it. Throws `StoreError`: `other-key` when it was another's,
 * `tampered` when the record was changed since.
 */
export async function claimInstallation(options: InstallationOptions, at: number): Promise<"new" | "ours"> {
  const { keys, seal } = options
  const found = await checkInstallation(options)
  if (found === "ours") return found
  const { keyId } = seal
  const chain = { chain: chainOf.installation, head: noEntries, sandbox: options.sandbox }
  const { entries, head } = extendChain(seal, chain, [
    { kind: "installed", at, installation: options.installation, keyId },
  ])
  const sealed = sealRecord(seal, placeOf(keys), 1, JSON.stringify({ version: 1, keyId, at, chain: head }))
  const result = await options.commit({
    key: keys.installation,
    expectedVersion: "0",
    fields: { version: "1", sealed, keyId },
    chain: chain.chain,
    chainCount: 0,
    entries,
  })
  return result.kind === "committed" ? "new" : await claimInstallation(options, at)
}

/** Says whether an installation is there, without making one. Throws as `claimInstallation` does. */
export async function checkInstallation(
  options: Pick<InstallationOptions, "redis" | "keys" | "seal" | "installation">,
): Promise<"absent" | "ours"> {
  const { redis, keys, seal, installation } = options
  const [record, keyId] = await Promise.all([
    readRecord(redis, keys.installation),
    attempt("read the installation's key id", () => redis.hget(keys.installation, "keyId")),
  ])
  const value = openRecord(seal, placeOf(keys), record)
  if (value === null && keyId === null) return "absent"
  if (keyId !== null && keyId !== seal.keyId) throw otherKey(installation, keyId, seal.keyId)
  if (value === "tampered" || value === null || keyId === null)
    throw new StoreError("tampered", `the record of installation ${installation} in Redis was not written by us`)
  return "ours"
}

function otherKey(installation: string, theirs: string, ours: string): StoreError {
  const whose = `installation ${installation} in this Redis was made with key ${theirs}, not with ours (${ours})`
  return new StoreError("other-key", `${whose}. Set COUNTERSIGN_KEY to that key, or choose another installation name`)
}

function placeOf(keys: Keys): RecordPlace {
  return { purpose: "installation", key: keys.installation }
}
