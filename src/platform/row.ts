// A row of the platform as text. We read it whole; if it is too large to show, we leave out its large parts.
import type { Oversize } from "../domain/content/approval.ts"
import { sha256 } from "../domain/content/canonical.ts"
import { countValues, isJsonObject, type Json, parseJson } from "../domain/content/json.ts"
import { type Extent, membersOf, type TextMember } from "../domain/content/json-text.ts"
import { type Item, readItem, unreadable } from "./contract.ts"

/**
 * A row with more characters or more values than this is too large to show, so nobody can approve it. For such a row we
 * do no more than go through its characters: what one agent asks for must not stall us, or starve others (R20).
 */
export const maxRow = { characters: 400_000, values: 5_000 } as const

/** Code that walks deeper rows would overflow its stack. */
const maxDepth = 200

/** What a row says about itself in single words; undefined if the row does not say it, or not as a text. */
export interface Labels {
  readonly id?: string | undefined
  readonly status?: string | undefined
  readonly approval_type?: string | undefined
}

/** Reads a row's labels and nothing else; none if the row is no JSON. */
export function labelsOf(text: string): Labels {
  const { id, status, approval_type } =
    unlessBroken(() => Object.fromEntries(isObjectText(text) ? labelled(text) : [])) ?? {}
  return { id: id === "" ? undefined : id, status, approval_type }
}

function* labelled(text: string): Generator<[string, string]> {
  const wanted = new Set(["id", "status", "approval_type"])
  for (const { name, start, end } of membersOf(text)) {
    if (!wanted.delete(name)) continue
    if (text[start] === '"') yield [name, String(JSON.parse(text.slice(start, end)))]
    if (wanted.size === 0) return
  }
}

/** Reads a row of a list. If the row is wrong, we can still read the others. */
export function readListedRow(instance: string, text: string): Item {
  return unlessBroken(() => readRow(instance, text)) ?? unreadable(null, "is no JSON")
}

function unlessBroken<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Reads a row that is no part of a list. Throws `SyntaxError` for text that is no JSON. */
export function readRow(instance: string, text: string): Item {
  const members = isObjectText(text) ? [...membersOf(text)] : []
  const characters = text.trim().length
  const values = members.reduce((sum, member) => sum + member.values, 1)
  const isOversize = characters > maxRow.characters || values > maxRow.values
  if (isOversize && members.length > 0) return readOutline(instance, { text, members, characters, values })
  const item = parseJson(text)
  const tooDeep = members.some(({ depth }) => depth >= maxDepth)
  if (tooDeep) return unreadable(item, `is nested deeper than ${maxDepth} levels`)
  // If a name is there twice, we have lost one of its values: some programs take the first, others the last.
  const ambiguous = isJsonObject(item) && countValues(item) !== values
  return ambiguous ? readItem(instance, item, { ambiguous }) : readItem(instance, item)
}

/** A row that we measured but did not parse. */
interface MeasuredRow extends Omit<Oversize, "sha256"> {
  readonly text: string
  readonly members: readonly TextMember[]
}

/** We leave out a list or object of an oversize row if it has more characters than this. */
const maxKept = 10_000

/** The members that an agent writes and a digest covers. */
const covered = ["requirements", "tool_args"]

function readOutline(instance: string, { text, members, characters, values }: MeasuredRow): Item {
  const textOf = ({ start, end }: Extent) => text.slice(start, end)
  const kept = members.filter((member) => !isLeftOut(member))
  const left = members.filter((member) => isLeftOut(member) && covered.includes(member.name))
  const row = Object.fromEntries(kept.map((member): [string, Json] => [member.name, parseJson(textOf(member))]))
  const digest = sha256(left.map((member) => `${member.name}:${textOf(member)}`).join())
  return readItem(instance, row, { oversize: { characters, values, sha256: digest } })
}

function isLeftOut({ start, end, depth }: TextMember): boolean {
  return depth > 0 && end - start > maxKept
}

function isObjectText(text: string): boolean {
  return /^[ \t\r\n]*\{/.test(text)
}
