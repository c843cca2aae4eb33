// The syntax of conditions: CEL's, read by a package that is used here alone, and only to read. It evaluates nothing.
import { createRequire } from "node:module"
import type * as Cel from "@marcbachmann/cel-js"

const load = createRequire(import.meta.url)

/** Loaded with the first condition: a start without one does not wait. `require` is there in the bundle alone. */
function cel(): typeof Cel {
  const found: typeof Cel =
    typeof require === "function" ? require("@marcbachmann/cel-js") : load("@marcbachmann/cel-js")
  return found
}

/** A piece of a condition as it was written: where it begins and ends in the text, in UTF-16 units. */
interface Piece {
  readonly start: number
  readonly end: number
}

/** A condition as it was written, whatever it says. What is allowed of it is in `profile.ts`. */
export type Syntax = Piece &
  (
    | { readonly kind: "number" | "text" | "truth"; readonly text: string }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "field"; readonly of: Syntax; readonly name: string }
    | { readonly kind: "index"; readonly of: Syntax; readonly index: Syntax }
    | { readonly kind: "call"; readonly name: string; readonly on: Syntax | null; readonly given: readonly Syntax[] }
    | { readonly kind: "list"; readonly parts: readonly Syntax[] }
    | { readonly kind: "operator"; readonly operator: string; readonly parts: readonly Syntax[] }
    /** A literal or a structure that no condition may have, and what it is called. */
    | { readonly kind: "other"; readonly what: string }
  )

/** What is wrong with a condition, at which place of its text, as the end of a sentence with the right form. */
export interface Flaw {
  readonly at: number
  readonly words: string
}

/** A longer condition is several rules. In UTF-16 units. */
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
    return flawed(at, wordsFor(error.code, text.slice(at)))
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
      return { start, end, ...literalOf(node.args, text.slice(start, end)) }
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

/** A number is its own text, which may say more than a double holds. */
function literalOf(value: unknown, text: string) {
  if (typeof value === "string") return { kind: "text", text: value } as const
  if (typeof value === "boolean") return { kind: "truth", text } as const
  if (typeof value === "number" || typeof value === "bigint") return { kind: "number", text } as const
  const what = value === null ? "null" : text.startsWith("b") || text.startsWith("B") ? "bytes" : "an unsigned number"
  return { kind: "other", what } as const
}

/** Other languages' words, and what stands for them. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^and\b/i, "write && for and"],
  [/^or\b/i, "write || for or"],
  [/^not\b/i, "write ! for not"],
  [/^===/, "write == for equal"],
  [/^=/, "write == for equal"],
  [/^&/, "write && for and"],
  [/^\|/, "write || for or"],
  [/^<>/, "write != for not equal"],
  [/^[“”„‘’`]/, 'put texts in straight quotes, as in "prod"'],
]

function wordsFor(code: string, rest: string): string {
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
