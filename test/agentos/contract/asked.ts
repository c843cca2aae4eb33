// What the cases of the families ask, and what comes back again and again.
import { expect } from "vitest"
import { type AgentOs, aJwt } from "../agentos.ts"
import { type Answer, call } from "../drive.ts"

const admin = ["agent_os:admin"]

/** Sends a request as an admin by the name of ann, about the database of the instance: the testbed has two. */
export async function ask(
  os: Pick<AgentOs, "url">,
  request: string,
  json?: unknown,
  form?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const token = await aJwt(admin, { sub: "ann" })
  const { body } = await call(os, "GET /config", { token })
  const { os_database: database } = body as { readonly os_database: string }
  const about = `${request.includes("?") ? "&" : "?"}db_id=${database}`
  const sent = { ...(json === undefined ? {} : { json }), ...(form === undefined ? {} : { form }) }
  return call(os, request + about, { token, ...sent })
}

/** Any text. */
export const text = expect.any(String) as string
/** A time as RFC 3339 in UTC. */
export const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/) as string
/** A time as seconds. */
export const seconds = expect.any(Number) as number

/** The numbers of the first page. */
export function page(limit: number, total: number) {
  return {
    page: 1,
    limit,
    total_pages: Math.ceil(total / limit),
    total_count: total,
    search_time_ms: expect.any(Number) as number,
  }
}

type Row = Record<string, unknown> & { readonly data?: readonly Record<string, unknown>[] }

/** An answer as a row or a page of rows. */
export function rowOf(answer: Answer): Row {
  return answer.body as Row
}
