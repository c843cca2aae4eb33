// Makes Config of the checked settings: our own names, absolute paths, a list of secrets. Defaults stand in the schema.
import { join, resolve } from "node:path"
import type { Identity } from "../../domain/people/human.ts"
import type { HoldOf, Ruled, StopRoles } from "../../domain/policy/shared-config.ts"
import type { RulesChange } from "../../domain/rule/rules-change.ts"
import { variable } from "../reading/environment.ts"
import { secretsOf } from "../reading/secrets.ts"
import type { Settings } from "../schema/schema.ts"
import type { Remark } from "./credential.ts"
import { type HttpConfig, httpOf } from "./http.ts"
import { type InstanceConfig, type InstanceSurroundings, instanceOf, remarksOnTwins, warningsOf } from "./instance.ts"
import { remarksOnHours, remarksOnResults, remarksOnRisk, remarksOnRules } from "./rule-remarks.ts"
import { holdsOf, identitiesOf, ruledOf, rulesChangeOf, stopRolesOf } from "./rules.ts"
import { caIn, proxySecrets, type WayOutConfig, warningsOnCas, wayOutTo } from "./way-out.ts"
import { type WebhookConfig, webhookOf, webhookSecrets } from "./webhooks.ts"

/** How we reach Slack, and how fast we write to it. */
export type SlackConfig = SlackCommon &
  ({ readonly mode: "socket"; readonly appToken: string } | { readonly mode: "http"; readonly signingSecret: string })

interface SlackCommon {
  readonly botToken: string
  /** Ends in a slash. Default: Slack's own address. Any other address only with `sandbox` and on loopback (R19). */
  readonly apiUrl: string
  readonly sandbox: boolean
  /** How connections to Slack leave this machine. */
  readonly way: WayOutConfig
  /** The slash command, with its slash. */
  readonly command: string
  /** Least time between two messages in one channel, ms. */
  readonly paceMs: number
  /** If more new cards than this wait in one channel, a summary names their cases. */
  readonly summaryAbove: number
}

/** Everything that Countersign is told from outside, checked. Only `loadConfig` makes one. */
export interface Config extends Ruled {
  /** The file that was read, or undefined if all came from the environment. */
  readonly file: string | undefined
  /** SHA-256 of its text as it was read; null if all came from the environment. */
  readonly fileHash: string | null
  readonly installation: string
  readonly instances: readonly InstanceConfig[]
  readonly slack: SlackConfig
  /** How many open cases may have cards at once (R20). */
  readonly admission: { readonly perInstance: number; readonly perAgent: number }
  /** A Redis by its address, or our own Redis, which keeps its data in `folder`. */
  readonly redis:
    | { readonly kind: "url"; readonly url: string /** What `redis_ca_file` holds. */; readonly ca: string | null }
    | { readonly kind: "own"; readonly folder: string }
  /** The key of all MACs (R14), or the file (mode 600) that holds it, or will hold it. */
  readonly key: { readonly kind: "given"; readonly value: string } | { readonly kind: "file"; readonly path: string }
  /** The key that signs receipts and checkpoints. */
  readonly receipts: ReceiptsConfig
  /** When the ledger's checkpoints are signed, and where they are kept. */
  readonly ledger: LedgerConfig
  /** How long a settled case is kept, ms; null (default): for good. */
  readonly retentionMs: number | null
  /** How long a card keeps arguments and names after its case closed, ms; null (default): for good. */
  readonly blankAfterMs: number | null
  /** How long we keep the masked content of a case after it closed, ms. Default 90 days; 0: we keep none. */
  readonly retainArgumentsMs: number
  /** Absolute. Default `.countersign` in the working directory. */
  readonly dataFolder: string
  readonly http: HttpConfig
  /** Where traces go: the base address of an OpenTelemetry collector (OTLP over HTTP). Undefined: none are made. */
  readonly tracesTo: string | undefined
  /** The template of `resolved_by` (`domain/people/person.ts`). */
  readonly resolvedBy: string
  readonly identities: readonly Identity[]
  /** Who may stop, and end a stop; undefined if nothing says it. */
  readonly stop: StopRoles | undefined
  /** Who approves changes of what all replicas share; undefined: nobody has to. */
  readonly rulesChange?: RulesChange | undefined
  /** Which cases stay with their arguments. */
  readonly hold: readonly HoldOf[]
  /** Who is told what enters the ledger. */
  readonly webhooks: readonly WebhookConfig[]
  /** Remarks on what works, for the operator. */
  readonly warnings: readonly Remark[]
  /** Every secret of the config, for the log to remove. */
  readonly secrets: readonly string[]
}

/** Where the signing key comes from. */
export interface ReceiptsConfig {
  /** The kind of a key that we make; a given key has its own kind. Default `EdDSA` (Ed25519). */
  readonly algorithm: "EdDSA" | "ES256"
  /**
   * `given` by `COUNTERSIGN_RECEIPT_KEY`; `file`: read, or made once; `derived` from a given `COUNTERSIGN_KEY`, so that
   * replicas without a folder share it.
   */
  readonly key:
    | { readonly kind: "given"; readonly value: string }
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "derived" }
}

/** A checkpoint is signed after this many entries or, if there are new entries, after this much time. */
export interface LedgerConfig {
  /** Ms. */
  readonly checkpointMs: number
  readonly checkpointEntries: number
  /** Absolute. Default `checkpoints.jsonl` in the data folder; null (`none`): only the audit channel has them. */
  readonly checkpointFile: string | null
  /** True: Countersign does not start without a checkpoint that it can reach. */
  readonly requireCheckpoint: boolean
  /** A Slack channel that gets each checkpoint too; null: none. */
  readonly auditChannel: string | null
}

/** What a Config is made of. */
export interface Assembled extends InstanceSurroundings {
  readonly settings: Settings
  readonly file: string | undefined
  readonly fileHash: string | null
  /** Epoch ms. */
  readonly now: number
}

/** Builds the Config of settings that passed every check. */
export function assemble(from: Assembled): Config {
  const { settings, env, file, fileHash, files, now } = from
  const { redis_url: redisUrl, limits } = settings
  const slack = slackOf(settings.slack, from)
  const instances = settings.instances.map((instance) => instanceOf(instance, from))
  const webhooks = settings.webhooks.map((webhook) => webhookOf(webhook, from))
  const { rules, written } = ruledOf(settings)
  const dataFolder = resolve(files.cwd, settings.data_folder)
  const key = variable(env, "COUNTERSIGN_KEY")
  const http = httpOf(settings.http, slack.mode, { ...from, dataFolder })
  return {
    file,
    fileHash,
    installation: settings.installation,
    instances,
    slack,
    admission: { perInstance: limits.cards_per_instance, perAgent: limits.cards_per_agent },
    redis:
      redisUrl === undefined
        ? { kind: "own", folder: join(dataFolder, "redis") }
        : { kind: "url", url: redisUrl, ca: caIn(settings.redis_ca_file, files) },
    key: key === undefined ? { kind: "file", path: join(dataFolder, "key") } : { kind: "given", value: key },
    receipts: receiptsOf(from, dataFolder),
    ledger: ledgerOf(settings.ledger, files.cwd, dataFolder),
    retentionMs: settings.retention ?? null,
    blankAfterMs: settings.blank_cards_after ?? null,
    retainArgumentsMs: settings.retain_arguments,
    dataFolder,
    http,
    tracesTo: variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT"),
    resolvedBy: settings.resolved_by,
    identities: identitiesOf(settings.identities),
    stop: stopRolesOf(settings.stop),
    rulesChange: rulesChangeOf(settings.rules_change),
    hold: holdsOf(settings.hold),
    webhooks,
    rules,
    written,
    warnings: [
      ...instances.flatMap((instance) => warningsOf(instance, now)),
      ...remarksOnTwins(instances),
      ...remarksOnRules(rules),
      ...remarksOnHours(rules, now),
      ...remarksOnResults(rules, instances),
      ...remarksOnRisk(rules),
      ...warningsOnCas(env, files),
    ],
    secrets: secretsOf(settings, [
      key,
      variable(env, "COUNTERSIGN_RECEIPT_KEY"),
      ...[
        slack.way,
        ...(http.signIn === undefined ? [] : [http.signIn.way]),
        ...instances.flatMap(({ way, resumeWay }) => [way, resumeWay]),
      ].flatMap(proxySecrets),
      ...webhooks.flatMap((webhook) => [...webhookSecrets(webhook, files), ...proxySecrets(webhook.way)]),
    ]),
  }
}

function ledgerOf(settings: Settings["ledger"], cwd: string, dataFolder: string): LedgerConfig {
  const { checkpoint_file: file = join(dataFolder, "checkpoints.jsonl") } = settings
  return {
    checkpointMs: settings.checkpoint_every,
    checkpointEntries: settings.checkpoint_entries,
    checkpointFile: file === "none" ? null : resolve(cwd, file),
    requireCheckpoint: settings.require_checkpoint,
    auditChannel: settings.audit_channel ?? null,
  }
}

function receiptsOf({ settings, env, files }: Assembled, dataFolder: string): ReceiptsConfig {
  const { algorithm, key_file: path } = settings.receipts
  const value = variable(env, "COUNTERSIGN_RECEIPT_KEY")
  if (value !== undefined) return { algorithm, key: { kind: "given", value } }
  const derivable = algorithm === "EdDSA" && path === undefined && variable(env, "COUNTERSIGN_KEY") !== undefined
  if (derivable) return { algorithm, key: { kind: "derived" } }
  return { algorithm, key: { kind: "file", path: resolve(files.cwd, path ?? join(dataFolder, "receipt-key.pem")) } }
}

function slackOf(settings: Settings["slack"], { env, files }: InstanceSurroundings): SlackConfig {
  const apiUrl = `${(settings.api_url ?? "https://slack.com/api/").replace(/\/+$/, "")}/`
  const common = {
    botToken: settings.bot_token,
    apiUrl,
    way: wayOutTo(apiUrl, { caFile: settings.ca_file, env, files }),
    sandbox: settings.sandbox,
    command: settings.command,
    paceMs: settings.pace_ms,
    summaryAbove: settings.summary_above,
  }
  const { app_token: appToken, signing_secret: signingSecret } = settings
  if (appToken !== undefined && settings.mode !== "http") return { ...common, mode: "socket", appToken }
  return { ...common, mode: "http", signingSecret: signingSecret ?? "" }
}
