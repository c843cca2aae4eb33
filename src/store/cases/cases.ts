// The cases: read, committed, listed (port `CaseStore`).
import type { Case } from "../../domain/case/case.ts"
import type { CaseChange, CaseStore, Clock, Commit, Committed, SumChange } from "../../flow/ports.ts"
import type { ActiveToken } from "../config/config-revision.ts"
import { attempt, StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { Head } from "../freshness/head.ts"
import type { RecordWriter } from "../ledger/chained-record.ts"
import { damagedRecord, type RecordCommitted, type RecordWrite } from "../ledger/commit.ts"
import { type ChainHead, extendChain, noEntries, openEntry } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { readChain, readEntry } from "../ledger/read-ledger.ts"
import { chainOf } from "../redis/keys.ts"
import { readRecord, type StoredRecord } from "../redis/sealed-record.ts"
import { type BoundedOptions, caseFor, judgeRecord, readBoundedCase } from "./bounded-case.ts"
import { openCase, openTombstone, type Tombstone } from "./case-codec.ts"
import { caseCommit } from "./case-commit.ts"
import { createCaseLists } from "./case-lists.ts"
import { type CaseMemory, type CaseName, createCaseMemory, createCaseNames } from "./case-memory.ts"
import { createEndedDecisions } from "./ended-decisions.ts"
import { createFingerprints, type Fingerprints } from "./fingerprints.ts"
import { createTurn, decidedSince, isLostSince, readSums, standsAsRead, sumWrite } from "./sums.ts"

/** What the cases need. */
export interface CasesOptions extends BoundedOptions, RecordWriter {
  readonly installation: string
  /** What must be active for a commit to count (R16). */
  readonly config: ActiveToken
  readonly epoch: () => Promise<string>
  readonly upForMs: () => Promise<number>
  readonly sharedClock: () => Promise<Clock>
  readonly freshness: LedgerFreshness
}

/** Makes the cases of an installation. Every call throws `StoreError` if Redis does not answer. */
export function createCases(given: CasesOptions): CaseStore {
  const prints = createFingerprints(given)
  const memory = { memory: createCaseMemory(), nameOf: createCaseNames(given.installation), prints }
  const options: Remembering = { ...given, ...memory }
  const { redis, keys, epoch, upForMs, sharedClock } = options
  return {
    ...createCaseLists(options, (caseId) => readCase(options, caseId)),
    epoch,
    upForMs,
    sharedClock,
    read: (caseId) => readCase(options, caseId),
    readFor: async (act, { era, read }) =>
      caseFor(options.freshness, act, {
        era,
        read: read === undefined ? await readCase(options, act.target.caseId) : read,
      }),
    commit: (commit) => commitCase(options, commit),
    sums: (ids) => readSums(options, ids),
    inTurn: createTurn(),
    putSum: (change) => putSum(options, change),
    fingerprints: (ids) => prints.read(ids),
    forgetOld: async (learning) => {
      await prints.age(learning, (write) => putRecord(options, write))
      await createEndedDecisions(options).forget(learning.at)
    },
    decidedSince: (at) => decidedSince(options, at),
    freeze: (caseId, events) => freezeCase(options, caseId, events),
    consumed: async (id) => (await attempt("look up an interaction", () => redis.exists(keys.interaction(id)))) === 1,
    known: (instance, ids) => known(options, instance, ids),
  }
}

/** What the cases need, with what this process remembers of them. */
interface Remembering extends CasesOptions {
  readonly memory: CaseMemory
  readonly nameOf: ReturnType<typeof createCaseNames>
  readonly prints: Fingerprints
}

function readCase(options: Remembering, caseId: string) {
  return readBoundedCase(options, caseId, (key, record) => openKnown(options, key, record))
}

function openKnown(options: Remembering, key: string, record: StoredRecord): Case | "tampered" | null {
  return options.memory.open(key, record, (bytes) => openCase(options, key, bytes))
}

/** Commits. If somebody made a fingerprint unwritable, commits without the fingerprints. */
async function commitCase(options: Remembering, commit: Commit): Promise<Committed> {
  const { fingerprints = [], ...rest } = commit
  if (fingerprints.length === 0) return commitWhole(options, rest)
  try {
    return await commitWhole(options, commit)
  } catch (error) {
    if (!(error instanceof StoreError) || error.retryable) throw error
    return commitWhole(options, rest)
  }
}

async function commitWhole(options: Remembering, commit: Commit): Promise<Committed> {
  const { config, prints } = options
  const { besides = [], sums = [], fingerprints = [], ...first } = commit
  // An era has touched a sum since it was read, so the caller reads it again.
  if (sums.some((change) => isLostSince(options, change))) return { kind: "sum" }
  const changes = [first, ...besides]
  const made = changes.map((change) => {
    const before = options.memory.at(options.keys.case(change.next.id), change.expectedVersion)
    const head = options.freshness.head(chainOf.case(change.next.id))
    return { ...caseCommit(options, change, before), head }
  })
  const [main, ...others] = made.map(({ record }) => record)
  if (main === undefined) throw new Error("a commit of no case")
  const taught = fingerprints.map((change) => prints.prepare(change))
  const written = [...others, ...sums.map((change) => sumWrite(options, change)), ...taught.map(({ write }) => write)]
  const result = await config.under((proof) => options.commit({ ...main, besides: written, config: proof }))
  if (result.kind === "stale") return staleCase(options, commit, made, result)
  if (result.kind !== "committed") return result
  // A fingerprint grants nothing, so it may be behind.
  const behind = result.standings.slice(0, result.standings.length - taught.length).indexOf("behind")
  // A case that rests on an older sum does not count, either.
  if (behind >= 0) return frozenBehind(options, changes[behind] ?? first)
  // If an era touched a case, the commit counts only after the case has begun anew.
  if (result.standings[0] === "touched" && commit.interaction !== undefined) return staleAsNow(options, commit)
  for (const { written: one } of taught) prints.keep(one)
  for (const { record, written: one } of made) options.memory.keep(record.key, record.fields.sealed, one)
  const [next, ...rest] = made.map((one) => one.written)
  return { kind: "committed", case: next ?? commit.next, besides: rest }
}

/** Commits a sum by itself, if no case changes with it. */
async function putSum(options: Remembering, change: SumChange): Promise<boolean> {
  if (isLostSince(options, change)) return false
  return putRecord(options, sumWrite(options, change))
}

async function putRecord({ config, commit }: Remembering, write: RecordWrite): Promise<boolean> {
  const done = await config.under((proof) => commit({ ...write, config: proof }))
  return done.kind === "committed"
}

/** Freezes a case, although its step was committed: nothing of that step leaves this process. */
async function frozenBehind(options: Remembering, { next, events }: CaseChange): Promise<Committed> {
  const at = events.at(-1)?.at ?? next.openedAt
  const why = "what was done here rests on a record that was older than the ledger"
  await freezeCase(options, next.id, [{ kind: "frozen", at, why }])
  return { kind: "frozen", caseId: next.id }
}

type Stale = Extract<RecordCommitted, { kind: "stale" }>

/** A case of a commit, and where its chain ended before the commit. */
type Tried = ReturnType<typeof caseCommit> & { readonly head: Head | null }

/** Says which record of a commit has changed, and how it is now. Nobody may go on from an older record (R14). */
async function staleCase(
  options: Remembering,
  commit: Commit,
  made: readonly Tried[],
  { key, now: record }: Stale,
): Promise<Committed> {
  const one = made.find((each) => each.record.key === key)
  if (one === undefined) {
    options.prints.doubt(key)
    return staleSum(options, commit, { key, now: record })
  }
  const caseId = one.written.id
  if (record.frozen) return { kind: "frozen", caseId }
  const stone = commit.next.version === 0 && caseId === commit.next.id ? openTombstone(options.seal, key, record) : null
  if (stone !== null) return commitCase(options, above(stone, commit))
  const now = await judgeRecord(options, caseId, { record, head: one.head }, (...opened) =>
    openKnown(options, ...opened),
  )
  if (now === null || "kind" in now) return { kind: "stale", caseId, case: null }
  const { expectedVersion, chainMac } = one.record
  if (String(now.version) === expectedVersion && now.chain.mac === chainMac)
    throw damagedRecord(key, "its chain in the ledger")
  return { kind: "stale", caseId, case: now }
}

/** Answers that a sum has changed. If only the list of its chain has changed, no retry helps: then this throws. */
function staleSum(options: Remembering, { sums = [] }: Commit, { key, now }: Omit<Stale, "kind">): Committed {
  if (sums.some((change) => standsAsRead(options, change, { key, now })))
    throw damagedRecord(key, "its chain in the ledger")
  return { kind: "sum" }
}

async function staleAsNow(options: Remembering, { next: { id: caseId } }: Commit): Promise<Committed> {
  const now = await readCase(options, caseId)
  return now !== null && "kind" in now ? { kind: "frozen", caseId } : { kind: "stale", caseId, case: now }
}

/** Puts a new case on top of a removed one: it goes on with that case's chain. */
function above({ version, chain }: Tombstone, commit: Commit): Commit {
  return { ...commit, next: { ...commit.next, version, chain: { ...chain, era: 0 } }, expectedVersion: version }
}

/** Freezes a case. Nobody can tell what its record said, so its chain goes on from its last entry in the ledger. */
async function freezeCase(options: CasesOptions, caseId: string, events: readonly LedgerEvent[]): Promise<void> {
  const { redis, keys, seal, sandbox } = options
  const key = keys.case(caseId)
  const chain = chainOf.case(caseId)
  const record = await readRecord(redis, key)
  if (record.frozen) return
  // Others may have committed since, and our entry follows their entries. If these cannot be read, we use what we know.
  await options.freshness.catchUp().catch(() => undefined)
  const head = options.freshness.head(chain) ?? (await lastHead(options, chain))
  const { entries } = extendChain(seal, { chain, head, sandbox }, events)
  const result = await options.commit({
    key,
    expectedVersion: record.version ?? "0",
    fields: { frozen: "1" },
    chain,
    // We do not trust the chain's list: whoever changed the record may have changed the list, too.
    chainCount: null,
    entries,
    writes: [
      { command: "ZREM", key: keys.unfinished, args: [caseId] },
      { command: "ZREM", key: keys.list, args: [caseId] },
      { command: "ZREM", key: keys.deadlines, args: [caseId] },
    ],
  })
  if (result.kind === "stale" && !result.now.frozen) await freezeCase(options, caseId, events)
}

/** Finds where a chain ends in the ledger: its length, and the MAC of its last entry if this entry is ours. */
async function lastHead(options: CasesOptions, chain: string): Promise<ChainHead> {
  const { redis, keys, seal } = options
  const numbers = await readChain(options, chain)
  const last = numbers.at(-1)
  if (last === undefined) return noEntries
  const entry = await readEntry(redis, keys, last)
  const ours = entry !== null && openEntry(seal, entry) !== null
  return { count: numbers.length, mac: ours ? entry.mac : "" }
}

/** Finds the approvals with a case. The index has no authority: the ledger names open cases, we read any other case. */
async function known(options: Remembering, instance: string, ids: readonly string[]) {
  const found = new Map<string, string>()
  if (ids.length === 0) return found
  const { redis, keys, freshness } = options
  const names = ids.map((id) => options.nameOf(instance, id))
  const open = names.map((name) => isOpen(freshness, name))
  const others = names.filter((_, index) => open[index] !== true)
  const [marks, exist] = await attempt("read known approvals", () =>
    Promise.all([
      redis.hmget(keys.known(instance), ...ids),
      Promise.all(others.map(({ caseId }) => isThere(options, caseId))),
    ]),
  )
  const there = new Set(others.flatMap(({ caseId }, index) => (exist[index] === true ? [caseId] : [])))
  const over: Promise<void>[] = []
  for (const [index, id] of ids.entries()) {
    const mark = marks[index] ?? null
    const caseId = names[index]?.caseId ?? ""
    if (open[index] === true) found.set(id, mark ?? unlikeAny)
    else if (mark !== null || there.has(caseId))
      over.push(readCase(options, caseId).then((one) => void (one === null || found.set(id, mark ?? settledMark))))
  }
  await Promise.all(over)
  return found
}

/** True if a case has a record. A case that is over is not in the index. */
async function isThere({ redis, keys }: Remembering, caseId: string): Promise<boolean> {
  return (await redis.exists(keys.case(caseId))) === 1
}

/** True if the ledger tells of a case that is not over. We look again only after the ledger has changed. */
function isOpen(freshness: LedgerFreshness, name: CaseName): boolean {
  const asOf = freshness.asOf()
  if (name.openAsOf === null || name.openAsOf !== asOf)
    name.openAsOf = freshness.head(name.chain) === null ? null : asOf
  return name.openAsOf !== null
}

/** The mark of a case that is over. */
const settledMark = ""
/** Equals no mark, so the case is compared. */
const unlikeAny = "?"
