// Reads the syntax of conditions, which is CEL's. Only this file uses the package, and only to read: we evaluate
// elsewhere.
import { createRequire } from "node:module"
import type * as Cel from "@marcbachmann/cel-js"

const load = createRequire(import.meta.url)

/** Loads the package when the first condition is read, so that a start without conditions need not wait. */
function cel(): typeof Cel {
  const found: typeof Cel = load("@marcbachmann/cel-js")
  return found
}

/** A piece of a condition as it was written: where it begins and ends in the text, in UTF-16 units. */
interface Piece {
  readonly start: number
  readonly end: number
}

/** A condition as it was written, whatever it says. `profile.ts` says what is allowed. */
export type Syntax = Piece &
  (
    | { readonly kind: "number" | "text" | "truth"; readonly text: string }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "field"; readonly of: Syntax; readonly name: string }
    | { readonly kind: "index"; readonly of: Syntax; readonly index: Syntax }
    | { readonly kind: "call"; readonly name: string; readonly on: Syntax | null; readonly given: readonly Syntax[] }
    | { readonly kind: "list"; readonly parts: readonly Syntax[] }
    | { readonly kind: "operator"; readonly operator: string; readonly parts: readonly Syntax[] }
    /** A literal or a structure that no condition may have, and its name. */
    | { readonly kind: "other"; readonly what: string }
  )

/** What is wrong with a condition: the place in its text, and the end of a sentence that names the right form. */
export interface Flaw {
  readonly at: number
  readonly words: string
}

/** A condition may be this long, in UTF-16 units. A longer one should be several rules. */
export const maxLength = 4_000

/** Reads a condition, or says what is wrong with it. */
export function syntaxOf(
  text: string,
): { readonly ok: true; readonly syntax: Syntax } | { readonly ok: false; readonly flaw: Flaw } {
  if (text.length > maxLength)
    return flawed(maxLength, `is longer than ${maxLength} characters: write several rules instead`)
  const { ParseError, parse } = cel()
  try {
    return { ok: true, syntax: pieceOf(parse(text).ast, text) }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const at = error.node?.start ?? error.range?.start ?? 0
    return { ok: false, flaw: flawAt(error.code, text, at) }
  }
}

function flawed(at: number, words: string) {
  return { ok: false, flaw: { at, words } } as const
}

/** A node of the package's tree. */
type Node = ReturnType<typeof Cel.parse>["ast"]

const otherNames: Readonly<Record<string, string>> = {
  map: "a map in braces",
  ".?": "an optional field",
  "[?]": "an optional index",
}

function pieceOf(node: Node, text: string): Syntax {
  const { start, end } = node
  const piece = (one: Node): Syntax => pieceOf(one, text)
  switch (node.op) {
    case "value":
      return { start, end, ...numberLiteral(node.args, text.slice(start, end)) }
    case "id":
      return { start, end, kind: "name", name: node.args }
    case ".":
      return { start, end, kind: "field", of: piece(node.args[0]), name: node.args[1] }
    case "[]":
      return { start, end, kind: "index", of: piece(node.args[0]), index: piece(node.args[1]) }
    case "call":
      return { start, end, kind: "call", name: node.args[0], on: null, given: node.args[1].map(piece) }
    case "rcall":
      return { start, end, kind: "call", name: node.args[0], on: piece(node.args[1]), given: node.args[2].map(piece) }
    case "list":
      return { start, end, kind: "list", parts: node.args.map(piece) }
    case "!_":
    case "-_":
      return { start, end, kind: "operator", operator: node.op.slice(0, 1), parts: [piece(node.args)] }
    case "map":
    case ".?":
    case "[?]":
      return { start, end, kind: "other", what: otherNames[node.op] ?? node.op }
    case "&&":
    case "||":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in":
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "?:":
      return { start, end, kind: "operator", operator: node.op, parts: node.args.map(piece) }
  }
}

/** A number is kept as its text, because a double may not hold all of it. */
function numberLiteral(value: unknown, text: string) {
  if (typeof value === "string") return { kind: "text", text: value } as const
  if (typeof value === "boolean") return { kind: "truth", text } as const
  if (typeof value === "number" || typeof value === "bigint") return { kind: "number", text } as const
  const what = value === null ? "null" : text.startsWith("b") || text.startsWith("B") ? "bytes" : "an unsigned number"
  return { kind: "other", what } as const
}

/** Signs of other languages and slips of the finger, without spaces, and what to write instead. */
const foreignSigns: ReadonlyMap<string, string> = new Map([
  ["=", "write == for equal"],
  ["===", "write == for equal"],
  [":=", "write == for equal"],
  ["!==", "write != for not equal"],
  ["=!", "write != for not equal"],
  ["<>", "write != for not equal"],
  ["≠", "write != for not equal"],
  ["!=", "write != without a space"],
  ["=>", "write >= for at least"],
  ["≥", "write >= for at least"],
  [">=", "write >= without a space"],
  ["=<", "write <= for at most"],
  ["≤", "write <= for at most"],
  ["<=", "write <= without a space"],
  ["&", "write && for and"],
  ["|", "write || for or"],
  ["=~", "write startsWith, endsWith or contains: conditions have no patterns"],
  ["~", "write startsWith, endsWith or contains: conditions have no patterns"],
])

const noUnit = "write the number alone, without a unit"

/** The same for words of other languages, and for other mistakes at such a place. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^and\b/i, "write && for and"],
  [/^or\b/i, "write || for or"],
  [/^not\s+in\b/i, "write !(… in […]) for not in"],
  [/^not\b/i, "write ! for not"],
  [/^!\s*in\b/i, "write !(… in […]) for not in"],
  [/^(is|eq|equals?)\b/i, "write == for equal"],
  [/^ne\b/i, "write != for not equal"],
  [/^gt\b/i, "write > for more than"],
  [/^ge\b/i, "write >= for at least"],
  [/^lt\b/i, "write < for less than"],
  [/^le\b/i, "write <= for at most"],
  [/^between\b/i, "write two comparisons with && for between"],
  [/^(contains|startsWith|endsWith)\b/i, 'write it behind a dot, as in args.name.contains("x")'],
  [/^(like|matches)\b/i, "write startsWith, endsWith or contains: conditions have no patterns"],
  [/^[,_]\d/, "write a number without separators, as in 1000 or 0.5"],
  [/^[€$£%]/, noUnit],
  [/^;/, "ends without a ;"],
  [/^#/, "write // before a remark"],
  [/^[“”„‘’`]/, 'put texts in straight quotes, as in "prod"'],
]

/** Finds a wrong sign at a place, with the signs beside it: where they begin, and what to write instead. */
function foreignSignAt(text: string, at: number): Flaw | null {
  const signs = "[-=<>!&|~:≥≤≠]"
  const before = new RegExp(`(?:${signs}\\s*)*$`).exec(text.slice(0, at))?.[0] ?? ""
  const after = new RegExp(`^(?:${signs}\\s*)*`).exec(text.slice(at))?.[0] ?? ""
  const words = foreignSigns.get(`${before}${after}`.replaceAll(/\s/g, ""))
  return words === undefined || after === "" ? null : { at: at - before.length, words }
}

/** What is wrong at the place where the package stopped, judged by the text there. */
function flawAt(code: string, text: string, at: number): Flaw {
  // After a number, % calculates, so the package stops only after the %.
  const percent = /\d\s*(%\s*(?:(?:and|or)\s+)?)$/i.exec(text.slice(0, at))?.[1]
  if (percent !== undefined) return { at: at - percent.length, words: noUnit }
  const sign = foreignSignAt(text, at)
  if (sign !== null) return sign
  // If a word is no name, the package stops at the next word.
  const word = /\b(not)\s+$/i.exec(text.slice(0, at))
  if (word !== null) return { at: word.index, words: "write ! for not" }
  if (text.startsWith(",", at) && /\bin\s*\([^()]*$/.test(text.slice(0, at)))
    return { at, words: 'write a list in brackets, as in args.currency in ["EUR", "USD"]' }
  return { at, words: flawWords(code, text.slice(at)) }
}

function flawWords(code: string, rest: string): string {
  const found = foreign.find(([pattern]) => pattern.test(rest))
  if (found !== undefined) return found[1]
  switch (code) {
    case "unterminated_string":
    case "unterminated_triple_quoted_string":
      return "begins a text that never ends: close its quotes"
    case "newline_in_string":
      return String.raw`breaks the line within a text: write \n`
    case "reserved_identifier":
      return 'is a word that CEL keeps for itself: write args["name"] for an argument of that name'
    case "invalid_number":
    case "invalid_integer":
    case "invalid_exponent":
    case "invalid_hex_integer":
      return "is no number, or too large a one: write it as 1000 or 0.5"
    case "limit_exceeded":
      return "is nested too deeply: write several rules instead"
    case "invalid_macro_argument":
      return "needs a name first, as in args.items.exists(item, item.price > 100)"
    default:
      if (code.includes("escape")) return String.raw`has a \ that stands for nothing: write \\ for the character itself`
      return rest === "" ? "ends too early: something is missing after it" : "is not expected here"
  }
}
