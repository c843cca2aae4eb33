// Arguments as text that says exactly what the platform's JSON says: every digit, every escape, and what null may hide.
import type { Call } from "../../domain/content/approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "../../domain/content/json.ts"
import type { RequirementMember } from "../../domain/content/requirement.ts"

/** The platform writes NaN and Infinity as null, so a null may be either (R2). */
const nullWords = "null, or not a number"

/** Deeper nesting is written without further indentation, so that a hostile value does not grow by it. */
const maxIndent = 12

/** One argument a line, `name: value`, values as JSON; "no arguments" if there are none. */
export function writeArguments(args: JsonObject): string {
  const members = Object.entries(args)
  return members.length === 0 ? "no arguments" : writeMembers(members)
}

function writeMembers(members: readonly RequirementMember[]): string {
  return members.map(([name, value]) => `${writeKey(name)}: ${writeJson(value, 0)}`).join("\n")
}

/** The form of a user_input call: name, type, what it is for and what the agent filled in. */
function writeFields(fields: readonly JsonObject[]): string {
  return fields.map(writeField).join("\n")
}

/** All that one call says: arguments, for user input its form, and what nobody understood of it, as it is. */
export function writeCall(call: Call): string {
  const form = call.fields.length === 0 ? "" : `\n\nto fill in:\n${writeFields(call.fields)}`
  const others = call.others.length === 0 ? "" : `\n\nalso in the record:\n${writeMembers(call.others)}`
  return `${writeArguments(call.args)}${form}${others}`
}

/** JSON with two spaces of indentation; a number is written digit by digit as the wire had it. */
export function writeJson(value: Json, depth: number): string {
  if (value === null) return nullWords
  if (isWireNumber(value)) return value.rawJSON
  if (isJsonArray(value))
    return writeList(
      "[",
      value.map((item) => writeJson(item, depth + 1)),
      "]",
      depth,
    )
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${quoted(key)}: ${writeJson(member, depth + 1)}`)
  return writeList("{", members, "}", depth)
}

/** One field of a form: name, type, what the agent filled in, what it is for. */
export function writeField(field: JsonObject): string {
  const { name = "", field_type: type = "", description = "", value = null, ...others } = field
  const beside = Object.entries(others).map(([key, one]) => `${quoted(key)}:${JSON.stringify(one)}`)
  const more = beside.length === 0 ? "" : ` {${beside.join(",")}}`
  return `${bare(name)} (${bare(type)}): ${writeJson(value, 0)}  # ${bare(description)}${more}`
}

function bare(value: Json): string {
  return typeof value === "string" && /^[^\n\r]*$/.test(value) ? value : writeJson(value, 0)
}

function writeList(open: string, items: readonly string[], close: string, depth: number): string {
  if (items.length === 0) return `${open}${close}`
  const inner = "  ".repeat(Math.min(depth + 1, maxIndent))
  const outer = "  ".repeat(Math.min(depth, maxIndent))
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${outer}${close}`
}

function writeKey(key: string): string {
  return /^[\w.-]+$/.test(key) ? key : quoted(key)
}

/** A key never holds a mask of ours, so what looks like one is written as its escapes; many of them are counted. */
function quoted(key: string): string {
  const shade = String.raw`\u2592`
  const instead = ({ length }: string) => (length > 8 ? `⟨${length} × U+2592⟩` : shade.repeat(length))
  return JSON.stringify(key).replaceAll(/▒+/g, instead)
}
