// The part of CEL's syntax that a condition may use. When we read the rule, we refuse all else, and name the right
// form.
import {
  type Check,
  isLiteral,
  isPath,
  kindAt,
  literalOf,
  misspelt,
  pathOf,
  readsAsNumber,
  refuse,
} from "./operands.ts"
import type { Syntax } from "./syntax.ts"
import {
  type Comparison,
  type Expression,
  type Literal,
  pathAsText,
  type TextQuestion,
  type ValuePath,
} from "./tree.ts"

const opposites: Readonly<Record<Comparison, Comparison>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
}
const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

/** The expression that a piece of syntax makes; null if we refuse any part of it. */
export function expressionOf(syntax: Syntax, check: Check): Expression | null {
  switch (syntax.kind) {
    case "operator":
      return ofOperator(syntax, check)
    case "call":
      return ofCall(syntax, check)
    case "name":
    case "field":
    case "index": {
      const path = pathOf(syntax, check)
      return path === null ? null : refuse(check, syntax, "is a value and no condition: compare it, as in … == true")
    }
    case "number":
    case "text":
    case "truth":
    case "list":
    case "other":
      return refuse(check, syntax, "is always the same: compare a value, as in args.amount > 1000")
  }
}

type Of<K extends Syntax["kind"]> = Extract<Syntax, { kind: K }>

function ofOperator(syntax: Of<"operator">, check: Check): Expression | null {
  const { operator, parts } = syntax
  const [left, right] = parts
  if (operator === "!" && left !== undefined) {
    const part = expressionOf(left, check)
    return part === null ? null : { kind: "not", part }
  }
  if (operator === "&&" || operator === "||") return joinedOperands(syntax, operator, check)
  if (left === undefined || right === undefined) return refuse(check, syntax, "is calculated: write the number itself")
  if (operator === "in") return ofIn(left, right, check)
  if (isComparison(operator)) return ofComparison(syntax, operator, check)
  return operator === "?:"
    ? refuse(check, syntax, "chooses between two values: write it with && and ||")
    : refuse(check, syntax, `calculates with ${operator}: compare the value itself with a number`)
}

function isComparison(operator: string): operator is Comparison {
  return Object.hasOwn(opposites, operator)
}

/** All operands of a row of `&&` or `||` become one list, however long the row is. */
function joinedOperands(syntax: Of<"operator">, operator: "&&" | "||", check: Check): Expression | null {
  const pieces: Syntax[] = []
  let [first, last] = syntax.parts
  while (first !== undefined && last !== undefined) {
    pieces.unshift(last)
    if (first.kind !== "operator" || first.operator !== operator) break
    ;[first, last] = first.parts
  }
  if (first !== undefined) pieces.unshift(first)
  const parts = pieces.map((piece) => expressionOf(piece, check))
  const kept = parts.filter((part) => part !== null)
  return kept.length < parts.length ? null : { kind: operator === "&&" ? "and" : "or", parts: kept }
}

function ofComparison({ parts }: Of<"operator">, by: Comparison, check: Check): Expression | null {
  const [left, right] = parts
  if (left === undefined || right === undefined) return null
  if (isLiteral(left)) {
    const turned = isLiteral(right) ? "compares two fixed values: begin with a path" : "stands before the path"
    return refuse(check, left, `${turned}, as in args.amount ${opposites[by]} 1000`)
  }
  if (left.kind === "operator" && (isComparison(left.operator) || left.operator === "in"))
    return refuse(check, left, "is compared once more: join two comparisons with &&")
  if (left.kind === "call") return ofSize(left, by, right, check)
  if (left.kind === "operator") return ofOperator(left, check)
  const path = pathOf(left, check)
  if (isPath(right) && misspelt(right) === null)
    return refuse(check, right, "is a path on the right: compare with a number, a text, true or false")
  const literal = literalOf(right, check)
  if (path === null || literal === null || !fits(path, literal, right, check)) return null
  return isOrdered(by, literal, right, check) ? { kind: "compare", path, by, literal } : null
}

/** True if a comparison can hold. Values that we make have a known kind, so one that can never hold is a mistake. */
function fits(path: ValuePath, literal: Literal, piece: Syntax, check: Check): boolean {
  const kind = kindAt(path)
  const found = (words: string): false => refuseFact(check, piece, words)
  if (kind === "list") return found(`is compared with a list: write "name" in ${pathAsText(path)}`)
  if (kind !== null && kind !== literal.kind)
    return found(`is no ${kind === "truth" ? "true or false" : kind}, as ${pathAsText(path)} is`)
  if (path.root !== "time") return true
  if (literal.kind === "text" && !weekdays.includes(literal.text)) return found(`is none of ${weekdays.join(", ")}`)
  const isHour = literal.kind !== "number" || hours.includes(literal.double ?? -1)
  return isHour || found("is no hour: they go from 0 to 23")
}

const hours: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour)

function isOrdered(by: Comparison, literal: Literal, piece: Syntax, check: Check): boolean {
  if (by === "==" || by === "!=" || literal.kind === "number") return true
  if (literal.kind === "truth") return refuseFact(check, piece, "has no order: write == true or == false")
  if (!readsAsNumber(literal)) return true
  return refuseFact(check, piece, "is a text that reads as a number: write a number, such as 1000")
}

/** Like `refuse`, for a check that answers yes or no: returns false. */
function refuseFact(check: Check, piece: Syntax, words: string): false {
  refuse(check, piece, words)
  return false
}

function ofSize(call: Of<"call">, by: Comparison, right: Syntax, check: Check): Expression | null {
  const [list] = call.given
  const isSize = call.name === "size" && call.on === null && call.given.length === 1
  if (!isSize || list === undefined)
    return refuse(check, call, "is compared: compare a path, or how long a list is, as in size(args.items) > 3")
  const path = pathOf(list, check)
  const literal = literalOf(right, check)
  if (path === null || literal === null) return null
  const { double } = literal.kind === "number" ? literal : { double: null }
  const isCount = double !== null && Number.isInteger(double) && double >= 0
  return isCount
    ? { kind: "size", path, by, literal }
    : refuse(check, right, "is no length of a list: write a whole number, such as 3")
}

function ofIn(left: Syntax, right: Syntax, check: Check): Expression | null {
  if (isLiteral(left)) return ofMember(left, right, check)
  const path = pathOf(left, check)
  if (right.kind !== "list") return refuse(check, right, 'is no list of values: write in ["a", "b"]')
  const [first, ...others] = right.parts.map((part) => literalOf(part, check))
  if (first === undefined) return refuse(check, right, 'is an empty list: write in ["a", "b"]')
  const literals = [first, ...others].filter((literal) => literal !== null)
  if (path === null || literals.length < right.parts.length) return null
  if (literals.some(({ kind }) => kind !== literals[0]?.kind))
    return refuse(check, right, "mixes numbers, texts, true and false: write a list of one kind")
  return literals.every((literal) => fits(path, literal, right, check)) ? { kind: "in", path, literals } : null
}

function ofMember(left: Syntax, right: Syntax, check: Check): Expression | null {
  const literal = literalOf(left, check)
  const path = pathOf(right, check)
  if (literal === null || path === null) return null
  if (kindAt(path) !== "list")
    return refuse(check, right, "is no list of ours: write args.tags.exists(tag, tag == …) for a list of the arguments")
  return literal.kind === "text"
    ? { kind: "member", path, literal }
    : refuse(check, left, "is no text: names are texts")
}

function ofCall(call: Of<"call">, check: Check): Expression | null {
  const { name, on, given } = call
  const [first] = given
  switch (name) {
    case "has": {
      if (on !== null || first === undefined || given.length > 1)
        return refuse(check, call, "is written has(args.name)")
      const path = pathOf(first, check)
      if (path === null) return null
      return path.names.length > 0 ? { kind: "has", path } : refuse(check, first, "has no name: write has(item.name)")
    }
    case "startsWith":
    case "endsWith":
    case "contains":
      return ofText(call, name, check)
    case "exists":
    case "all":
      return ofList(call, name, check)
    case "size":
      return refuse(check, call, "is a length and no condition: compare it, as in size(args.items) > 3")
    case "matches":
      return refuse(
        check,
        call,
        "takes a pattern, which conditions do not have: write startsWith, endsWith or contains",
      )
    default:
      return refuse(check, call, `has ${name}, which is none of has, size, startsWith, endsWith, contains, exists, all`)
  }
}

function ofText({ on, given, ...call }: Of<"call">, asks: TextQuestion, check: Check): Expression | null {
  const [part] = given
  if (on === null || part === undefined || given.length > 1)
    return refuse(check, call, `is written args.name.${asks}("text")`)
  const path = pathOf(on, check)
  if (isPath(part)) return refuse(check, part, `is a path: write a text, as in ${asks}("text")`)
  const literal = literalOf(part, check)
  if (path === null || literal === null) return null
  if (literal.kind !== "text") return refuse(check, part, `is no text: write ${asks}("text")`)
  if (literal.careless === "") return refuse(check, part, "is blank, and every text has that")
  const kind = kindAt(path)
  return kind === null || kind === "text"
    ? { kind: "text", path, asks, literal }
    : refuse(check, on, `is no text, so ${asks} says nothing about it`)
}

function ofList({ on, given, ...call }: Of<"call">, kind: "exists" | "all", check: Check): Expression | null {
  const [item, part] = given
  const right = `args.items.${kind}(item, item.price > 100)`
  if (on === null || item?.kind !== "name" || part === undefined || given.length > 2)
    return refuse(check, call, `is written ${right}`)
  if (check.item !== undefined)
    return refuse(check, on, "stands within another exists or all: lists within lists are not looked at")
  if (["args", "call", "requester", "time"].includes(item.name))
    return refuse(check, item, `is a name that is taken: write ${right}`)
  const path = pathOf(on, check)
  const below = expressionOf(part, { ...check, item: item.name })
  if (path === null || below === null) return null
  const held = kindAt(path)
  return held === null || held === "list"
    ? { kind, path, item: item.name, part: below }
    : refuse(check, on, "is no list")
}
