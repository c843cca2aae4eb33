// Conditions decided a second time: slow, straight from the note's words, and with nothing of the product's.

/** A value as the wire has it; a number is its text. */
export type Wire =
  | null
  | boolean
  | string
  | { readonly number: string }
  | readonly Wire[]
  | { readonly object: WireObject }
type WireObject = ReadonlyMap<string, Wire>

/** A condition of the generator. Paths are names below `args`, or below the item of the list around it. */
export type Asked =
  | { readonly is: "not"; readonly of: Asked }
  | { readonly is: "and" | "or"; readonly left: Asked; readonly right: Asked }
  | { readonly is: "compare"; readonly path: Path; readonly by: string; readonly literal: Fixed }
  | { readonly is: "in"; readonly path: Path; readonly literals: readonly Fixed[] }
  | { readonly is: "has"; readonly path: Path }
  | { readonly is: "size"; readonly path: Path; readonly by: string; readonly length: number }
  | { readonly is: "startsWith" | "endsWith" | "contains"; readonly path: Path; readonly text: string }
  | { readonly is: "exists" | "all"; readonly path: Path; readonly of: Asked }

/** Names, from the arguments or from the item on. */
export interface Path {
  readonly from: "args" | "item"
  readonly names: readonly string[]
}

/** A literal: a number as its text. */
export type Fixed = { readonly number: string } | { readonly text: string } | { readonly truth: boolean }

type Answer = "true" | "false" | "unknown"

/** What the note makes of a condition and of arguments. */
export function decideSlowly(asked: Asked, args: Wire, item?: Wire): Answer {
  switch (asked.is) {
    case "not": {
      const of = decideSlowly(asked.of, args, item)
      return of === "unknown" ? "unknown" : of === "true" ? "false" : "true"
    }
    case "and": {
      const both = [decideSlowly(asked.left, args, item), decideSlowly(asked.right, args, item)]
      return both.includes("false") ? "false" : both.includes("unknown") ? "unknown" : "true"
    }
    case "or": {
      const both = [decideSlowly(asked.left, args, item), decideSlowly(asked.right, args, item)]
      return both.includes("true") ? "true" : both.includes("unknown") ? "unknown" : "false"
    }
    case "compare":
      return compare(at(asked.path, args, item), asked.by, asked.literal)
    case "in": {
      const each = asked.literals.map((literal) => compare(at(asked.path, args, item), "==", literal))
      return each.includes("true") ? "true" : each.includes("unknown") ? "unknown" : "false"
    }
    case "has": {
      const holder = at({ ...asked.path, names: asked.path.names.slice(0, -1) }, args, item)
      const name = asked.path.names.at(-1) ?? ""
      if (typeof holder !== "object" || holder === null || !("object" in holder)) return "unknown"
      if (!holder.object.has(name)) return "false"
      return holder.object.get(name) === null ? "unknown" : "true"
    }
    case "size": {
      const list = at(asked.path, args, item)
      if (!Array.isArray(list) || list.length > 1_000) return "unknown"
      return compare({ number: `${list.length}` }, asked.by, { number: `${asked.length}` })
    }
    case "startsWith":
    case "endsWith":
    case "contains": {
      const text = at(asked.path, args, item)
      if (typeof text !== "string" || !isClean(text)) return "unknown"
      const exact = text[asked.is === "contains" ? "includes" : asked.is](asked.text)
      const sloppy = sloppily(text)[asked.is === "contains" ? "includes" : asked.is](sloppily(asked.text))
      return exact === sloppy ? `${exact}` : "unknown"
    }
    case "exists":
    case "all": {
      const list = at(asked.path, args, item)
      if (!Array.isArray(list) || list.length > 1_000) return "unknown"
      const each = list.map((one: Wire) => decideSlowly(asked.of, args, one))
      const [strong, weak] = asked.is === "all" ? (["false", "true"] as const) : (["true", "false"] as const)
      return each.includes(strong) ? strong : each.includes("unknown") ? "unknown" : weak
    }
  }
}

function at({ from, names }: Path, args: Wire, item: Wire | undefined): Wire | undefined {
  let value: Wire | undefined = from === "args" ? args : item
  for (const name of names) {
    if (typeof value !== "object" || value === null || !("object" in value)) return undefined
    value = value.object.get(name)
  }
  return value
}

function compare(value: Wire | undefined, by: string, literal: Fixed): Answer {
  if ("truth" in literal) {
    if (typeof value !== "boolean") return "unknown"
    return `${by === "==" ? value === literal.truth : value !== literal.truth}`
  }
  if ("number" in literal) {
    if (typeof value !== "object" || value === null || !("number" in value)) return "unknown"
    const order = orderOf(value.number, literal.number)
    return order === null ? "unknown" : `${holds(order, by)}`
  }
  if (typeof value !== "string" || !isClean(value)) return "unknown"
  const exact = holds(orderOfTexts(value, literal.text), by)
  const sloppy = holds(orderOfTexts(sloppily(value), sloppily(literal.text)), by)
  return exact === sloppy ? `${exact}` : "unknown"
}

function holds(order: number, by: string): boolean {
  return { "==": order === 0, "!=": order !== 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0 }[
    by
  ] as boolean
}

/** Both as whole numbers of the same tiny unit. */
function orderOf(one: string, other: string): number | null {
  const [left, right] = [unitsOf(one), unitsOf(other)]
  if (left === null || right === null) return null
  return left === right ? 0 : left < right ? -1 : 1
}

function unitsOf(text: string): bigint | null {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  if (whole.length + fraction.length > 1_000 || Math.abs(Number(power)) > 1_000) return null
  const size = BigInt(whole + fraction) * 10n ** BigInt(3_000 + Number(power) - fraction.length)
  return text.startsWith("-") ? -size : size
}

function orderOfTexts(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0))
  for (const [index, point] of (left ?? []).entries()) {
    const against = right?.[index]
    if (against === undefined) return 1
    if (point !== against) return point - against
  }
  return (left?.length ?? 0) - (right?.length ?? 0)
}

/** Of the characters that the generator uses, those that cards make visible by their numbers. */
export const hiddenCharacters = [
  "\u200b",
  "\u00a0",
  "\u202e",
  "\u0000",
  "\u2800",
  "\u00ad",
  "\ud800",
  "\ue000",
  "\u034f",
  "\ufffc",
]

function isClean(text: string): boolean {
  return text.normalize("NFC") === text && !hiddenCharacters.some((hidden) => text.includes(hidden))
}

/** As a careless reader sees a text. */
export function sloppily(text: string): string {
  const folded = Array.from(text.normalize("NFKC"), (character) => character.toUpperCase().toLowerCase()).join("")
  return folded.normalize("NFKC").trim()
}
