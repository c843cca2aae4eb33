// The one commit: compares, then writes records, their indexes and their ledger entries, all or nothing.
import { attempt, StoreError } from "../errors.ts"
import type { Bounding, CommitReply, CommitStanding } from "../freshness/freshness.ts"
import type { LedgerEnd } from "../freshness/known-ledger.ts"
import { isCaseChain, type Keys } from "../redis/keys.ts"
import type { RedisClient } from "../redis/owner.ts"
import { createScript } from "../redis/script.ts"
import type { StoredRecord } from "../redis/sealed-record.ts"
import { type CommitOrder, createCommitGroup } from "./commit-group.ts"
import { commitScript } from "./commit-script.ts"
import type { SealedEntry } from "./entry.ts"
import { fieldsOf, macOf, rawMac } from "./entry-form.ts"
import { numberedOf } from "./read-ledger.ts"

/** How long we remember a consumed interaction (R11), in seconds. */
const interactionKeptS = 86_400

/** A write to an index, done with the write of the record. */
export interface IndexWrite {
  readonly command: "HSET" | "HDEL" | "SADD" | "SREM" | "ZADD" | "ZREM"
  readonly key: string
  readonly args: readonly (string | number | Buffer)[]
}

/** A limit on members. The members of the sorted set `less` do not count. */
interface Limit {
  readonly key: string
  readonly less?: string
  readonly max: number
}

/** What a commit compares and writes of one record. */
export interface RecordWrite {
  readonly key: string
  /** The version that the record must have: "0" if there must be none. */
  readonly expectedVersion: string | Buffer
  readonly fields: Readonly<Record<string, string | Buffer>>
  readonly chain: string
  /** How many entries Redis must count in the chain; null: any number. */
  readonly chainCount: number | null
  /** The MAC of the chain's last entry, "" if there is none. Undefined: the script does not compare it. */
  readonly chainMac?: string
  readonly entries: readonly SealedEntry[]
  readonly writes?: readonly IndexWrite[]
  /** Sets or hashes among the written indexes, and how many members each may have at most after the write. */
  readonly limits?: readonly Limit[]
}

/** One commit of a record, and of other records beside it. All are compared before the first is written. */
export interface RecordCommit extends RecordWrite {
  /** Each has a key and a chain of its own. Their entries follow the first record's, in this order. */
  readonly besides?: readonly RecordWrite[]
  /** The interaction that the commit consumes. If it was consumed before, the commit is a duplicate. */
  readonly interaction?: string
  /** The config that must be active. Default: none need be. */
  readonly config?: ConfigProof | null
}

/** Proof that a config is active: the token, which Redis compares, and its chain's last MAC, which we compare. */
export interface ConfigProof {
  readonly token: string
  readonly mac: string
}

/**
 * How a commit went. `committed` says for each record whether it counts, the main record first. `stale` names a record
 * that has another version now, and holds that version.
 */
export type RecordCommitted =
  | { readonly kind: "committed"; readonly standings: readonly CommitStanding[] }
  | { readonly kind: "duplicate" }
  | { readonly kind: "config" }
  | { readonly kind: "full" }
  | { readonly kind: "stale"; readonly key: string; readonly now: StoredRecord }

/** Commits records. Throws `StoreError`: no answer, or `ledger-damaged` if what Redis holds contradicts itself. */
export type Committer = (commit: RecordCommit) => Promise<RecordCommitted>

/** Makes the committer of an installation. If a broken connection sends one commit twice, it still counts once. */
export function createCommitter(redis: RedisClient, keys: Keys, bound: Bounding): Committer {
  const send = createCommitGroup(createScript(redis, commitScript), [keys.config, keys.ledger, keys.sequence])
  return async (commit) => {
    const records = recordsOf(commit)
    await bound.enter(commit.interaction !== undefined)
    const asked = bound.ask()
    let read: Replied | undefined
    try {
      const order = orderOf(commit, records, { known: asked, keys })
      read = readReply(records, await attempt(`commit to ${commit.key}`, () => send(order)))
    } finally {
      if (asked !== null && read?.kind !== "committed") bound.unasked()
    }
    if (read.kind !== "committed") return read
    const own = {
      entries: records.flatMap(({ entries }) => entries),
      chains: records.map(({ chain }) => chain),
      configMac: commit.config?.mac ?? null,
    }
    return { kind: "committed", standings: await bound.took(toldBy(read.told, asked), own) }
  }
}

const nothing = Buffer.alloc(0)

/** What the script says about the ledger. */
function toldBy(told: readonly Buffer[], asked: LedgerEnd | null): CommitReply {
  const [last = nothing, lastMac = nothing, mac = nothing, ...rest] = told
  const others = Array.from({ length: rest.length / 4 }, (_, index) => {
    const [id = nothing, name = nothing, body = nothing, own = nothing] = rest.slice(4 * index, 4 * index + 4)
    return numberedOf(id, [name, body, Buffer.from(name.toString() === "body" ? "mac" : "m"), own])
  })
  const before = last.length === 0 ? null : { number: Number(last), mac: macOf(lastMac) }
  return { asked, last: before, mac: macOf(mac), others }
}

function recordsOf(commit: RecordCommit): readonly RecordWrite[] {
  const records = [commit, ...(commit.besides ?? [])]
  if (new Set(records.map(({ chain }) => chain)).size === records.length) return records
  throw new Error(`commit to ${commit.key}: a record stands in it twice`)
}

/** The arguments of one commit for the script; keys stand in them by name. */
function orderOf(
  { config, interaction }: RecordCommit,
  records: readonly RecordWrite[],
  { known, keys }: { readonly known: LedgerEnd | null; readonly keys: Keys },
): CommitOrder {
  const told = records.map(({ key, chain, expectedVersion, chainCount, chainMac, ...written }) => {
    const { entries, writes = [], limits = [] } = written
    const fields = Object.entries(written.fields)
    return [
      { key },
      { key: keys.chain(chain) },
      isCaseChain(chain) ? "1" : "0",
      expectedVersion,
      chainCount ?? "any",
      chainMac ?? "any",
      chainMac === undefined ? "any" : rawMac(chainMac),
      fields.length,
      ...fields.flat(),
      entries.length,
      ...entries.flatMap(fieldsOf),
      writes.length,
      ...writes.flatMap((write) => [write.command, { key: write.key }, write.args.length, ...write.args]),
      limits.length,
      ...limits.flatMap(({ key: set, less, max }) => [{ key: set }, less === undefined ? "0" : { key: less }, max]),
    ]
  })
  return [
    config?.token ?? "",
    interaction === undefined ? "0" : { key: keys.interaction(interaction) },
    interactionKeptS,
    known === null ? "" : String(known.number),
    told.length,
    ...told.flat(),
  ]
}

type Replied =
  | Exclude<RecordCommitted, { kind: "committed" }>
  | { readonly kind: "committed"; readonly told: readonly Buffer[] }

function readReply(records: readonly RecordWrite[], reply: unknown): Replied {
  const parts: readonly unknown[] = Array.isArray(reply) ? reply : []
  const told = parts.map((part) => (Buffer.isBuffer(part) ? part : nothing))
  const [word, named, version, sealed, frozen] = told
  const key = records[0]?.key ?? ""
  switch (word?.toString() ?? "") {
    case "committed":
      return { kind: "committed", told: told.slice(1) }
    case "duplicate":
      return { kind: "duplicate" }
    case "config":
      return { kind: "config" }
    case "full":
      return { kind: "full" }
    case "stale": {
      const now = { version: full(version), sealed: full(sealed), frozen: full(frozen) !== null }
      return { kind: "stale", key: records[Number(named) - 1]?.key ?? key, now }
    }
    default:
      throw damagedRecord(key, named?.toString() ?? "the ledger")
  }
}

function full(part: Buffer | undefined): Buffer | null {
  return part === undefined || part.length === 0 ? null : part
}

/** The error if what Redis holds of a record contradicts itself. */
export function damagedRecord(key: string, what: string): StoreError {
  return new StoreError(
    "ledger-damaged",
    `commit to ${key}: ${what} was changed by somebody else; run \`countersign ledger verify\``,
  )
}
