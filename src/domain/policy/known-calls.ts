// Compares conditions with calls that we know, to find a misspelled name, or a value of another type, before it
// matters. Pure.
import leven from "leven"
import { type LookingPart, looksIn, pathAsText } from "../condition/tree.ts"
import { type Approval, ruledCalls } from "../content/approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json } from "../content/json.ts"
import type { Rule } from "../rule/rule.ts"
import { matchOfNames } from "./policy.ts"
import { conditionOf } from "./when.ts"

/** The kind of value that a condition wants, or the kind of a value. */
type ValueKind = "a number" | "a text" | "true or false" | "a list" | "an object"

/** A part of a condition that no known call fits. */
export interface OddLook {
  readonly rule: string
  /** The path as the rule writes it, such as `args.amuont`. */
  readonly path: string
  /** How many calls we looked at: those that the rule's `match` takes. */
  readonly calls: number
  /**
   * `missing`: the path is in no call, or null in all; `similar` is the nearest name in them. `other`: if a call has
   * the path, its value is always of the kind `is`.
   */
  readonly why:
    | { readonly kind: "missing"; readonly similar: string | null }
    | { readonly kind: "other"; readonly wants: ValueKind; readonly is: ValueKind }
}

/** If we know fewer calls, we say nothing: a call may well leave an argument out now and then. */
const enough = 5

/** The paths that rules look at, each once, if no known call has them, or if their type is never the wanted one. */
export function oddLooks(rules: readonly Rule[], approvals: readonly Approval[]): readonly OddLook[] {
  return rules.flatMap((rule) => {
    const condition = conditionOf(rule)
    if (condition === null) return []
    const args = approvals.flatMap((approval) =>
      ruledCalls(approval)
        .filter((call) => call.argsGiven && call.fields.length === 0 && matchOfNames(rule, approval, call) !== "no")
        .map((call): Json => call.args),
    )
    const looks = looksIn(condition.expression).filter(({ kind, path }) => kind !== "has" && path.root === "args")
    const odd = looks.flatMap((look) => oddIn(look, args).map((why) => ({ ...why, rule: rule.name })))
    return odd.filter((one, index) => odd.findIndex(({ path }) => path === one.path) === index)
  })
}

function oddIn(look: LookingPart, args: readonly Json[]): readonly Omit<OddLook, "rule">[] {
  if (args.length < enough) return []
  const path = pathAsText(look.path)
  const values = args.flatMap((one) => valueInArgs(one, look.path.names) ?? [])
  if (values.length === 0) return namesMissing(look, args, path)
  const wants = wantedBy(look)
  const [is, ...others] = [...new Set(values.map(kindOf))]
  if (values.length < enough || is === undefined || others.length > 0 || is === wants) return []
  return wants === null ? [] : [{ path, calls: args.length, why: { kind: "other", wants, is } }]
}

function namesMissing({ path }: LookingPart, args: readonly Json[], text: string): readonly Omit<OddLook, "rule">[] {
  const above = path.names.slice(0, -1)
  const last = path.names.at(-1) ?? ""
  const names = args.flatMap((one) => {
    const holder = valueInArgs(one, above)?.[0]
    return isJsonObject(holder) ? Object.keys(holder).filter((name) => name !== last) : []
  })
  const near = [...new Set(names)].map((name) => ({ name, steps: leven(name.toLowerCase(), last.toLowerCase()) }))
  const best = near.toSorted((a, b) => a.steps - b.steps)[0]
  const similar = best !== undefined && best.steps <= Math.max(2, last.length / 3) ? best.name : null
  return [{ path: text, calls: args.length, why: { kind: "missing", similar } }]
}

/** The value, in a list; undefined for null and for a missing value. So these differ from any value. */
function valueInArgs(args: Json, names: readonly string[]): readonly [Exclude<Json, null>] | undefined {
  let value: Json | undefined = args
  for (const name of names) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value === undefined || value === null ? undefined : [value]
}

function wantedBy(look: LookingPart): ValueKind | null {
  switch (look.kind) {
    case "compare":
      return literalKinds[look.literal.kind]
    case "in":
      return look.literals[0] === undefined ? null : literalKinds[look.literals[0].kind]
    case "text":
      return "a text"
    case "size":
    case "exists":
    case "all":
      return "a list"
    case "has":
    case "member":
      return null
  }
}

const literalKinds = { number: "a number", text: "a text", truth: "true or false" } as const

function kindOf(value: Exclude<Json, null>): ValueKind {
  if (typeof value === "string") return "a text"
  if (typeof value === "boolean") return "true or false"
  if (typeof value === "number" || isWireNumber(value)) return "a number"
  return isJsonArray(value) ? "a list" : "an object"
}
