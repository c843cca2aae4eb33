// The record of the active config (R16), sealed: all that a replica needs, and the token that commits compare.

import { z } from "zod"
import { type Orders, ordersHash } from "../../domain/order/orders.ts"
import { ordererSchema } from "../../domain/people/record/orderer-record.ts"
import { type SharedConfig, sealedOf } from "../../domain/policy/shared-config.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { type Proposals, saysNoProposals } from "../../domain/rule/proposal.ts"
import { attempt, StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { type ChainedPlace, commitRecord, type RecordWriter } from "../ledger/chained-record.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import { type ChainHead, noEntries } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, recordOf, type SealedPlace } from "../redis/sealed-record.ts"
import { type RulesSchema, readSharedConfig, type SharedConfigRead } from "./shared-config-schema.ts"

const words = z.array(z.string()).exactOptional()

const storedStop = z.object({
  id: z.string(),
  match: z.object({ instance: words, agent: words, team: words, workflow: words, tool: words }),
  by: ordererSchema,
  reason: z.string(),
  at: z.number(),
  until: z.number().nullable(),
})

const storedEnd = storedStop.pick({ id: true, match: true }).extend({ endedAt: z.number() })

const storedAbsence = z.object({
  id: z.string(),
  person: z.string(),
  standIn: z.string(),
  from: z.number(),
  until: z.number(),
  by: ordererSchema,
  at: z.number(),
})

const storedHold = z.object({
  id: z.string(),
  of: z.object({ kind: z.enum(["requester", "tool", "case"]), value: z.string() }),
  by: ordererSchema,
  reason: z.string(),
  at: z.number(),
})

const storedErasure = z.object({
  person: z.string(),
  names: z.array(z.string()),
  by: z.string(),
  at: z.number(),
  holds: z.string(),
})

const storedProposal = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  host: z.string(),
  file: z.string().nullable(),
  at: z.number(),
  expiresAt: z.number(),
  end: z
    .object({
      how: z.enum(["approved", "rejected", "replaced", "expired", "outdated", "unapproved"]),
      at: z.number(),
      decision: z.string().nullable(),
    })
    .nullable(),
})

const emptyProposals = { guarded: false, list: [], refused: [], unapproved: null }

const storedProposals = z.object({
  guarded: z.boolean(),
  list: z.array(storedProposal),
  refused: z.array(z.string()),
  unapproved: z.object({ revision: z.string(), at: z.number() }).nullable(),
})

const fixedFields = {
  version: z.number(),
  revision: z.string(),
  rules: z.array(z.object({ name: z.string(), hash: z.string() })),
  /** Every revision that was active before this one. */
  earlier: z.array(z.string()),
  /** The version of the data. Only a process that knows it may commit. */
  data: z.number(),
  /** When the revision was activated, epoch ms. */
  at: z.number(),
  chain: z.object({ count: z.number(), mac: z.string() }),
  /** The orders in force; absent if there are none. */
  orders: z
    .object({
      stops: z.array(storedStop),
      absences: z.array(storedAbsence).exactOptional(),
      ended: z.array(storedEnd).exactOptional(),
      holds: z.array(storedHold).exactOptional(),
      erasures: z.array(storedErasure).exactOptional(),
    })
    .default({ stops: [] }),
  /** The acts of the last day about absences; absent if there are none. */
  acts: z.array(z.object({ person: z.string(), at: z.number() })).exactOptional(),
  /** What is known of changes of the config; absent if there is nothing. */
  proposals: storedProposals.default(() => emptyProposals),
}
const storedConfig = z.object({ ...fixedFields, shared: z.unknown() })

type FixedFields = Readonly<Omit<z.infer<z.ZodObject<typeof fixedFields>>, "orders" | "proposals">> & {
  readonly orders: Orders
  readonly proposals: Proposals
}

/** The active config as its record holds it. */
export type StoredConfig = FixedFields & SharedConfigRead

/** Where the record lies, and how its rules are read. */
export interface ConfigPlace extends SealedPlace {
  readonly rulesSchema: RulesSchema
  readonly freshness: Pick<LedgerFreshness, "head" | "judge">
}

/** Why nobody works under a record that is older than the ledger. */
export const configBehind =
  "the active config in Redis is older than the ledger: somebody put it back. " +
  "`countersign run --activate` takes it anew from its file, and leaves everything stopped"

/** Why nobody works under a record, or a token, that was not written under our key. */
export const configTampered =
  "the active config in Redis was not written by this installation: somebody changed it. Find out who writes to " +
  "Redis; `countersign run --activate` then takes it anew from its file, and leaves everything stopped"

/** Says that this version of Countersign cannot read all of the active config, and what it cannot read. */
export function notRead(unread: string): string {
  return `this version of Countersign cannot read the active config: ${unread}`
}

/** Why nobody decides while replicas look for what Redis lost. */
export const ordersAwaited =
  "Redis lost the end of the config's chain: for some seconds nobody knows which orders are in force"

/** What to do about a config that we cannot read. */
export const otherVersion = "run the version that activated it, or a newer one"

/** The fields of a record, then the token. */
const configFields = ["version", "sealed", "frozen", "token"] as const

/** Reads and verifies the config record and its token; null before the first activation. */
export async function readConfig(place: ConfigPlace): Promise<StoredConfig | null> {
  return createConfigReader(place)()
}

/** Makes a reader that opens the record only if it changed. Throws `StoreError`: `tampered`, `behind`, or no answer. */
export function createConfigReader(place: ConfigPlace): () => Promise<StoredConfig | null> {
  const { freshness, rulesSchema } = place
  let known: { readonly fields: readonly (Buffer | null)[]; readonly config: StoredConfig | null } | undefined
  const read = async (): Promise<StoredConfig | null> => {
    const head = freshness.head(chainOf.config)
    // One command reads both: else another revision may become active in between, and record and token do not match.
    const fields = await readFields(place)
    const same = known !== undefined && isSameRecord(known.fields, fields)
    const config = known !== undefined && same ? known.config : withShared(openConfig(place, fields), rulesSchema)
    known = { fields, config }
    const record = config === null ? null : { ...config.chain, over: false }
    const standing = await freshness.judge(chainOf.config, record, head)
    if (standing === "again") return read()
    if (standing === "fresh") return config
    throw new StoreError("behind", configBehind)
  }
  return read
}

function isSameRecord(one: readonly (Buffer | null)[], other: readonly (Buffer | null)[]): boolean {
  return configFields.every((_name, at) => {
    const [a = null, b = null] = [one[at], other[at]]
    return a === null || b === null ? a === b : a.equals(b)
  })
}

/** The head that the record names; null before the first activation. Throws as `readConfig` does, except `behind`. */
export async function readConfigHead(place: SealedPlace): Promise<ChainHead | null> {
  return openConfig(place, await readFields(place))?.chain ?? null
}

async function readFields({ redis, keys }: SealedPlace): Promise<(Buffer | null)[]> {
  return await attempt("read the config", () => redis.hmgetBuffer(keys.config, ...configFields))
}

type Sealed = z.infer<typeof storedConfig>

function openConfig(place: SealedPlace, fields: readonly (Buffer | null)[]): Sealed | null {
  const token = fields.at(-1)?.toString() ?? null
  const config = sealedIn(place, fields)
  if (config === null) return null
  if (config === "tampered" || token !== tokenOf(place.seal, config)) throw new StoreError("tampered", configTampered)
  return config
}

/** The record without its token. */
function sealedIn({ keys, seal }: SealedPlace, fields: readonly (Buffer | null)[]): Sealed | "tampered" | null {
  const value = openRecord(seal, configPlace(keys), recordOf(fields))
  if (value === null) return null
  const read = storedConfig.safeParse(value, { jitless: true })
  return read.success ? read.data : "tampered"
}

function withShared(config: Sealed | null, rules: RulesSchema): StoredConfig | null {
  if (config === null) return null
  const { shared, ...rest } = config
  return { ...rest, ...readSharedConfig(shared, { revision: rest.revision, rules }) }
}

/** The record, whatever its age and its token; `tampered` if we did not write it. */
export async function readAnyConfig(place: Omit<ConfigPlace, "freshness">): Promise<StoredConfig | "tampered" | null> {
  const config = sealedIn(place, await readFields(place))
  return config === "tampered" ? config : withShared(config, place.rulesSchema)
}

/**
 * The record that an operator replaces, whatever its age and its token; null if there is none. A record that we did not
 * write is removed, because no commit can follow it.
 */
export async function takeAnyConfig(place: Omit<ConfigPlace, "freshness">): Promise<StoredConfig | null> {
  const config = await readAnyConfig(place)
  if (config !== "tampered") return config
  await attempt("remove a forged config", () => place.redis.del(place.keys.config))
  return null
}

function configPlace(keys: Keys): ChainedPlace {
  return { purpose: "config", key: keys.config, chain: chainOf.config }
}

/**
 * The token that commits compare. Each record has another, by the end of its chain: also one that repeats what Redis
 * lost. So what rests on the lost one is judged anew.
 */
export function tokenOf(seal: Seal, config: Pick<StoredConfig, "version" | "revision" | "chain">): string {
  const { version, revision, chain } = config
  return `${version}.${seal.mac("config token", { version, revision, end: chain.mac })}`
}

/**
 * Replaces the config that was read, and adds entries. False: somebody was faster. `end`: the chain's end as the
 * ledger says, if the record does not say it.
 */
export async function putConfig(
  options: SealedPlace & RecordWriter,
  before: StoredConfig | null,
  change: {
    readonly next: Omit<FixedFields, "version" | "chain"> & { readonly shared: SharedConfig }
    readonly events: readonly LedgerEvent[]
    readonly writes?: readonly IndexWrite[]
    readonly end?: ChainHead | undefined
  },
): Promise<boolean> {
  const { next, events, writes = [], end } = change
  const version = before?.version ?? 0
  const { orders, proposals, ...rest } = next
  const beside = {
    ...(ordersHash(orders) === null ? {} : { orders }),
    ...(saysNoProposals(proposals) ? {} : { proposals }),
  }
  const { done } = await commitRecord(options, configPlace(options.keys), {
    before: { version, head: end ?? before?.chain ?? noEntries },
    next: { ...rest, ...beside, shared: sealedOf(next.shared) },
    events,
    writes,
    fields: (written) => ({ token: tokenOf(options.seal, { ...written, revision: next.revision }) }),
    repairs: end !== undefined,
  })
  return done.kind === "committed"
}
