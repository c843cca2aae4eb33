// The client of one Agent Platform Service: what the flow's port `Platform` asks, over HTTP.
import type { Dispatcher } from "undici"
import type { z } from "zod"
import { type Approval } from "../domain/approval.ts"
import { isJsonObject, type Json, parseJson } from "../domain/json.ts"
import type { Page, Platform, Resolved, Unreadable } from "../flow/ports.ts"
import { countRow, readItem, statusRow, whyNot } from "./contract.ts"
import { detailOf } from "./detail.ts"
import { type Envelope, readEnvelope } from "./envelope.ts"
import { codeOf, PlatformError } from "./errors.ts"
import { createHoles, type Holes } from "./holes.ts"
import { walkPages } from "./pages.ts"
import type { Slice } from "./read-page.ts"
import { type Answer, createTransport, type Request, type Transport } from "./transport.ts"

/** What a client is made of. */
export interface PlatformClientOptions {
  /** The instance's name in the config. */
  readonly name: string
  /** Its address; with a path if it lies behind one. */
  readonly url: string
  /** Any bearer credential: a service-account token, a JWT, a security key. Undefined: none is sent. */
  readonly token: string | undefined
  /** How long one call may take, ms. Default 10000. */
  readonly timeoutMs?: number
  /** The longest answer that is read, bytes. Default 8 MiB: a row of 2 MB fits, a page of 200 MB is read in smaller ones. */
  readonly bodyLimitBytes?: number
  /** Instead of own connections, for tests. The caller closes it. */
  readonly dispatcher?: Dispatcher
}

/** The port, and what ends its connections. */
export interface PlatformClient extends Platform {
  /** Breaks off what is under way and closes every connection. */
  readonly close: () => Promise<void>
}

const FILTER = "status=pending&approval_type=required"
const APPROVED = "status=approved&approval_type=required&limit=100&page=1"

/**
 * Makes a client. Polling has one connection, since more gain nothing (`facts/agentos.md`, trap 46); reading one approval and resolving
 * have their own, so that no decision waits behind a poll. A GET whose connection broke is sent once more; a POST never is.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { name, url, token, timeoutMs = 10_000, bodyLimitBytes = 8 * 1024 * 1024, dispatcher } = options
  const common = { name, url, token, timeoutMs, bodyLimitBytes, dispatcher }
  const polls = createTransport({ ...common, connections: 1 })
  const decisions = createTransport({ ...common, connections: 8 })
  const reader = createReader(name, token)
  const list = async (query: string): Promise<Envelope> => {
    const request: Request = { method: "GET", path: `/approvals?${query}` }
    const body = reader.json(request, await get(polls, request))
    return readEnvelope(body) ?? reader.fail(request, "unexpected_shape", "no list of approvals")
  }
  const ask = (query: string) => list(`${FILTER}&${query}`)
  const askPage = (page: number, limit: number) => ask(`limit=${limit}&page=${page}`)
  const holes = createHoles((filter) => ask(`${filter}&limit=100&page=1`))
  return {
    pending: () => pendingOf(name, walkPages(askPage), holes),
    approved: async () => approvedIn(name, await list(APPROVED)),
    count: async () => {
      const request: Request = { method: "GET", path: "/approvals/count" }
      return reader.parse(request, countRow, reader.json(request, await get(polls, request))).count
    },
    get: (id) => getApproval(decisions, reader, id),
    status: (id) => getStatus(decisions, reader, id),
    resolve: (id, body) => resolve(decisions, reader, { id, body }),
    close: async () => void (await Promise.all([polls.close(), decisions.close()])),
  }
}

async function get(transport: Transport, request: Request): Promise<Answer> {
  try {
    return await transport.exchange(request)
  } catch (error) {
    if (error instanceof PlatformError && error.code === "cut") return transport.exchange(request)
    throw error
  }
}

/** Reads answers to requests; what is wrong with one becomes a `PlatformError` that names it. */
function createReader(name: string, token: string | undefined) {
  const fail = (request: Request, code: "not_json" | "unexpected_shape", detail: string, cause?: unknown): never => {
    throw new PlatformError({ instance: name, method: request.method, path: request.path }, { code, detail, cause })
  }
  const refuse = (request: Request, { status, text }: Answer): never => {
    const call = { instance: name, method: request.method, path: request.path }
    throw new PlatformError(call, { code: codeOf(status), status, detail: detailOf(text, token) })
  }
  const json = (request: Request, answer: Answer): Json => {
    if (answer.status !== 200) return refuse(request, answer)
    try {
      return parseJson(answer.text)
    } catch (error) {
      return fail(request, "not_json", detailOf(answer.text, token), error)
    }
  }
  const parse = <Row>(request: Request, schema: z.ZodType<Row>, body: Json): Row => {
    const row = schema.safeParse(body)
    return row.success ? row.data : fail(request, "unexpected_shape", whyNot(row.error))
  }
  const approval = (request: Request, id: string, answer: Answer): Approval => {
    const item = readItem(name, json(request, answer))
    if (item.kind === "unreadable") return fail(request, "unexpected_shape", item.why)
    return item.approval.id === id ? item.approval : fail(request, "unexpected_shape", "another approval's record")
  }
  return { fail, refuse, json, parse, approval, words: (answer: Answer) => detailOf(answer.text, token) }
}

type Reader = ReturnType<typeof createReader>

async function getApproval(transport: Transport, reader: Reader, id: string): Promise<Approval | null> {
  const request: Request = { method: "GET", path: pathOf(id) }
  const answer = await get(transport, request)
  return answer.status === 404 ? null : reader.approval(request, id, answer)
}

async function getStatus(transport: Transport, reader: Reader, id: string) {
  const request: Request = { method: "GET", path: `${pathOf(id)}/status` }
  const answer = await get(transport, request)
  if (answer.status === 404) return null
  const row = reader.parse(request, statusRow, reader.json(request, answer))
  return { status: row.status, resolvedBy: row.resolved_by ?? null }
}

async function resolve(
  transport: Transport,
  reader: Reader,
  verdict: { readonly id: string; readonly body: string },
): Promise<Resolved> {
  const request = { method: "POST", path: `${pathOf(verdict.id)}/resolve`, body: verdict.body } as const
  const answer = await transport.exchange(request)
  const { status } = answer
  switch (status) {
    case 200:
      return { kind: "row", approval: reader.approval(request, verdict.id, answer) }
    case 409:
      return { kind: "conflict", detail: reader.words(answer) }
    case 403:
    case 404:
    case 422:
      return { kind: "refused", status, detail: reader.words(answer) }
    case 401:
    case 429:
      return { kind: "later", status, detail: reader.words(answer) }
    default:
      return reader.refuse(request, answer)
  }
}

function pathOf(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`
}

/** Slices of the list as pages of the port. Each item is checked again: a filter may have been ignored (trap 9). Holes come last. */
async function* pendingOf(instance: string, slices: AsyncIterable<Slice>, holes: Holes): AsyncGenerator<Page> {
  const unread: string[] = []
  for await (const slice of slices) {
    const approvals: Approval[] = []
    const unreadable: Unreadable[] = []
    unread.push(...slice.holes)
    for (const item of slice.items.filter(mayBePending)) {
      const read = readItem(instance, item)
      if (read.kind === "approval") approvals.push(read.approval)
      else unreadable.push({ id: read.id, why: read.why })
    }
    for (const { agentId } of approvals) holes.meet(agentId)
    if (approvals.length + unreadable.length > 0) yield { approvals, unreadable }
  }
  const where = await holes.locate(unread.length)
  if (unread.length > 0)
    yield { approvals: [], unreadable: unread.map((why) => ({ id: null, why: `${why} (${where})` })) }
}

function approvedIn(instance: string, { items }: Envelope): readonly Approval[] {
  const read = items.map((item) => readItem(instance, item))
  return read.flatMap((item) =>
    item.kind === "approval" && item.approval.status === "approved" ? [item.approval] : [],
  )
}

/** False for what says that it is decided, or only an audit record. What is malformed stays in, to be reported. */
function mayBePending(item: Json): boolean {
  if (!isJsonObject(item)) return true
  const { status, approval_type: type } = item
  return (status === "pending" || typeof status !== "string") && (type === "required" || typeof type !== "string")
}
