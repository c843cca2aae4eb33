// The public keys that ever signed for this installation: what a key was replaced by does not make older receipts unverifiable.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { JsonObject } from "../../domain/json.ts"
import type { Seal } from "../../domain/seal.ts"
import { StoreError } from "../errors.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type RecordPlace, readRecord, sealRecord } from "../redis/sealed-record.ts"
import { type Committer } from "./commit.ts"
import { extendChain, noEntries } from "./entry.ts"

/** A public key as a key set has it (RFC 7517). */
export type StoredKey = JsonObject & { readonly kid: string }

/** The key set of an installation, oldest key first. Every call throws `StoreError`: no answer, or `tampered`. */
export interface SigningKeys {
  /** Adds a key, with an entry in the ledger, unless it is there. `at` is epoch ms. */
  add(key: StoredKey, at: number): Promise<void>
  read(): Promise<readonly StoredKey[]>
}

const storedKey = z.looseObject({ kid: z.string() })
const storedKeys = z.object({
  version: z.number(),
  keys: z.array(z.custom<StoredKey>((value) => storedKey.safeParse(value).success)),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What the key set is made of. */
export interface SigningKeysOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly commit: Committer
  readonly sandbox: boolean
}

/** Makes the key set of an installation. */
export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  return {
    read: async () => (await readKeys(options))?.keys ?? [],
    add: (key, at) => addKey(options, key, at),
  }
}

function placeOf(keys: Keys): RecordPlace {
  return { purpose: "signing-keys", key: keys.signingKeys }
}

async function readKeys({ redis, keys, seal }: SigningKeysOptions) {
  const value = openRecord(seal, placeOf(keys), await readRecord(redis, keys.signingKeys))
  if (value === null) return null
  const read = storedKeys.safeParse(value)
  if (read.success) return read.data
  const advice = "somebody changed it; run `countersign ledger verify`"
  throw new StoreError("tampered", `the set of signing keys in Redis was not written by us: ${advice}`)
}

async function addKey(options: SigningKeysOptions, key: StoredKey, at: number): Promise<void> {
  const { keys, seal, sandbox } = options
  const before = await readKeys(options)
  if (before?.keys.some((known) => known.kid === key.kid) === true) return
  const start = before?.chain ?? noEntries
  const { entries, head } = extendChain(seal, { chain: chainOf.signingKeys, head: start, sandbox }, [
    { kind: "key-added", at, key },
  ])
  const version = (before?.version ?? 0) + 1
  const json = JSON.stringify({ version, keys: [...(before?.keys ?? []), key], chain: head })
  const done = await options.commit({
    key: keys.signingKeys,
    expectedVersion: String(version - 1),
    fields: { version: String(version), sealed: sealRecord(seal, placeOf(keys), version, json) },
    chain: chainOf.signingKeys,
    chainCount: start.count,
    entries,
  })
  // Another replica was faster, perhaps with the same key.
  if (done.kind === "stale") await addKey(options, key, at)
}
