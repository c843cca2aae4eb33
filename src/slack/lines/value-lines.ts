// A value in lines: text stays text, every digit stays, and nothing looks like something else.
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "../../domain/content/json.ts"

/** Deeper nesting becomes JSON on one line, so a hostile value does not grow by its indentation. */
const maxIndent = 12
/** A longer text gets its own box, as a text of several lines does. */
const longUnits = 300

/** A value on one line: text as it is, unless it could be read as something else; lists and objects as JSON. */
export function valueOnLine(value: Json): string {
  return typeof value === "string" ? writeText(value) : writeJson(value)
}

/** A value in as many lines as it needs. An empty one is written as JSON. */
export function valueInLines(value: Json): string {
  if (isLongText(value)) return value
  const [head = "", ...below] = linesAfter("", value, -1)
  return below.length === 0 ? head.trimStart() : below.join("\n")
}

/** True for a text that gets its own box. */
export function isLongText(value: Json): value is string {
  return typeof value === "string" && value.isWellFormed() && (value.includes("\n") || value.length > longUnits)
}

/** A name or dash with its value, in lines of `depth`. A scalar stands beside it, everything else below. */
export function linesAfter(head: string, value: Json, depth: number): readonly string[] {
  const below = depth + 1
  const deep = below >= maxIndent
  if (typeof value === "string") {
    if (!value.includes("\n") || deep || needsEscapes(value)) return [`${head} ${writeText(value, deep)}`]
    return [head, ...value.split("\n").map((line) => `${indentOf(below)}| ${line}`)]
  }
  if (isJsonArray(value) && value.length > 0 && !deep) return [head, ...value.flatMap((item) => itemLines(item, below))]
  if (isJsonObject(value) && Object.keys(value).length > 0 && !deep) return [head, ...membersBelow(value, below)]
  return [`${head} ${writeJson(value)}`]
}

function membersBelow(value: JsonObject, depth: number): readonly string[] {
  return Object.entries(value).flatMap(([name, one]) => linesAfter(`${indentOf(depth)}${writeKey(name)}:`, one, depth))
}

/** An item of a list. If it is a list or an object, its first line stands beside the dash. */
function itemLines(item: Json, depth: number): readonly string[] {
  const dash = `${indentOf(depth)}-`
  if (typeof item === "string" && readsAsItem.test(item) && !item.includes("\n"))
    return [`${dash} ${JSON.stringify(item)}`]
  const lines = linesAfter(dash, item, depth)
  const [, next, ...rest] = lines
  if (typeof item === "string" || next === undefined) return lines
  return [`${dash} ${next.slice(indentOf(depth + 1).length)}`, ...rest]
}

/** Beside a dash, this text could be read as a member, an item or a line of text. */
const readsAsItem = /^[-|]|:(?: |$)/

function indentOf(depth: number): string {
  return "  ".repeat(Math.max(0, depth))
}

/** Text of one line, as it is; in JSON quotes if it could be read as something else. */
function writeText(text: string, deep = false): string {
  const quotes = readsOtherwise(text) || needsEscapes(text) || text.includes("\n") || (deep && /^[[{]/.test(text))
  return quotes ? JSON.stringify(text) : text
}

/**
 * True for text that looks like a number, true, false, null, an empty list or object, quoted text or our words for
 * left-out text, or whose ends are invisible.
 */
function readsOtherwise(text: string): boolean {
  if (text === "" || text.trim() !== text || text.startsWith('"') || text.endsWith(" in Details")) return true
  return /^(?:true|false|null|nan|\[\]|\{\})$/i.test(text) || !Number.isNaN(Number(text))
}

/** True for control characters other than line feeds, and for half characters: these become JSON's escapes. */
function needsEscapes(text: string): boolean {
  return /(?!\n)\p{Cc}/u.test(text) || !text.isWellFormed()
}

/** JSON on one line. Numbers keep every digit that the wire had. */
function writeJson(value: Json): string {
  if (value === null) return "null"
  if (isWireNumber(value)) return value.rawJSON
  if (isJsonArray(value)) return `[${value.map(writeJson).join(", ")}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${quotedKey(key)}: ${writeJson(member)}`)
    .join(", ")}}`
}

/** A name as it is; in JSON quotes if it could be read as something else. */
export function writeKey(key: string): string {
  return isPlainKey(key) ? key : quotedKey(key)
}

/** True for a name that nobody can take for anything else, wherever it stands. */
export function isPlainKey(key: string): boolean {
  return /^[\w.][\w.-]{0,59}$/.test(key)
}

/** A key in quotes. A key never holds a mask of ours, so we escape what looks like one, or count it if it is long. */
function quotedKey(key: string): string {
  const shade = String.raw`\u2592`
  const instead = ({ length }: string) => (length > 8 ? `⟨${length} × U+2592⟩` : shade.repeat(length))
  return JSON.stringify(key).replaceAll(/▒+/g, instead)
}
