// Knows which config is active (R16): one for all replicas, whatever their files say. Commits compare its token.
import type { SharedConfig } from "../../domain/policy/shared-config.ts"
import { attempt, StoreError } from "../errors.ts"
import type { ConfigProof, RecordCommitted } from "../ledger/commit.ts"
import {
  type Activated,
  type Activation,
  type ActivationOptions,
  activate,
  activateAgain,
  unbelieved,
  unbelievedOrThrow,
} from "./config-activation.ts"
import { createConfigReader, notRead, otherVersion, type StoredConfig, tokenOf } from "./config-record.ts"

/** Why a replica decides nothing any more, whatever its file says: it cannot know what newer data mean. */
export const tookOver = "a newer Countersign took over: this replica decides nothing, upgrade it"

/** Lends the proof that a config is active. */
export interface ActiveToken {
  /** Runs a commit with the token; `config` if another config is active, or if this process may not decide. */
  under(run: (proof: ConfigProof) => Promise<RecordCommitted>): Promise<RecordCommitted>
}

/** A config that is active, or was at the last look. Judgements under it are committed only with its token. */
export interface ActiveConfig extends ActiveToken {
  readonly revision: string
  readonly shared: SharedConfig
}

/** The active config as this process sees it. `under` takes the newest one: use it only if you judged nothing. */
export interface ConfigRevision extends ActiveToken {
  /**
   * Makes a config the active one, with a ledger entry that shows the difference. If it was active earlier, takes over
   * the active config. From then on this process may decide, and replicas that know only older data may not. Throws
   * `StoreError`: `newer-data`, `tampered`, or `config-unreadable` if it cannot work under the active config.
   */
  activate(activation: Activation): Promise<Activated>
  /** Looks which config is active. Says why this process may not decide; null if it may. Throws `StoreError`. */
  obstacle(): Promise<string | null>
  /**
   * Throws `StoreError` (`newer-data`) if a newer Countersign took over: we must not read what that version shows in
   * Slack. Reads a few bytes, and the record only if these bytes changed. Also throws as `obstacle` does.
   */
  demandNewest(): Promise<void>
  /** The config as last seen; the same object until another one is active. Null before the first look. */
  active(): ActiveConfig | null
}

/** What a process knows: the file that it started with, the record that it saw last, and the config it works under. */
interface Knowledge {
  own: SharedConfig | null
  seen: StoredConfig | null
  active: Bound | null
}

/** A config, with the proof for its commits. The proof is null while this process may not decide. */
interface Bound extends ActiveConfig {
  readonly proof: ConfigProof | null
}

/** Makes the config revision of an installation. */
export function createConfigRevision(options: ActivationOptions): ConfigRevision {
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
    demandNewest: async () => {
      const token = await attempt("read which config is active", () => options.redis.hget(options.keys.config, "token"))
      const { seen } = known
      if (seen === null || token !== tokenOf(options.seal, seen)) await look()
      if ((known.seen?.data ?? 0) > options.schema.version) throw new StoreError("newer-data", tookOver)
    },
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

/** Makes the look at the record. Each look remembers what it saw, and says why this process may not decide. */
function createLook(options: ActivationOptions, known: Knowledge): () => Promise<string | null> {
  const read = createConfigReader(options)
  const look = async (): Promise<string | null> => {
    const found = await read().catch(unbelievedOrThrow)
    if (found === "behind" || found === "tampered") {
      if (known.active !== null) known.active = bound(known, look, { ...known.active, proof: null })
      return unbelieved[found]
    }
    const lost = forgottenIn(options, found, known)
    if (lost !== null) await activateAgain(options, lost, found)
    const now = lost === null ? found : await read()
    if (now === null) return noneYet
    known.seen = now
    const why = obstacleOf(options, now, known.own)
    const proof = why === null ? { token: tokenOf(options.seal, now), mac: now.chain.mac } : null
    const next = now.shared === null ? known.active : { revision: now.revision, shared: now.shared }
    const same = known.active?.revision === next?.revision && known.active?.proof?.token === proof?.token
    if (next !== null && !same) known.active = bound(known, look, { ...next, proof })
    return why
  }
  return look
}

/** A config with its token. The token may change if Redis forgot the config, or if another was active in between. */
function bound(known: Knowledge, look: () => Promise<unknown>, config: Omit<Bound, "under">): Bound {
  const { revision, shared, proof } = config
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

/** The config that Redis forgot when it went back to an earlier state (R17), so we commit it again. Null: none. */
function forgottenIn(
  options: ActivationOptions,
  found: StoredConfig | null,
  { seen, own }: Knowledge,
): StoredConfig | null {
  if (found === null || seen === null || found.version >= seen.version || found.revision === seen.revision) return null
  return seen.shared === null || obstacleOf(options, seen, own) !== null ? null : seen
}

const noneYet = "no config revision is active here yet"

function obstacleOf({ schema }: ActivationOptions, active: StoredConfig, own: SharedConfig | null): string | null {
  if (own === null) return noneYet
  const nothing = "this replica decides nothing"
  if (active.data > schema.version) return tookOver
  if (active.shared === null) return `${notRead(active.unread)}; ${nothing}, ${otherVersion}`
  const { apiUrl, sandbox } = active.shared.slack
  if (apiUrl === own.slack.apiUrl && sandbox === own.slack.sandbox) return null
  return `the active config has its Slack at ${apiUrl}, and the file of this replica at ${own.slack.apiUrl}: ${nothing}`
}
