// Opens the installation's store for commands that only read, with the keys that verify its signatures.
import { existsSync } from "node:fs"
import { type Config, type ConfigNeed, loadConfig, rulesSchema } from "../../config.ts"
import { createSeal } from "../../domain/proof/seal.ts"
import { readKeySet, type SigningKeySet } from "../../proof/signed.ts"
import { StoreError } from "../../store/errors.ts"
import { connectRedis } from "../../store/redis/connection.ts"
import { createStore, type Store } from "../../store/store.ts"
import type { Terminal } from "../terminal.ts"
import { type Context, openSigner, readContext, surroundings } from "./context.ts"
import { borrowRedis } from "./own-redis.ts"

/** An installation, open for reading. */
export interface Opened {
  readonly context: Context
  readonly store: Store
}

/**
 * Opens the installation's store for a command, and closes it afterwards. Reads only the part of the config that the
 * command needs; by default neither rules nor tokens. Throws `ConfigError`, `KeyError`, `StoreError`, or an error if
 * there is no installation.
 */
export async function withStore<Result>(
  terminal: Terminal,
  command: (opened: Opened) => Promise<Result>,
  need: ConfigNeed = "store",
): Promise<Result> {
  demandThere(loadConfig({ ...surroundings(terminal), need: "store" }))
  const context = readContext(terminal, terminal.err, need)
  const { config, key, random, log } = context
  const redis = await borrowRedis({ redis: config.redis, env: process.env, say: terminal.err })
  const { installation } = config
  const place = {
    redisUrl: redis.url,
    redisCa: redis.ca,
    installation,
    sandbox: config.slack.sandbox,
    key,
    random,
    log,
  }
  try {
    return await withStoreAt(place, (store) => command({ context, store }))
  } finally {
    await redis.stop()
  }
}

/** The error if a command looks for an installation that never started here. It says where, and what to do. */
class NothingKeptError extends Error {
  readonly code = "nothing-kept"
  readonly retryable = false
}

const noInstallation =
  "is not there, and there is no countersign.yaml: go to the installation's folder, or name its file by --config FILE"
const neverKept = "is not there: nothing was ever kept here, or data_folder names another folder"

/** Throws `NothingKeptError` if there is no key or no Redis: to open the store would make one. */
function demandThere({ key, redis, file }: Config): void {
  const [path] = [key, redis].flatMap((one) =>
    one.kind === "file" ? [one.path] : one.kind === "own" ? [one.folder] : [],
  )
  if (path === undefined || existsSync(path)) return
  throw new NothingKeptError(`${path} ${file === undefined ? noInstallation : neverKept}`)
}

/** Where the records of an installation are, and how they are sealed. */
export interface StorePlace extends Pick<Context, "key" | "random" | "log"> {
  readonly redisUrl: string
  readonly redisCa?: string | null
  readonly installation: string
  readonly sandbox: boolean
}

/** Opens a store, and closes it afterwards. Throws `StoreError` if Redis does not answer. */
export async function withStoreAt<Result>(place: StorePlace, use: (store: Store) => Promise<Result>): Promise<Result> {
  const { store, close } = await openStoreAt(place)
  try {
    return await use(store)
  } finally {
    await close()
  }
}

/** Opens a store until it is closed. Throws `StoreError` if Redis does not answer. */
export async function openStoreAt(
  place: StorePlace,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  const { redisUrl, redisCa = null, installation, sandbox, key, random, log } = place
  const connection = await connectRedis({ url: redisUrl, ca: redisCa, installation, log })
  const seal = createSeal({ key, installation, nonce: () => random(12) })
  const store = createStore({ connection, installation, seal, rulesSchema, log, sandbox, paceMs: 0 })
  return { store, close: () => connection.close() }
}

/** The keys that ever signed for this installation, by Redis, and the key that signs now. Makes no key. */
export async function ownKeys({ context, store }: Opened): Promise<SigningKeySet> {
  const { key } = context.config.receipts
  const kept = await store.signingKeys.read().catch(noneIfTampered)
  const own = key.kind === "file" && !existsSync(key.path) ? [] : [(await openSigner(context)).publicKey]
  const added = own.filter(({ kid }) => kept.every((one) => one.kid !== kid))
  return readKeySet(JSON.stringify({ keys: [...kept, ...added] }), "our key set")
}

/** No keys if somebody changed the key set: such a set vouches for nothing. `ledger verify` reports the change. */
function noneIfTampered(error: unknown): readonly never[] {
  if (error instanceof StoreError && error.code === "tampered") return []
  throw error
}
