// Which config revision is active (R16): one for all replicas, sealed, and compared in every commit of a case.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../domain/seal.ts"
import { openRecord, type RecordPlace, sealRecord } from "./codec.ts"
import { type Committer, type RecordCommitted, recordOf } from "./commit.ts"
import { type DataSchema, newerData } from "./data-schema.ts"
import { extendChain, noEntries, type SealedEntry } from "./entry.ts"
import { attempt, StoreError } from "./errors.ts"
import { chainOf, type Keys } from "./keys.ts"
import { type Difference, differenceOf, type RuleName } from "./rule-difference.ts"

/** The rules of a revision that is to become active. */
interface Activation {
  /** `Policy.revision`. */
  readonly revision: string
  readonly rules: readonly RuleName[]
  /** True when an operator said `--activate`: a revision that was active earlier may come back. */
  readonly activate: boolean
  /** Epoch ms. */
  readonly at: number
}

/** `unchanged`: the revision was active already. */
type Activated = { readonly kind: "unchanged" } | { readonly kind: "activated"; readonly difference: Difference }

/** Lends the proof that this process' revision is active. */
export interface ActiveToken {
  /** Runs a commit with the token; when another revision is active (or none was activated here), answers `config`. */
  under(run: (token: string) => Promise<RecordCommitted>): Promise<RecordCommitted>
}

/** The active config revision. */
export interface ConfigRevision extends ActiveToken {
  /**
   * Makes a revision the active one, with a ledger entry that shows the difference, and this process one that may decide under it.
   * Replicas that know an older version of the data decide nothing from then on. Throws `StoreError`: `config-active-before` without
   * `activate` for a revision that was replaced earlier, `newer-data`, `tampered`.
   */
  activate(activation: Activation): Promise<Activated>
  /** Why this process may not decide now, in words for its operator; null if it may. Throws `StoreError` `tampered`. */
  obstacle(): Promise<string | null>
}

const storedConfig = z.object({
  version: z.number(),
  revision: z.string(),
  rules: z.array(z.object({ name: z.string(), hash: z.string() })),
  /** Every revision that was active before this one. */
  earlier: z.array(z.string()),
  /** The version of the data that whoever may commit knows. */
  data: z.number().default(1),
  chain: z.object({ count: z.number(), mac: z.string() }),
})
type StoredConfig = Readonly<z.infer<typeof storedConfig>>

/** What the config revision is made of. */
export interface ConfigOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly schema: DataSchema
  readonly commit: Committer
  readonly sandbox: boolean
}

/** Makes the config revision of an installation. */
export function createConfigRevision(options: ConfigOptions): ConfigRevision {
  let mine: Mine | undefined
  let token: string | undefined
  const read = async (): Promise<StoredConfig | null> => {
    const active = await readConfig(options)
    if (active === null || mine === undefined) return active
    const forgotten = isFromBefore(active, mine)
    // Only the record that follows is written: whoever is faster was activated later than we were.
    if (forgotten) await writeConfig(options, changeTo(mine.activation, active))
    const now = forgotten ? await readConfig(options) : active
    mine = mineIn(mine.activation, now)
    return now
  }
  const refresh = async () => {
    const active = await read()
    token = active !== null && obstacleOf(options, active, mine) === null ? tokenOf(options.seal, active) : undefined
    return token
  }
  return {
    under: async (run) => {
      const held = token ?? (await refresh())
      const result = held === undefined ? ({ kind: "config" } as const) : await run(held)
      if (result.kind !== "config") return result
      // Somebody may have gone away from our revision and come back to it: then its token is another.
      const renewed = await refresh()
      return renewed === undefined || renewed === held ? result : await run(renewed)
    },
    activate: async (activation) => {
      const done = await activate(options, activation)
      mine = mineIn(activation, await readConfig(options))
      token = undefined
      return done
    },
    obstacle: async () => obstacleOf(options, await read(), mine),
  }
}

/** What this process activated, and the version of the record that last said so; 0 once it was seen to be replaced: then it never comes back. */
interface Mine {
  readonly activation: Activation
  readonly version: number
}

function mineIn(activation: Activation, active: StoredConfig | null): Mine {
  return { activation, version: active?.revision === activation.revision ? active.version : 0 }
}

/** R17: Redis came back as it was before our revision became active: its version is older than one that we saw. */
function isFromBefore(active: StoredConfig, { activation, version }: Mine): boolean {
  return active.version < version && active.revision !== activation.revision
}

function obstacleOf({ schema }: ConfigOptions, active: StoredConfig | null, mine: Mine | undefined): string | null {
  if (active === null || mine === undefined) return "no config revision is active here yet"
  if (active.data > schema.version) return "a newer Countersign took over: this replica decides nothing, upgrade it"
  if (active.revision === mine.activation.revision) return null
  return `another config revision is active (${active.revision.slice(0, 12)}): this replica decides nothing`
}

/** What a record is made of, then the token. */
const configFields = ["version", "sealed", "frozen", "token"] as const

/** The config record, verified; null before the first activation. Also checks that the token which commits compare is its own. */
export async function readConfig(
  options: Pick<ConfigOptions, "redis" | "keys" | "seal">,
): Promise<StoredConfig | null> {
  const { redis, keys, seal } = options
  // In one command: between two of them another revision may be activated, and the token be that of the new one.
  const fields = await attempt("read the config", () => redis.hmgetBuffer(keys.config, ...configFields))
  const token = fields.at(-1)?.toString() ?? null
  const value = openRecord(seal, placeOf(keys), recordOf(fields))
  if (value === null) return null
  const read = storedConfig.safeParse(value)
  if (!read.success || (token !== null && token !== tokenOf(seal, read.data)) || token === null) {
    const advice = "somebody changed it; run `countersign ledger verify`"
    throw new StoreError("tampered", `the active config revision in Redis was not written by us: ${advice}`)
  }
  return read.data
}

function placeOf(keys: Keys): RecordPlace {
  return { purpose: "config", key: keys.config }
}

function tokenOf(seal: Seal, config: StoredConfig): string {
  return `${config.version}.${seal.mac("config token", { version: config.version, revision: config.revision })}`
}

async function activate(options: ConfigOptions, wanted: Activation): Promise<Activated> {
  const { version } = options.schema
  const before = await readConfig(options)
  if (before !== null && before.data > version)
    throw newerData("the data of this installation", { found: before.data, known: version })
  if (before?.revision === wanted.revision) return takeOver(options, before, wanted)
  const change = changeTo(wanted, before)
  if (change.again && !wanted.activate) throw activeBefore(wanted.revision, before?.revision ?? "")
  const result = await writeConfig(options, change)
  const { difference } = change
  return result.kind === "committed" ? { kind: "activated", difference } : await activate(options, wanted)
}

/** One revision in the place of another; `again`: it was active earlier. */
interface Change {
  readonly before: StoredConfig | null
  readonly wanted: Activation
  readonly again: boolean
  readonly difference: Difference
}

function changeTo(wanted: Activation, before: StoredConfig | null): Change {
  const again = before?.earlier.includes(wanted.revision) ?? false
  return { before, wanted, again, difference: differenceOf(before?.rules ?? [], wanted.rules) }
}

/** The same rules under a newer version of the data: replicas that do not know it decide nothing from now on. */
async function takeOver(options: ConfigOptions, before: StoredConfig, wanted: Activation): Promise<Activated> {
  if (before.data === options.schema.version) return { kind: "unchanged" }
  const next = { ...before, version: before.version + 1, data: options.schema.version }
  const result = await putConfig(options, before, { next, entries: [] })
  return result.kind === "committed" ? { kind: "unchanged" } : await activate(options, wanted)
}

function activeBefore(revision: string, active: string): StoreError {
  const names = `config revision ${revision.slice(0, 12)} was active earlier and was replaced; ${active.slice(0, 12)} is active now`
  return new StoreError("config-active-before", `${names}. To go back to it start with --activate`)
}

async function writeConfig(options: ConfigOptions, change: Change): Promise<RecordCommitted> {
  const { seal, schema, sandbox } = options
  const { before, wanted, again, difference } = change
  const { revision, rules, at } = wanted
  const chain = { chain: chainOf.config, head: before?.chain ?? noEntries, sandbox }
  const { entries, head } = extendChain(seal, chain, [
    { kind: "activated", at, revision, before: before?.revision ?? null, ...difference, again },
  ])
  const earlier = before === null ? [] : [...new Set([...before.earlier, before.revision])]
  const version = (before?.version ?? 0) + 1
  const next: StoredConfig = { version, revision, rules: [...rules], earlier, data: schema.version, chain: head }
  return await putConfig(options, before, { next, entries })
}

function putConfig(
  { keys, seal, commit }: ConfigOptions,
  before: StoredConfig | null,
  change: { readonly next: StoredConfig; readonly entries: readonly SealedEntry[] },
): Promise<RecordCommitted> {
  const { next, entries } = change
  const sealed = sealRecord(seal, placeOf(keys), next.version, JSON.stringify(next))
  return commit({
    key: keys.config,
    expectedVersion: String(next.version - 1),
    fields: { version: String(next.version), sealed, token: tokenOf(seal, next) },
    chain: chainOf.config,
    chainCount: before?.chain.count ?? 0,
    entries,
  })
}
