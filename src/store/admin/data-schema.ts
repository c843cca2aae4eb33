// Which version of the data this Countersign writes, and how a case that an older one wrote becomes like ours.
import { isJsonArray, isJsonObject, type JsonObject } from "../../domain/json.ts"
import { unseen } from "../../domain/surroundings.ts"
import { StoreError } from "../errors.ts"

/** How a case as version `to - 1` wrote it becomes one that version `to` would have written. Pure; run again it changes nothing. */
export interface CaseMigration {
  readonly to: number
  readonly change: (stored: JsonObject) => JsonObject
}

/** A version of the data, with the steps that lead to it from version 1. */
export interface DataSchema {
  readonly version: number
  readonly migrations: readonly CaseMigration[]
}

/** What this Countersign writes. Whoever changes the shape of a stored case raises the version and adds the step. */
export const ourSchema: DataSchema = {
  version: 3,
  migrations: [
    { to: 2, change: (stored) => withNewFields(withRoom(stored)) },
    { to: 3, change: withBounds },
  ],
}

/** Version 3: a case knows its ended decisions and used presses, and the era of its last commit. */
function withBounds(stored: JsonObject): JsonObject {
  const { chain } = stored
  return { ended: [], used: [], ...stored, ...(isJsonObject(chain) ? { chain: { era: 0, ...chain } } : {}) }
}

/** Version 2 also: a case knows its deadlines, its run, what was noticed about it and what is around it. One from before has none of them yet. */
function withNewFields(stored: JsonObject): JsonObject {
  const time = { deadlines: [], remindedTo: 0, escalated: [], expired: null }
  return {
    time,
    resumption: null,
    noticed: [],
    around: { ...unseen },
    calls: [],
    twins: [],
    informed: false,
    ...stored,
  }
}

/** The version that a stored record says it has; 1 where it says none. */
export function versionOf(stored: JsonObject): number {
  const said = stored["data"]
  return typeof said === "number" ? said : 1
}

/**
 * A stored case as this version reads it. Throws `StoreError` `newer-data` for one that a newer Countersign wrote: what we do not know we
 * neither judge nor write over.
 */
export function migrateCase({ version, migrations }: DataSchema, stored: JsonObject): JsonObject {
  const from = versionOf(stored)
  if (from > version) throw newerData("this case", { found: from, known: version })
  return migrations.filter(({ to }) => to > from).reduce((now, { change }) => change(now), stored)
}

/** The refusal to touch what a newer Countersign wrote. A replica that knows it takes what is left over. */
export function newerData(what: string, version: { readonly found: number; readonly known: number }): StoreError {
  const { found, known } = version
  return new StoreError(
    "newer-data",
    `${what} was written by a newer Countersign (data version ${found}; this one knows ${known}): run the newer one, or restore the backup that was made before it`,
  )
}

/** Version 2: a case takes room for its cards (R20), and a card may be a line of a summary. Older cases have room, and cards of their own. */
function withRoom(stored: JsonObject): JsonObject {
  const { cards } = stored
  const ownCards = isJsonArray(cards)
    ? cards.map((card) => (isJsonObject(card) ? { summary: false, ...card } : card))
    : []
  return { room: { agent: "", given: true }, ...stored, cards: ownCards }
}
