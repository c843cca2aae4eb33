// Classes of data (`classes` in the config): which kinds of data a call holds. Conditions read them as `call.classes`.
import { isTrusted, withPlainDigits } from "../condition/careless.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "../content/json.ts"
import type { DataClass } from "../rule/rule.ts"
import { type Checksum, numbersAcross, numbersIn } from "../text/checksum.ts"
import { matchesIn, type PatternWork } from "../text/pattern.ts"

/** A call with more text than this is in every class, because we do not read it. In UTF-16 units. */
const longest = 65_536
/** How much work we do for the classes of one call, in steps of some 10 ns. A call that needs more has all classes. */
const maxSteps = 4_000_000
/** What looking for a checksum costs for each character, in steps. */
const eachCharacter = 100
/** A longer text is no part of a number that goes on in the next text. In UTF-16 units. */
const longestPart = 40

/**
 * The names of the classes that arguments are in, by their texts, their numbers, and the names of both. Arguments that
 * are too long, or have characters that people do not see, are in every class. So is null: nobody knows the arguments.
 */
export function classesOf(args: JsonObject | null, classes: readonly DataClass[]): readonly string[] {
  const all = classes.map(({ name }) => name)
  const read = args === null ? null : readableTexts(args)
  if (read === null) return all
  const work: PatternWork = { left: maxSteps }
  const inside = classes.map(({ find, atLeast }) => {
    const found = foundIn(read, find, work)
    return found === null ? null : found.size >= atLeast
  })
  return inside.includes(null) ? all : all.filter((_, index) => inside[index] === true)
}

/** What arguments say: each text by itself, and the rows of short texts that stand side by side. */
interface Texts {
  readonly texts: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Every different match that is found; null once the work is used up. */
function foundIn({ texts, rows }: Texts, find: DataClass["find"], work: PatternWork): ReadonlySet<string> | null {
  const found = new Set<string>()
  const looks = [...texts.map((text) => [text]), ...(find.kind === "checksum" ? rows : [])]
  for (const look of looks) {
    const some = find.kind === "pattern" ? textsOf(look, find.pattern, work) : numbersOf(look, find.checksum, work)
    if (some === null) return null
    for (const one of some) found.add(one)
  }
  return found
}

function textsOf([text = ""]: readonly string[], pattern: string, work: PatternWork): Iterable<string> | null {
  const matches = matchesIn(text, pattern, work)
  return matches?.map(({ start, end }) => text.slice(start, end).toLowerCase()) ?? null
}

/** The numbers in a text, or in texts that stand side by side. */
function numbersOf(texts: readonly string[], checksum: Checksum, work: PatternWork): Iterable<string> | null {
  work.left -= texts.join(" ").length * eachCharacter
  if (work.left < 0) return null
  const [text = "", ...others] = texts
  return others.length === 0 ? numbersIn(text, checksum) : numbersAcross(texts, checksum)
}

/** All texts, with letters and digits of any kind as plain ones; null if people cannot read all of each text. */
function readableTexts(args: JsonObject): Texts | null {
  let left = longest
  const texts: string[] = []
  for (const text of textsIn(args)) {
    left -= text.length
    if (left < 0 || !isTrusted(text)) return null
    texts.push(plainText(text))
  }
  return { texts, rows: [...rowsIn(args)].map((row) => row.map(plainText)) }
}

function plainText(text: string): string {
  return withPlainDigits(text.normalize("NFKC"))
}

function* textsIn(value: Json): Iterable<string> {
  const own = dataText(value)
  if (own !== null) yield own
  else if (isJsonArray(value)) for (const one of value) yield* textsIn(one)
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value)) {
      yield name
      yield* textsIn(one)
    }
}

/** Short texts and numbers that stand side by side in a list or an object, as the groups of one number would. */
function* rowsIn(value: Json): Iterable<readonly string[]> {
  const members = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  let row: string[] = []
  for (const one of members) {
    const text = dataText(one)
    if (text !== null && text.length <= longestPart) row.push(text)
    else {
      if (row.length > 1) yield row
      row = []
      yield* rowsIn(one)
    }
  }
  if (row.length > 1) yield row
}

/** A value as text; null for `true` and `null`, which hold no data. A number beyond a double stands as on the wire. */
function dataText(value: Json): string | null {
  if (typeof value === "string") return value
  return typeof value === "number" || isWireNumber(value) ? JSON.stringify(value) : null
}
