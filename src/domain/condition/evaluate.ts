// Decides a condition in three values: true, false, or unknown if anything about a value is in doubt.
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "../content/json.ts"
import { carelessly, compareTexts, effortOf, isTrusted } from "./careless.ts"
import { compareDecimals, decimalOf } from "./decimal.ts"
import {
  type Comparison,
  type Expression,
  type Literal,
  lookingParts,
  pathAsText,
  type TextLiteral,
  type TextQuestion,
  type ValuePath,
} from "./tree.ts"

/** What a condition comes to. Whoever decides by an unknown one has to expect that it is true, and that it is false. */
export type Truth = "true" | "false" | "unknown"

/** What a condition may look at; null for what nobody knows. */
export interface CallFacts {
  /** What will run. */
  readonly args: Json
  readonly call: JsonObject
  readonly requester: JsonObject | null
  readonly time: JsonObject | null
  /** Names of arguments that are still to be filled in: a value that stands there now does not count. */
  readonly unfilled?: ReadonlySet<string>
  /**
   * True for a filter, which asks what there was: if an object lacks a name, no question about that value holds, nor
   * its opposite. Rules leave it out: for them such a question is unknown, since a default may stand in for the value.
   */
  readonly lackingFails?: true
  /** What we have read of long texts, for other conditions on the same call. It changes no answer. */
  readonly texts?: TextsRead
}

/** For each text: whether we can trust it, and how a careless reader sees it, as far as anybody looked. */
export type TextsRead = Map<string, { trusted?: boolean; careless?: string }>

/** One step is a look at a node of the condition, or at a thousand characters. */
const maxSteps = 10_000
const charactersAStep = 1_000
/** If a list is longer, the condition is unknown. */
const maxItems = 1_000

/** The facts, the item that we look at just now, and how many more characters we may look at. */
interface Look {
  readonly facts: CallFacts
  readonly item?: { readonly name: string; readonly value: Json }
  /** True within an odd number of nots. */
  readonly negated?: boolean
  readonly purse: { left: number }
}

/** Decides a condition in linear time. It looks at each part, so the order of the parts changes nothing. */
export function evaluate(expression: Expression, facts: CallFacts): Truth {
  const [truth = "unknown"] = evaluateEach([expression], facts)
  return truth
}

/** Decides the parts of one condition, each by itself, one after the other and within one budget. */
export function evaluateEach(parts: readonly Expression[], facts: CallFacts): readonly Truth[] {
  const purse = { left: maxSteps * charactersAStep }
  return parts.map((part) => {
    const truth = truthOf(part, { facts, purse })
    return purse.left < 0 ? "unknown" : truth
  })
}

/** Pays for a look. False once the budget is spent: then we look at nothing any more. */
function pays(purse: Look["purse"], characters: number): boolean {
  purse.left -= characters
  return purse.left >= 0
}

function truthOf(expression: Expression, look: Look): Truth {
  if (!pays(look.purse, charactersAStep)) return "unknown"
  if ("path" in expression && isLacking(expression.path, look))
    return truthFrom(expression.kind !== "has" && look.negated === true)
  switch (expression.kind) {
    case "and":
      return all(expression.parts, (part) => truthOf(part, look))
    case "or":
      return some(expression.parts, (part) => truthOf(part, look))
    case "not":
      return opposite(truthOf(expression.part, { ...look, negated: look.negated !== true }))
    case "exists":
    case "all": {
      const { item: name, part } = expression
      const ofItem = (value: Json): Truth => truthOf(part, { ...look, item: { name, value } })
      return overList(valueAt(expression.path, look), (list) =>
        expression.kind === "all" ? all(list, ofItem) : some(list, ofItem),
      )
    }
    case "has":
      return has(expression.path, look)
    case "size":
      return overList(valueAt(expression.path, look), ({ length }) =>
        compared(length, expression.by, expression.literal, look),
      )
    case "compare":
      return compared(valueAt(expression.path, look), expression.by, expression.literal, look)
    case "in": {
      const value = valueAt(expression.path, look)
      return some(expression.literals, (literal) => step(look) ?? compared(value, "==", literal, look))
    }
    case "member": {
      const equals = (value: Json): Truth => step(look) ?? compared(value, "==", expression.literal, look)
      return overList(valueAt(expression.path, look), (list) => some(list, equals))
    }
    case "text":
      return asked(valueAt(expression.path, look), expression.asks, expression.literal, look)
  }
}

function step({ purse }: Look): Truth | null {
  return pays(purse, charactersAStep) ? null : "unknown"
}

/** True if all parts are true; false if one part is false, whatever the others are. */
function all<T>(parts: readonly T[], of: (part: T) => Truth): Truth {
  return opposite(some(parts, (part) => opposite(of(part))))
}

/** True if one part is true; false if all are false. Looks at each part, so the cost does not depend on their order. */
function some<T>(parts: readonly T[], of: (part: T) => Truth): Truth {
  let found: Truth = "false"
  for (const part of parts) {
    const truth = of(part)
    if (truth === "true" || found === "false") found = truth
  }
  return found
}

function opposite(truth: Truth): Truth {
  if (truth === "unknown") return truth
  return truth === "true" ? "false" : "true"
}

function truthFrom(fact: boolean): Truth {
  return fact ? "true" : "false"
}

function overList(value: Json | undefined, decide: (list: readonly Json[]) => Truth): Truth {
  return isJsonArray(value) && value.length <= maxItems ? decide(value) : "unknown"
}

function valueAt({ root, names }: ValuePath, look: Look): Json | undefined {
  if (root === "args" && isUnfilled(names, look)) return undefined
  let value: Json | undefined = typeof root === "string" ? look.facts[root] : look.item?.value
  for (const name of names) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** True if an object on the way lacks a name of the path, where that leaves nothing in doubt. */
function isLacking({ root, names }: ValuePath, look: Look): boolean {
  if (look.facts.lackingFails !== true || (root === "args" && isUnfilled(names, look))) return false
  let value: Json | undefined = typeof root === "string" ? look.facts[root] : look.item?.value
  for (const name of names) {
    if (!isJsonObject(value)) return false
    if (!Object.hasOwn(value, name)) return true
    value = value[name]
  }
  return false
}

/** The value at a path outside of a list; undefined if there is none. */
export function valueIn(facts: CallFacts, path: ValuePath): Json | undefined {
  return valueAt(path, { facts, purse: { left: 0 } })
}

/** True for a path to a field of a form that nobody has filled in yet. */
export function isToBeFilled(facts: CallFacts, { root, names: [first = ""] }: ValuePath): boolean {
  return root === "args" && facts.unfilled?.has(first) === true
}

function isUnfilled([first = ""]: readonly string[], { facts }: Look): boolean {
  return facts.unfilled?.has(first) === true
}

/** Whether a name is there. Only an object can lack a name. Some readers take a null as there, others as missing. */
function has({ root, names }: ValuePath, look: Look): Truth {
  if (root === "args" && isUnfilled(names, look)) return "unknown"
  const holder = valueAt({ root, names: names.slice(0, -1) }, look)
  const last = names.at(-1) ?? ""
  if (!isJsonObject(holder)) return "unknown"
  if (!Object.hasOwn(holder, last)) return "false"
  return holder[last] === null ? "unknown" : "true"
}

function compared(value: Json | undefined, by: Comparison, literal: Literal, look: Look): Truth {
  switch (literal.kind) {
    case "number": {
      const order = orderOfNumbers(value, literal)
      return order === null ? "unknown" : truthFrom(holds(order, by))
    }
    case "text":
      return byBothReaders(value, literal, look, (text, other) =>
        by === "==" ? text === other : holds(compareTexts(text, other), by),
      )
    case "truth":
      return typeof value === "boolean" ? truthFrom((value === literal.value) === (by === "==")) : "unknown"
  }
}

function holds(order: number, by: Comparison): boolean {
  switch (by) {
    case "==":
      return order === 0
    case "!=":
      return order !== 0
    case "<":
      return order < 0
    case "<=":
      return order <= 0
    case ">":
      return order > 0
    case ">=":
      return order >= 0
  }
}

/** The order of two numbers. Doubles have the right order if they print as the numbers that were written. */
function orderOfNumbers(value: Json | undefined, literal: Extract<Literal, { kind: "number" }>): number | null {
  if (typeof value === "number" && literal.double !== null) return value - literal.double
  const written = typeof value === "number" ? String(value) : isWireNumber(value) ? value.rawJSON : ""
  const decimal = decimalOf(written)
  return decimal === null ? null : compareDecimals(decimal, literal.decimal)
}

function asked(value: Json | undefined, asks: TextQuestion, literal: TextLiteral, look: Look): Truth {
  return byBothReaders(value, literal, look, (text, part) => {
    switch (asks) {
      case "startsWith":
        return text.startsWith(part)
      case "endsWith":
        return text.endsWith(part)
      case "contains":
        return text.includes(part)
    }
  })
}

/** Decides about a text. If an exact and a careless reader disagree, the answer is unknown. */
function byBothReaders(
  value: Json | undefined,
  literal: TextLiteral,
  { purse, facts }: Look,
  says: (text: string, literal: string) => boolean,
): Truth {
  if (typeof value !== "string") return "unknown"
  const effort = effortOf(value)
  const read = readOf(value, facts)
  if (!pays(purse, value.length * effort.exact)) return "unknown"
  read.trusted ??= isTrusted(value)
  if (!read.trusted) return "unknown"
  const exact = says(value, literal.text)
  if (exact && value === literal.text) return "true"
  if (!pays(purse, value.length * effort.careless)) return "unknown"
  read.careless ??= carelessly(value)
  return says(read.careless, literal.careless) === exact ? truthFrom(exact) : "unknown"
}

/** From this length on (UTF-16 units), reading a text again costs more than looking up what we read. */
const longText = 1_000

function readOf(text: string, { texts }: CallFacts): { trusted?: boolean; careless?: string } {
  if (texts === undefined || text.length < longText) return {}
  const read = texts.get(text) ?? {}
  texts.set(text, read)
  return read
}

/** The paths, as the rule writes them, of all parts that are unknown by themselves; each path once. */
export function doubtsIn(expression: Expression, facts: CallFacts): readonly string[] {
  const parts = lookingParts(expression)
  const truths = evaluateEach(parts, facts)
  const doubtful = parts.filter((_, index) => truths[index] === "unknown")
  return [...new Set(doubtful.map(({ path }) => pathAsText(path)))]
}
