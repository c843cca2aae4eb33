// What the guarded routes answer when they refuse: the shapes that the platform's own gate has (specification 2.3, 7).
import type { z } from "zod"

/** One answer: a status, a JSON body, and headers of its own. */
export interface HttpReply {
  readonly status: 200 | 401 | 403 | 404 | 405 | 422 | 503
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers with a value. */
export function answer(body: unknown): HttpReply {
  return { status: 200, body }
}

/** Refuses with `{"detail": "…"}`, the shape of every error but 422. */
export function refuse(
  status: Exclude<HttpReply["status"], 200 | 422>,
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
  const detail = read.error.issues.flatMap((issue) => problemsOf(issue, query))
  return { ok: false, reply: { status: 422, body: { detail } } }
}

/** One entry of a 422. */
interface Problem {
  readonly type: string
  readonly loc: readonly string[]
  readonly msg: string
  readonly input: string | null
}

/** An unknown field is a problem too: a misspelt filter would silently show everything. */
function problemsOf(issue: z.core.$ZodIssue, query: Readonly<Record<string, string>>): readonly Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      type: "extra_forbidden",
      loc: ["query", key],
      msg: "Extra inputs are not permitted",
      input: query[key] ?? null,
    }))
  }
  const name = String(issue.path[0] ?? "")
  return [
    { type: "value_error", loc: ["query", name], msg: `Value error, ${issue.message}`, input: query[name] ?? null },
  ]
}
