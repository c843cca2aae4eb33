// Classes of data (`classes` in the config): which kinds of data a call holds. Conditions read them as `call.classes`.
import { isTrusted } from "../condition/careless.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"
import { type Checksum, numbersIn } from "../text/checksum.ts"
import { matchesIn, type PatternWork } from "../text/pattern.ts"

/** One kind of data: what finds it, and how many different ones of it a call must hold. */
export interface DataClass {
  readonly name: string
  readonly find:
    | { readonly kind: "pattern"; readonly pattern: string }
    | { readonly kind: "checksum"; readonly checksum: Checksum }
  readonly atLeast: number
}

/** A call with more text is not read, so it is in every class. In UTF-16 units. */
const longest = 65_536
/** How much work the classes of one call may be, in steps of some 10 ns. With more, it is in every class. */
const maxSteps = 4_000_000
/** What looking for a checksum costs a character, in steps. */
const eachCharacter = 100

/**
 * The names of the classes that arguments are in: by their texts, their numbers, and the names that they stand under.
 * Arguments that cannot be read wholly are in every class: too long ones, those that hold characters that people don't
 * see, and null for those that nobody knows.
 */
export function classesOf(args: JsonObject | null, classes: readonly DataClass[]): readonly string[] {
  const all = classes.map(({ name }) => name)
  const texts = args === null ? null : readableTexts(args)
  if (texts === null) return all
  const work: PatternWork = { left: maxSteps }
  const inside = classes.map(({ find, atLeast }) => {
    const found = foundIn(texts, find, work)
    return found === null ? null : found.size >= atLeast
  })
  return inside.includes(null) ? all : all.filter((_, index) => inside[index] === true)
}

/** Each different one that is found; null once the work is used up. */
function foundIn(texts: readonly string[], find: DataClass["find"], work: PatternWork): ReadonlySet<string> | null {
  const found = new Set<string>()
  for (const text of texts) {
    const some = find.kind === "pattern" ? textsOf(text, find.pattern, work) : numbersOf(text, find.checksum, work)
    if (some === null) return null
    for (const one of some) found.add(one)
  }
  return found
}

function textsOf(text: string, pattern: string, work: PatternWork): Iterable<string> | null {
  const matches = matchesIn(text, pattern, work)
  return matches?.map(({ start, end }) => text.slice(start, end).toLowerCase()) ?? null
}

function numbersOf(text: string, checksum: Checksum, work: PatternWork): Iterable<string> | null {
  work.left -= text.length * eachCharacter
  return work.left < 0 ? null : numbersIn(text, checksum)
}

/** All texts with compatible letters as plain ones, so that a digit of another width is a digit; null: not readable. */
function readableTexts(args: JsonObject): readonly string[] | null {
  let left = longest
  const texts: string[] = []
  for (const text of textsIn(args)) {
    left -= text.length
    if (left < 0 || !isTrusted(text)) return null
    texts.push(text.normalize("NFKC"))
  }
  return texts
}

function* textsIn(value: Json): Iterable<string> {
  if (typeof value === "string") yield value
  else if (isJsonArray(value)) for (const one of value) yield* textsIn(one)
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value)) {
      yield name
      yield* textsIn(one)
    }
  // `true` and `null` hold no data. A number stands as the wire wrote it where a double does not hold it.
  else if (value !== null && typeof value !== "boolean") yield JSON.stringify(value)
}
