// Changed sessions and their runs, which name a team or a step (`docs/platform-facts.md` 5.7). Needs `sessions:read`.
import { z } from "zod"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../domain/content/json.ts"
import type { ChangedSession, RunStep, SessionRun } from "../flow/ports.ts"
import { toMs } from "./contract.ts"
import { readEnvelope } from "./envelope.ts"

/** Returns the body for a 200, else status and words. Throws `PlatformError` if there is no answer. */
export type Ask = (path: string) => Promise<{ readonly status: number; readonly detail: string; readonly body: Json }>

const object = z.custom<JsonObject>(isJsonObject)
const json = z.custom<Json>()
/** AgentOS writes "" for a missing id. */
const idOrNull = z
  .string()
  .nullish()
  .transform((id) => id || null)

const runs = z.array(
  z
    .looseObject({
      run_id: z.string(),
      parent_run_id: idOrNull,
      agent_id: idOrNull,
      team_id: idOrNull,
      workflow_id: idOrNull,
      status: z.string().nullish(),
      run_input: json.nullish(),
      tools: z.array(object).nullish(),
      paused_step_name: idOrNull,
      step_executor_runs: z.array(object).nullish(),
    })
    .transform(
      (row): SessionRun => ({
        runId: row.run_id,
        parentRunId: row.parent_run_id,
        agentId: row.agent_id,
        teamId: row.team_id,
        workflowId: row.workflow_id,
        status: row.status ?? "",
        input: row.run_input ?? null,
        tools: row.tools ?? [],
        pausedStep: row.status === "PAUSED" ? row.paused_step_name : null,
        steps: (row.step_executor_runs ?? []).flatMap(stepOf),
      }),
    ),
)

function stepOf({ run_id: runId, tools }: JsonObject): readonly RunStep[] {
  if (typeof runId !== "string") return []
  return [{ runId, tools: isJsonArray(tools) ? tools.filter(isJsonObject) : [] }]
}

/** How many sessions a page has: before 3.0 AgentOS reads all runs of each, only to name the session. */
const pageSize = 20

const changed = z
  .looseObject({ session_id: z.string(), updated_at: z.unknown().optional(), created_at: z.unknown().optional() })
  .transform(
    ({ session_id: sessionId, updated_at: updated, created_at: created }): ChangedSession => ({
      sessionId,
      changedAt: toMs(updated) ?? toMs(created),
    }),
  )

const config = z.looseObject({ os_database: z.string() })

/** The database that an answer of `/config` calls the instance's own; null if it does not say. */
export function ownDatabase(body: Json | undefined): string | null {
  return config.safeParse(body).data?.os_database ?? null
}

/** True for an answer that asks which database is meant. 2.x answers 404 instead for lists of sessions. */
export function asksWhichDatabase({ status, detail }: { readonly status: number; readonly detail: string }): boolean {
  return status === 400 || (status === 404 && detail.includes("db_id"))
}

/** How to read a path, and what its answer means. */
export interface DatabaseWays<Answer> {
  readonly read: (path: string) => Promise<Answer>
  /** True if the answer asks which database is meant. */
  readonly asks: (answer: Answer) => boolean
  /** The instance's own database by `/config`, which needs `config:read`; null if it does not say. */
  readonly own: () => Promise<string | null>
}

/** Makes a reader that names the instance's own database after an answer first asked for a database. */
export function createDatabaseReader<Answer>(ways: DatabaseWays<Answer>): (path: string) => Promise<Answer> {
  let database: string | null = null
  const pathIn = (path: string) =>
    database === null ? path : `${path}${path.includes("?") ? "&" : "?"}db_id=${encodeURIComponent(database)}`
  return async (path) => {
    const first = pathIn(path)
    const answer = await ways.read(first)
    if (!ways.asks(answer)) return answer
    database ??= await ways.own()
    const second = pathIn(path)
    // Another request may have learned the database meanwhile. If so, we read again for this request, too.
    return second === first ? answer : ways.read(second)
  }
}

/** Reads sessions. Null if the credential may not look, or if there is no such route. */
export interface Sessions {
  /** The runs of a session; empty if there is no such session. */
  readonly runsOf: (sessionId: string) => Promise<readonly SessionRun[] | null>
  /** A page (from 1) of all sessions, the last changed first, without those that we cannot read. */
  readonly changed: (page: number) => Promise<readonly ChangedSession[] | null>
}

/** Makes the reader of sessions. If there are several databases, requests name the one from `/config` (trap 75). */
export function createSessions(ask: Ask): Sessions {
  const read = createDatabaseReader({
    read: ask,
    asks: asksWhichDatabase,
    own: async () => ownDatabase((await ask("/config")).body),
  })
  return {
    runsOf: async (sessionId) => {
      const answer = await read(`/sessions/${encodeURIComponent(sessionId)}/runs`)
      const { status, body } = answer
      if (status === 404 && !asksWhichDatabase(answer)) return []
      const found = runs.safeParse(status === 200 ? body : null)
      return found.success ? found.data : null
    },
    changed: async (page) => {
      const order = `sort_by=updated_at&sort_order=desc&limit=${pageSize}&page=${page}`
      const { status, body } = await read(`/sessions?${order}`)
      const list = status === 200 ? readEnvelope(body) : undefined
      return list?.items.flatMap((item) => changed.safeParse(item).data ?? []) ?? null
    },
  }
}
