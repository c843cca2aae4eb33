// The store in memory. It has the same compare-and-set, consumed interactions, config revision, indexes and epochs as
// Redis.

import { isUnfinished } from "../../src/domain/case/card-model.ts"
import type { Case } from "../../src/domain/case/case.ts"
import { nextDeadline } from "../../src/domain/case/deadline-steps.ts"
import type { CaseEvent } from "../../src/domain/case/event.ts"
import { parseJson } from "../../src/domain/content/json.ts"
import { markOf } from "../../src/domain/content/run-report.ts"
import type { SumId } from "../../src/domain/limit/sum.ts"
import { isAnswerable } from "../../src/domain/send-back/proposals.ts"
import type {
  Admission,
  CaseChange,
  CaseStore,
  Commit,
  Committed,
  Freshness,
  IdentityLink,
  IdentityLinks,
  OpenedView,
  StoreStanding,
  Tampered,
  Views,
} from "../../src/flow/ports.ts"
import { caseFor } from "../../src/store/cases/bounded-case.ts"
import { keepsEra } from "../../src/store/cases/case-commit.ts"
import { chainOf } from "../../src/store/redis/keys.ts"
import { createMemoryFingerprints, type MemoryFingerprints } from "./memory-fingerprints.ts"
import { createMemorySums, type MemorySums } from "./memory-sums.ts"

/** What the server holds of one case. `text` is its JSON, as it would travel. */
interface Stored {
  readonly text: string
  readonly tampered: boolean
  readonly frozen: boolean
}

/** One entry of the ledger. */
export type LedgerEntry = CaseEvent & { readonly caseId: string }

/** A server that several processes share. */
export interface MemoryServer {
  /** The store as a process with this config revision sees it. */
  store(configRevision: string): CaseStore
  readonly freshness: Freshness
  /** The era that is now. */
  era(): number
  readonly identityLinks: IdentityLinks
  readonly views: Views
  readonly ledger: readonly LedgerEntry[]
  /** The case as it is now. Throws if there is none, or if it is tampered with. */
  case(caseId: string): Case
  cases(): readonly Case[]
  /** Writes a case as if we had sealed it, past every step: for what only a thief of the key could do. */
  overwrite(next: Case): void
  /** Changes the record without our key. */
  tamper(caseId: string): void
  /** The server restarts, under another epoch; with `to`, as it was when that was taken: what came later is lost. */
  restart(to?: Snapshot): void
  snapshot(): Snapshot
  /** Makes another config revision the active one. */
  activate(revision: string): void
  /** The config revision that is active. */
  active(): string
  readonly sums: MemorySums
  readonly fingerprints: MemoryFingerprints
  /** An era begins that touches this sum. */
  touchSum(id: SumId): void
  /** An era begins that touches these cases. */
  touch(...caseIds: readonly string[]): void
  /** From now on Redis stands so to what is known of it. */
  stand(standing: StoreStanding): void
  /** What happens when the flow has the end of the ledger asked for. */
  onSettle(act: () => void): void
}

/** All that a server remembers at one moment. */
export interface Snapshot {
  readonly cases: ReadonlyMap<string, Stored>
  readonly ledger: readonly LedgerEntry[]
  readonly consumed: ReadonlySet<string>
}

/** What is in the server's memory. */
interface Memory {
  readonly sums: MemorySums
  readonly fingerprints: MemoryFingerprints
  cases: Map<string, Stored>
  ledger: LedgerEntry[]
  consumed: Set<string>
  epoch: number
  /** Cases that an era touched and that were not begun anew. */
  touched: Set<string>
  era: number
  standing: StoreStanding
  onSettle: () => void
  /** The config revision that is active. */
  active: string
}

/** Makes an empty server with this config revision active; `clock` is its own. */
export function createMemoryServer(revision: string, clock: () => number): MemoryServer {
  const memory: Memory = {
    sums: createMemorySums(),
    fingerprints: createMemoryFingerprints(),
    cases: new Map(),
    ledger: [],
    consumed: new Set(),
    epoch: 1,
    touched: new Set(),
    era: 0,
    standing: { kind: "fresh" },
    onSettle: () => undefined,
    active: revision,
  }
  const mark = (caseId: string, change: Partial<Stored>) => {
    const found = memory.cases.get(caseId)
    if (found !== undefined) memory.cases.set(caseId, { ...found, ...change })
  }
  return {
    store: (configRevision) => storeOf(memory, configRevision, clock),
    freshness: {
      isTouched: (caseId) => memory.touched.has(caseId),
      touched: (limit) => [...memory.touched].slice(0, limit),
      standing: () => memory.standing,
      isShaken: (sums, era) => memory.sums.isShaken(sums, era),
    },
    era: () => memory.era,
    active: () => memory.active,
    sums: memory.sums,
    fingerprints: memory.fingerprints,
    touchSum: (id) => {
      memory.era += 1
      memory.sums.touch(id, memory.era)
    },
    identityLinks: createIdentityLinks(),
    views: createViews(),
    get ledger() {
      return memory.ledger
    },
    case: (caseId) => caseIn(memory, caseId),
    cases: () => allIn(memory),
    overwrite: (next) => mark(next.id, { text: JSON.stringify(next) }),
    tamper: (caseId) => mark(caseId, { tampered: true }),
    restart: (to) => {
      memory.epoch += 1
      if (to === undefined) return
      memory.cases = new Map(to.cases)
      memory.ledger = [...to.ledger]
      memory.consumed = new Set(to.consumed)
    },
    snapshot: () => {
      const { cases, ledger, consumed } = memory
      return { cases: new Map(cases), ledger: [...ledger], consumed: new Set(consumed) }
    },
    activate: (next) => {
      memory.active = next
    },
    touch: (...caseIds) => {
      memory.era += 1
      for (const caseId of caseIds) memory.touched.add(caseId)
    },
    stand: (standing) => {
      memory.standing = standing
    },
    onSettle: (act) => {
      memory.onSettle = act
    },
  }
}

function storeOf(memory: Memory, configRevision: string, clock: () => number): CaseStore {
  return {
    epoch: async () => `epoch-${memory.epoch}`,
    upForMs: async () => (memory.epoch === 1 ? Number.POSITIVE_INFINITY : 1_000),
    sharedClock: async () => clock,
    read: async (caseId) => readFrom(memory, caseId),
    readFor: async (act, { era, read = readFrom(memory, act.target.caseId) }) =>
      caseFor(boundOf(memory), act, { era, read }),
    commit: async (made) => commitTo(memory, configRevision, made),
    sums: async (ids) => ids.map((id) => memory.sums.read(id)),
    fingerprints: async (ids) => ids.map((id) => memory.fingerprints.read(id)),
    forgetOld: async (learning) => memory.fingerprints.age(learning),
    // What others do meanwhile, in whatever process, is found by the commit.
    inTurn: async (_ids, work) => work(),
    putSum: async (change) => {
      const same = configRevision === memory.active && memory.sums.compare([change])
      if (same) memory.sums.write([change])
      return same
    },
    decidedSince: async (at) => {
      const deciding = ["decided", "resolved", "elsewhere", "recovered"]
      const told = memory.ledger.filter((one) => one.at >= at && deciding.includes(one.kind))
      return { cases: [...new Set(told.map(({ caseId }) => caseId))] }
    },
    freeze: async (caseId, events) => {
      const found = memory.cases.get(caseId)
      if (found === undefined || found.frozen) return
      memory.cases.set(caseId, { ...found, frozen: true })
      memory.ledger.push(...events.map((event) => ({ ...event, caseId })))
    },
    consumed: async (interaction) => memory.consumed.has(interaction),
    known: async (instance, ids) => {
      const asked = allIn(memory).filter((one) => one.instance === instance && ids.includes(one.approvalId))
      return new Map(asked.map((one) => [one.approvalId, knownAs(one)]))
    },
    openApprovals: async function* (instance) {
      const open = allIn(memory).filter((one) => one.instance === instance && waits(one))
      yield open.map((one) => one.approvalId)
    },
    about: async (instance, calls) => {
      const shared = allIn(memory).filter((one) => one.instance === instance && one.state !== "closed")
      const named = (one: Case) => [...one.calls, ...(one.lasting === undefined ? [] : [one.lasting.key])]
      return shared.filter((one) => named(one).some((call) => calls.includes(call))).map((one) => one.id)
    },
    sentBackIn: async (instance, session) =>
      allIn(memory)
        .filter((one) => one.instance === instance && one.sentBack?.session === session && isAnswerable(one))
        .map((one) => one.id),
    unfinished: async (limit, turn = 0) => {
      const found = liveIn(memory).filter(isUnfinished)
      const oldest = found.toSorted((a, b) => a.openedAt - b.openedAt)
      const start = (turn * limit) % (Math.max(1, Math.ceil(oldest.length / limit)) * limit)
      return oldest.slice(start, start + limit).map((one) => one.id)
    },
    deadlines: async (limit) =>
      liveIn(memory)
        .flatMap((one) => ({ caseId: one.id, at: nextDeadline(one) ?? Number.NaN }))
        .filter(({ at }) => !Number.isNaN(at))
        .toSorted((a, b) => a.at - b.at)
        .slice(0, limit),
    listOpen: async ({ offset, limit, beginning = "" }) => {
      const listed = liveIn(memory).filter((one) => waits(one) && begins(one, beginning))
      const roomFirst = (a: Case, b: Case) => Number(b.admission.given) - Number(a.admission.given)
      const oldest = listed.toSorted((a, b) => roomFirst(a, b) || madeAt(a) - madeAt(b))
      return { cases: oldest.slice(offset, offset + limit), total: oldest.length }
    },
    listSettled: async ({ offset, limit }) => {
      const listed = allIn(memory).filter((one) => one.state === "settled" || one.state === "closed")
      const latest = listed.toSorted((a, b) => (b.outcome?.at ?? 0) - (a.outcome?.at ?? 0))
      return { cases: latest.slice(offset, offset + limit), total: latest.length }
    },
  }
}

function readFrom(memory: Memory, caseId: string): Case | Tampered | null {
  const found = memory.cases.get(caseId)
  if (found === undefined) return null
  return found.tampered ? { kind: "tampered", caseId, why: "it was tampered with" } : parseCase(found)
}

/** What this server knows of chains. */
function boundOf(memory: Memory) {
  return {
    era: () => memory.era,
    isTouched: (chain: string) => [...memory.touched].some((caseId) => chainOf.case(caseId) === chain),
    settle: async () => memory.onSettle(),
  }
}

/** The one commit, in the order of the script: duplicate, config, stale; then all of it. */
function commitTo(memory: Memory, configRevision: string, commit: Commit): Committed {
  const { interaction, within, besides = [], sums = [], fingerprints = [], ...first } = commit
  if (interaction !== undefined && memory.consumed.has(interaction)) return { kind: "duplicate" }
  if (configRevision !== memory.active) return { kind: "config" }
  for (const { next, expectedVersion } of [first, ...besides]) {
    const now = memory.cases.get(next.id)
    if (now?.frozen === true) return { kind: "frozen", caseId: next.id }
    const current = now === undefined ? null : parseCase(now)
    if ((current?.version ?? 0) !== expectedVersion) return { kind: "stale", caseId: next.id, case: current }
  }
  if (!memory.sums.compare(sums) || !memory.fingerprints.compare(fingerprints)) return { kind: "sum" }
  if (within !== undefined && isFull(memory, first.next, within)) return { kind: "full" }
  for (const change of [first, ...besides]) write(memory, change)
  memory.sums.write(sums)
  memory.fingerprints.write(fingerprints)
  if (interaction !== undefined) memory.consumed.add(interaction)
  const written = besides.map(({ next }) => caseIn(memory, next.id))
  return { kind: "committed", case: caseIn(memory, first.next.id), besides: written }
}

function write(memory: Memory, { next, expectedVersion, events }: CaseChange): void {
  const count = memory.ledger.filter((entry) => entry.caseId === next.id).length
  if (next.chain.count !== count) throw new Error("the ledger is damaged")
  memory.ledger.push(...events.map((event) => ({ ...event, caseId: next.id })))
  const era = keepsEra(next, events) ? next.chain.era : memory.era
  const chain = { count: count + events.length, mac: "", era }
  const written: Case = { ...next, version: expectedVersion + 1, chain }
  if (events.some(({ kind }) => kind === "renewed" || kind === "doubtful" || kind === "opened"))
    memory.touched.delete(next.id)
  memory.cases.set(next.id, { text: JSON.stringify(written), tampered: false, frozen: false })
}

function isFull(memory: Memory, { instance, admission }: Case, { perInstance, perAgent }: Admission): boolean {
  const admitted = allIn(memory).filter((one) => one.instance === instance && one.admission.given && waits(one))
  return (
    admitted.length >= perInstance ||
    admitted.filter((one) => one.admission.agent === admission.agent).length >= perAgent
  )
}

function caseIn(memory: Memory, caseId: string): Case {
  const found = memory.cases.get(caseId)
  if (found === undefined || found.tampered) throw new Error(`no readable case ${caseId}`)
  return parseCase(found)
}

function allIn(memory: Memory): readonly Case[] {
  return [...memory.cases.values()].map(parseCase)
}

function liveIn(memory: Memory): readonly Case[] {
  return allIn(memory).filter((one) => memory.cases.get(one.id)?.frozen === false)
}

/** Cases that were parsed already. They are frozen, so that a step which changed one would be found out. */
const parsed = new WeakMap<Stored, Case>()

function parseCase(stored: Stored): Case {
  const known = parsed.get(stored)
  if (known !== undefined) return known
  const made = frozen(parseJson(stored.text)) as unknown as Case
  parsed.set(stored, made)
  return made
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

function knownAs(one: Case): string {
  const over = one.state === "settled" || one.state === "closed"
  return over ? "" : markOf(one.revision.digest, one.revision.policy, one.reported?.status ?? null)
}

function waits(one: Case): boolean {
  return one.state === "open" || one.state === "sending"
}

function begins({ id, approvalId }: Case, beginning: string): boolean {
  return id.startsWith(beginning) || approvalId.startsWith(beginning)
}

function madeAt(one: Case): number {
  return one.summary.createdAt ?? one.openedAt
}

function createIdentityLinks(): IdentityLinks {
  const pinned = new Map<string, IdentityLink>()
  return {
    read: async (email) => pinned.get(email) ?? null,
    pin: async (email, person) => {
      const known = pinned.get(email) ?? { person, contested: null }
      pinned.set(email, known)
      return known
    },
    contest: async (email, now) => {
      const known = pinned.get(email)
      if (known !== undefined) pinned.set(email, { ...known, contested: now })
    },
  }
}

function createViews(): Views {
  const opened = new Map<string, OpenedView>()
  return {
    remember: async (view) => void opened.set(view.viewId, view),
    read: async (viewId) => opened.get(viewId) ?? null,
  }
}
