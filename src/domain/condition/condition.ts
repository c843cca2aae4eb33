// Conditions: what a rule demands of the values of a call. Makes a condition from its text in the rule.
import { pathOf } from "./operands.ts"
import { expressionOf } from "./profile.ts"
import { type Flaw, syntaxOf } from "./syntax.ts"
import { type Expression, pathsIn, type Root, type ValuePath } from "./tree.ts"

/** A condition that was read and found good. */
export interface Condition {
  /** The text as the rule has it. */
  readonly text: string
  readonly expression: Expression
}

/** What is wrong with a condition, and where: lines and columns count from 1, columns in UTF-16 units. */
export interface ConditionFlaw extends Flaw {
  readonly line: number
  readonly column: number
}

/** Reads a condition, or lists all that is wrong with it, in the order of the text. Such a list is never empty. */
export function readCondition(
  text: string,
):
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly flaws: readonly ConditionFlaw[] } {
  const flaws: Flaw[] = []
  const expression = readExpression(text, flaws)
  if (expression !== null && flaws.length === 0) return { ok: true, condition: { text, expression } }
  const placed = flaws.map((flaw) => ({ ...flaw, ...placeIn(text, flaw.at) }))
  return { ok: false, flaws: placed.toSorted((a, b) => a.at - b.at) }
}

/** A flaw in words: where it is, what stands there, its line if the condition has several, and what is wrong. */
export function placedFlawWords(text: string, { line, column, at, words }: ConditionFlaw): string {
  const beginning =
    text
      .slice(at, at + maxQuoted)
      .split("\n")[0]
      ?.trim() ?? ""
  const quoted = beginning === "" ? "" : ` (${beginning}${text.length > at + maxQuoted ? "…" : ""})`
  const place = `at ${text.includes("\n") ? `line ${line}, ` : ""}column ${column}${quoted}`
  return `${place}${/^(?:write|put) /.test(words) ? ":" : ""} ${words}`
}

const maxQuoted = 20

/** Reads a path that stands by itself, such as `args.amount`, or lists what is wrong with it. */
export function readPath(
  text: string,
): { readonly ok: true; readonly path: ValuePath } | { readonly ok: false; readonly flaw: ConditionFlaw } {
  const read = syntaxOf(text)
  const flaws: Flaw[] = []
  const path = read.ok ? pathOf(read.syntax, { flaws }) : null
  if (path !== null) return { ok: true, path }
  const [flaw = { at: 0, words: "is no path" }] = read.ok ? flaws : [read.flaw]
  return { ok: false, flaw: { ...flaw, ...placeIn(text, flaw.at) } }
}

/** Reads a path that was found good before. Throws for any other text. */
export function goodPath(text: string): ValuePath {
  const read = readPath(text)
  if (!read.ok) throw new Error(`a path that was never checked: ${read.flaw.words}`)
  return read.path
}

function readExpression(text: string, flaws: Flaw[]): Expression | null {
  const read = syntaxOf(text)
  if (read.ok) return expressionOf(read.syntax, { flaws })
  flaws.push(read.flaw)
  return null
}

function placeIn(text: string, at: number): Pick<ConditionFlaw, "line" | "column"> {
  const before = text.slice(0, at)
  const start = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: at - start + 1 }
}

/** Reads a condition that was found good before. Throws for any other text. */
export function goodCondition(text: string): Condition {
  const read = readCondition(text)
  if (!read.ok)
    throw new Error(`a condition that was never checked: ${read.flaws.map(({ words }) => words).join("; ")}`)
  return read.condition
}

/** True if a condition looks at something below this root. */
export function looksAt({ expression }: Condition, root: Root): boolean {
  return pathsIn(expression).some((path) => path.root === root)
}
