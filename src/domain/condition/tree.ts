// A condition as we decide it: the allowed part of the syntax, and nothing else.
import type { Decimal } from "./decimal.ts"

/** What a path begins with: the arguments, what is known of the call, the requester, or the time. */
export type Root = "args" | "call" | "requester" | "time"

/** Where a value stands: a root, or the list item that we look at, and below that the names that lead to the value. */
export interface ValuePath {
  readonly root: Root | { readonly item: string }
  readonly names: readonly string[]
}

/** How two values are compared. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">="

/** What a rule compares with. `double` is the number if a double holds it exactly, else null. */
export type Literal =
  | { readonly kind: "number"; readonly decimal: Decimal; readonly double: number | null }
  | TextLiteral
  | { readonly kind: "truth"; readonly value: boolean }

/** A text of a rule, as the exact reader and the careless reader see it. */
export interface TextLiteral {
  readonly kind: "text"
  readonly text: string
  readonly careless: string
}

/** What a condition asks of a text. */
export type TextQuestion = "startsWith" | "endsWith" | "contains"

/** A condition, or a part of one that is true, false or unknown by itself. */
export type Expression =
  | { readonly kind: "and" | "or"; readonly parts: readonly Expression[] }
  | { readonly kind: "not"; readonly part: Expression }
  | Test
  | {
      readonly kind: "exists" | "all"
      readonly path: ValuePath
      readonly item: string
      readonly part: Expression
    }

/** A part that looks at one value. */
export type Test =
  | { readonly kind: "compare"; readonly path: ValuePath; readonly by: Comparison; readonly literal: Literal }
  | { readonly kind: "size"; readonly path: ValuePath; readonly by: Comparison; readonly literal: Literal }
  | { readonly kind: "in"; readonly path: ValuePath; readonly literals: readonly Literal[] }
  | { readonly kind: "member"; readonly path: ValuePath; readonly literal: TextLiteral }
  /** True if the last name of the path is there. */
  | { readonly kind: "has"; readonly path: ValuePath }
  | {
      readonly kind: "text"
      readonly path: ValuePath
      readonly asks: TextQuestion
      readonly literal: TextLiteral
    }

/** A part that looks at something: at one value, or at a list. */
export type LookingPart = Extract<Expression, { readonly path: unknown }>

/** The parts of a condition that look at something, in order. A part over a list is one part. */
export function lookingParts(expression: Expression): readonly LookingPart[] {
  switch (expression.kind) {
    case "and":
    case "or":
      return expression.parts.flatMap(lookingParts)
    case "not":
      return lookingParts(expression.part)
    case "exists":
    case "all":
    case "compare":
    case "size":
    case "in":
    case "member":
    case "has":
    case "text":
      return [expression]
  }
}

/** Every part that looks at something: after a part over a list come the parts within it. */
export function looksIn(expression: Expression): readonly LookingPart[] {
  return lookingParts(expression).flatMap((one) => ("part" in one ? [one, ...looksIn(one.part)] : [one]))
}

/** Every path that a condition looks at, in order, each as often as the condition looks at it. */
export function pathsIn(expression: Expression): readonly ValuePath[] {
  return looksIn(expression).map(({ path }) => path)
}

/** The names that a condition looks for among the requester's groups, or among the classes of the call. */
export function membersIn(expression: Expression, root: "requester" | "call"): readonly string[] {
  return looksIn(expression).flatMap((look) =>
    look.kind === "member" && look.path.root === root ? [look.literal.text] : [],
  )
}

/** True for a part that looks at the classes of the call. */
export function looksAtClasses({ path }: LookingPart): boolean {
  return path.root === "call" && path.names[0] === "classes"
}

/** A path as a rule writes it. */
export function pathAsText({ root, names }: ValuePath): string {
  const below = names.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`))
  return (typeof root === "string" ? root : root.item) + below.join("")
}
