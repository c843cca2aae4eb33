// What somebody who may continue runs tries at a real AgentOS, with and without a gate before its tools.
import { writeFileSync } from "node:fs"
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"
import type { ReceiptClaims } from "../../src/domain/case/receipt.ts"
import { endedListPath } from "../../src/proof/ended-list.ts"
import { createSigner, readKeySet } from "../../src/proof/signed.ts"
import { makeKeyText, readSigningKey } from "../../src/proof/signing-key.ts"
import { createChance } from "../faults/prng.ts"
import { card, press, until } from "../stories/acts.ts"
import { type Stage, sandboxCast, type WorldOptions } from "../stories/world.ts"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import type { AgentOs } from "./agentos.ts"
import { type Answer, call, continueRun, root, rowOf, rowsOf, sql, startRun } from "./drive.ts"
import type { Here } from "./stages.ts"

/** A call as it ran. */
export type Ran = ReturnType<AgentOs["executions"]>[number]

/** An instance, a bot that serves it, and what they say to each other. */
export interface Place {
  readonly os: AgentOs
  readonly stage: Stage
  readonly proxy: FaultyProxy
}

/** What the bots of these places sign with. */
const receiptKey = makeKeyText("EdDSA")

/** Starts a bot, and writes the file of the instance's gate. */
export async function aPlace({ os, aStage, closing }: Here, more: WorldOptions = {}): Promise<Place> {
  const proxy = await startFaultyProxy(os().url)
  closing(() => proxy.close())
  const stage = await aStage({ ...more, url: proxy.url, env: { COUNTERSIGN_RECEIPT_KEY: receiptKey } })
  await writeGate(os().gate, stage)
  return { os: os(), stage, proxy }
}

/** Writes the file of a gate at `path` that takes what a bot of the sandbox signs. */
export async function writeGate(
  path: string,
  { bot, installation }: Pick<Stage, "bot" | "installation">,
  more: object = {},
): Promise<void> {
  const { keys } = readKeySet(await (await fetch(`${bot.url}/.well-known/jwks.json`)).text(), "the bot")
  const asking = { ended_list: `${bot.url}${endedListPath}` }
  const said = { version: 1, installation, sandbox: true, keys, marks: "marks.db", ...asking, ...more }
  writeFileSync(path, JSON.stringify(said))
}

type Tool = Readonly<Record<string, unknown>>

/** A paused run of `admin-agent`, which asks to delete the data of U-100. */
export interface Paused {
  readonly session: string
  readonly runId: string
  readonly tools: readonly Tool[]
}

/** Starts one in front of a bot that has seen none yet, and decides it in Slack if `verb` says how. */
export async function paused({ os, stage }: Omit<Place, "proxy">, verb: "approve" | "reject" | null): Promise<Paused> {
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

/**
 * The member's call of `support-team`, which was approved and has run, from a session that was brought back, with other
 * arguments. Since 3.0 a team takes no arguments from a body, and runs the approved call again.
 */
async function continueMember({ os, stage }: Place): Promise<Answer> {
  const run = await startRun(os, { kind: "teams", of: "support-team" })
  await press(stage, sandboxCast.bob, await card(stage, "U-200"), "approve")
  await until("the verdict", async () =>
    (await rowsOf(os)).every(({ status }) => status !== "pending") ? true : undefined,
  )
  const { requirements = [] } = run.body as { readonly requirements?: readonly { tool_execution: Tool }[] }
  const changed = requirements.map((one) => ({
    ...one,
    confirmation: true,
    tool_execution: { ...one.tool_execution, confirmed: true, tool_args: { user_id: "U-OTHER" } },
  }))
  const bringBack = keepSession(os, run.session)
  await continueRun(os, run, { kind: "teams", of: "support-team" })
  bringBack()
  const form = { requirements: JSON.stringify(changed) }
  return continueRun(os, run, { kind: "teams", of: "support-team", form })
}

/** Puts a receipt into a run's row, which then says that it is approved. */
export function putReceipt(os: AgentOs, { runId }: Paused, receipt: string): void {
  const data = JSON.stringify({ countersign: { decision_id: "d", receipt } })
  sql(os, "UPDATE agno_approvals SET status = 'approved', resolution_data = ? WHERE run_id = ?", data, runId)
}

/** What was signed for a run, as it would have been signed so many hours ago. */
async function signedBefore(os: AgentOs, { runId }: Paused, hours: number): Promise<string> {
  const { resolution_data: data } = (await rowOf(os, runId)) as {
    resolution_data?: { countersign: { receipt: string } }
  }
  const [, payload = ""] = data?.countersign.receipt.split(".") ?? []
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as ReceiptClaims
  const back = (at: number) => at - hours * 3_600_000
  const signer = createSigner(await readSigningKey(receiptKey, "a test's key"))
  return signer.sign("sandbox-approval", { ...claims, at: back(claims.at), expires: back(claims.expires ?? 0) })
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
  "other arguments than those approved, in streaming": async (place) => {
    const run = await paused(place, "approve")
    const tools = JSON.stringify(confirmed(run, { tool_args: { user_id: "U-OTHER" } }))
    return continueRun(place.os, run, { of: "admin-agent", form: { tools, stream: "true" } })
  },
  "a member's call with other arguments, or a second time": continueMember,
  "an approved call whose receipt expired": async (place) => {
    const run = await paused(place, "approve")
    putReceipt(place.os, run, await signedBefore(place.os, run, 25))
    return continueWith(place.os, run, confirmed(run))
  },
  "a call whose verdict the platform refused, by the receipt of that verdict": async ({ os, stage, proxy }) => {
    proxy.fail({ method: "POST", path: /\/resolve$/, fault: { kind: "answer", status: 403, body: {} } })
    const run = await paused({ os, stage }, null)
    await press(stage, sandboxCast.bob, await card(stage), "approve")
    await until("the verdict's end", () => stage.log.find((line) => line["kind"] === "reopened"))
    const { body = "" } = proxy.passed.find(({ path }) => path.endsWith("/resolve")) ?? {}
    putReceipt(os, run, JSON.parse(body).resolution_data.countersign.receipt)
    return continueWith(os, run, confirmed(run))
  },
  "a second continue of a session that was brought back from a backup": async (place) => {
    const run = await paused(place, "approve")
    const bringBack = keepSession(place.os, run.session)
    await continueWith(place.os, run, confirmed(run))
    bringBack()
    return continueWith(place.os, run, confirmed(run))
  },
}

/** What the gate answers, where only one reason may be the one. */
export const reasons: Readonly<Record<string, string>> = {
  "an approved call whose receipt expired": "its approval has expired",
  "a call whose verdict the platform refused, by the receipt of that verdict":
    "it was approved, but the platform did not take that decision",
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
