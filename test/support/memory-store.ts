// The store in memory: the same compare-and-set, consumed interactions, config revision, indexes and epochs as in Redis.
import { type Case, markOf } from "../../src/domain/case.ts"
import type { CaseEvent } from "../../src/domain/event.ts"
import { isUnfinished } from "../../src/domain/face.ts"
import { parseJson } from "../../src/domain/json.ts"
import type { SlackId } from "../../src/domain/person.ts"
import type { CaseStore, Commit, Committed, OpenedView, Pins, Views } from "../../src/flow/ports.ts"

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
  readonly pins: Pins & { set(email: string, to: SlackId): void }
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
}

/** All that a server remembers at one moment. */
export interface Snapshot {
  readonly cases: ReadonlyMap<string, Stored>
  readonly ledger: readonly LedgerEntry[]
  readonly consumed: ReadonlySet<string>
}

/** Makes an empty server with this config revision active. */
export function createMemoryServer(revision: string): MemoryServer {
  let cases = new Map<string, Stored>()
  let ledger: LedgerEntry[] = []
  let consumed = new Set<string>()
  let epoch = 1
  let active = revision
  const all = (): readonly Case[] => [...cases.values()].map((one) => parseCase(one.text))
  const live = (): readonly Case[] => all().filter((one) => cases.get(one.id)?.frozen === false)
  const read = (caseId: string): Case => {
    const found = cases.get(caseId)
    if (found === undefined || found.tampered) throw new Error(`no readable case ${caseId}`)
    return parseCase(found.text)
  }
  const write = (next: Case): void => {
    cases.set(next.id, { text: JSON.stringify(next), tampered: false, frozen: false })
  }
  const append = (caseId: string, events: readonly CaseEvent[]): void => {
    ledger.push(...events.map((event) => ({ ...event, caseId })))
  }
  const lengthOf = (caseId: string): number => ledger.filter((entry) => entry.caseId === caseId).length
  const commit = (configRevision: string, { next, expectedVersion, events, interaction }: Commit): Committed => {
    if (interaction !== undefined && consumed.has(interaction)) return { kind: "duplicate" }
    if (configRevision !== active) return { kind: "config" }
    const now = cases.get(next.id)
    if (now?.frozen === true) return { kind: "stale", case: null }
    const current = now === undefined ? null : parseCase(now.text)
    if ((current?.version ?? 0) !== expectedVersion) return { kind: "stale", case: current }
    if (next.chain.count !== lengthOf(next.id)) throw new Error("the ledger is damaged")
    append(next.id, events)
    const written = { ...next, version: expectedVersion + 1, chain: { count: lengthOf(next.id), mac: "" } }
    write(written)
    if (interaction !== undefined) consumed.add(interaction)
    return { kind: "committed", case: read(next.id) }
  }
  const store = (configRevision: string): CaseStore => ({
    epoch: async () => `epoch-${epoch}`,
    read: async (caseId) => {
      const found = cases.get(caseId)
      if (found === undefined) return null
      return found.tampered ? { kind: "tampered", caseId } : parseCase(found.text)
    },
    commit: async (made) => commit(configRevision, made),
    freeze: async (caseId, events) => {
      const found = cases.get(caseId)
      if (found === undefined || found.frozen) return
      cases.set(caseId, { ...found, frozen: true })
      append(caseId, events)
    },
    consumed: async (interaction) => consumed.has(interaction),
    known: async (instance, ids) => {
      const asked = all().filter((one) => one.instance === instance && ids.includes(one.approvalId))
      return new Map(
        asked.map((one) => [
          one.approvalId,
          waits(one) || one.state === "frozen" ? markOf(one.revision.digest, one.revision.policy) : "",
        ]),
      )
    },
    openApprovals: async (instance) =>
      all()
        .filter((one) => one.instance === instance && waits(one))
        .map((one) => one.approvalId),
    unfinished: async (limit) => {
      const found = live().filter(isUnfinished)
      return found
        .toSorted((a, b) => a.openedAt - b.openedAt)
        .slice(0, limit)
        .map((one) => one.id)
    },
    listOpen: async ({ offset, limit }) => {
      const listed = live()
        .filter(waits)
        .toSorted((a, b) => madeAt(b) - madeAt(a))
      return { cases: listed.slice(offset, offset + limit), total: listed.length }
    },
  })
  return {
    store,
    pins: createPins(),
    views: createViews(),
    get ledger() {
      return ledger
    },
    case: read,
    cases: all,
    overwrite: write,
    tamper: (caseId) => {
      const found = cases.get(caseId)
      if (found !== undefined) cases.set(caseId, { ...found, tampered: true })
    },
    restart: (to) => {
      epoch += 1
      if (to === undefined) return
      cases = new Map(to.cases)
      ledger = [...to.ledger]
      consumed = new Set(to.consumed)
    },
    snapshot: () => ({ cases: new Map(cases), ledger: [...ledger], consumed: new Set(consumed) }),
    activate: (next) => {
      active = next
    },
  }
}

function createPins(): MemoryServer["pins"] {
  const pinned = new Map<string, SlackId>()
  return {
    read: async (email) => pinned.get(email) ?? null,
    pin: async (email, to) => {
      const known = pinned.get(email) ?? to
      pinned.set(email, known)
      return known
    },
    set: (email, to) => void pinned.set(email, to),
  }
}

function createViews(): Views {
  const opened = new Map<string, OpenedView>()
  return {
    remember: async (view) => void opened.set(view.viewId, view),
    read: async (viewId) => opened.get(viewId) ?? null,
  }
}

function parseCase(text: string): Case {
  return parseJson(text) as unknown as Case
}

function waits(one: Case): boolean {
  return one.state === "open" || one.state === "sending"
}

function madeAt(one: Case): number {
  return one.summary.createdAt ?? one.openedAt
}
