// One server that plays Slack and the platform, so that both ends of a figure share a clock. It checks nothing and
// answers at once, or after the delays of a network.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { onLoopback } from "../../test/support/on-loopback.ts"
import type { Row } from "./rows.ts"

/** Something that reached the world; `at` is `performance.now()`. */
export interface Arrival {
  readonly at: number
  /** A method of Slack's, `response`, or of the platform `list`, `read`, `resolve` and `other`. */
  readonly call: string
  /** The id in the path: of the approval, or what stands after `/response/`. */
  readonly id: string
  readonly fields: URLSearchParams
  readonly body: string
  /** The message that it makes, if it makes one. */
  readonly ts: string
}

/** How slow the two are, in ms. */
export interface Delays {
  readonly platformMs: number
  readonly slackMs: number
}

/** A network as it is: what a burst and presses at a steady rate meet. */
export const networkDelays: Delays = { platformMs: 20, slackMs: 60 }

export const noDelays: Delays = { platformMs: 0, slackMs: 0 }

/** A running world. */
export interface World {
  readonly url: string
  readonly rows: Map<string, Row>
  /** Everything that came, in order; whoever measures may empty it. */
  readonly arrivals: Arrival[]
  /** The rows of each status, as of when the first page was asked for last. */
  readonly listed: Map<string, readonly Row[]>
  delays: Delays
  /** An answer other than the usual one to a call of Slack's, such as 429; null for the usual one. */
  refuse: (arrival: Arrival) => { readonly status: number; readonly retryAfter: number } | null
  /** Called with each arrival, before it is answered. */
  onArrival: (arrival: Arrival) => void
  close(): Promise<void>
}

export const team = "T0BENCH00"

/** Starts it on loopback. */
export async function startWorld(): Promise<World> {
  const server = createServer((request, response) => void answer(world, request, response))
  server.keepAliveTimeout = 60_000
  const world: World = {
    ...(await onLoopback(server)),
    rows: new Map(),
    listed: new Map(),
    arrivals: [],
    delays: noDelays,
    refuse: () => null,
    onArrival: () => undefined,
  }
  return world
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrival = await readArrival(request)
  world.arrivals.push(arrival)
  world.onArrival(arrival)
  const slack = !platformCalls.has(arrival.call)
  const waitMs = slack ? world.delays.slackMs : world.delays.platformMs
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  const refusal = slack ? world.refuse(arrival) : null
  if (refusal !== null) {
    const said = JSON.stringify({ ok: false, error: "ratelimited" })
    response.writeHead(refusal.status, {
      "content-type": "application/json",
      "retry-after": String(refusal.retryAfter),
    })
    return void response.end(said)
  }
  const text = slack ? slackAnswer(arrival) : platformAnswer(world, arrival)
  response.writeHead(text === null ? 404 : 200, {
    "content-type": "application/json",
    "x-oauth-scopes": "chat:write,commands,users:read,users:read.email,usergroups:read,channels:read",
  })
  response.end(text ?? '{"detail":"Approval not found"}')
}

async function readArrival(request: IncomingMessage): Promise<Arrival> {
  const at = performance.now()
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://world")
  const [, where = "", id = "", rest = ""] = pathname.split("/")
  const common = { at, body, ts: nextTs() }
  if (where === "api") return { ...common, call: id, id: "", fields: fieldsOf(body) }
  if (where === "response") return { ...common, call: "response", id, fields: searchParams }
  return { ...common, call: where === "approvals" ? platformCall(id, rest) : "other", id, fields: searchParams }
}

/** A form, or JSON, of which each value that is no text is text here too. */
function fieldsOf(body: string): URLSearchParams {
  if (!body.startsWith("{")) return new URLSearchParams(body)
  const entries = Object.entries(JSON.parse(body) as Readonly<Record<string, unknown>>)
  return new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  )
}

function platformCall(id: string, rest: string): string {
  if (id === "") return "list"
  if (rest === "") return "read"
  return rest === "resolve" ? "resolve" : "other"
}

const platformCalls: ReadonlySet<string> = new Set(["list", "read", "resolve", "other"])

let stamp = 1_700_000_000_000_000

function nextTs(): string {
  stamp += 1_000
  return `${Math.floor(stamp / 1e6)}.${String(stamp % 1e6).padStart(6, "0")}`
}

function slackAnswer({ call, fields, ts }: Arrival): string {
  switch (call) {
    case "auth.test":
      return `{"ok":true,"team":"Bench","team_id":"${team}","user_id":"U0BOT","bot_id":"B0BOT","app_id":"A0BOT"}`
    case "users.info":
      return JSON.stringify({ ok: true, user: aUser(fields.get("user") ?? "") })
    case "users.lookupByEmail":
      return JSON.stringify({ ok: true, user: aUser((fields.get("email") ?? "").replace(/@.*/, "").toUpperCase()) })
    case "usergroups.list":
      return '{"ok":true,"usergroups":[{"id":"S0BENCH","date_delete":0,"users":["U0ALICE"]}]}'
    case "conversations.info":
      return JSON.stringify({ ok: true, channel: { id: fields.get("channel"), name: "approvals", is_member: true } })
    case "conversations.history":
      return JSON.stringify({ ok: true, messages: messagesAt(fields) })
    case "conversations.open":
      return JSON.stringify({ ok: true, channel: { id: `D0${fields.get("users") ?? ""}` } })
    case "chat.postMessage":
    case "chat.startStream":
    case "chat.update":
      return JSON.stringify({ ok: true, channel: fields.get("channel"), ts: fields.get("ts") ?? ts })
    default:
      return '{"ok":true}'
  }
}

/** Every message that was ever posted is still there, for whoever asks for just one. */
function messagesAt(fields: URLSearchParams) {
  const ts = fields.get("latest")
  return ts !== null && ts === fields.get("oldest") ? [{ ts, bot_id: "B0BOT" }] : []
}

function aUser(id: string) {
  const profile = { display_name: id, email: `${id.toLowerCase()}@sandbox.example` }
  return { id, team_id: team, name: id.toLowerCase(), is_email_confirmed: true, profile }
}

/** Null where there is no such approval. */
function platformAnswer(world: World, { call, id, fields, body }: Arrival): string | null {
  const row = world.rows.get(id)
  switch (call) {
    case "list":
      return listOf(world, fields)
    case "read":
      return row === undefined ? null : JSON.stringify(row)
    case "resolve":
      return row === undefined ? null : JSON.stringify(resolved(world, row, body))
    default:
      return "{}"
  }
}

function listOf(world: World, fields: URLSearchParams): string {
  const { rows } = world
  const status = fields.get("status") ?? "pending"
  const [page, limit] = [Number(fields.get("page") ?? 1), Number(fields.get("limit") ?? 100)]
  // There are no audit rows, so that nobody reads the whole list once more as if it were theirs.
  const wanted = fields.get("approval_type") === "audit" ? "audit" : status
  const all = page === 1 ? listedNow(world, wanted) : (world.listed.get(wanted) ?? [])
  const data = all.slice((page - 1) * limit, page * limit).filter((row) => rows.get(row.id) === row)
  const meta = { page, limit, total_pages: Math.ceil(all.length / limit), total_count: all.length }
  return `{"data":[${data.map(textOf).join(",")}],"meta":${JSON.stringify(meta)}}`
}

/** A list is put together when its first page is asked for, so that a long one costs the world little. */
function listedNow({ rows, listed }: World, status: string): readonly Row[] {
  const all = [...rows.values()].filter((row) => row["status"] === status && row["approval_type"] === "required")
  listed.set(status, all)
  return all
}

const texts = new WeakMap<Row, string>()

function textOf(row: Row): string {
  const text = texts.get(row) ?? JSON.stringify(row)
  texts.set(row, text)
  return text
}

function resolved(world: World, row: Row, body: string): Row {
  const { status, resolved_by, resolution_data } = JSON.parse(body)
  const now = Math.floor(Date.now() / 1_000)
  const next = { ...row, status, resolved_by, resolution_data, resolved_at: now, updated_at: now }
  world.rows.set(row.id, next)
  return next
}
