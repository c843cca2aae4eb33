// Checks an input with zod. Tells its faults in the shape and the types of the specification's 422 (2.3).
import type { z } from "zod"
import { isJsonObject, type WireObject } from "./exact-json.ts"
import { type Problem, refuseInput, type ServiceReply } from "./reply.ts"

/** A checked input, or the 422 that refuses it. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reply: ServiceReply }

/** The place of the input. The `loc` of a fault in a form says `body`, too. */
type Place = "body" | "query" | "form"

/** Checks `input`. The `loc` of each fault begins with `where`. */
export function check<T>(schema: z.ZodType<T>, input: unknown, where: Place): Checked<T> {
  const outcome = schema.safeParse(input)
  if (outcome.success) return { ok: true, value: outcome.data }
  return { ok: false, reply: refuseInput(outcome.error.issues.flatMap((issue) => toProblems(issue, where, input))) }
}

type Issue = z.core.$ZodIssue

function toProblems(issue: Issue, place: Place, root: unknown): readonly Problem[] {
  const where = place === "form" ? "body" : place
  const path = issue.path.filter((key) => typeof key !== "symbol")
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      type: "extra_forbidden",
      loc: [where, ...path, key],
      msg: "Extra inputs are not permitted",
      input: valueAt(root, [...path, key]),
    }))
  }
  const input = valueAt(root, path)
  const loc = [where, ...path]
  if (input !== undefined) return [{ loc, input, ...describe(issue) }]
  const around = place === "body" ? (valueAt(root, path.slice(0, -1)) ?? null) : null
  return [{ type: "missing", loc, msg: "Field required", input: around }]
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, root)
}

/** What is wrong with a value, without the place. */
export interface Complaint {
  readonly type: string
  readonly msg: string
  readonly ctx?: WireObject
}

function describe(issue: Issue): Complaint {
  if (issue.code === "custom" && isComplaint(issue.params)) return issue.params
  if (issue.code === "invalid_type") return typeComplaint(issue.expected)
  if (issue.code === "invalid_format" && issue.format === "regex" && issue.pattern !== undefined) {
    const pattern = issue.pattern.replace(/^\/|\/u?$/g, "")
    return { type: "string_pattern_mismatch", msg: `String should match pattern '${pattern}'`, ctx: { pattern } }
  }
  if (issue.code === "too_small" && issue.origin === "array") {
    const least = Number(issue.minimum)
    return {
      type: "too_short",
      msg: `List should have at least ${least} item${least === 1 ? "" : "s"} after validation, not 0`,
      ctx: { field_type: "List", min_length: least, actual_length: 0 },
    }
  }
  if (issue.code === "invalid_value") {
    const expected = listed(issue.values.map((value) => `'${String(value)}'`))
    return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } }
  }
  return { type: "value_error", msg: `Value error, ${issue.message}` }
}

function isComplaint(params: unknown): params is Complaint {
  return isJsonObject(params) && typeof params["type"] === "string" && typeof params["msg"] === "string"
}

/** The complaint about a value of a wrong type; `expected` is zod's word for the right type. */
export function typeComplaint(expected: string): Complaint {
  switch (expected) {
    case "string":
      return { type: "string_type", msg: "Input should be a valid string" }
    case "number":
    case "int":
      return { type: "int_type", msg: "Input should be a valid integer" }
    case "boolean":
      return { type: "bool_type", msg: "Input should be a valid boolean" }
    case "array":
      return { type: "list_type", msg: "Input should be a valid list" }
    default:
      return {
        type: "model_attributes_type",
        msg: "Input should be a valid dictionary or object to extract fields from",
      }
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`
}
