// The platform of a seed: the embedded service over a file, behind a proxy that fails on demand and keeps all requests.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { signToken } from "../../src/auth/sign-token.ts"
import type { Counterproposal } from "../../src/domain/send-back/counterproposal.ts"
import type { OutOfSight } from "../../src/service/approvals/approval-handlers.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import type { SimClock } from "./clock.ts"
import { type Lives, startLives } from "./lives.ts"
import type { PlatformKilled } from "./paused-runs.ts"
import type { Strike, Verb } from "./schedule.ts"
import type { Terms } from "./terms.ts"
import type { Timeline } from "./timeline.ts"

/** A record as the platform tells it. */
export interface Row {
  readonly id: string
  readonly status: string
  readonly resolved_by: string | null
  readonly tool_args: { readonly target: string }
  readonly resolution_data: { readonly countersign?: Mark; readonly proposal?: Counterproposal } | null
  readonly run_id: string
}

/** What our resolves carry. */
export interface Mark {
  readonly decision_id: string
  readonly approvers: readonly { readonly slack: string; readonly subject: string }[]
  readonly rules: readonly { readonly name: string; readonly hash: string }[]
  /** Set if one person decided by breaking the glass. */
  readonly glass?: true
  /** The decision that was repeated, of a call that was rejected by itself. */
  readonly again?: string
}

/** A run as it stands in the platform's database. */
export interface SeenRun {
  readonly status: string
  /** True if the platform was killed while it worked on its continue. */
  readonly killed: boolean
}

/** The platform of one seed. */
export interface TestPlatform {
  readonly url: string
  readonly token: string
  /** Without a subject; may run agents and not resolve. */
  readonly runnerToken: string
  readonly proxy: Pick<FaultyProxy, "fail" | "passed" | "heal">
  /**
   * A program asks, for whoever it says (an e-mail, or null), with more arguments, in this run and session of its own;
   * returns the approval's id.
   */
  readonly ask: (
    tool: string,
    target: string,
    requester: string | null,
    more?: Readonly<Record<string, number>>,
    origin?: { readonly run_id: string; readonly session_id: string },
  ) => Promise<string>
  /** How often the call of a tool really ran. */
  readonly ran: (tool: string) => number
  readonly run: (id: string) => SeenRun
  /** Whoever started the run of an approval cancels it; nothing shows that. False if it does not wait any more. */
  readonly cancel: (id: string) => boolean
  /** It is killed while it works on the next continue. */
  readonly dieAtWork: (death: Pick<PlatformKilled, "ran" | "downMs">) => void
  /** Waits until it runs. */
  readonly up: () => Promise<unknown>
  readonly read: (id: string) => Promise<Row>
  /** True if it is pending. */
  readonly waits: (id: string) => boolean
  /** An operator decides on the platform itself; false if it was decided already. */
  readonly decide: (id: string, verb: Verb) => Promise<boolean>
  /** Somebody who may posts a body to a path of the platform; returns the status. */
  readonly post: (path: string, body: string) => Promise<number>
  /** Other content, as long as it is pending; false if it is decided. */
  readonly change: (id: string, target: { readonly from: string; readonly to: string }) => boolean
  /** Its database is away, and it answers so; null: it is back. */
  readonly hide: (how: OutOfSight | null) => void
  readonly close: () => Promise<void>
}

/** By how much a bot's clock may be behind, in s: a token is not from the future there. */
const skewS = 60
const scopes = ["approvals:create", "approvals:read", "approvals:write"]

/** What a platform is started with. */
interface PlatformOptions {
  readonly clock: SimClock
  /** Its database lies there. */
  readonly folder: string
  readonly timeline: Timeline
  readonly runs: Terms["runs"]
  /** What its agent does, in a session of each requester. Default: one call in each run, in a session of its own. */
  readonly script?: ScriptInput | undefined
  /** Told of each record of an approval that is asked for. */
  readonly onRead?: (id: string) => void
  /** Told of each verdict that is sent for an approval that waits. */
  readonly onVerdict?: (id: string, body: string) => void
}

/** Starts the platform. */
export async function startPlatform({
  clock,
  folder,
  timeline,
  runs,
  script: given,
  onRead,
  onVerdict,
}: PlatformOptions): Promise<TestPlatform> {
  const file = join(folder, "platform.db")
  const random = (size: number) => randomBytes(size)
  const secret = randomBytes(32).toString("hex")
  const keys = { verificationKeys: [secret], algorithm: "HS256" } as const
  const script = runs === "none" ? {} : { script: given ?? scriptOf(runs) }
  const options = { database: file, authorization: true, clock: clock.now, random, ...keys, ...script }
  const lives = await startLives(() => startDescribed(options), clock)
  const database = new DatabaseSync(file)
  const waits = (id: string) =>
    database.prepare("SELECT status FROM approvals WHERE id = :id").get({ id })?.["status"] === "pending"
  const proxy = await startFaultyProxy(lives.url, {
    clock: clock.now,
    onPassed: ({ method, path, fault }) => {
      timeline.note("platform", `${method} ${path}${fault === null ? "" : `: ${fault}`}`)
      const id = /^\/approvals\/([^/]+)$/.exec(path)?.[1]
      if (id !== undefined && method === "GET") onRead?.(id)
    },
    onBody: ({ path, body }) => {
      const id = /^\/approvals\/([^/]+)\/resolve$/.exec(path)?.[1]
      if (id !== undefined && waits(id)) onVerdict?.(id, body)
    },
  })
  const token = lives.last().mintServiceAccount({ name: "countersign", scopes: ["approvals:read", "approvals:write"] })
  const issuedAt = Math.floor(clock.now() / 1_000) - skewS
  const runner = ["agents:run", "agents:read", "sessions:read"]
  const runnerToken = await signToken({ ...keys, key: secret, scopes: runner, issuedAt, lifeSeconds: 86_400 })
  const call = operator(lives)
  const statusOf = (runId: string) =>
    String(database.prepare("SELECT status FROM runs WHERE id = :runId").get({ runId })?.["status"])
  const killed = new Map<string, { readonly tool: string; readonly ran: boolean }>()
  const promiseNothing = () => {
    if (runs === "held")
      proxy.fail({ path: /^\/info$/, fault: { kind: "answer", status: 200, body: { os_id: "plain" } } })
  }
  promiseNothing()
  return {
    url: proxy.url,
    token,
    runnerToken,
    proxy: {
      fail: (rule) => proxy.fail(rule),
      passed: proxy.passed,
      heal: () => {
        proxy.heal()
        promiseNothing()
      },
    },
    ran: (tool) => {
      const kept = database.prepare("SELECT count(*) AS n FROM executions WHERE tool_name = :tool").get({ tool })
      return Number(kept?.["n"]) + [...killed.values()].filter((one) => one.tool === tool && one.ran).length
    },
    run: (id) => ({ status: statusOf(id), killed: killed.has(id) }),
    cancel: (id) => {
      const run = database.prepare("SELECT run_id FROM approvals WHERE id = :id").get({ id })?.["run_id"]
      if (statusOf(String(run)) !== "PAUSED") return false
      lives.last().cancelUnseen(String(run))
      return true
    },
    dieAtWork: ({ ran, downMs }) => {
      const after = async ({ path }: { readonly path: string }) => {
        const run = /\/runs\/([^/]+)\/continue$/.exec(path)?.[1] ?? ""
        const of = database.prepare("SELECT tool_name, status FROM approvals WHERE run_id = :run").get({ run })
        const began = ran && of?.["status"] === "approved"
        killed.set(run, { tool: String(of?.["tool_name"]), ran: began })
        timeline.note("platform", `is killed at work on ${run}, ${began ? "after" : "before"} its call ran`)
        lives.end(downMs)
      }
      proxy.fail({ path: paths.continue, times: 1, fault: { kind: "cut", forwarded: false, after } })
    },
    up: lives.up,
    ask: async (tool, target, requester, more = {}, origin) => {
      if (runs === "none") {
        const what = { tool_name: tool, tool_args: { target, ...more }, agent_id: "agent" }
        const asked = { ...what, user_id: requester, ...origin }
        return ((await call("POST", "/approvals", asked)).body as Row).id
      }
      const user = requester === null ? {} : { user_id: requester }
      const form = new URLSearchParams({
        message: tool,
        stream: "false",
        session_id: `s-${given === undefined ? tool : requester}`,
        ...user,
      })
      const headers = { authorization: `Bearer ${runnerToken}` }
      const { body } = await send(lives, { method: "POST", path: "/agents/agent/runs", headers }, form)
      const { run_id: run } = body as { readonly run_id: string }
      return String(database.prepare("SELECT id FROM approvals WHERE run_id = :run").get({ run })?.["id"])
    },
    read: async (id) => (await call("GET", `/approvals/${id}`)).body as Row,
    waits,
    decide: async (id, verb) => {
      const status = verb === "approve" ? "approved" : "rejected"
      const body = { status, resolved_by: "operator@sandbox.example" }
      return (await call("POST", `/approvals/${id}/resolve`, body)).status === 200
    },
    hide: (how) => {
      timeline.note("platform", how === null ? "has its database" : `has no database, and says so ${how}`)
      lives.last().hideApprovals(how)
    },
    post: async (path, body) => (await call("POST", path, JSON.parse(body))).status,
    change: (id, { from, to }) => {
      const change = `UPDATE approvals SET tool_args = replace(tool_args, :from, :to),
        requirements = replace(requirements, :from, :to)
        WHERE id = :id AND status = 'pending'`
      return database.prepare(change).run({ id, from, to }).changes === 1
    },
    close: async () => {
      database.close()
      await Promise.all([proxy.close(), lives.close()])
    },
  }
}

/** Each call has a connection of its own: one that is kept may be closed by the server just as it is used. */
function operator(lives: Lives) {
  const token = lives.last().mintServiceAccount({ name: "operator", scopes })
  return async (method: string, path: string, json?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    return send(lives, { method, path, headers }, json === undefined ? undefined : JSON.stringify(json))
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

async function send(lives: Lives, { method, path, headers }: Sent, body?: string | URLSearchParams) {
  const { url } = await lives.up()
  const form = body instanceof URLSearchParams ? { "content-type": "application/x-www-form-urlencoded" } : {}
  const sent = request(url + path, { method, headers: { ...headers, ...form }, agent: false })
  sent.end(body?.toString())
  const [answer] = (await once(sent, "response")) as [IncomingMessage]
  let text = ""
  for await (const chunk of answer.setEncoding("utf8")) text += String(chunk)
  return { status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }
}

/** An agent that asks for one call in each of its runs. */
function scriptOf(runs: Exclude<Terms["runs"], "none">): ScriptInput {
  const fields = [{ name: "recipient", field_type: "str", description: "Who gets it." }]
  const pause = runs === "held" ? ({ pause: "user_input", fields } as const) : {}
  const numbers = [0, 1, 2]
  const tools = numbers.map((number) => ({ name: `task_${number}`, gated: true, ...pause }))
  const turnsOf = (number: number) => [[{ tool: `task_${number}`, args: { target: `T${number}-v1` } }]]
  return {
    agents: [
      { id: "agent", tools, runs: numbers.map((number) => ({ name: `task_${number}`, turns: turnsOf(number) })) },
    ],
  }
}

const paths = {
  all: /^\/(?:approvals|agents|sessions)/,
  get: /^\/approvals\/[^/]+$/,
  resolve: /\/(?:resolve|continue)$/,
  continue: /\/continue$/,
}

/**
 * What a slow platform takes, in ms: the one is waited for, the other comes when the bot has given up (`timeout` in
 * settings.ts).
 */
const slowMs = 3_000
const lateMs = 5_000

/** The connection of the next continue breaks, and its call runs so many ms later. */
export function outliveContinue(proxy: Pick<FaultyProxy, "fail">, ms: number): void {
  proxy.fail({ path: paths.continue, times: 1, fault: { kind: "outlive", ms } })
}

/** Makes the next requests fail as a strike says. Returns what makes them work again. */
export function failPlatform(
  proxy: Pick<FaultyProxy, "fail">,
  { how, on, times }: Extract<Strike, { kind: "platform" }>,
): () => void {
  return proxy.fail({ path: paths[on], times, fault: faults[how] })
}

const faults = {
  down: { kind: "answer", status: 503, body: { detail: "down" } },
  slow: { kind: "delay", ms: slowMs },
  late: { kind: "delay", ms: lateMs },
  unheard: { kind: "swallow", forwarded: true },
  unaccepted: { kind: "swallow", forwarded: false },
  cut: { kind: "cut", forwarded: true },
} as const
