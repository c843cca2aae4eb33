// The filter language of `POST /traces/search`, as a condition in SQL: EQ, NEQ, GT, GTE, LT, LTE, IN, CONTAINS,
// STARTSWITH, AND, OR, NOT, as in the real service.
import { parseMoment, type SqlCondition } from "../resources/conditions.ts"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"

/** The condition, or what is wrong with the filter. */
type Compiled = { readonly ok: true; readonly condition: SqlCondition } | { readonly ok: false; readonly fault: string }

const texts = ["trace_id", "name", "status", "run_id", "session_id", "user_id", "agent_id", "team_id", "workflow_id"]
const times = ["start_time", "end_time", "created_at"]
const fields = [...texts, ...times, "duration_ms"]

/** How deep filters may be nested. */
const deepest = 10
/** Most conditions of a filter, and most values of a condition. SQLite allows expressions a thousand levels deep. */
const [mostConditions, mostValues] = [500, 10_000]

const comparisons: Readonly<Record<string, string>> = { EQ: "=", NEQ: "<>", GT: ">", GTE: ">=", LT: "<", LTE: "<=" }

/** Reads a filter. */
export function compileFilter(filter: unknown, depth = 0): Compiled {
  if (depth > deepest) return fault(`it is nested deeper than ${deepest} levels`)
  if (!isJsonObject(filter)) return fault("each part must be an object with 'op'")
  const { op } = filter
  if (op === "AND" || op === "OR") return joinedConditions(filter, op, depth)
  if (op === "NOT") {
    const inner = compileFilter(filter["condition"], depth + 1)
    return inner.ok ? { ok: true, condition: { ...inner.condition, sql: `NOT (${inner.condition.sql})` } } : inner
  }
  if (typeof op !== "string") return fault("each part must be an object with 'op'")
  return compared(filter, op)
}

function joinedConditions(filter: WireObject, op: "AND" | "OR", depth: number): Compiled {
  const { conditions } = filter
  if (!Array.isArray(conditions) || conditions.length === 0) return fault(`${op} needs 'conditions'`)
  const inner: SqlCondition[] = []
  for (const one of conditions) {
    const compiled = compileFilter(one, depth + 1)
    if (!compiled.ok) return compiled
    inner.push(compiled.condition)
  }
  const sql = inner.map((condition) => `(${condition.sql})`).join(` ${op} `)
  // Each condition has one value, so this counts conditions.
  const values = inner.flatMap((condition) => condition.values)
  if (values.length > mostConditions) return fault(`it has more than ${mostConditions} conditions`)
  return { ok: true, condition: { sql, values } }
}

function compared({ key, value, values }: WireObject, op: string): Compiled {
  if (typeof key !== "string" || !fields.includes(key)) {
    return fault(`'${String(key)}' is no field; fields are ${fields.join(", ")}`)
  }
  if (op === "IN") {
    if (!Array.isArray(values)) return fault("IN needs 'values'")
    const read = values.map((one) => valueOf(key, one))
    if (read.length > mostValues) return fault(`IN takes ${mostValues} values at most`)
    if (read.includes(null)) return fault(`'${key}' is compared with ${wanted(key)}`)
    return condition(`${key} IN (SELECT value FROM json_each(?))`, JSON.stringify(read))
  }
  const given = valueOf(key, value)
  if (given === null) return fault(`'${key}' is compared with ${wanted(key)}`)
  const sign = comparisons[op]
  if (sign !== undefined) return condition(`${key} ${sign} ?`, given)
  if (op !== "CONTAINS" && op !== "STARTSWITH") return fault(`there is no operator '${op}'`)
  if (!texts.includes(key)) return fault(`${op} needs a field that is a text`)
  return condition(`instr(lower(${key}), lower(?)) ${op === "CONTAINS" ? "> 0" : "= 1"}`, given)
}

/** The value as the column holds it; null if its type is wrong. */
function valueOf(key: string, value: unknown): string | number | null {
  if (key === "duration_ms") return typeof value === "number" ? value : null
  if (typeof value !== "string") return null
  return times.includes(key) ? parseMoment(value) : value
}

function wanted(key: string): string {
  if (key === "duration_ms") return "a number"
  return times.includes(key) ? "a time such as 2026-11-20T12:00:00Z" : "a text"
}

function condition(sql: string, value: string | number): Compiled {
  return { ok: true, condition: { sql, values: [value] } }
}

function fault(text: string): Compiled {
  return { ok: false, fault: text }
}
