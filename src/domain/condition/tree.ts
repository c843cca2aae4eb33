// A condition as we decide it: the part of the syntax that is allowed, and nothing else.
import type { Decimal } from "./decimal.ts"

/** What a path begins with: what will run, what is known of the call, who asked, and when. */
export type Root = "args" | "call" | "requester" | "time"

/** Where a value stands: a root, or the item of a list that is looked at, and names below it. */
export interface ValuePath {
  readonly root: Root | { readonly item: string }
  readonly names: readonly string[]
}

/** How two values are compared. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">="

/** What a rule compares with. `double` stands for the number if a double holds it, else null. */
export type Literal =
  | { readonly kind: "number"; readonly decimal: Decimal; readonly double: number | null }
  | TextLiteral
  | { readonly kind: "truth"; readonly value: boolean }

/** A text of a rule, as the exact and the careless reader see it. */
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

/** A part that looks at a value: at one, or at a list. */
export type LookingPart = Extract<Expression, { readonly path: unknown }>

/** The parts of a condition that look at a value of their own, in order. One over a list is one part. */
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

/** Every part that looks at a value: after a part over a list come those within it. */
export function looksIn(expression: Expression): readonly LookingPart[] {
  return lookingParts(expression).flatMap((one) => ("part" in one ? [one, ...looksIn(one.part)] : [one]))
}

/** Every path that a condition looks at, in order, each time. */
export function pathsIn(expression: Expression): readonly ValuePath[] {
  return looksIn(expression).map(({ path }) => path)
}

/** What a condition asks for in the requester's groups, or in the classes of the call. */
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
