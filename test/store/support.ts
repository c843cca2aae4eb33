// What the store's tests start from: a store of its own on the shared Redis, an approval and a case with good defaults.

import { randomBytes } from "node:crypto"
import { onTestFinished } from "vitest"
import { rulesSchema } from "../../src/config.ts"
import type { Case } from "../../src/domain/case/case.ts"
import { openCase } from "../../src/domain/case/steps.ts"
import type { Approval } from "../../src/domain/content/approval.ts"
import { policyOf } from "../../src/domain/policy/policy.ts"
import { createSeal, type Seal } from "../../src/domain/proof/seal.ts"
import type { CaseStore, Log } from "../../src/flow/ports.ts"
import { callsAMinute } from "../../src/slack/transport/rate-limits.ts"
import type { ActivationOptions } from "../../src/store/config/config-change.ts"
import { unbounded } from "../../src/store/freshness/freshness.ts"
import { type Committer, createCommitter } from "../../src/store/ledger/commit.ts"
import { numbersField } from "../../src/store/ledger/commit-script.ts"
import { type Entry, openEntry } from "../../src/store/ledger/entry.ts"
import { type NumberedEntry, numberedOf, readChain, readLedger } from "../../src/store/ledger/read-ledger.ts"
import { connectRedis, type StoreConnection } from "../../src/store/redis/connection.ts"
import { type DataSchema, ourSchema } from "../../src/store/redis/data-schema.ts"
import type { RedisClient } from "../../src/store/redis/owner.ts"
import { createStore, type Store } from "../../src/store/store.ts"
import { anApproval as approvalOf, aRule } from "../support/builders.ts"
import { keysLike, testRedisUrl } from "../support/redis.ts"
import { aSharedConfig } from "../support/shared-config.ts"

export const noon = Date.UTC(2026, 10, 21, 12)
const testKey = Buffer.alloc(32, 7)

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export function aSeal(installation: string, key: Buffer = testKey): Seal {
  return createSeal({ key, installation, nonce: () => randomBytes(12) })
}

export function anInstallation(): string {
  return `test-${randomBytes(6).toString("hex")}`
}

/** A store with its cases, as whatever config is active judges them. */
export type TestStore = Store & { readonly cases: CaseStore }

export interface OpenStore {
  readonly store: TestStore
  readonly connection: StoreConnection
  readonly installation: string
  readonly seal: Seal
}

export interface OpenOptions {
  readonly url?: string
  readonly installation?: string
  readonly key?: Buffer
  /** The name of the config that is activated (`aSharedConfig`); null: none. */
  readonly revision?: string | null
  readonly paceMs?: number
  readonly sandbox?: boolean
  readonly log?: Log
  readonly commandMs?: number
  readonly schema?: DataSchema
  readonly sharedClock?: () => number
  /** What is done with the store before its installation is claimed. */
  readonly before?: (store: Store, connection: StoreConnection) => Promise<void>
}

/** A store with its cases. */
export function withCases(store: Store): TestStore {
  return { ...store, cases: store.casesUnder(store.config) }
}

/** A store with its installation claimed and config `rev-1` active, closed and erased with the test. */
export async function openStore(options: OpenOptions = {}): Promise<OpenStore> {
  const { url = testRedisUrl(), installation = anInstallation(), key = testKey, revision = "rev-1" } = options
  const log = options.log ?? silentLog
  const commandMs = options.commandMs ?? 2_500
  const connection = await connectRedis({ url, installation, log, commandMs })
  onTestFinished(async () => {
    await connection.close()
  })
  const seal = aSeal(installation, key)
  const { paceMs = 1_030, sharedClock, sandbox = false, schema = ourSchema } = options
  const store = withCases(
    createStore({
      connection,
      installation,
      seal,
      rulesSchema,
      log,
      sandbox,
      paceMs,
      callsAMinute,
      sharedClock,
      schema,
    }),
  )
  await options.before?.(store, connection)
  await store.claim(noon)
  if (revision !== null) await store.config.activate({ shared: aSharedConfig(revision), activate: false, at: noon })
  return { store, connection, installation, seal }
}

/** What acts on the config's record need, with this store's Redis. Commits go through `commit`. */
export function configPlaceOf({ store, connection, seal }: OpenStore, commit?: Committer): ActivationOptions {
  const { keys, freshness } = store
  const redis = connection.commands
  const own = commit ?? createCommitter(redis, keys, unbounded)
  const base = { redis, keys, seal, freshness, commit: own, sandbox: false, schema: ourSchema, rulesSchema }
  return { ...base, clock: async () => Date.now }
}

/** The same Redis, but something happens before each command is sent; where that fails, the command does. */
export function redisBefore(
  redis: RedisClient,
  happens: (command: string, key: unknown) => Promise<unknown>,
): RedisClient {
  return new Proxy(redis, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return async (...given: readonly unknown[]): Promise<unknown> => {
        await happens(...askedOf(String(name), given))
        return Reflect.apply(value, target, given)
      }
    },
  })
}

/** The command and its first argument, also of what is asked by name or, in a cluster, by a script (`askOwner`). */
function askedOf(name: string, given: readonly unknown[]): [command: string, key: unknown] {
  if (name !== "call" && name !== "eval") return [name, given[0]]
  const [command, key] = name === "call" ? given : given.slice(3)
  return [String(command).toLowerCase(), key]
}

/** Every entry of the ledger, with its seal. */
async function sealedEntries({ connection, store }: OpenStore): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = []
  const pages = readLedger(connection.commands, store.keys, { after: "0-0", pageSize: 2 })
  for await (const page of pages) entries.push(...page)
  return entries
}

type Placed = Pick<OpenStore, "connection" | "store">

/** The ledger's stream with each entry as text; what is not ours as it is. */
export async function plainLedger({ connection, store }: Placed): Promise<[id: string, fields: string[]][]> {
  const all = await connection.commands.xrangeBuffer(store.keys.ledger, "-", "+")
  return all.map(([id, fields]) => {
    const { body, mac, whole } = numberedOf(id, fields)
    return [id.toString(), whole ? ["body", body, "mac", mac] : fields.map(String)]
  })
}

/** Changes what Redis says of the numbers of a chain's entries, wherever that stands; null takes it away. */
export async function renumber(
  { connection, store }: Placed,
  chain: string,
  change: (numbers: string[]) => string[] | null,
): Promise<void> {
  const { commands } = connection
  const { keys } = store
  const numbers = change([...(await readChain({ redis: commands, keys }, chain))])
  const record = chain.startsWith("case:") ? keys.case(chain.slice(5)) : null
  if (record === null) await commands.del(keys.chain(chain))
  if (record !== null && numbers === null) await commands.hdel(record, numbersField)
  else if (record !== null) await commands.hset(record, numbersField, numbers?.join(" ") ?? "")
  else if (numbers !== null) await commands.rpush(keys.chain(chain), ...numbers)
}

/** Every entry of the ledger, opened. */
export async function entriesOf(open: OpenStore): Promise<readonly (Entry | null)[]> {
  return (await sealedEntries(open)).map((entry) => openEntry(open.seal, entry))
}

const aPolicy = policyOf([aRule({ approvers: [{ kind: "user", id: "U1" }] })], [])

/** An approval that the store's tests hold. */
export function anApproval(changes: Partial<Approval> = {}): Approval {
  const own = { sourceName: null, userId: "ann@example.com", updatedAt: null, runStatus: "paused" }
  return approvalOf({ ...own, ...changes })
}

/** The first step of a case: not committed yet. */
export function openingOf(installation: string, approval: Approval = anApproval()) {
  return openCase({ installation, approval, policy: aPolicy, epoch: "e-1", at: noon })
}

/** What a check says of a ledger in which nothing is wrong, besides its counts. */
export const holding = { anchored: 0, superseded: 0, unvouched: null, erased: 0, problem: null }

/** A case that the store holds, at version 1. */
export async function committedCase(open: OpenStore, approval: Approval = anApproval()): Promise<Case> {
  const { next, events } = openingOf(open.installation, approval)
  const done = await open.store.cases.commit({ next, expectedVersion: 0, events })
  if (done.kind !== "committed") throw new Error(`the case was not committed: ${done.kind}`)
  return done.case
}

/** Keeps what Redis holds of an installation; what it gives back brings Redis back to that. */
export async function asItIs({ connection, store }: OpenStore): Promise<() => Promise<void>> {
  const redis = connection.commands
  const own = () => keysLike(redis, `${store.keys.tag}:*`)
  const kept = await Promise.all((await own()).map(async (key) => [key, await redis.dumpBuffer(key)] as const))
  return async () => {
    await redis.del(await own())
    for (const [key, dump] of kept) await redis.restore(key, 0, dump)
  }
}
