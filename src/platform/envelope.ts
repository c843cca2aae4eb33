// The shapes that a list of approvals may come in; the specification leaves it open.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../domain/content/json.ts"

/** A page as it was answered. */
export interface Envelope<Item = Json> {
  readonly items: readonly Item[]
  /** How many there are on all pages; null if the answer does not say. */
  readonly total: number | null
  /** How many a page holds by the server's word, perhaps fewer than we asked for; null if it does not say. */
  readonly limit: number | null
  /** True for an array without anything around it: it does not say where the list ends. */
  readonly bare: boolean
}

/** Reads AgentOS's `{data, meta: {total_count, limit}}`, `{approvals, total, limit}` or bare array; else undefined. */
export function readEnvelope(body: Json): Envelope | undefined {
  if (isJsonArray(body)) return { items: body, total: null, limit: null, bare: true }
  if (!isJsonObject(body)) return undefined
  const items = [body["data"], body["approvals"], body["items"]].find(isJsonArray)
  if (items === undefined) return undefined
  const meta = isJsonObject(body["meta"]) ? body["meta"] : body
  return { items, total: numberIn(meta, ["total_count", "total"]), limit: numberIn(meta, ["limit"]), bare: false }
}

function numberIn(holder: JsonObject, names: readonly string[]): number | null {
  const value = names.map((name) => holder[name]).find((member) => typeof member === "number")
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null
}
