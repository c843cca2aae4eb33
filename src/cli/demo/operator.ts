// The demo's operator: starts runs, and reads the platform's records. The bot continues the runs.
import { z } from "zod"
import type { DemoRun } from "./scenes.ts"

/** What the demo needs of a platform record. */
export type DemoRow = z.infer<typeof row>

const row = z.looseObject({
  id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  agent_id: z.string().nullable(),
  tool_name: z.string().nullable(),
  tool_args: z.looseObject({ service: z.string().optional() }).nullable(),
  status: z.string(),
  resolved_by: z.string().nullable(),
  run_status: z.string().nullable(),
  resolution_data: z.looseObject({ countersign: z.looseObject({ reason: z.string().nullish() }).optional() }).nullish(),
})
const list = z.object({ data: z.array(row) })
const started = z.looseObject({ run_id: z.string(), session_id: z.string(), status: z.string() })

/** Calls a service with an operator's token. */
export type DemoOperator = ReturnType<typeof createOperator>

/** Makes the operator. Any answer but success throws an error with method, path and status. */
export function createOperator(url: string, token: string) {
  const call = async (method: "GET" | "POST", path: string, body?: URLSearchParams): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  return {
    /** Starts a run and returns the approval at which it paused. */
    start: async ({ agent, team, message, user }: DemoRun): Promise<DemoRow> => {
      const form = new URLSearchParams({ message, stream: "false", user_id: user })
      const path = team === undefined ? `/agents/${agent}/runs` : `/teams/${team}/runs`
      const run = started.parse(await call("POST", path, form))
      const found = list.parse(await call("GET", `/approvals?run_id=${run.run_id}&status=pending`))
      return row.parse(found.data[0])
    },
    read: async (approvalId: string) => row.parse(await call("GET", `/approvals/${approvalId}`)),
  }
}
