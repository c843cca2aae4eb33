// The plain values of which records are made, as schemas.
import { z } from "zod"
import { isJsonObject, type JsonObject } from "../json.ts"

/** Any text. */
export const text = z.string()
/** A text, or null if there is none. */
export const textOrNull = text.nullable()
/** Any number. */
export const number = z.number()
/** A number, or null if there is none. */
export const numberOrNull = number.nullable()
/** What somebody wants. */
export const verb = z.enum(["approve", "reject"])
/** A JSON object, kept as it is, exact numbers included. */
export const object = z.custom<JsonObject>(isJsonObject, "must be a JSON object")
