// The public keys that ever signed for this installation, so people can still verify older receipts.
import { z } from "zod"
import type { JsonObject } from "../../domain/content/json.ts"
import { StoreError } from "../errors.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, readRecord, type SealedPlace } from "../redis/sealed-record.ts"
import { type ChainedPlace, commitRecord, type RecordWriter } from "./chained-record.ts"
import { noEntries } from "./entry.ts"

/** A public key as a key set has it (RFC 7517). */
export type StoredKey = JsonObject & { readonly kid: string }

const storedKey = z.looseObject({ kid: z.string() })
const storedKeys = z.object({
  version: z.number(),
  keys: z.array(z.custom<StoredKey>((value) => storedKey.safeParse(value).success)),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

type SigningKeysOptions = SealedPlace & RecordWriter

/** Makes the key set of an installation, oldest key first. Calls throw `StoreError`: no answer, or `tampered`. */
export function createSigningKeys(options: SigningKeysOptions) {
  return {
    read: () => readSigningKeys(options),
    /** Adds a key, with an entry in the ledger, unless the set has it. `at` is epoch ms. */
    add: (key: StoredKey, at: number) => addKey(options, key, at),
  }
}

/** The key set, oldest key first. Throws `StoreError`: no answer, or `tampered`. */
export async function readSigningKeys(place: SealedPlace): Promise<readonly StoredKey[]> {
  return (await readKeys(place))?.keys ?? []
}

function signingKeysPlace(keys: Keys): ChainedPlace {
  return { purpose: "signing-keys", key: keys.signingKeys, chain: chainOf.signingKeys }
}

async function readKeys({ redis, keys, seal }: SealedPlace) {
  const value = openRecord(seal, signingKeysPlace(keys), await readRecord(redis, keys.signingKeys))
  if (value === null) return null
  const read = storedKeys.safeParse(value)
  if (read.success) return read.data
  const advice = "somebody changed it; run `countersign ledger verify`"
  throw new StoreError("tampered", `the set of signing keys in Redis was not written by us: ${advice}`)
}

async function addKey(options: SigningKeysOptions, key: StoredKey, at: number): Promise<void> {
  const known = await readKeys(options)
  if (known?.keys.some(({ kid }) => kid === key.kid) === true) return
  const { done } = await commitRecord(options, signingKeysPlace(options.keys), {
    before: { version: known?.version ?? 0, head: known?.chain ?? noEntries },
    next: { keys: [...(known?.keys ?? []), key] },
    events: [{ kind: "key-added", at, key }],
  })
  // Another replica was faster, perhaps with the same key.
  if (done.kind === "stale") await addKey(options, key, at)
}
