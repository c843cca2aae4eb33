// The shapes that a list of approvals may have; the specification leaves that open.
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from "../domain/content/json.ts"
import { type Extent, extentOf, membersOf } from "../domain/content/json-text.ts"

/** A page as the service answered. */
export interface Envelope<Item = Json> {
  readonly items: readonly Item[]
  /** How many items there are on all pages; null if the answer does not say. */
  readonly total: number | null
  /** How many items a page holds, as the server says, perhaps fewer than we asked for; null if it does not say. */
  readonly limit: number | null
  /** True for an array with nothing around it: such an answer does not say where the list ends. */
  readonly bare: boolean
}

/** Reads AgentOS's `{data, meta: {total_count, limit}}`, `{approvals, total, limit}` or bare array; else undefined. */
export function readEnvelope(body: Json): Envelope | undefined {
  if (isJsonArray(body)) return { items: body, total: null, limit: null, bare: true }
  if (!isJsonObject(body)) return undefined
  const items = listNames.map((name) => body[name]).find(isJsonArray)
  if (items === undefined) return undefined
  const meta = isJsonObject(body["meta"]) ? body["meta"] : body
  return { items, total: numberIn(meta, ["total_count", "total"]), limit: numberIn(meta, ["limit"]), bare: false }
}

/** The names under which the rows may be; the first that is there counts. */
const listNames = ["data", "approvals", "items"]

/**
 * Like `readEnvelope`, from the text, with the rows as texts: we read each row by itself later, and a large one not in
 * full. Throws `SyntaxError` if what stands around the rows is no JSON.
 */
export function readList(text: string): Envelope<string> | undefined {
  const list = listIn(text)
  if (list === undefined) return undefined
  const around = readEnvelope(parseJson(`${text.slice(0, list.start)}[]${text.slice(list.end)}`))
  return (
    around && { ...around, items: Array.from(membersOf(text, list.start), ({ start, end }) => text.slice(start, end)) }
  )
}

function listIn(text: string): Extent | undefined {
  const first = text.trimStart()[0]
  if (first === "[") return extentOf(text)
  if (first !== "{") return undefined
  const members = [...membersOf(text)]
  const listOf = (name: string) => members.findLast((one) => one.name === name && text[one.start] === "[")
  return listNames.map(listOf).find((found) => found !== undefined)
}

function numberIn(holder: JsonObject, names: readonly string[]): number | null {
  const value = names.map((name) => holder[name]).find((member) => typeof member === "number")
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null
}
