// Records as Redis holds them: JSON, packed, sealed so that nobody else can read (R15) or change it (R14).
import type { Case } from "../../domain/case.ts"
import { isJsonObject, type JsonObject, parseJson } from "../../domain/json.ts"
import type { Seal } from "../../domain/seal.ts"
import { type DataSchema, migrateCase } from "../admin/data-schema.ts"
import { parseCase } from "../cases/case-schema.ts"
import { type Grave, graveIn } from "../cases/tombstone.ts"
import type { StoredRecord } from "../ledger/commit.ts"
import { pack, unpack } from "./pack.ts"

/** A sealed text is bound to its key and version: moved or brought back, it does not open. */
export interface RecordPlace {
  readonly purpose: "case" | "config" | "pin" | "audits" | "installation" | "signing-keys"
  readonly key: string
}

/** Seals a record's JSON for its place and version. */
export function sealRecord(seal: Seal, place: RecordPlace, version: number, json: string): Buffer {
  return seal.encrypt(place.purpose, pack(json), contextOf(place, String(version)))
}

/** Opens a record. `tampered`: it is there, but we did not seal it so, or it was found tampered with before; null: there is none. */
export function openRecord(seal: Seal, place: RecordPlace, record: StoredRecord): JsonObject | "tampered" | null {
  const { version, sealed, frozen } = record
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
    if (error instanceof Error && "code" in error && error.code === "bad-seal") return "tampered"
    throw error
  }
}

function contextOf(place: RecordPlace, version: string): string {
  return `${place.key}@${version}`
}

/** What cases are sealed with, and in which version of the data. */
export interface CaseCodec {
  readonly seal: Seal
  readonly schema: DataSchema
}

/** What is decided moves on in a moment, while somebody waits for it: it is packed when it rests. */
const moving: ReadonlySet<Case["state"]> = new Set(["sending", "settled"])

/** Seals a case as it stands. */
export function sealCase({ seal, schema }: CaseCodec, key: string, next: Case): Buffer {
  const json = JSON.stringify({ ...next, data: schema.version })
  const text = moving.has(next.state) ? Buffer.from(json) : pack(json)
  return seal.encrypt("case", text, contextOf({ purpose: "case", key }, String(next.version)))
}

/**
 * Opens a case's record, also one that an older Countersign wrote; null also where the case was removed. A case that we sealed but cannot understand is `tampered` too: nothing
 * is decided on it. Throws `StoreError` `newer-data`.
 */
export function openCase({ seal, schema }: CaseCodec, key: string, record: StoredRecord): Case | "tampered" | null {
  const value = openRecord(seal, { purpose: "case", key }, record)
  if (value === null || value === "tampered") return value
  if (graveIn(value) !== null) return null
  const read = parseCase(migrateCase(schema, value))
  return read === null || String(read.version) !== record.version?.toString() ? "tampered" : read
}

/** Seals a grave in the place of a case's record. */
export function sealGrave(seal: Seal, key: string, grave: Grave): Buffer {
  return sealRecord(seal, { purpose: "case", key }, grave.version, JSON.stringify({ ...grave, removed: true }))
}

/** The grave in a case's record, or null for anything else. */
export function openGrave(seal: Seal, key: string, record: StoredRecord): Grave | null {
  const value = openRecord(seal, { purpose: "case", key }, record)
  return value === null || value === "tampered" ? null : graveIn(value)
}
