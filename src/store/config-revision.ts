// Which config is active (R16): one for all replicas. Each works under it, whatever its own file says, and each commit of a case compares it.
import { ruleHash } from "../domain/policy.ts"
import { type ConfigPart, changedParts, oldRevisionOf, revisionOf, type SharedConfig } from "../domain/shared-config.ts"
import type { Committer, ConfigProof, RecordCommitted } from "./commit.ts"
import {
  type ConfigPlace,
  configBehind,
  createConfigReader,
  putConfig,
  readAnyConfig,
  readConfig,
  type StoredConfig,
  tokenOf,
  wasActive,
} from "./config-record.ts"
import { type DataSchema, newerData } from "./data-schema.ts"
import { type ChainHead, extendChain, noEntries } from "./entry.ts"
import { StoreError } from "./errors.ts"
import { chainOf } from "./keys.ts"
import { type Difference, differenceOf } from "./rule-difference.ts"

/** The config that a process starts with. */
interface Activation {
  readonly shared: SharedConfig
  /** True when an operator said `--activate`: a revision that was active earlier may come back. */
  readonly activate: boolean
  /** Epoch ms. */
  readonly at: number
}

/** `unchanged`: it was active already. `taken-over`: it was active earlier, so the process works under the one that replaced it. */
type Activated =
  | { readonly kind: "unchanged" }
  | { readonly kind: "taken-over"; readonly active: string }
  | { readonly kind: "activated"; readonly difference: Difference; readonly besides: readonly ConfigPart[] }

/** Lends the proof that a config is active. */
export interface ActiveToken {
  /** Runs a commit with the token; answers `config` when another config is active, or when this process may not decide. */
  under(run: (proof: ConfigProof) => Promise<RecordCommitted>): Promise<RecordCommitted>
}

/** One config that is active, or was when it was last looked at: what is judged by it is committed under its token and no other. */
export interface ActiveConfig extends ActiveToken {
  readonly revision: string
  readonly shared: SharedConfig
}

/** The active config of an installation, as this process sees it. Its own `under` is for what judges nothing: it goes along with any change. */
export interface ConfigRevision extends ActiveToken {
  /**
   * Makes a config the active one, with a ledger entry that shows the difference, or takes over the active one where it was active earlier.
   * From then on this process may decide. Replicas that know an older version of the data decide nothing any more. Throws `StoreError`:
   * `newer-data`, `tampered`, `config-active-before` where there is nothing to take over that this Countersign can work under.
   */
  activate(activation: Activation): Promise<Activated>
  /** Looks which config is active, and says why this process may not decide under it, in words for its operator; null if it may. Throws `StoreError`. */
  obstacle(): Promise<string | null>
  /** The config to work under, as it was last seen; the same object until another is active. Null before one was seen. */
  active(): ActiveConfig | null
}

/** What the config revision is made of. */
export interface ConfigOptions extends ConfigPlace {
  readonly schema: DataSchema
  readonly commit: Committer
  readonly sandbox: boolean
}

/** What a process knows: the file it was started with, the record it saw last, and what it works under. */
interface Knowledge {
  own: SharedConfig | null
  seen: StoredConfig | null
  active: (ActiveConfig & { readonly proof: ConfigProof | null }) | null
}

/** Makes the config revision of an installation. */
export function createConfigRevision(options: ConfigOptions): ConfigRevision {
  const known: Knowledge = { own: null, seen: null, active: null }
  const look = createLook(options, known)
  return {
    activate: async (activation) => {
      const done = await activate(options, activation)
      known.own = activation.shared
      await look()
      return done
    },
    obstacle: look,
    active: () => known.active,
    under: async (run) => {
      if (known.active === null) await look()
      const before = known.active
      if (before === null) return { kind: "config" }
      const result = await before.under(run)
      const now = known.active
      return result.kind === "config" && now !== null && now !== before ? now.under(run) : result
    },
  }
}

/** Makes what looks at the record: it keeps in mind what it saw, and gives back what stands in the way of deciding. */
function createLook(options: ConfigOptions, known: Knowledge): () => Promise<string | null> {
  const read = createConfigReader(options)
  const look = async (): Promise<string | null> => {
    const found = await read().catch(behindOrThrow)
    if (found === "behind") {
      if (known.active !== null) known.active = bound({ known, look }, { ...known.active, proof: null })
      return configBehind
    }
    const lost = forgottenIn(options, found, known)
    // Only the record that follows is written: whoever is faster was activated later than the one we saw.
    if (lost !== null) await writeConfig(options, changeTo(lost, found))
    const now = lost === null ? found : await read()
    if (now === null) return noneYet
    known.seen = now
    const why = obstacleOf(options, now, known.own)
    const proof = why === null ? { token: tokenOf(options.seal, now), mac: now.chain.mac } : null
    const next = now.shared === null ? known.active : { revision: now.revision, shared: now.shared }
    const same = known.active?.revision === next?.revision && known.active?.proof?.token === proof?.token
    if (next !== null && !same) known.active = bound({ known, look }, { ...next, proof })
    return why
  }
  return look
}

function behindOrThrow(error: unknown): "behind" {
  if (error instanceof StoreError && error.code === "behind") return "behind"
  throw error
}

/** A config with its token. Where Redis forgot and learnt it again, or it went and came back, its token may be another. */
function bound(
  { known, look }: { readonly known: Knowledge; readonly look: () => Promise<unknown> },
  {
    revision,
    shared,
    proof,
  }: { readonly revision: string; readonly shared: SharedConfig; readonly proof: ConfigProof | null },
): NonNullable<Knowledge["active"]> {
  return {
    revision,
    shared,
    proof,
    under: async (run) => {
      const result: RecordCommitted = proof === null ? { kind: "config" } : await run(proof)
      if (result.kind !== "config") return result
      await look()
      const now = known.active
      return now === null || now.proof === null || now.revision !== revision ? result : run(now.proof)
    },
  }
}

/** R17: what is to be committed again: Redis came back as it was before the config became active that this process worked under. */
function forgottenIn(options: ConfigOptions, found: StoredConfig | null, { seen, own }: Knowledge): Wanted | null {
  if (found === null || seen === null || found.version >= seen.version || found.revision === seen.revision) return null
  if (seen.shared === null || obstacleOf(options, seen, own) !== null) return null
  return { ...wantedOf(seen.shared, seen.at), earlier: seen.earlier }
}

const noneYet = "no config revision is active here yet"

function obstacleOf({ schema }: ConfigOptions, active: StoredConfig, own: SharedConfig | null): string | null {
  if (own === null) return noneYet
  const nothing = "this replica decides nothing"
  if (active.data > schema.version) return `a newer Countersign took over: ${nothing}, upgrade it`
  if (active.shared === null) return `another version of Countersign activated the config that is active: ${nothing}`
  const { apiUrl, sandbox } = active.shared.slack
  if (apiUrl === own.slack.apiUrl && sandbox === own.slack.sandbox) return null
  return `the active config has its Slack at ${apiUrl}, and the file of this replica at ${own.slack.apiUrl}: ${nothing}`
}

/** A config that is to become active. */
interface Wanted {
  readonly shared: SharedConfig
  readonly revision: string
  /** What is known besides of revisions that were active before. */
  readonly earlier: readonly string[]
  readonly at: number
}

function wantedOf(shared: SharedConfig, at: number): Wanted {
  return { shared, revision: revisionOf(shared), earlier: [], at }
}

async function activate(options: ConfigOptions, { shared, activate: asked, at }: Activation): Promise<Activated> {
  const wanted = wantedOf(shared, at)
  const found = await readConfig(options).catch(behindOrThrow)
  if (found === "behind") return repair(options, { shared, activate: asked, at })
  const before = found
  if (before !== null && before.data > options.schema.version)
    throw newerData("the data of this installation", { found: before.data, known: options.schema.version })
  const change = changeTo(wanted, before)
  const own = before?.revision === wanted.revision
  if (before !== null && (own || (change.again && !asked))) {
    if (before.shared === null) throw activeBefore(wanted.revision, before.revision)
    const done: Activated = own ? { kind: "unchanged" } : { kind: "taken-over", active: before.revision }
    return (await raiseData(options, before)) ? done : await activate(options, { shared, activate: asked, at })
  }
  const result = await writeConfig(options, change)
  if (result.kind !== "committed") return await activate(options, { shared, activate: asked, at })
  const { difference, besides } = change
  return { kind: "activated", difference, besides }
}

/** What an operator wants to be active takes the place of a record that is older than the ledger, at the end of its chain. */
async function repair(options: ConfigOptions, activation: Activation): Promise<Activated> {
  if (!activation.activate) throw new StoreError("behind", configBehind)
  const change = changeTo(wantedOf(activation.shared, activation.at), await readAnyConfig(options))
  const end = options.freshness.head(chainOf.config) ?? noEntries
  const result = await writeConfig(options, change, end)
  if (result.kind !== "committed") return await activate(options, activation)
  const { difference, besides } = change
  return { kind: "activated", difference, besides }
}

/** One config in the place of another; `again`: it was active earlier. */
interface Change {
  readonly before: StoredConfig | null
  readonly wanted: Wanted
  readonly rules: StoredConfig["rules"]
  readonly again: boolean
  readonly difference: Difference
  readonly besides: readonly ConfigPart[]
}

function changeTo(wanted: Wanted, before: StoredConfig | null): Change {
  const { shared } = wanted
  const rules = shared.rules.map((rule) => ({ name: rule.name, hash: ruleHash(rule) }))
  const again = before !== null && wasActive(before, shared)
  const difference = differenceOf(before?.rules ?? [], rules)
  return { before, wanted, rules, again, difference, besides: changedParts(before?.shared ?? null, shared) }
}

/** The same config under a newer version of the data: replicas that do not know it decide nothing from now on. False: somebody was faster. */
async function raiseData(options: ConfigOptions, before: StoredConfig): Promise<boolean> {
  if (before.data === options.schema.version) return true
  const next = { ...before, version: before.version + 1, data: options.schema.version }
  return (await putConfig(options, before, { next, entries: [] })).kind === "committed"
}

function activeBefore(revision: string, active: string): StoreError {
  const names = `config revision ${revision.slice(0, 12)} was active earlier and was replaced; ${active.slice(0, 12)} is active now`
  const why = "another version of Countersign activated that, so it cannot be taken over"
  return new StoreError(
    "config-active-before",
    `${names}, and ${why}. Start this version with that config first, or go back to this one with --activate`,
  )
}

/** `end`: where the chain ends by the ledger, where the record does not say so. */
async function writeConfig(options: ConfigOptions, change: Change, end?: ChainHead): Promise<RecordCommitted> {
  const { seal, schema, sandbox } = options
  const { before, wanted, rules, again, difference, besides } = change
  const { revision, shared, at } = wanted
  const chain = { chain: chainOf.config, head: end ?? before?.chain ?? noEntries, sandbox }
  const { entries, head } = extendChain(seal, chain, [
    { kind: "activated", at, revision, before: before?.revision ?? null, ...difference, besides, again },
  ])
  const past = before === null ? [] : [...before.earlier, before.revision, ...wanted.earlier]
  // What an older Countersign knew this config by stands for it no longer: a file with the same rules and other parts is another config.
  const earlier = [...new Set(past)].filter((one) => one !== oldRevisionOf(shared))
  const version = (before?.version ?? 0) + 1
  const next: StoredConfig = { version, revision, rules, earlier, data: schema.version, at, shared, chain: head }
  return await putConfig(options, before, { next, entries, repairs: end !== undefined })
}
