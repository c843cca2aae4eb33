// The client of one Agent Platform Service: carries out the flow's port `Platform` over HTTP.
import { z } from "zod"
import type { Approval } from "../domain/content/approval.ts"
import type { AuditPage, Capabilities, Page, Platform } from "../flow/ports.ts"
import { countRow, statusRow, toMs } from "./contract.ts"
import type { Envelope } from "./envelope.ts"
import { createListMemory, type ListedRow } from "./listed.ts"
import { createHoles, type Holes, paginate } from "./pages.ts"
import { readPage, type Slice } from "./read-page.ts"
import { createReader, get } from "./reader.ts"
import { createResolve, pathOf, type Resolve, type Resolving } from "./resolve.ts"
import { labelsOf, readListedRow } from "./row.ts"
import { createSessions } from "./sessions.ts"
import { createTransport, type HttpAnswer, type Request, type Transport, type TransportOptions } from "./transport.ts"

/** What a client needs. */
export interface PlatformClientOptions
  extends Pick<TransportOptions, "name" | "url" | "token" | "way" | "dispatcher" | "meter"> {
  /** The credential that we send with each resolve. Default `token`, as for everything else. */
  readonly resolving?: Resolving
  /** How long one call may take after it is sent, in ms. Default 10,000. */
  readonly timeoutMs?: number
  /** The longest answer that we read, in bytes. Default 8 MiB; a longer page is read in smaller pages. */
  readonly bodyLimitBytes?: number
  /** Epoch ms. With a clock, we believe `/info` for a minute; without it, we ask `/info` each time. */
  readonly clock?: () => number
}

/** The port, and a function that ends its connections. */
export interface PlatformClient extends Platform {
  readonly resolve: Resolve
  /** Breaks off what is under way and closes every connection. */
  readonly close: () => Promise<void>
}

const pendingFilter = "status=pending&approval_type=required"
const newest = (status: string) => `status=${status}&approval_type=required&limit=100&page=1`

/**
 * Makes a client. Polls, looks, and calls that people wait for have connections of their own. One is enough for polls
 * and one for looks (`docs/platform-facts.md`, trap 46). It sends a GET once more if the connection broke, a POST
 * never.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { name, url, resolving, clock, timeoutMs = 10_000, bodyLimitBytes = 8 * 1024 * 1024 } = options
  const common = { ...options, timeoutMs, bodyLimitBytes }
  const polls = createTransport({ ...common, connections: 1 })
  const looks = createTransport({ ...common, connections: 1 })
  const decisions = createTransport({ ...common, connections: 8 })
  const reader = createReader({ name, url })
  const list = async (transport: Transport, query: string): Promise<Envelope<string>> => {
    const request = listing(query)
    return reader.list(request, await get(transport, request))
  }
  const rowAt = async <Row>(transport: Transport, path: string, schema: z.ZodType<Row>): Promise<Row> => {
    const request: Request = { method: "GET", path }
    return reader.parse(request, schema, reader.json(request, await get(transport, request)))
  }
  const unlessGone = async <Found>(path: string, read: (request: Request, answer: HttpAnswer) => Found) => {
    const request: Request = { method: "GET", path }
    const answer = await get(decisions, request)
    return answer.status === 404 ? null : read(request, answer)
  }
  const remembered = createListMemory(name)
  const askPage = async (page: number, limit: number): Promise<Envelope<ListedRow>> => {
    const request = listing(`${pendingFilter}&limit=${limit}&page=${page}`)
    const answer = await get(polls, request)
    return remembered(request.path, answer, (same) => reader.list(request, same))
  }
  const sessions = createSessions(async (path) => {
    const request: Request = { method: "GET", path }
    const answer = await get(looks, request)
    if (answer.status >= 500 || answer.status === 429) return reader.refuse(request, answer)
    if (answer.status !== 200) return { status: answer.status, detail: reader.words(answer), body: null }
    return { status: 200, detail: "", body: reader.json(request, answer) }
  })
  const askAudits = async (page: number, limit: number): Promise<Envelope<AuditItem>> => {
    const envelope = await list(looks, `approval_type=audit&limit=${limit}&page=${page}`)
    return { ...envelope, items: envelope.items.map((item) => ({ id: labelsOf(item).id, item })) }
  }
  const holes = createHoles((filter) => list(polls, `${pendingFilter}&${filter}&limit=100&page=1`))
  return {
    pending: () => pendingOf(paginate(askPage), holes),
    approved: async () => decidedIn(name, await list(looks, newest("approved")), "approved"),
    rejected: async () => decidedIn(name, await list(looks, newest("rejected")), "rejected"),
    audits: () => auditsOf(name, paginate(askAudits)),
    ofRun: async (runId) => {
      const query = `approval_type=required&limit=100&page=1&run_id=${encodeURIComponent(runId)}`
      return readable(name, await list(decisions, query))
    },
    newest: together(() =>
      idsOf(readPage((page, limit) => list(decisions, `approval_type=required&limit=${limit}&page=${page}`), 1, 100)),
    ),
    capabilities: createCapabilities(
      together(() => rowAt(decisions, "/info", infoRow)),
      clock,
    ),
    upForMs: async () => {
      const request: Request = { method: "GET", path: "/health" }
      const answer = await get(looks, request)
      const startedAt = toMs(reader.parse(request, healthRow, reader.json(request, answer)).instantiated_at)
      return answer.date === null || startedAt === null ? null : Math.max(0, answer.date - startedAt)
    },
    session: sessions.runsOf,
    changedSessions: sessions.changed,
    count: async () => (await rowAt(looks, "/approvals/count", countRow)).count,
    get: (id) => unlessGone(pathOf(id), (request, answer) => reader.approval(request, id, answer)),
    status: (id) =>
      unlessGone(`${pathOf(id)}/status`, (request, answer) => {
        const { status, resolved_by } = reader.parse(request, statusRow, reader.json(request, answer))
        return { status, resolvedBy: resolved_by ?? null }
      }),
    delegated: resolving?.kind === "delegated",
    resolve: createResolve({ transport: decisions, reader, resolving }),
    close: async () => void (await Promise.all([polls, looks, decisions].map((one) => one.close()))),
  }
}

/** `GET /info`. Any field may be missing in some version. */
const infoRow = z.looseObject({ enforces_rejection: z.unknown().optional(), agno_version: z.string().nullish() })

/** `GET /health`: since when the process that answers has been running. */
const healthRow = z.looseObject({ instantiated_at: z.unknown().optional() })

/** For how long we believe an answer of `/info`, in ms. */
const believedMs = 60_000

/** Calls `read` at most once a minute, by `clock` (epoch ms). Throws a failure; the next call then asks again. */
function createCapabilities(
  read: () => Promise<z.infer<typeof infoRow>>,
  clock?: () => number,
): () => Promise<Capabilities> {
  let last: { readonly at: number; readonly capabilities: Capabilities } | null = null
  return async () => {
    const at = clock?.() ?? Number.POSITIVE_INFINITY
    if (last !== null && at - last.at < believedMs) return last.capabilities
    const row = await read()
    const capabilities = { enforcesRejection: row.enforces_rejection === true, version: row.agno_version ?? null }
    last = { at, capabilities }
    return capabilities
  }
}

/** Makes a function that asks once at a time: a call while an answer is under way gets the same answer. */
function together<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => {
    asked ??= ask().finally(() => {
      asked = null
    })
    return asked
  }
}

async function idsOf(parts: AsyncIterable<Slice<string>>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { items } of parts) {
    for (const row of items) {
      const { id } = labelsOf(row)
      if (id !== undefined) ids.push(id)
    }
  }
  return ids
}

function listing(query: string): Request {
  return { method: "GET", path: `/approvals?${query}` }
}

/** The slices of the list as pages of the port. The holes come last. */
async function* pendingOf(slices: AsyncIterable<Slice<ListedRow>>, holes: Holes): AsyncGenerator<Page> {
  const unread: string[] = []
  for await (const slice of slices) {
    for (const one of slice.holes) unread.push(one)
    const approvals = slice.items.flatMap((row) => (row.kind === "approval" ? [row.listed] : []))
    const unreadable = slice.items.flatMap((row) => (row.kind === "unreadable" ? [row.unreadable] : []))
    for (const { agentId } of approvals) holes.meet(agentId)
    if (approvals.length + unreadable.length > 0) yield { approvals, unreadable }
  }
  const where = await holes.locate(unread.length)
  if (unread.length > 0)
    yield { approvals: [], unreadable: unread.map((why) => ({ id: null, why: `${why} (${where})` })) }
}

/** A row of the list of audit rows, with its id if it has one. */
interface AuditItem {
  readonly id: string | undefined
  readonly item: string
}

/** The slices of the list as pages of the port. If a row is no audit row, the service ignores our filter. */
async function* auditsOf(instance: string, slices: AsyncIterable<Slice<AuditItem>>): AsyncGenerator<AuditPage> {
  for await (const { items, holes } of slices) {
    const read = items.map(({ item }) => readListedRow(instance, item))
    const approvals = read.flatMap((one) =>
      one.kind === "approval" && one.approval.approvalType === "audit" ? [one.approval] : [],
    )
    const unreadable = read.flatMap((one) => (one.kind === "unreadable" ? [{ id: one.id, why: one.why }] : []))
    yield { approvals, unreadable: [...unreadable, ...holes.map((why) => ({ id: null, why }))] }
  }
}

function decidedIn(instance: string, envelope: Envelope<string>, status: string): readonly Approval[] {
  return readable(instance, envelope).filter((approval) => approval.status === status)
}

function readable(instance: string, { items }: Envelope<string>): readonly Approval[] {
  const read = items.map((item) => readListedRow(instance, item))
  return read.flatMap((item) => (item.kind === "approval" ? [item.approval] : []))
}
