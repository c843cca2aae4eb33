// A case's record: the case as it stands or, once it was removed, a tombstone that says where its chain ends.
import { z } from "zod"
import type { Case } from "../../domain/case/case.ts"
import { caseSchema } from "../../domain/case/record/case-record.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { type DataSchema, migrateCase } from "../redis/data-schema.ts"
import { openRecord, type RecordPlace, type StoredRecord, sealAsIs, sealRecord } from "../redis/sealed-record.ts"

const tombstone = z.object({
  version: z.number(),
  removed: z.literal(true),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What stays of a removed case, in the place of its record. */
export type Tombstone = Readonly<z.infer<typeof tombstone>>

/** The seal of cases, and the version of the data in which we write them. */
export interface CaseCodec {
  readonly seal: Seal
  readonly schema: DataSchema
}

/** A case in these states changes again in a moment, while somebody waits. So we do not pack it. */
const moving: ReadonlySet<Case["state"]> = new Set(["sending", "settled"])

/** Seals a case as it stands. */
export function sealCase({ seal, schema }: CaseCodec, key: string, next: Case): Buffer {
  const json = JSON.stringify({ ...next, data: schema.version })
  const sealed = moving.has(next.state) ? sealAsIs : sealRecord
  return sealed(seal, casePlace(key), next.version, json)
}

/**
 * Opens a case's record, even of an older Countersign. Null also if the case was removed. A record that we sealed
 * but cannot understand is `tampered`: nobody decides on it. Throws `StoreError` `newer-data` or `older-data`.
 */
export function openCase({ seal, schema }: CaseCodec, key: string, record: StoredRecord): Case | "tampered" | null {
  const value = openRecord(seal, casePlace(key), record)
  if (value === null || value === "tampered") return value
  if (tombstone.safeParse(value).success) return null
  const read = caseSchema.safeParse(migrateCase(schema, value)).data
  return read === undefined || String(read.version) !== record.version?.toString() ? "tampered" : read
}

/** The tombstone in a case's record; null if the record is anything else. */
export function openTombstone(seal: Seal, key: string, record: StoredRecord): Tombstone | null {
  return tombstone.safeParse(openRecord(seal, casePlace(key), record)).data ?? null
}

function casePlace(key: string): RecordPlace {
  return { purpose: "case", key }
}
