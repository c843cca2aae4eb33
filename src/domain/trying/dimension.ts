// A dimension is one thing about a call that conditions look at. Its values cover all that conditions can tell apart.
import type { Decimal } from "../condition/decimal.ts"
import { type CallFacts, evaluateEach } from "../condition/evaluate.ts"
import { type Literal, type LookingPart, pathAsText, type TextLiteral, type ValuePath } from "../condition/tree.ts"
import { isJsonObject, type Json, type JsonObject, parseJson } from "../content/json.ts"
import { largest } from "../content/largest.ts"
import { type Patterns, piecesOfText, wordsFor } from "./text-words.ts"

/** One thing that conditions look at, and its values: one for each group of values that no condition tells apart. */
export interface Dimension<Value> {
  readonly values: readonly Value[]
  /** Why other values may count differently; empty: no other values are needed. */
  readonly untold: readonly string[]
}

/** A value; undefined if there is none. */
export type ArgumentValue = Json | undefined

/** Values for what conditions ask about one argument. */
export function valuesFor(parts: readonly LookingPart[]): Dimension<ArgumentValue> {
  const literals = parts.flatMap(literalsOf)
  const numbers = numbersAround(literals.flatMap((one) => (one.kind === "number" ? [one.decimal] : [])))
  const asked = parts.flatMap(patternsAsked)
  const seeds = literals.flatMap((one) => (one.kind === "text" ? [one.text] : []))
  const texts = asked.length === 0 ? { words: [], complete: true } : wordsFor({ globs: [], asked, seeds })
  const truths = literals.some(({ kind }) => kind === "truth") ? [true, false] : []
  const lists = lengthsIn(parts).map((length): Json => Array.from({ length }, () => "x"))
  const [, mistyped = "1"] = numbers.written
  const values = [
    undefined,
    null,
    ...numbers.written.map((one) => parseJson(one)),
    ...texts.words,
    ...truths,
    ...lists,
    mistyped,
    {},
  ]
  const order = parts.find((part) => part.kind === "compare" && part.literal.kind === "text" && isOrder(part.by))
  return {
    values,
    untold: [
      ...(numbers.complete ? [] : [`${patternText(parts)} is compared with a very long number`]),
      ...(texts.complete ? [] : [`${patternText(parts)} is compared with texts that can be written in too many ways`]),
      ...(order === undefined ? [] : [`${patternText(parts)} is compared by the order of texts`]),
    ],
  }
}

/** We try no longer numbers. */
const maxLength = 900

/** Numbers as JSON writes them, and whether these are all that we need to try. */
interface Numbers {
  readonly written: readonly string[]
  readonly complete: boolean
}

/**
 * Each number, with one just above and one just below it. So there is always a number between two neighbours: a whole
 * number if there is one, else one with one more digit.
 */
function numbersAround(decimals: readonly Decimal[]): Numbers {
  const kept = decimals.filter((one) => one.digits.length + Math.abs(one.exponent) <= maxLength)
  const places =
    largest(
      0,
      kept.map(({ digits, exponent }) => digits.length - exponent),
    ) + 1
  const different = new Set(kept.map((one) => scaledBy(one, places)))
  const scaled = [...different].toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  const whole = 10n ** BigInt(places)
  const around = scaled.flatMap((number, index) => {
    const [before, after] = [scaled[index - 1], scaled[index + 1]]
    const above = after === undefined || number + whole < after ? number + whole : number + 1n
    const below = before === undefined || number - whole > before ? number - whole : number - 1n
    return [above, number, below]
  })
  const written = [...new Set(around)].map((number) => writtenWith(number, places))
  return { written, complete: kept.length === decimals.length }
}

/** The number as a multiple of ten to the power of minus `places`. */
function scaledBy({ negative, digits, exponent }: Decimal, places: number): bigint {
  const size = BigInt(digits || "0") * 10n ** BigInt(Math.max(0, exponent - digits.length + places))
  return negative ? -size : size
}

function writtenWith(number: bigint, places: number): string {
  const digits = (number < 0n ? -number : number).toString().padStart(places + 1, "0")
  const fraction = digits.slice(-places).replace(/0+$/, "")
  return `${number < 0n ? "-" : ""}${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`
}

function patternText([part]: readonly LookingPart[]): string {
  return part === undefined ? "a value" : pathAsText(part.path)
}

function isOrder(by: string): boolean {
  return by !== "==" && by !== "!="
}

/** What a part compares its value with. */
function literalsOf(part: LookingPart): readonly Literal[] {
  switch (part.kind) {
    case "compare":
    case "member":
    case "text":
      return [part.literal]
    case "in":
      return part.literals
    case "size":
    case "has":
    case "exists":
    case "all":
      return []
  }
}

/** Lengths of lists: as a rule says, one less and one more. Conditions do not look at more than a thousand items. */
function lengthsIn(parts: readonly LookingPart[]): readonly number[] {
  const lengths = parts.flatMap((part) => {
    const length = part.kind === "size" && part.literal.kind === "number" ? part.literal.double : null
    return length === null ? [] : [length, length + 1, length - 1]
  })
  return [...new Set(lengths)].filter((length) => length >= 0 && length <= 1_000)
}

/** What a part asks about a text, as patterns. */
export function patternsAsked(part: LookingPart): Patterns["asked"] {
  if (part.kind !== "text") return literalsOf(part).flatMap((one) => (one.kind === "text" ? [patternsOf(one, {})] : []))
  switch (part.asks) {
    case "startsWith":
      return [patternsOf(part.literal, { after: true })]
    case "endsWith":
      return [patternsOf(part.literal, { before: true })]
    case "contains":
      return [patternsOf(part.literal, { before: true, after: true })]
  }
}

function patternsOf({ text, careless }: TextLiteral, loose: Parameters<typeof piecesOfText>[1]) {
  return { exact: piecesOfText(text, loose), careless: piecesOfText(careless, loose) }
}

/**
 * Keeps the first of all values that every part reads alike. A value may stand for several facts, in several places. At
 * each place only the set of facts counts, not their order.
 */
export function toldApart<Value>(
  values: readonly Value[],
  parts: readonly LookingPart[],
  factsOf: (value: Value) => readonly (readonly CallFacts[])[],
): readonly Value[] {
  const first = new Map<string, Value>()
  for (const value of values) {
    const places = factsOf(value).map((all) => [...new Set(all.map((facts) => evaluateEach(parts, facts).join()))])
    const key = JSON.stringify(places.map((truths) => truths.toSorted()))
    if (!first.has(key)) first.set(key, value)
  }
  return [...first.values()]
}

/** Facts of which only the arguments are known. */
export function factsWith(args: Json): CallFacts {
  return { args, call: {}, requester: null, time: null }
}

/**
 * The object with a value at a path below it. The value replaces anything else on the path. If the value is undefined,
 * we make only the objects that would hold it.
 */
export function withValue(object: JsonObject, [name, ...below]: readonly string[], value: ArgumentValue): JsonObject {
  if (name === undefined) return object
  const held = Object.hasOwn(object, name) ? object[name] : undefined
  if (value === undefined && (below.length === 0 || (held !== undefined && !isJsonObject(held)))) return object
  if (value !== undefined && below.length === 0) return { ...object, [name]: value }
  return { ...object, [name]: withValue(isJsonObject(held) ? held : {}, below, value) }
}

/** True if one path leads through the other. */
export function isAbove(one: ValuePath, other: ValuePath): boolean {
  return one.names.length < other.names.length && one.names.every((name, index) => name === other.names[index])
}
