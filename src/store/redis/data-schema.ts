// The version of the data that this Countersign writes, and the steps that bring an older case up to it.
import type { JsonObject } from "../../domain/content/json.ts"
import { smallest } from "../../domain/content/largest.ts"
import { StoreError } from "../errors.ts"

/** Turns a case as version `to - 1` wrote it into one of version `to`. Pure; a second run changes nothing. */
export interface CaseMigration {
  readonly to: number
  readonly change: (stored: JsonObject) => JsonObject
}

/** A version of the data, with the steps that lead to it. Data older than the first step are refused. */
export interface DataSchema {
  readonly version: number
  readonly migrations: readonly CaseMigration[]
}

/** What this Countersign writes. If you change the shape of a stored case, raise the version and add the step. */
export const ourSchema: DataSchema = {
  version: 2,
  migrations: [
    // 0.2.0: what was sent back, questions, rejections that last. All of it may be absent.
    { to: 2, change: (stored) => stored },
  ],
}

/** The version that a stored record states; 1 if it states none. */
export function versionOf(stored: JsonObject): number {
  const said = stored["data"]
  return typeof said === "number" ? said : 1
}

/** A stored case as this version reads it. Throws `StoreError` as `demandKnown` does: unknown data stay untouched. */
export function migrateCase(schema: DataSchema, stored: JsonObject): JsonObject {
  const from = versionOf(stored)
  demandKnown(schema, "this case", from)
  return schema.migrations.filter(({ to }) => to > from).reduce((now, { change }) => change(now), stored)
}

/**
 * Throws `StoreError` for data of an unknown version. `newer-data`: leave them to a replica that knows them.
 * `older-data`: there is no step from their version to ours.
 */
export function demandKnown({ version, migrations }: DataSchema, what: string, found: number): void {
  const oldest = smallest(
    version,
    migrations.map(({ to }) => to - 1),
  )
  const fail = (code: "newer-data" | "older-data", by: string, knows: string, advice: string) => {
    throw new StoreError(code, `${what} was written by ${by} (data version ${found}; this one ${knows}): ${advice}`)
  }
  const restore = "run the newer one, or restore the backup that was made before it"
  if (found > version) fail("newer-data", "a newer Countersign", `knows ${version}`, restore)
  const anew = "then start this one on an empty Redis or under another installation name"
  const older = "an older Countersign"
  if (found < oldest) fail("older-data", older, `reads from ${oldest} on`, `decide what is open with that one, ${anew}`)
}
