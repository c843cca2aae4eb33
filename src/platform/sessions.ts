// The runs of a session, which name a member's team and a workflow's step (`facts/agentos.md` 5.7); needs `sessions:read`.
import { z } from "zod"
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts"
import type { SessionRun } from "../flow/ports.ts"

/** Asks for a path and gives the body of a 200, or the status of anything else. Throws `PlatformError` if there is no answer. */
export type Ask = (path: string) => Promise<{ readonly status: number; readonly body: Json }>

const object = z.custom<JsonObject>(isJsonObject)
/** AgentOS writes "" where there is none. */
const idOrNull = z
  .string()
  .nullish()
  .transform((id) => id || null)

const runs = z.array(
  z
    .looseObject({
      run_id: z.string(),
      parent_run_id: idOrNull,
      team_id: idOrNull,
      workflow_id: idOrNull,
      status: z.string().nullish(),
      tools: z.array(object).nullish(),
    })
    .transform(
      (row): SessionRun => ({
        runId: row.run_id,
        parentRunId: row.parent_run_id,
        teamId: row.team_id,
        workflowId: row.workflow_id,
        status: row.status ?? "",
        tools: row.tools ?? [],
      }),
    ),
)

const config = z.looseObject({ os_database: z.string() })

/**
 * Makes the reader of sessions. Where there are several databases AgentOS wants to know which (400): the one that `/config` calls its own,
 * which takes `config:read` (trap 75). Null if the credential may not look; a session that is not there has no runs.
 */
export function createSessions(ask: Ask): (sessionId: string) => Promise<readonly SessionRun[] | null> {
  let database: string | null = null
  const pathOf = (sessionId: string) =>
    `/sessions/${encodeURIComponent(sessionId)}/runs${database === null ? "" : `?db_id=${encodeURIComponent(database)}`}`
  return async (sessionId) => {
    let answer = await ask(pathOf(sessionId))
    if (answer.status === 400 && database === null) {
      const told = config.safeParse((await ask("/config")).body)
      if (!told.success) return null
      database = told.data.os_database
      answer = await ask(pathOf(sessionId))
    }
    if (answer.status === 404) return []
    const read = runs.safeParse(answer.status === 200 ? answer.body : null)
    return read.success ? read.data : null
  }
}
