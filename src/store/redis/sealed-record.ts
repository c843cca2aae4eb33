// Records and values as Redis holds them: JSON, packed, sealed so that nobody else can read (R15) or change it (R14).
import type { z } from "zod"
import { isJsonObject, type JsonObject, parseJson } from "../../domain/content/json.ts"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import { type Seal, SealError } from "../../domain/proof/seal.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "./keys.ts"
import type { RedisClient } from "./owner.ts"
import { pack, unpack } from "./pack.ts"

/** Where an installation keeps its records, and how they are sealed. */
export interface SealedPlace {
  readonly redis: RedisClient
  readonly keys: Keys
  readonly seal: Seal
}

/** A record as Redis holds it; `version` is null if there is none. */
export interface StoredRecord {
  readonly version: Buffer | null
  readonly sealed: Buffer | null
  /** True if somebody tampered with the record: we commit nothing to it any more. Only cases are frozen. */
  readonly frozen: boolean
}

/** Reads a record in one round trip. Throws `StoreError`. */
export async function readRecord(redis: RedisClient, key: string): Promise<StoredRecord> {
  return recordOf(await attempt(`read ${key}`, () => redis.hmgetBuffer(key, "version", "sealed", "frozen")))
}

/** A record from its fields `version`, `sealed`, `frozen`. */
export function recordOf(fields: readonly (Buffer | null)[]): StoredRecord {
  const [version = null, sealed = null, frozen = null] = fields
  return { version, sealed, frozen: frozen !== null }
}

/** Where a record lies. A sealed text opens only under its own key and version. */
export interface RecordPlace {
  readonly purpose: "case" | "config" | "link" | "audits" | "sum" | "fingerprint" | "installation" | "signing-keys"
  readonly key: string
}

/** Seals a record's JSON for its place and version. */
export function sealRecord(seal: Seal, place: RecordPlace, version: number, json: string): Buffer {
  return sealAsIs(seal, place, version, pack(json))
}

/** Seals a record's JSON without packing, for a record that soon changes again. */
export function sealAsIs(seal: Seal, place: RecordPlace, version: number, json: string | Buffer): Buffer {
  return seal.encrypt(place.purpose, json, contextOf(place, String(version)))
}

/** Opens a record. `tampered`: we did not seal it like this, or found it tampered with before. Null: there is none. */
export function openRecord(seal: Seal, place: RecordPlace, record: StoredRecord): JsonObject | "tampered" | null {
  const { version, sealed } = record
  // We freeze only cases. Else a field that anybody can write would stop other records for good.
  const frozen = record.frozen && place.purpose === "case"
  if (version === null && sealed === null && !frozen) return null
  if (version === null || sealed === null || frozen) return "tampered"
  return openText(seal, { purpose: place.purpose, context: contextOf(place, version.toString("latin1")), sealed })
}

/** Opens what `Seal.encrypt` made of a JSON object, packed or not; `tampered` for anything else. */
export function openText(
  seal: Seal,
  options: { readonly purpose: string; readonly context: string; readonly sealed: Buffer },
): JsonObject | "tampered" {
  try {
    const text = unpack(seal.decrypt(options.purpose, options.sealed, options.context))
    const value = parseJson(text)
    return isJsonObject(value) ? value : "tampered"
  } catch (error) {
    if (error instanceof SealError) return "tampered"
    throw error
  }
}

/** Seals and opens values of one kind, bound to their place. `open`: null if not ours, or of another shape. */
export function createSealedValues<Value>(seal: Seal, purpose: string, schema: z.ZodType<Value>) {
  return {
    seal: (context: string, value: Frozen<Value>) => seal.encrypt(purpose, JSON.stringify(value), context),
    open: (context: string, sealed: Buffer | null | undefined) =>
      sealed ? (schema.safeParse(openText(seal, { purpose, context, sealed })).data ?? null) : null,
  }
}

function contextOf(place: RecordPlace, version: string): string {
  return `${place.key}@${version}`
}
