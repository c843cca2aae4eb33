// The doctor on the config and the key: every problem of both, without making anything.
import { existsSync } from "node:fs"
import {
  type Config,
  ConfigError,
  type ConfigOptions,
  describeWhere,
  lacksMetricsToken,
  loadConfig,
} from "../../config.ts"
import { ProofError } from "../../proof/errors.ts"
import { KeyError, readKeyFile } from "../installation/key.ts"
import { openSigningKey } from "../installation/signing-key.ts"
import { type Finding, notesOn } from "./finding.ts"
import { weaknessOf } from "./weak-key.ts"

/** The config if it can be used, and what was found. */
export interface ConfigSeen {
  readonly config: Config | null
  readonly findings: readonly Finding[]
}

/** Reads the config as `run` does. */
export function lookAtConfig(options: ConfigOptions): ConfigSeen {
  const notes = notesOn("config")
  try {
    const config = loadConfig(options)
    const source = config.file === undefined ? "the environment alone" : config.file
    const what = `${source}: instances ${config.instances.length}, rules ${config.rules.length}, Slack by ${config.slack.mode}`
    return { config, findings: [notes.ok(what), ...config.warnings.map((warning) => notes.warn(warning))] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: null, findings: error.problems.map(problem) }
  }
}

/** By which proxy what is reached. A proxy that does not do it shows where it is asked. */
export function lookAtProxies({ instances, slack }: Pick<Config, "instances" | "slack">): readonly Finding[] {
  const ways = [...instances.map(({ name, way }) => ({ to: `platform ${name}`, way })), { to: "slack", way: slack.way }]
  return ways.flatMap(({ to, way: { proxy } }) => {
    if (proxy === null) return []
    const but = proxy.except === "" ? "" : `, unless NO_PROXY names its host (${proxy.except})`
    return [notesOn(to).ok(`it is reached by way of the proxy ${new URL(proxy.url).host} (${proxy.variable})${but}`)]
  })
}

function problem({ place, what, example }: ConfigError["problems"][number]): Finding {
  return notesOn("config").fail({
    what: `${describeWhere(place)} ${what}`,
    why: "Countersign does not start with a config that it cannot understand, and nothing else can be probed before",
    todo:
      example === undefined ? "see countersign.example.yaml, which explains every key" : `right would be: ${example}`,
  })
}

/** Nothing where `/metrics` and `/status` are served, or not wanted. */
export function lookAtMetrics(config: Pick<Config, "http" | "slack">): readonly Finding[] {
  if (!lacksMetricsToken(config)) return []
  const what = "/metrics is not served, nor is /status: in HTTP mode they need a token"
  const why = "Slack's port is open to others, who would read what waits and what is decided; Prometheus reads nothing"
  return [notesOn("metrics").warn({ what, why, todo: "set http.metrics_token, or say http.metrics: off" })]
}

/** The key if there is one, and what was found. */
export interface KeySeen {
  readonly key: Buffer | null
  readonly finding: Finding
}

/** Looks at the installation's key; a missing key file is not made. */
export function lookAtKey(key: Config["key"]): KeySeen {
  const notes = notesOn("key")
  if (key.kind === "given")
    return judgeKey(Buffer.from(key.value), "COUNTERSIGN_KEY", "COUNTERSIGN_KEY is set and long enough")
  if (!existsSync(key.path))
    return { key: null, finding: notes.ok(`${key.path} is not there yet: the first start makes it`) }
  try {
    return judgeKey(readKeyFile(key.path), key.path, `${key.path} can be read by its owner only`)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    const why = "whoever has the key can forge votes and the ledger; without it nothing that was sealed can be read"
    return { key: null, finding: notes.fail({ what: error.what, why, todo: error.todo }) }
  }
}

function judgeKey(key: Buffer, name: string, well: string): KeySeen {
  const notes = notesOn("key")
  const weakness = weaknessOf(key.toString())
  if (weakness === null) return { key, finding: notes.ok(well) }
  const why = "whoever reads Redis can guess it at leisure, and who has it can forge votes and the ledger"
  const todo =
    "take the output of openssl rand -hex 32, under a new name (installation): what a key sealed keeps that key"
  return { key, finding: notes.warn({ what: `${name} ${weakness}`, why, todo }) }
}

/** Looks at what receipts and checkpoints are signed with; a missing file is not made. `key` is the installation's, if there is one. */
export async function lookAtReceiptKey(config: Config, key: Buffer | null): Promise<Finding> {
  const notes = notesOn("receipts")
  const { key: place } = config.receipts
  const later = place.kind === "file" ? !existsSync(place.path) : place.kind === "derived" && key === null
  if (later) return notes.ok("the first start makes the key that signs them")
  try {
    const { algorithm, publicKey } = await openSigningKey(config, key ?? Buffer.alloc(0))
    return notes.ok(`they are signed with ${algorithm} key ${publicKey.kid}`)
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof ProofError)) throw error
    const why = "without it no decision can be made, since each carries a receipt"
    const todo = error instanceof KeyError ? error.todo : "give a private key on Ed25519 or P-256, in PEM or as a JWK"
    return notes.fail({ what: error.message, why, todo })
  }
}
