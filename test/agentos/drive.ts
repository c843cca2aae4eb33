// What programs and operators do at a real AgentOS: start and continue runs, resolve, mint service accounts, and
// disturb its database.
import { DatabaseSync } from "node:sqlite"
import { type AgentOs, aJwt, SECURITY_KEY } from "./agentos.ts"

/** An answer of the service. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** The body as plain JSON; numbers may have lost digits. Undefined if it is none. */
  readonly body: unknown
}

/** What goes with a request. */
export interface With {
  readonly token?: string | undefined
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
}

/** Sends one request: "METHOD /path". */
export async function call(
  os: Pick<AgentOs, "url">,
  request: string,
  { token, json, form }: With = {},
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ")
  const response = await fetch(os.url + path, {
    method,
    headers: {
      // After some 500s AgentOS closes the connection without saying so (trap 44).
      connection: "close",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: jsonOf(text) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const RUN_SCOPES = ["agents:run", "agents:read", "teams:run", "teams:read", "workflows:run", "workflows:read"]

/** A credential that passes everywhere; undefined where none is asked for. */
export function root(os: AgentOs): Promise<string | undefined> {
  return tokenFor(os, ["agent_os:admin"], os.mode.roles === true ? { sub: "admin@example.com" } : {})
}

/** A JWT for the instance, or what passes instead where it takes none. */
async function tokenFor({ mode }: AgentOs, scopes: readonly string[], claims: Readonly<Record<string, unknown>>) {
  const { auth = "jwt", operator, audience } = mode
  if (auth === "open" || operator !== undefined) return operator
  if (auth === "key") return SECURITY_KEY
  return aJwt(scopes, audience === undefined ? claims : { ...claims, aud: audience })
}

let sessions = 0

/** Which run to start. */
export interface Run {
  /** `agents`, `teams` or `workflows`. Default agents. */
  readonly kind?: string
  readonly of: string
  readonly message?: string
  /** Who asks; null for a caller without identity. Default alice@example.com. */
  readonly user?: string | null
  readonly session?: string
}

/** Starts a run and gives its answer; `session` is the one it belongs to. */
export async function startRun(
  os: AgentOs,
  run: Run,
): Promise<Answer & { readonly session: string; readonly runId: string }> {
  const { kind = "agents", of, message = "Please do it.", user = "alice@example.com" } = run
  const session = run.session ?? `session-${(sessions += 1)}`
  const claims = user === null ? {} : { sub: user }
  const token = await tokenFor(os, RUN_SCOPES, claims)
  const answer = await call(os, `POST /${kind}/${of}/runs`, {
    token,
    form: { message, stream: "false", session_id: session },
  })
  const { run_id: runId } = (answer.body ?? {}) as { run_id?: string }
  return { ...answer, session, runId: runId ?? "" }
}

/** Has `scripted-agent` call these tools in one turn. */
export function startCalls(os: AgentOs, calls: readonly unknown[], run: Partial<Run> = {}) {
  return startRun(os, { of: "scripted-agent", message: JSON.stringify([calls, "Done."]), ...run })
}

/** Continues a run as whoever started it. */
export async function continueRun(
  os: AgentOs,
  run: { readonly session: string; readonly runId: string },
  more: {
    readonly of: string
    readonly kind?: string
    readonly user?: string | null
    readonly form?: Readonly<Record<string, string>>
  },
): Promise<Answer> {
  const { of, kind = "agents", user = "alice@example.com", form = {} } = more
  const token = await aJwt(RUN_SCOPES, user === null ? {} : { sub: user })
  return call(os, `POST /${kind}/${of}/runs/${run.runId}/continue`, {
    token,
    form: { session_id: run.session, stream: "false", ...form },
  })
}

/** Continues an agent's pending run with its calls confirmed: whoever holds approvals:write passes the gate. */
export async function confirmPast(
  os: AgentOs,
  run: { readonly session: string; readonly runId: string },
  of = "admin-agent",
): Promise<Answer> {
  const path = `/agents/${of}/runs/${run.runId}`
  const stored = await call(os, `GET ${path}?session_id=${run.session}`, { token: await root(os) })
  const { tools = [] } = stored.body as { tools?: readonly object[] }
  const confirmed = tools.map((tool) => ({ ...tool, confirmed: true }))
  const form = { session_id: run.session, stream: "false", tools: JSON.stringify(confirmed) }
  const token = await aJwt(["approvals:write", "agents:run"], { sub: "alice@example.com" })
  return call(os, `POST ${path}/continue`, { token, form })
}

/** A row of the list. */
export type Row = { readonly id: string; readonly status: string; readonly resolved_by: string | null } & Record<
  string,
  unknown
>

/** The approvals that the service lists, newest first. */
export async function rowsOf(os: AgentOs, query = "limit=1000"): Promise<readonly Row[]> {
  const answer = await call(os, `GET /approvals?${query}`, { token: await root(os) })
  if (answer.status !== 200) throw new Error(`GET /approvals answered ${answer.status}: ${answer.text}`)
  return (answer.body as { data: readonly Row[] }).data
}

/** The approval of a run. */
export async function rowOf(os: AgentOs, runId: string): Promise<Row> {
  const [row] = await rowsOf(os, `run_id=${runId}`)
  if (row === undefined) throw new Error(`run ${runId} has no approval`)
  return row
}

/** The record as the service has it now. */
export async function record(os: AgentOs, id: string): Promise<Row> {
  return (await call(os, `GET /approvals/${id}`, { token: await root(os) })).body as Row
}

/** Resolves as somebody else than Countersign. */
export async function resolveElsewhere(
  os: AgentOs,
  id: string,
  json: unknown = { status: "approved", resolved_by: "boss@example.com" },
) {
  const token = await tokenFor(os, ["approvals:write"], {})
  return call(os, `POST /approvals/${id}/resolve`, { token, json })
}

let accounts = 0

/** Mints a service account and gives its token. */
export async function serviceAccount(os: AgentOs, scopes: readonly string[]): Promise<string> {
  const json = {
    name: `account-${(accounts += 1)}`,
    scopes: scopes.map((scope) => ({ scope, effect: "allow" })),
    allow_privileged_scopes: true,
  }
  const answer = await call(os, "POST /service-accounts", { token: await root(os), json })
  const { token } = (answer.body ?? {}) as { token?: string }
  if (token === undefined) throw new Error(`POST /service-accounts answered ${answer.status}: ${answer.text}`)
  return token
}

/** Runs SQL on the service's database file and gives its first row. */
export function sql(os: AgentOs, statement: string, ...values: readonly (string | number | null)[]) {
  const database = new DatabaseSync(os.database)
  try {
    database.exec("PRAGMA busy_timeout = 5000")
    return database.prepare(statement).get(...values)
  } finally {
    database.close()
  }
}

/**
 * Gives a row an argument with half a character, so that AgentOS can't write it any more; what comes back takes it
 * away.
 */
export function poison(os: AgentOs, id: string): () => void {
  const before = sql(os, "SELECT tool_args FROM agno_approvals WHERE id = ?", id)?.["tool_args"]
  const put = "UPDATE agno_approvals SET tool_args = ? WHERE id = ?"
  sql(os, put, String.raw`{"user_id": "\ud800"}`, id)
  return () => void sql(os, put, typeof before === "string" ? before : null, id)
}

/** Makes a table fail until the function that comes back is called: it has another name meanwhile. */
export function hideTable(os: AgentOs, table: string): () => void {
  sql(os, `ALTER TABLE ${table} RENAME TO ${table}_hidden`)
  return () => void sql(os, `ALTER TABLE ${table}_hidden RENAME TO ${table}`)
}

/** Holds a lock on the database file until the function that comes back is called. */
export function lockDatabase(os: AgentOs, kind: "EXCLUSIVE" | "IMMEDIATE"): () => void {
  const database = new DatabaseSync(os.database)
  database.exec("PRAGMA busy_timeout = 5000")
  database.exec(`BEGIN ${kind}`)
  return () => {
    database.exec("ROLLBACK")
    database.close()
  }
}
