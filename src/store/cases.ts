// The cases: read, committed, listed (port `CaseStore`).
import type { Redis } from "ioredis"
import type { Case } from "../domain/case.ts"
import type { Seal } from "../domain/seal.ts"
import type { CaseStore, Commit, Committed, ListQuery } from "../flow/ports.ts"
import { indexWrites } from "./case-indexes.ts"
import { openCase, sealCase } from "./codec.ts"
import { type Committer, type RecordCommit, readRecord, recordOf } from "./commit.ts"
import type { ActiveToken } from "./config-revision.ts"
import { type ChainHead, extendChain, type LedgerEvent, noEntries, openEntry } from "./entry.ts"
import { attempt } from "./errors.ts"
import { chainOf, type Keys } from "./keys.ts"
import { readEntry } from "./ledger.ts"
import { receiptWrites } from "./receipts.ts"

/** What the cases are made of. */
export interface CasesOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly commit: Committer
  /** What must be active for a commit to count (R16). */
  readonly config: ActiveToken
  readonly epoch: () => Promise<string>
  /** True marks every entry as made in the sandbox (R19). */
  readonly sandbox: boolean
}

/** Makes the cases of an installation. Every call throws `StoreError` if Redis does not answer. */
export function createCases(options: CasesOptions): CaseStore {
  const { redis, keys, seal, epoch } = options
  return {
    epoch,
    read: async (caseId) => {
      const key = keys.case(caseId)
      const read = openCase(seal, key, await readRecord(redis, key))
      return read === "tampered" ? { kind: "tampered", caseId } : read
    },
    commit: (commit) => commitCase(options, commit),
    freeze: (caseId, events) => freezeCase(options, caseId, events),
    consumed: async (id) => (await attempt("look up an interaction", () => redis.exists(keys.interaction(id)))) === 1,
    known: (instance, ids) => known(options, instance, ids),
    openApprovals: (instance) => attempt("read open approvals", () => redis.smembers(keys.open(instance))),
    unfinished: (limit, turn = 0) => unfinished(options, limit, turn),
    listOpen: (query) => listCases(options, keys.list, query),
    listSettled: (query) => listCases(options, keys.settled, query),
  }
}

async function commitCase(options: CasesOptions, commit: Commit): Promise<Committed> {
  const { keys, seal, config, sandbox } = options
  const { next, expectedVersion, events, interaction } = commit
  const key = keys.case(next.id)
  const chain = chainOf.case(next.id)
  const { entries, head } = extendChain(seal, { chain, head: next.chain, sandbox }, events)
  const written: Case = { ...next, version: expectedVersion + 1, chain: head }
  const base: Omit<RecordCommit, "configToken"> = {
    key,
    expectedVersion: String(expectedVersion),
    fields: { version: String(written.version), sealed: sealCase(seal, key, written) },
    chain,
    chainCount: next.chain.count,
    entries,
    writes: [...indexWrites(keys, written), ...receiptWrites(keys, written, events)],
    ...(interaction === undefined ? {} : { interaction }),
  }
  const result = await config.under((configToken) => options.commit({ ...base, configToken }))
  if (result.kind === "committed") return { kind: "committed", case: written }
  if (result.kind !== "stale") return result
  const now = openCase(seal, key, result.now)
  return { kind: "stale", case: now === "tampered" ? null : now }
}

/** Nobody can tell what the record said, so the chain goes on from the ledger's own last word. Once frozen, it stays so. */
async function freezeCase(options: CasesOptions, caseId: string, events: readonly LedgerEvent[]): Promise<void> {
  const { redis, keys, seal, sandbox } = options
  const key = keys.case(caseId)
  const chain = chainOf.case(caseId)
  const record = await readRecord(redis, key)
  if (record.frozen) return
  const head = await lastHead(options, chain)
  const { entries } = extendChain(seal, { chain, head, sandbox }, events)
  const result = await options.commit({
    key,
    expectedVersion: record.version ?? "0",
    fields: { frozen: "1" },
    chain,
    chainCount: head.count,
    entries,
    writes: [
      { command: "ZREM", key: keys.unfinished, args: [caseId] },
      { command: "ZREM", key: keys.list, args: [caseId] },
    ],
  })
  if (result.kind === "stale" && !result.now.frozen) await freezeCase(options, caseId, events)
}

/** Where a chain ends by the ledger: its length, and the MAC of its last entry if that is ours. */
async function lastHead(options: CasesOptions, chain: string): Promise<ChainHead> {
  const { redis, keys, seal } = options
  const numbers = await attempt(`read chain ${chain}`, () => redis.lrange(keys.chain(chain), 0, -1))
  const last = numbers.at(-1)
  if (last === undefined) return noEntries
  const entry = await readEntry(redis, keys, last)
  const ours = entry !== null && openEntry(seal, entry) !== null
  return { count: numbers.length, mac: ours ? entry.mac : "" }
}

async function known(options: CasesOptions, instance: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const { redis, keys } = options
  const digests = await attempt("read known approvals", () => redis.hmget(keys.known(instance), ...ids))
  const pairs = ids.map((id, index) => [id, digests[index] ?? null] as const)
  return new Map(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null))
}

async function listCases(options: CasesOptions, key: string, { offset, limit }: ListQuery) {
  const { redis } = options
  return await attempt(`list the cases of ${key}`, async () => {
    const [ids, total] = await Promise.all([
      limit <= 0 ? [] : redis.zrevrange(key, offset, offset + limit - 1),
      redis.zcard(key),
    ])
    const cases = await Promise.all(ids.map((id) => readOpen(options, id)))
    return { cases: cases.filter((one) => one !== null), total }
  })
}

/** A case of the list; null if it is gone or not ours to show. */
async function readOpen({ redis, keys, seal }: CasesOptions, caseId: string): Promise<Case | null> {
  const key = keys.case(caseId)
  const read = openCase(seal, key, recordOf(await redis.hmgetBuffer(key, "version", "sealed", "frozen")))
  return read === "tampered" ? null : read
}

async function unfinished({ redis, keys }: CasesOptions, limit: number, turn: number): Promise<readonly string[]> {
  if (limit <= 0) return []
  const total = await attempt("count unfinished cases", () => redis.zcard(keys.unfinished))
  const start = (turn * limit) % (Math.max(1, Math.ceil(total / limit)) * limit)
  return attempt("read unfinished cases", () => redis.zrange(keys.unfinished, String(start), String(start + limit - 1)))
}
