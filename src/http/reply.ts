// Answers and refusals of the guarded routes, in the same shapes as the platform's own gate (specification 2.3, 7).
import type { z } from "zod"

/** One answer: a status, a JSON body, and perhaps headers. */
export interface HttpReply {
  readonly status: 200 | 201 | 401 | 403 | 404 | 405 | 409 | 413 | 422 | 503
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers with a value. */
export function answer(body: unknown): HttpReply {
  return { status: 200, body }
}

/** Refuses a query of which one field makes no sense. `input`: what it said; null if it is missing. */
export function refuseField(name: string, msg: string, input: string | null): HttpReply {
  return {
    status: 422,
    body: { detail: [{ type: "value_error", loc: ["query", name], msg: `Value error, ${msg}`, input }] },
  }
}

/** Refuses with `{"detail": "…"}`, the shape of every error but 422. */
export function refuse(
  status: Exclude<HttpReply["status"], 200 | 201 | 422>,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, body: { detail }, headers }
}

/** A checked input, or the 422 that refuses it. */
type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reply: HttpReply }

/** Checks a query string's fields. */
export function checkQuery<T>(schema: z.ZodType<T>, query: Readonly<Record<string, string>>): Checked<T> {
  const read = schema.safeParse(query)
  if (read.success) return { ok: true, value: read.data }
  const detail = read.error.issues.flatMap((issue) => queryProblems(issue, query))
  return { ok: false, reply: { status: 422, body: { detail } } }
}

/** The problems of one issue. An unknown field is one, too: else a misspelt filter would show everything. */
function queryProblems(issue: z.core.$ZodIssue, query: Readonly<Record<string, string>>) {
  const problem = (name: string, type: string, msg: string) => {
    return { type, loc: ["query", name], msg, input: query[name] ?? null }
  }
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => problem(key, "extra_forbidden", "Extra inputs are not permitted"))
  return [problem(String(issue.path[0] ?? ""), "value_error", `Value error, ${issue.message}`)]
}
