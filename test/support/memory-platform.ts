// An Agent Platform Service in memory: rows, one compare-and-set on `pending`, and a script of faults.
import type { Approval } from "../../src/domain/content/approval.ts"
import { isJsonObject, parseJson } from "../../src/domain/content/json.ts"
import type {
  Capabilities,
  Clock,
  Listed,
  Platform,
  Principal,
  Resolved,
  SessionRun,
  Unreadable,
} from "../../src/flow/ports.ts"
import { gistOf } from "../../src/platform/listed.ts"
import { platformFailure } from "./port-failure.ts"

/** What becomes of one resolve: nobody hears of it, though it was carried out or not; or an answer without effect. */
type ResolveFault =
  | { readonly kind: "unheard"; readonly applied: boolean }
  | { readonly kind: "answer"; readonly answer: Resolved }

/** What becomes of one read. */
type ReadFault = "timeout" | "missing" | "unauthorized" | "forbidden"

/** The platform, and what a test may do to it. */
export interface MemoryPlatform extends Platform {
  put(...approvals: readonly Approval[]): void
  /** Changes a row past the API, as another UI would. */
  change(id: string, changes: Partial<Approval>): void
  delete(id: string): void
  /**
   * Its database is away: it answers as if there were no approvals; `openly`, its lists fail instead. Null: it is back.
   */
  loses(sight: "quietly" | "openly" | null): void
  row(id: string): Approval
  rows(): readonly Approval[]
  /** The next resolves (reads) meet these faults, one each. */
  failResolve(...faults: readonly ResolveFault[]): void
  failGet(...faults: readonly ReadFault[]): void
  /** Runs when the next resolve arrives, before it is carried out. */
  beforeResolve(act: () => void): void
  /** The runs of each session; null, as at first, where the credential may not read them. */
  sessions(known: Readonly<Record<string, readonly SessionRun[]>> | null): void
  /** A session changes now: it is listed first. */
  touch(sessionId: string): void
  /** How often a session was asked for. */
  readonly sessionReads: number
  unreadable(...items: readonly Unreadable[]): void
  /** What the instance says of itself from now on; null: it does not answer. */
  becomes(nature: Capabilities | null): void
  /** Since when its process runs; null, as at first: it does not say. */
  starts(at: number | null): void
  /** Every body that arrived, in order. */
  readonly bodies: readonly string[]
  /** For whom each of them came. */
  readonly principals: readonly Principal[]
  /** How many resolves took effect. */
  readonly effects: number
  /** How often `newest` was asked. */
  readonly lists: number
  /** How often `get` was asked. */
  readonly reads: number
}

/** Makes a platform without approvals. `pageSize` rows stand on one page of the list. */
export function createMemoryPlatform(clock: Clock, pageSize = 50): MemoryPlatform {
  const rows = new Map<string, Approval>()
  const bodies: string[] = []
  const principals: Principal[] = []
  const resolveFaults: ResolveFault[] = []
  const readFaults: ReadFault[] = []
  const broken: Unreadable[] = []
  const before: (() => void)[] = []
  let away: "quietly" | "openly" | null = null
  /** The rows that can be seen, newest first. */
  const seen = (fits: (one: Approval) => boolean): readonly Approval[] => {
    if (away === "openly") throw platformFailure("server")
    return away === null ? [...rows.values()].filter(fits).toReversed() : []
  }
  let sessions: Map<string, readonly SessionRun[]> | null = null
  const touched = new Map<string, number>()
  let sessionReads = 0
  let nature: Capabilities | null = { enforcesRejection: false, version: "3.1.10" }
  let startedAt: number | null = null
  let effects = 0
  let lists = 0
  let reads = 0
  const row = (id: string): Approval => {
    const found = rows.get(id)
    if (found === undefined) throw new Error(`no approval ${id}`)
    return found
  }
  const apply = (id: string, body: string): Resolved => {
    const found = rows.get(id)
    if (found === undefined || away !== null) return { kind: "refused", status: 404, detail: "Approval not found" }
    if (found.status !== "pending") return { kind: "conflict", detail: `Approval is already '${found.status}'` }
    const approval = resolvedBy(found, body, clock())
    rows.set(id, approval)
    effects += 1
    return { kind: "row", approval }
  }
  return {
    pending: async function* () {
      const open = seen((one) => one.status === "pending")
      for (let at = 0; at === 0 || at < open.length; at += pageSize)
        yield { approvals: open.slice(at, at + pageSize).map(listedAs), unreadable: at === 0 ? broken : [] }
    },
    rejected: async () => seen((one) => one.status === "rejected"),
    audits: async function* () {
      const audits = [...rows.values()].filter((one) => one.approvalType === "audit").toReversed()
      for (let at = 0; at === 0 || at < audits.length; at += pageSize)
        yield { approvals: audits.slice(at, at + pageSize), unreadable: at === 0 ? broken : [] }
    },
    session: async (id) => {
      sessionReads += 1
      return sessions === null ? null : (sessions.get(id) ?? [])
    },
    touch: (id) => {
      touched.delete(id)
      touched.set(id, clock())
    },
    changedSessions: async (page) => {
      if (sessions === null) return null
      const all = [...touched].map(([sessionId, changedAt]) => ({ sessionId, changedAt })).toReversed()
      return all.slice((page - 1) * pageSize, page * pageSize)
    },
    sessions: (known) => {
      sessions = known === null ? null : new Map(Object.entries(known))
    },
    get sessionReads() {
      return sessionReads
    },
    approved: async () => seen((one) => one.status === "approved"),
    newest: async () => {
      lists += 1
      return seen(() => true)
        .slice(0, 100)
        .map(({ id }) => id)
    },
    get lists() {
      return lists
    },
    loses: (sight) => {
      away = sight
    },
    ofRun: async (runId) => seen((one) => one.runId === runId),
    capabilities: async () => {
      if (nature === null) throw platformFailure()
      return nature
    },
    becomes: (next) => {
      nature = next
    },
    upForMs: async () => (startedAt === null ? null : clock() - startedAt),
    starts: (at) => {
      startedAt = at
    },
    count: async () => (away === null ? seen((one) => one.status === "pending").length : 0),
    get: async (id) => {
      reads += 1
      const fault = readFaults.shift()
      if (fault === "missing") return null
      if (fault !== undefined) throw platformFailure(fault, fault !== "forbidden")
      return away === null ? (rows.get(id) ?? null) : null
    },
    status: async (id) => {
      const found = away === null ? rows.get(id) : undefined
      return found === undefined ? null : { status: found.status, resolvedBy: found.resolvedBy }
    },
    delegated: false,
    resolve: async (id, body, principal, mayLeave) => {
      before.shift()?.()
      if (!mayLeave()) return { kind: "held-back" }
      bodies.push(body)
      principals.push(principal)
      const fault = resolveFaults.shift()
      if (fault?.kind === "answer") return fault.answer
      if (fault?.kind === "unheard") {
        if (fault.applied) apply(id, body)
        throw platformFailure()
      }
      return apply(id, body)
    },
    put: (...approvals) => {
      for (const one of approvals) rows.set(one.id, one)
    },
    change: (id, changes) => void rows.set(id, { ...row(id), ...changes }),
    delete: (id) => void rows.delete(id),
    row,
    rows: () => [...rows.values()],
    failResolve: (...faults) => void resolveFaults.push(...faults),
    failGet: (...faults) => void readFaults.push(...faults),
    beforeResolve: (act) => void before.push(act),
    unreadable: (...items) => void broken.push(...items),
    bodies,
    principals,
    get effects() {
      return effects
    },
    get reads() {
      return reads
    },
  }
}

function resolvedBy(found: Approval, body: string, at: number): Approval {
  const told = parseJson(body)
  if (!isJsonObject(told)) throw new Error("the body is no object")
  const { status, resolved_by: by, resolution_data: data } = told
  if (typeof status !== "string") throw new Error("the body has no status")
  return {
    ...found,
    status,
    resolvedBy: typeof by === "string" ? by : null,
    resolutionData: isJsonObject(data) ? data : null,
    resolvedAt: at,
    updatedAt: at,
  }
}

/** An approval as the list names it. */
export function listedAs(approval: Approval): Listed {
  return { ...gistOf(approval), read: () => approval }
}
