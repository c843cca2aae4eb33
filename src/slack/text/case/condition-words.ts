// The condition of a rule in words: why the rule is asked, and what nobody can tell.
import { clip } from "../../../blockkit/text.ts"
import { readCondition } from "../../../domain/condition/condition.ts"
import {
  type Comparison,
  type Expression,
  type Literal,
  looksAtClasses,
  type TextQuestion,
} from "../../../domain/condition/tree.ts"
import { once } from "../../../domain/content/once.ts"
import type { WhenReading } from "../../../domain/policy/when.ts"
import { code, joined, type Line, listed, listedUpTo, plainWords, type Span, say, sentence } from "../../lines/spans.ts"

/** A condition is shown in the operator's own words; the config has all of them. */
const conditionUnits = 200
const pathUnits = 60
const maxPaths = 3
/** If the words would be longer, the condition is quoted instead. */
const plainUnits = 120

/** The words that follow who must agree. A card shows only those that read as a sentence. */
export function conditionWords(when: WhenReading, where: "card" | "details"): Line {
  const plain = plainCondition(when)
  const unknown = when.truth === "unknown"
  const doubts = unknown && where === "details" ? doubtfulPaths(when.doubts) : []
  const unsure = doubts.length === 0 ? [say(" (not known)")] : doubts
  if (plain !== null) return sentence`, because ${unknown ? sentence`${asPossible(plain)}${unsure}` : plain}`
  if (where === "card")
    return [say(unknown ? ", because its condition may hold (see Details)" : ", by its condition (see Details)")]
  const held = shortCode(when.text, conditionUnits)
  return sentence`, because ${unknown ? "nobody can tell whether " : ""}${held} holds${doubts}`
}

/** "amount may be above 1000", if nobody can tell. Values and names stay as they are. */
function asPossible(line: Line): Line {
  return line.map((span) => {
    if (span.kind !== "text" || span.style !== undefined) return span
    return say(
      span.text.replace(verbs, (_, call: string | undefined, verb: string) => `${call ?? ""} may ${possible[verb]}`),
    )
  })
}

const verbs = /^(the call)? (is|begins|ends|contains|holds)\b/
const possible: Readonly<Record<string, string>> = {
  is: "be",
  begins: "begin",
  ends: "end",
  contains: "contain",
  holds: "hold",
}

/** What a form says before it is sent, if a condition looks at what is filled in: who else must approve then. */
export function conditionAhead(when: WhenReading, who: Line): Line {
  const plain = plainCondition(when)
  if (plain !== null) return sentence`If ${plain} in what you fill in: ${who}`
  return sentence`If ${shortCode(when.text, conditionUnits)} holds with what you fill in: ${who}`
}

/** "amount is above 1000"; null for a condition that is not so simple. */
const plainCondition = once(({ text }: WhenReading): Line | null => {
  const read = readCondition(text)
  const line = read.ok ? expressionWords(read.condition.expression) : null
  return line === null || plainWords(line).length > plainUnits ? null : line
})

/** Words for tests of arguments and classes of data, one or several joined alike. Else null: the code is clearer. */
function expressionWords(expression: Expression): Line | null {
  if (expression.kind !== "and" && expression.kind !== "or") return testWords(expression)
  const parts = expression.parts.map(testWords).filter((part) => part !== null)
  return parts.length < expression.parts.length ? null : joined(parts, ` ${expression.kind} `)
}

function testWords(test: Expression): Line | null {
  if (test.kind === "member" && looksAtClasses(test)) return sentence`the call holds ${code(test.literal.text)} data`
  if (!("path" in test) || test.path.root !== "args" || test.path.names.length === 0) return null
  const name = shortCode(test.path.names.join("."), pathUnits)
  switch (test.kind) {
    case "compare":
      return isPlain(test.literal) ? sentence`${name} ${comparisons[test.by]} ${literalSpan(test.literal)}` : null
    case "in":
      return test.literals.every(isPlain) ? sentence`${name} is ${listed(test.literals.map(literalSpan), "or")}` : null
    case "text":
      return sentence`${name} ${questions[test.asks]} ${literalSpan(test.literal)}`
    case "has":
      return sentence`${name} is given`
    case "size":
    case "member":
    case "exists":
    case "all":
      return null
  }
}

const comparisons: Readonly<Record<Comparison, string>> = {
  "==": "is",
  "!=": "is other than",
  "<": "is below",
  "<=": "is at most",
  ">": "is above",
  ">=": "is at least",
}
const questions: Readonly<Record<TextQuestion, string>> = {
  startsWith: "begins with",
  endsWith: "ends with",
  contains: "contains",
}

/** False for a number that only its own digits express. */
function isPlain(literal: Literal): boolean {
  return literal.kind !== "number" || literal.double !== null
}

function literalSpan(literal: Literal): Span {
  switch (literal.kind) {
    case "text":
      return code(literal.text)
    case "truth":
      return say(String(literal.value))
    case "number":
      return say(String(literal.double))
  }
}

function doubtfulPaths(doubts: readonly string[]): Line {
  if (doubts.length === 0) return []
  const named = listedUpTo(
    doubts.map((path) => shortCode(path, pathUnits)),
    maxPaths,
  )
  return [say(" (see "), ...named, say(")")]
}

function shortCode(text: string, units: number): Span {
  const { text: shown, cut } = clip(text.replaceAll(/\s+/g, " ").trim(), units)
  return code(cut === 0 ? shown : `${shown}…`)
}
