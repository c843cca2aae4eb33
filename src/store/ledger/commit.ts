// The one commit: compares, then writes a record, its indexes and its ledger entries, all of it or none of it.
import type { Redis } from "ioredis"
import { attempt, StoreError } from "../errors.ts"
import type { Bounding, CommitReply, CommitStanding } from "../freshness/freshness.ts"
import type { LedgerEnd } from "../freshness/known-ledger.ts"
import type { Keys } from "../redis/keys.ts"
import { createScript } from "../redis/script.ts"
import type { StoredRecord } from "../redis/sealed-record.ts"
import { commitScript } from "./commit-script.ts"
import type { SealedEntry } from "./entry.ts"
import { numberedOf } from "./read-ledger.ts"

/** How long a consumed interaction is remembered (R11), in seconds. */
const interactionKeptS = 86_400

/** One write to an index, done with the record's. */
export interface IndexWrite {
  readonly command: "HSET" | "HDEL" | "SADD" | "SREM" | "ZADD" | "ZREM"
  readonly key: string
  readonly args: readonly (string | number | Buffer)[]
}

/** What one commit compares and writes. */
export interface RecordCommit {
  readonly key: string
  /** The version that the record must have: "0" where there must be none. */
  readonly expectedVersion: string | Buffer
  readonly fields: Readonly<Record<string, string | Buffer>>
  readonly chain: string
  /** How many entries the chain must have by its list; null: whatever that says. */
  readonly chainCount: number | null
  /** The MAC of the last of them, "" where there is none; not compared where it is left out. */
  readonly chainMac?: string
  readonly entries: readonly SealedEntry[]
  readonly writes?: readonly IndexWrite[]
  /** Sets among the written indexes, and how many members each may have at most with what is added. */
  readonly limits?: readonly { readonly key: string; readonly max: number }[]
  /** Consumed with the commit, or the commit is a duplicate. */
  readonly interaction?: string
  /** The config that must be active. */
  readonly config?: ConfigProof
}

/** Proof that a config is active: the token that Redis compares, and its chain's end, which we compare. */
export interface ConfigProof {
  readonly token: string
  readonly mac: string
}

/** How a commit went. `committed` says if it counts (not if old or lost); `stale` holds the record as it is now. */
export type RecordCommitted =
  | { readonly kind: "committed"; readonly standing: CommitStanding }
  | { readonly kind: "duplicate" }
  | { readonly kind: "config" }
  | { readonly kind: "full" }
  | { readonly kind: "stale"; readonly now: StoredRecord }

/** Commits records. Throws `StoreError`: no answer, or `ledger-damaged` if what Redis holds contradicts itself. */
export type Committer = (commit: RecordCommit) => Promise<RecordCommitted>

/** Makes the committer of an installation. Sent twice by a connection that broke, one commit still counts once. */
export function createCommitter(redis: Redis, keys: Keys, bound: Bounding): Committer {
  const run = createScript(redis, commitScript)
  return async (commit) => {
    await bound.enter(commit.interaction !== undefined)
    const asked = bound.ask()
    let read: Replied | undefined
    try {
      const sent = attempt(`commit to ${commit.key}`, () => run(keysOf(commit, keys), argumentsOf(commit, asked)))
      read = readReply(commit.key, await sent)
    } finally {
      if (asked !== null && read?.kind !== "committed") bound.unasked()
    }
    if (read.kind !== "committed") return read
    const { entries, chain, config } = commit
    const standing = await bound.took(toldBy(read.told, asked), { entries, chain, configMac: config?.mac ?? null })
    return { kind: "committed", standing }
  }
}

/** What the script says of the ledger. */
function toldBy([last, lastMac, mac, ...rest]: readonly string[], asked: LedgerEnd | null): CommitReply {
  const others = Array.from({ length: rest.length / 3 }, (_, index) => {
    const [id = "", body = "", own = ""] = rest.slice(3 * index, 3 * index + 3)
    return numberedOf(id, ["body", body, "mac", own])
  })
  const before = last === undefined || last === "" ? null : { number: Number(last), mac: lastMac ?? "" }
  return { asked, last: before, mac: mac ?? "", others }
}

function keysOf(commit: RecordCommit, keys: Keys): readonly string[] {
  const interaction = keys.interaction(commit.interaction ?? "none")
  const fixed = [commit.key, keys.config, keys.ledger, keys.sequence, keys.chain(commit.chain), interaction]
  return [...fixed, ...(commit.writes ?? []).map((write) => write.key)]
}

function argumentsOf(commit: RecordCommit, known: LedgerEnd | null): readonly (string | number | Buffer)[] {
  const { expectedVersion, config, interaction, entries, writes = [], limits = [] } = commit
  const fields = Object.entries(commit.fields)
  return [
    expectedVersion,
    config?.token ?? "",
    interaction === undefined ? "0" : "1",
    interactionKeptS,
    commit.chainCount ?? "any",
    commit.chainMac ?? "any",
    known === null ? "" : String(known.number),
    fields.length,
    ...fields.flat(),
    entries.length,
    ...entries.flatMap((entry) => [entry.body, entry.mac]),
    writes.length,
    ...writes.flatMap((write, index) => [write.command, index + 1, write.args.length, ...write.args]),
    limits.length,
    ...limits.flatMap(({ key, max }) => [writes.findIndex((write) => write.key === key) + 1, max]),
  ]
}

type Replied =
  | Exclude<RecordCommitted, { kind: "committed" }>
  | { readonly kind: "committed"; readonly told: readonly string[] }

function readReply(key: string, reply: unknown): Replied {
  const parts: readonly unknown[] = Array.isArray(reply) ? reply : []
  const [word, version, sealed, frozen] = parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.alloc(0)))
  switch (word?.toString() ?? "") {
    case "committed":
      return { kind: "committed", told: parts.slice(1).map(String) }
    case "duplicate":
      return { kind: "duplicate" }
    case "config":
      return { kind: "config" }
    case "full":
      return { kind: "full" }
    case "stale":
      return { kind: "stale", now: { version: full(version), sealed: full(sealed), frozen: full(frozen) !== null } }
    default:
      throw damaged(key, version?.toString() ?? "the ledger")
  }
}

function full(part: Buffer | undefined): Buffer | null {
  return part === undefined || part.length === 0 ? null : part
}

/** What Redis holds of a record contradicts itself. */
export function damaged(key: string, what: string): StoreError {
  return new StoreError(
    "ledger-damaged",
    `commit to ${key}: ${what} was changed by somebody else; run \`countersign ledger verify\``,
  )
}
