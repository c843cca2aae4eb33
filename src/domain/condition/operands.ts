// What a condition compares: paths on the left, literals on the right. We check each when we read the rule.
import { carelessly, isTrusted } from "./careless.ts"
import { decimalOf } from "./decimal.ts"
import type { Flaw, Syntax } from "./syntax.ts"
import type { Literal, TextLiteral, ValuePath } from "./tree.ts"

/** The check of a condition: the list item that we look at just now, if any, and what is wrong so far. */
export interface Check {
  readonly item?: string
  readonly flaws: Flaw[]
}

/** Notes what is wrong with a piece. Returns null, which every reader of a piece passes on. */
export function refuse({ flaws }: Check, { start }: Pick<Syntax, "start">, words: string): null {
  flaws.push({ at: start, words })
  return null
}

/** The kind of a value that we make ourselves. An argument may be of any kind. */
export type ValueKind = "text" | "truth" | "number" | "list"

/** What stands below each root but `args`. */
const known = {
  call: {
    tool: "text",
    agent: "text",
    team: "text",
    workflow: "text",
    instance: "text",
    pause: "text",
    classes: "list",
  },
  requester: { known: "truth", guest: "truth", groups: "list" },
  time: { weekday: "text", hour: "number" },
} as const satisfies Record<string, Readonly<Record<string, ValueKind>>>

/** What can stand at a path, or null if it may be anything. */
export function kindAt({ root, names: [name = ""] }: ValuePath): ValueKind | null {
  if (typeof root !== "string" || root === "args") return null
  const below: Readonly<Record<string, ValueKind>> = known[root]
  return below[name] ?? null
}

/** True for a name, a field or an index: a path, whole or in part. */
export function isPath(syntax: Syntax): boolean {
  return syntax.kind === "name" || syntax.kind === "field" || syntax.kind === "index"
}

const isNull = "is null, which nothing is compared with: a missing or null value is unknown by itself"

/** What to say about a word that other languages write for true, false or null; null for any other word. */
export function misspelt(syntax: Syntax): string | null {
  if (syntax.kind !== "name") return null
  const { name } = syntax
  if (/^(?:true|false)$/i.test(name)) return `is written ${name.toLowerCase()}`
  return /^(?:null|none)$/i.test(name) ? isNull : null
}

/** Reads a path: a root with at least one name, or a list's item. */
export function pathOf(syntax: Syntax, check: Check): ValuePath | null {
  const found = stepsOf(syntax, check)
  if (found === null) return null
  const { first, names } = found
  if (first.name === check.item) return { root: { item: first.name }, names }
  const root = first.name
  const slip = misspelt(first)
  if (slip !== null) return refuse(check, first, slip)
  if (root !== "args" && root !== "call" && root !== "requester" && root !== "time")
    return refuse(check, first, `begins with ${root}: write args.${root}, or begin with call, requester or time`)
  if (names.length === 0) return refuse(check, first, `${root} alone is no value: write ${root}.name`)
  if (root === "args") return { root, names }
  const there = Object.keys(known[root])
  return names.length === 1 && there.includes(names[0] ?? "")
    ? { root, names }
    : refuse(check, syntax, `is nothing that ${root} has: it has ${there.join(", ")}`)
}

interface Steps {
  readonly first: Extract<Syntax, { kind: "name" }>
  readonly names: readonly string[]
}

function stepsOf(syntax: Syntax, check: Check): Steps | null {
  switch (syntax.kind) {
    case "name":
      return { first: syntax, names: [] }
    case "field":
      return withName(stepsOf(syntax.of, check), syntax.name)
    case "index": {
      const { index } = syntax
      if (index.kind === "text") return withName(stepsOf(syntax.of, check), index.text)
      const right = 'a name stands in brackets, as in args["name"]; for items of a list write exists or all'
      return refuse(check, index, `is no name: ${right}`)
    }
    case "number":
    case "text":
    case "truth":
    case "call":
    case "list":
    case "operator":
    case "other":
      return refuse(check, syntax, "is no path: write args.name, call.name, requester.name or time.name")
  }
}

function withName(steps: Steps | null, name: string): Steps | null {
  return steps === null ? null : { ...steps, names: [...steps.names, name] }
}

/** True if a piece is written as a literal, allowed or not. */
export function isLiteral(syntax: Syntax): boolean {
  const { kind } = syntax
  if (kind === "operator") return syntax.operator === "-" && syntax.parts.every(({ kind: one }) => one === "number")
  return kind === "number" || kind === "text" || kind === "truth" || kind === "other" || kind === "list"
}

/** Reads a number, a text, true or false. */
export function literalOf(syntax: Syntax, check: Check): Literal | null {
  switch (syntax.kind) {
    case "number":
      return numberOf(syntax, syntax.text, check)
    case "text":
      return literalText(syntax, syntax.text, check)
    case "truth":
      return { kind: "truth", value: syntax.text === "true" }
    case "operator": {
      const [number, ...others] = syntax.parts
      if (syntax.operator === "-" && number?.kind === "number" && others.length === 0)
        return numberOf(syntax, `-${number.text}`, check)
      return refuse(check, syntax, "is calculated: write the number, the text, true or false itself")
    }
    case "other":
      return syntax.what === "null"
        ? refuse(check, syntax, isNull)
        : refuse(check, syntax, `is ${syntax.what}: write a number, a text, true or false`)
    case "name":
    case "field":
    case "index":
    case "call":
    case "list":
      return refuse(check, syntax, misspelt(syntax) ?? "is no number, text, true or false")
  }
}

/** Reads a number that is written plainly. If it began with 01 or 0x, some readers would take it for another number. */
function numberOf(syntax: Syntax, text: string, check: Check): Literal | null {
  const plain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
  if (!plain) return refuse(check, syntax, "is not written as a plain number: write it as 1000 or 0.5")
  const decimal = decimalOf(text)
  if (decimal === null) return refuse(check, syntax, "has more digits, or a larger exponent, than is compared: 1,000")
  const double = Number(text)
  return { kind: "number", decimal, double: isHeld(double, text) ? double : null }
}

/** True if the double prints as the number that was written. */
function isHeld(double: number, text: string): boolean {
  const [printed, written] = [decimalOf(String(double)), decimalOf(text)]
  return printed !== null && JSON.stringify(printed) === JSON.stringify(written)
}

function literalText(syntax: Syntax, text: string, check: Check): TextLiteral | null {
  return isTrusted(text)
    ? { kind: "text", text, careless: carelessly(text) }
    : refuse(check, syntax, "has a character that nobody sees, or one in two parts: type the text anew")
}

/** True for a text that many readers would take for a number. Its order as a text differs from that of the number. */
export function readsAsNumber({ careless }: TextLiteral): boolean {
  return /^[-+]?\p{Sc}? ?(?:0x[0-9a-f]+|(?=[^a-z]*\p{Nd})[\p{Nd}.,_' ]+(?:e[-+]?\p{Nd}+)?%?)\p{Sc}?$/u.test(careless)
}
