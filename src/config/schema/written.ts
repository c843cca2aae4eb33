// What is written of checked settings: without what equals a default, so that a key that nobody set is not there.
import { isDeepStrictEqual } from "node:util"
import { z } from "zod"
import { isJsonObject, type Json } from "../../domain/content/json.ts"
import { shapeOf } from "./keys.ts"

/** Settings that a schema made, without what equals a default. The same schema reads them as the same settings. */
export function withoutDefaults(type: z.core.$ZodType, settings: unknown): Json {
  if (Array.isArray(settings)) return settings.map((one: unknown) => withoutDefaults(type, one))
  if (isJsonObject(settings)) {
    const keys = Object.entries(shapeOf(type)).filter(([name]) => settings[name] !== undefined)
    const said = keys.filter(([name, below]) => !isDefault(below, settings[name]))
    return Object.fromEntries(said.map(([name, below]) => [name, withoutDefaults(below, settings[name])]))
  }
  return typeof settings === "string" || typeof settings === "number" || typeof settings === "boolean" ? settings : null
}

function isDefault(type: z.core.$ZodType, value: unknown): boolean {
  const usual = z.safeParse(type, undefined, { jitless: true })
  return usual.success && isDeepStrictEqual(usual.data, value)
}
