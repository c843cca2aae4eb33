// Erasable records: the part of an entry that may have to be erased. It lies beside the ledger; the entry holds its
// salted hash.
import { z } from "zod"
import { platformWords } from "../../domain/case/event.ts"
import { canonicalJson, sha256 } from "../../domain/content/canonical.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from "../../domain/content/json.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { attempt } from "../errors.ts"
import { caseOfChain, type Keys } from "../redis/keys.ts"
import { openText, type SealedPlace } from "../redis/sealed-record.ts"
import type { IndexWrite } from "./commit.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/**
 * The fields of an event that are somebody's text, name or address, or that help to guess one (as hashes of values do).
 * Also a platform's own words, which may hold any of these.
 */
const privateFields: { readonly [Kind in LedgerEvent["kind"]]?: readonly string[] } = {
  voted: ["name", "subject", "reason", "values"],
  "called-back": ["name", "subject", "reason", "values"],
  decided: ["subject", "reason"],
  "glass-reviewed": ["name", "reason"],
  asked: ["text"],
  answered: ["text"],
  resolved: ["resolvedBy"],
  elsewhere: ["resolvedBy"],
  activated: ["name"],
  stopped: ["name", "reason"],
  "stopped-again": ["name", "reason"],
  "stop-ended": ["name"],
  "absence-begun": ["name"],
  "absence-ended": ["name"],
  "hold-begun": ["name", "reason", "requester"],
  "hold-ended": ["name"],
  pinned: ["email"],
  contested: ["email"],
  linked: ["email"],
  unlinked: ["email"],
  ...platformWords,
  "not-resumed": [...platformWords["not-resumed"], "who"],
}

/** An erasable record before it is written. */
export interface Erasable {
  /** SHA-256 of `json`, 64 hex characters. */
  readonly hash: string
  /** `{person, salt, text}` as canonical JSON. */
  readonly json: string
}

/** What an erasable record holds. */
export interface ErasableText {
  /** Whose it is, as `team:user`; null if the ledger does not say. */
  readonly person: string | null
  /** The texts, by the event's field. */
  readonly text: Readonly<Record<string, string>>
}

/** An erasable record as we read it. `changed`: it is not the one that its entry names. */
export type ErasableRead = ({ readonly kind: "kept" } & ErasableText) | { readonly kind: "missing" | "changed" }

const storedErasable = z.object({
  person: z.string().nullable(),
  salt: z.string(),
  text: z.record(z.string(), z.string()),
})

/** Moves an event's private fields into an erasable record, and leaves its hash. Drops private fields that are null. */
export function splitEvent(
  seal: Seal,
  event: LedgerEvent,
): { readonly event: JsonObject; readonly erasable: Erasable | null } {
  const whole = parseJson(JSON.stringify(event))
  const fields = privateFields[event.kind] ?? []
  if (!isJsonObject(whole)) throw new TypeError("an event is a JSON object")
  const addresses = new Map<string, string>()
  const members = Object.entries(
    "asked" in whole ? { ...whole, asked: withoutAddresses(whole["asked"], addresses) } : whole,
  )
  const kept = Object.fromEntries(members.filter(([name]) => !fields.includes(name)))
  const told = members.filter(([name, value]) => fields.includes(name) && value !== null)
  const text = Object.fromEntries([...told, ...addresses])
  if (Object.keys(text).length === 0) return { event: kept, erasable: null }
  const json = canonicalJson({ person: textOwner(event), salt: seal.salt(), text })
  const erasable = { hash: sha256(json), json }
  return { event: { ...kept, erasable: erasable.hash }, erasable }
}

/** Puts `address 1`, … in the place of each address that rules ask, and the address itself into `found`. */
function withoutAddresses(asked: Json | undefined, found: Map<string, string>): Json {
  if (isJsonArray(asked)) return asked.map((one) => withoutAddresses(one, found))
  if (isJsonObject(asked)) return { ...asked, approvers: withoutAddresses(asked["approvers"], found) }
  if (typeof asked !== "string" || !asked.includes("@")) return asked ?? null
  const name = `address ${found.size + 1}`
  found.set(name, asked)
  return name
}

/**
 * The person whose text an event holds; for a decision, the last voter or, of a repeat, whose rejection lasts. Null:
 * nobody's, or we know only a name.
 */
function textOwner(event: LedgerEvent): string | null {
  if (event.kind === "decided") return event.people.at(-1) ?? event.as?.person ?? null
  // Its addresses are those of people who were passed over.
  if (event.kind === "glass-broken") return null
  return "person" in event ? event.person : null
}

/** By this we find an erasable record: the chain of the entry that names it, and its hash. */
export interface ErasableName {
  readonly chain: string
  readonly hash: string
}

/** The place of an erasable record. */
interface ErasablePlace {
  readonly key: string
  readonly field: string
}

/** This many characters tell a hash from those of all other erasable records of its case: 64 bits. */
const fieldLength = 16

/** An erasable record lies in the record of its case. Erasable records of other chains have keys of their own. */
function erasablePlace(keys: Keys, { chain, hash }: ErasableName): ErasablePlace {
  const caseId = caseOfChain(chain)
  if (caseId === null) return { key: keys.erasable(hash), field: "sealed" }
  return { key: keys.case(caseId), field: `erasable:${hash.slice(0, fieldLength)}` }
}

/** The writes that keep erasable records, for the commit of the entries that name them. */
export function erasableWrites(
  { seal, keys }: Pick<SealedPlace, "seal" | "keys">,
  erasables: readonly Erasable[],
  chain: string,
): readonly IndexWrite[] {
  return erasables.map(({ hash, json }) => {
    const { key, field } = erasablePlace(keys, { chain, hash })
    return { command: "HSET", key, args: [field, seal.encrypt("erasable", json, keys.erasable(hash))] }
  })
}

/** The write that removes an erasable record. */
export function erasableErasure(keys: Keys, name: ErasableName): IndexWrite {
  const { key, field } = erasablePlace(keys, name)
  return { command: "HDEL", key, args: [field] }
}

/** Reads an erasable record and compares it with its hash. Throws `StoreError` if Redis does not answer. */
export async function readErasable({ redis, keys, seal }: SealedPlace, name: ErasableName): Promise<ErasableRead> {
  const { hash } = name
  const { key, field } = erasablePlace(keys, name)
  const sealed = await attempt("read an erasable record", () => redis.hgetBuffer(key, field))
  if (sealed === null) return { kind: "missing" }
  const value = openText(seal, { purpose: "erasable", context: keys.erasable(hash), sealed })
  const read = storedErasable.safeParse(value)
  if (value === "tampered" || !read.success || sha256(canonicalJson(value)) !== hash) return { kind: "changed" }
  return { kind: "kept", person: read.data.person, text: read.data.text }
}
