// Gives a value without the keys that say nothing. We hash rules and configs without them.
import { isJsonArray, isJsonObject, type Json } from "../content/json.ts"

/**
 * A value as JSON, without keys that say nothing: undefined, null, false, an empty list or map. So a later version may
 * bring a new key, and values that do not set it keep their hash.
 */
export function whatIsSaid(value: unknown): Json {
  if (Array.isArray(value)) return value.map((one: unknown) => whatIsSaid(one))
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, one]) => [key, whatIsSaid(one)] as const)
    return Object.fromEntries(members.filter(([, one]) => !saysNothing(one)))
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}

function saysNothing(value: Json): boolean {
  if (isJsonArray(value)) return value.length === 0
  return value === null || value === false || (isJsonObject(value) && Object.keys(value).length === 0)
}
