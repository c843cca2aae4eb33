// The platform of a seed: the embedded service over a file, behind a proxy that fails on demand and keeps what was sent to it.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type RunningService, startService } from "../../src/service/start-service.ts"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import type { SimClock } from "./clock.ts"
import type { Strike, Verb } from "./schedule.ts"
import type { Timeline } from "./timeline.ts"

/** A record as the platform tells it. */
export interface Row {
  readonly id: string
  readonly status: string
  readonly resolved_by: string | null
  readonly tool_args: { readonly target: string }
  readonly resolution_data: { readonly countersign?: Mark } | null
}

/** What our resolves carry. */
export interface Mark {
  readonly decision_id: string
  readonly approvers: readonly { readonly slack: string; readonly subject: string }[]
  readonly rules: readonly { readonly name: string; readonly hash: string }[]
}

/** The platform of one seed. */
export interface TestPlatform {
  readonly url: string
  readonly token: string
  readonly proxy: FaultyProxy
  /** A program asks; returns the approval's id. */
  readonly ask: (tool: string, target: string) => Promise<string>
  readonly read: (id: string) => Promise<Row>
  /** True if it is pending. */
  readonly waits: (id: string) => boolean
  /** An operator decides on the platform itself; false if it was decided already. */
  readonly decide: (id: string, verb: Verb) => Promise<boolean>
  /** Other content, as long as it is pending; false if it is decided. */
  readonly change: (id: string, target: { readonly from: string; readonly to: string }) => boolean
  readonly close: () => Promise<void>
}

const scopes = ["approvals:create", "approvals:read", "approvals:write"]

/** Starts the platform; its database lies in the folder. */
export async function startPlatform(clock: SimClock, folder: string, timeline: Timeline): Promise<TestPlatform> {
  const file = join(folder, "platform.db")
  const random = (size: number) => randomBytes(size)
  const service = await startService({ database: file, authorization: true, clock: clock.now, random })
  const database = new DatabaseSync(file)
  const proxy = await startFaultyProxy(service.url, ({ method, path, fault }) =>
    timeline.note("platform", `${method} ${path}${fault === null ? "" : `: ${fault}`}`),
  )
  const token = service.mintServiceAccount({ name: "countersign", scopes: ["approvals:read", "approvals:write"] })
  const call = operator(service)
  return {
    url: proxy.url,
    token,
    proxy,
    ask: async (tool, target) => {
      const asked = { tool_name: tool, tool_args: { target }, agent_id: "agent" }
      return ((await call("POST", "/approvals", asked)).body as Row).id
    },
    read: async (id) => (await call("GET", `/approvals/${id}`)).body as Row,
    waits: (id) =>
      database.prepare("SELECT status FROM approvals WHERE id = :id").get({ id })?.["status"] === "pending",
    decide: async (id, verb) => {
      const status = verb === "approve" ? "approved" : "rejected"
      const body = { status, resolved_by: "operator@sandbox.example" }
      return (await call("POST", `/approvals/${id}/resolve`, body)).status === 200
    },
    change: (id, { from, to }) => {
      const change = `UPDATE approvals SET tool_args = replace(tool_args, :from, :to), requirements = replace(requirements, :from, :to)
        WHERE id = :id AND status = 'pending'`
      return database.prepare(change).run({ id, from, to }).changes === 1
    },
    close: async () => {
      database.close()
      await Promise.all([proxy.close(), service.close()])
    },
  }
}

/** Each call has a connection of its own: one that is kept may be closed by the server just as it is used. */
function operator(service: RunningService) {
  const token = service.mintServiceAccount({ name: "operator", scopes })
  return async (method: string, path: string, json?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = request(service.url + path, { method, headers, agent: false })
    sent.end(json === undefined ? undefined : JSON.stringify(json))
    const [answer] = (await once(sent, "response")) as [IncomingMessage]
    let text = ""
    for await (const chunk of answer.setEncoding("utf8")) text += String(chunk)
    return { status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }
  }
}

const paths = { all: /^\/approvals/, get: /^\/approvals\/[^/]+$/, resolve: /\/resolve$/ }

/** What a slow platform takes, in ms: sometimes longer than the bot waits. */
const slowMs = 3_000

/** Makes the next requests fail as a strike says. Returns what makes them work again. */
export function failPlatform(
  proxy: FaultyProxy,
  { how, on, times }: Extract<Strike, { kind: "platform" }>,
): () => void {
  return proxy.fail({ path: paths[on], times, fault: faults[how] })
}

const faults = {
  down: { kind: "answer", status: 503, body: { detail: "down" } },
  slow: { kind: "delay", ms: slowMs },
  unheard: { kind: "swallow", forwarded: true },
  unaccepted: { kind: "swallow", forwarded: false },
  cut: { kind: "cut", forwarded: true },
} as const
