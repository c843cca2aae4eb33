// What somebody who may continue runs tries at a real AgentOS, with and without a gate before its tools.
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"
import { createChance } from "../faults/prng.ts"
import { card, press, until } from "../stories/acts.ts"
import { type Stage, sandboxCast } from "../stories/world.ts"
import type { AgentOs } from "./agentos.ts"
import { type Answer, call, continueRun, root, rowOf, sql, startRun } from "./drive.ts"

/** A call as it ran. */
export type Ran = ReturnType<AgentOs["executions"]>[number]

/** An instance, and a bot that serves it. */
export interface Place {
  readonly os: AgentOs
  readonly stage: Stage
}

type Tool = Readonly<Record<string, unknown>>

/** A paused run of `admin-agent`, which asks to delete the data of U-100. */
export interface Paused {
  readonly session: string
  readonly runId: string
  readonly tools: readonly Tool[]
}

/** Starts one in front of a bot that has seen none yet, and decides it in Slack if `verb` says how. */
export async function paused({ os, stage }: Place, verb: "approve" | "reject" | null): Promise<Paused> {
  const run = await startRun(os, { of: "admin-agent" })
  const { tools = [] } = run.body as { readonly tools?: readonly Tool[] }
  if (verb !== null) {
    await press(stage, sandboxCast.bob, await card(stage), verb)
    await until("the verdict", async () => ((await rowOf(os, run.runId)).status === "pending" ? undefined : true))
  }
  return { session: run.session, runId: run.runId, tools }
}

/** Continues a run with calls of one's own. */
export function continueWith(os: AgentOs, run: Paused, tools: readonly Tool[]) {
  return continueRun(os, run, { of: "admin-agent", form: { tools: JSON.stringify(tools) } })
}

/** Keeps a session as it is now; what comes back brings it back, as a backup of the database does. */
export function keepSession(os: AgentOs, session: string): () => void {
  const database = new DatabaseSync(os.database)
  try {
    // Since 3.0 runs have a table of their own.
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name IN ('agno_runs', 'agno_sessions')").all()
    const kept = tables.map(({ name }) => {
      const rows = database.prepare(`SELECT * FROM ${String(name)} WHERE session_id = ?`).all(session)
      return { table: String(name), rows }
    })
    return () => kept.forEach((one) => putBack(os, session, one))
  } finally {
    database.close()
  }
}

interface KeptRows {
  readonly table: string
  readonly rows: readonly Readonly<Record<string, SQLOutputValue>>[]
}

function putBack(os: AgentOs, session: string, { table, rows }: KeptRows): void {
  const database = new DatabaseSync(os.database)
  try {
    database.exec("PRAGMA busy_timeout = 5000")
    database.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(session)
    for (const row of rows) {
      const places = Object.keys(row).map(() => "?")
      database.prepare(`INSERT INTO ${table} VALUES (${places.join(", ")})`).run(...Object.values(row))
    }
  } finally {
    database.close()
  }
}

const confirmed = (run: Paused, changes: Tool = {}): readonly Tool[] =>
  run.tools.map((tool) => ({ ...tool, confirmed: true, ...changes }))

/** The attacks by name. Each is made on a fresh run. */
export const attacks: Readonly<Record<string, (place: Place) => Promise<Answer>>> = {
  "other arguments than those approved": async (place) => {
    const run = await paused(place, "approve")
    return continueWith(place.os, run, confirmed(run, { tool_args: { user_id: "U-OTHER" } }))
  },
  "a pending call, by a credential that passes the platform's own gate": async ({ os, stage }) => {
    const run = await paused({ os, stage }, null)
    const form = { session_id: run.session, stream: "false", tools: JSON.stringify(confirmed(run)) }
    return call(os, `POST /agents/admin-agent/runs/${run.runId}/continue`, { token: await root(os), form })
  },
  "a verdict that somebody wrote into the database": async (place) => {
    const run = await paused(place, null)
    sql(place.os, "UPDATE agno_approvals SET status = 'approved' WHERE run_id = ?", run.runId)
    return continueWith(place.os, run, confirmed(run))
  },
  "a rejected call, confirmed by oneself": async (place) => {
    const run = await paused(place, "reject")
    return continueWith(place.os, run, confirmed(run))
  },
  "another call under the id of the approved one": async (place) => {
    const run = await paused(place, "approve")
    const other = { tool_name: "send_email", tool_args: { to: "a@b", subject: "Hi" } }
    return continueWith(place.os, run, confirmed(run, other))
  },
  "a row that was changed in the database": async (place) => {
    const run = await paused(place, "approve")
    const change = "UPDATE agno_approvals SET requirements = replace(requirements, 'U-100', 'U-OTHER') WHERE run_id = ?"
    sql(place.os, change, run.runId)
    return continueWith(place.os, run, confirmed(run, { tool_args: { user_id: "U-OTHER" } }))
  },
  "a second continue of a session that was brought back from a backup": async (place) => {
    const run = await paused(place, "approve")
    const bringBack = keepSession(place.os, run.session)
    await continueWith(place.os, run, confirmed(run))
    bringBack()
    return continueWith(place.os, run, confirmed(run))
  },
}

/** A body as a program draws it that wants the tool to run otherwise than it was approved. */
export function drawnTools(seed: number, run: Paused): readonly Tool[] {
  const chance = createChance(seed)
  const values: readonly unknown[] = [
    "U-100 ",
    "u-100",
    "U-1OO",
    "",
    null,
    100,
    true,
    ["U-100"],
    { id: "U-100" },
    "U-OTHER",
  ]
  const args = () =>
    chance.pick<unknown>([
      { user_id: chance.pick(values) },
      { user_id: "U-100", hard: true },
      { user_id: "U-100", run_context: { user_id: "root" } },
      { user_id: "U-100", fc: null },
      { user_id: "U-100", agent: "x" },
      { "user_id ": "U-100" },
      { __proto__x: 1 },
      {},
      null,
    ])
  const id = () => chance.pick<unknown>(["call_made_up", null, "", 5, `${String(run.tools[0]?.["tool_call_id"])} `])
  const change = (): Tool => (chance.percent(70) ? { tool_args: args() } : { tool_call_id: id() })
  const made = confirmed(run, change())
  return chance.percent(20) ? [...made, ...confirmed(run, change())] : made
}
