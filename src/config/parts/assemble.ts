// The checked settings as Config: names of ours, defaults filled in, secrets listed.
import { join, resolve } from "node:path"
import type { Identity, Match, Route, Rule } from "../../domain/policy.ts"
import { type Environment, variable } from "../reading/environment.ts"
import { secretsOf } from "../reading/secrets.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import type { Settings } from "../schema/schema.ts"
import { type HttpConfig, httpOf } from "./http.ts"
import { identitiesOf } from "./identities.ts"
import { type KeyPlaces, type ResolvingConfig, resolvingOf } from "./resolving.ts"
import { timingOf } from "./timing.ts"
import { type TokenFile, tokenFileOf } from "./token-file.ts"
import { type Warning, warningsOf } from "./warning.ts"
import { proxySecrets, type WayOutConfig, warningsOnCas, wayOutTo } from "./way-out.ts"

/** One Agent Platform Service. */
export interface InstanceConfig {
  readonly name: string
  /** http or https, without a slash at the end; may have a path. */
  readonly url: string
  /** The bearer credential; undefined for an instance that asks for none. */
  readonly token: string | undefined
  /** Where it lies, if in a file, whose contents count as they are at the moment: `token` is what it held at the start. */
  readonly tokenFile: TokenFile | undefined
  readonly resolving: ResolvingConfig
  /** How often the pending approvals are read, ms. Default 1000. */
  readonly pollMs: number
  /** How long one call may take from when it is sent, ms. Default 10000. */
  readonly timeoutMs: number
  /** Which decided runs are continued. Default `off`. */
  readonly resume: "off" | "approved" | "decided"
  /** The credential that continues them; undefined for an instance that asks for none. Never the one that resolves. */
  readonly resumeToken: string | undefined
  /** How long a continue may take, ms. Default 300000. */
  readonly resumeMs: number
  /** What becomes of a rejection that the platform would not enforce (R12). Default `hold`. */
  readonly rejectUserInput: "hold" | "send"
  /** Whether runs of AgentOS's own Slack interface are continued too, though anybody in their thread can do so. Default false. */
  readonly besideAgnoSlack: boolean
  /** How connections to it leave this machine. */
  readonly way: WayOutConfig
}

/** How Slack is reached and how fast it is written to. */
export type SlackConfig = SlackCommon &
  ({ readonly mode: "socket"; readonly appToken: string } | { readonly mode: "http"; readonly signingSecret: string })

interface SlackCommon {
  readonly botToken: string
  /** Ends in a slash. Default Slack's own; another one only together with `sandbox` and on loopback (R19). */
  readonly apiUrl: string
  readonly sandbox: boolean
  /** How connections to it leave this machine. */
  readonly way: WayOutConfig
  /** The slash command, with its slash. Default `/approvals`. */
  readonly command: string
  /** Least time between two messages in one channel, ms. Default 1030: Slack allows one a second, and what is sent on time may arrive some ms late. */
  readonly paceMs: number
  /** While more new cards than this wait in one channel, a summary names their cases. Default 0: never. */
  readonly summaryAbove: number
}

/** Everything Countersign is told from outside, checked. Only `loadConfig` makes one. */
export interface Config {
  /** The file that was read, or undefined if the environment alone spoke. */
  readonly file: string | undefined
  readonly installation: string
  readonly instances: readonly InstanceConfig[]
  readonly slack: SlackConfig
  /** How many open cases may have cards at once (R20). Default 500 of an instance, 100 of an agent. */
  readonly room: { readonly perInstance: number; readonly perAgent: number }
  /** A Redis by address, or one of our own that keeps its data in `folder`. */
  readonly redis: { readonly kind: "url"; readonly url: string } | { readonly kind: "own"; readonly folder: string }
  /** The key of all MACs (R14), or the file (mode 600) that holds it or will. */
  readonly key: { readonly kind: "given"; readonly value: string } | { readonly kind: "file"; readonly path: string }
  /** What receipts and checkpoints are signed with. */
  readonly receipts: ReceiptsConfig
  /** When the ledger's checkpoints are signed, and where they are kept. */
  readonly ledger: LedgerConfig
  /** How long a settled case is kept, ms; null (default): for good. */
  readonly retentionMs: number | null
  /** Absolute. Default `.countersign` in the working directory. */
  readonly dataFolder: string
  readonly http: HttpConfig
  /** Where traces go: the base address of an OpenTelemetry collector (OTLP over HTTP). Undefined: none are made. */
  readonly tracesTo: string | undefined
  /** The template of `resolved_by` (`domain/person.ts`). Default `{email}`. */
  readonly resolvedBy: string
  readonly identities: readonly Identity[]
  readonly rules: readonly Rule[]
  /** What works but deserves a word to the operator. */
  readonly warnings: readonly Warning[]
  /** Every secret in here, for the log to remove. */
  readonly secrets: readonly string[]
}

/** Where the signing key comes from. */
export interface ReceiptsConfig {
  /** What a key is made for; a key that is given says so itself. Default `EdDSA` (Ed25519). */
  readonly algorithm: "EdDSA" | "ES256"
  /**
   * `given` by `COUNTERSIGN_RECEIPT_KEY`; `file`: read, and made once if it is not there; `derived` from a given `COUNTERSIGN_KEY`, so that
   * replicas without a folder of their own share it.
   */
  readonly key:
    | { readonly kind: "given"; readonly value: string }
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "derived" }
}

/** A checkpoint is signed when so many entries came, or so much time went by since the last one and any came. */
export interface LedgerConfig {
  /** Ms. Default 60000. */
  readonly checkpointMs: number
  /** Default 100. */
  readonly checkpointEntries: number
  /** Absolute. Default `checkpoints.jsonl` in the data folder; null for `none`: then the audit channel alone keeps them. */
  readonly checkpointFile: string | null
  /** True: no start without a checkpoint that can be reached. Default false. */
  readonly requireCheckpoint: boolean
  /** A Slack channel that gets each checkpoint too; null: none. */
  readonly auditChannel: string | null
}

/** Slack's own API. */
const SLACK_API_URL = "https://slack.com/api/"

/** Builds the Config of settings that passed every check. */
export function assemble(options: {
  readonly settings: Settings
  readonly env: Environment
  readonly file: string | undefined
  /** Where files are read, and the working directory. */
  readonly places: KeyPlaces
  /** Epoch ms. */
  readonly now: number
}): Config {
  const { settings, env, file, places } = options
  const { cwd } = places
  const slack = slackOf(settings.slack, options)
  const instances = settings.instances.map((instance) => instanceOf(instance, options))
  const dataFolder = resolve(cwd, settings.data_folder ?? ".countersign")
  const key = variable(env, "COUNTERSIGN_KEY")
  const redisUrl = settings.redis_url
  return {
    file,
    installation: settings.installation ?? "default",
    instances,
    slack,
    room: {
      perInstance: settings.limits?.cards_per_instance ?? 500,
      perAgent: settings.limits?.cards_per_agent ?? 100,
    },
    redis: redisUrl === undefined ? { kind: "own", folder: join(dataFolder, "redis") } : { kind: "url", url: redisUrl },
    key: key === undefined ? { kind: "file", path: join(dataFolder, "key") } : { kind: "given", value: key },
    receipts: receiptsOf({ settings, env, cwd, dataFolder }),
    ledger: {
      checkpointMs: settings.ledger?.checkpoint_every ?? 60_000,
      checkpointEntries: settings.ledger?.checkpoint_entries ?? 100,
      checkpointFile: checkpointFileOf(settings.ledger?.checkpoint_file, { cwd, dataFolder }),
      requireCheckpoint: settings.ledger?.require_checkpoint ?? false,
      auditChannel: settings.ledger?.audit_channel ?? null,
    },
    retentionMs: settings.retention ?? null,
    dataFolder,
    http: httpOf({ settings: settings.http, mode: slack.mode, cwd }),
    tracesTo: variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT"),
    resolvedBy: settings.resolved_by ?? "{email}",
    identities: identitiesOf(settings.identities),
    rules: settings.rules.map(ruleOf),
    warnings: [...instances.flatMap((instance) => warningsOf(instance, options.now)), ...warningsOnCas(env, places)],
    secrets: secretsOf(settings, [
      key,
      variable(env, "COUNTERSIGN_RECEIPT_KEY"),
      ...[slack, ...instances].flatMap(({ way }) => proxySecrets(way)),
    ]),
  }
}

function checkpointFileOf(
  file: string | undefined,
  { cwd, dataFolder }: { readonly cwd: string; readonly dataFolder: string },
): string | null {
  return file === "none" ? null : resolve(cwd, file ?? join(dataFolder, "checkpoints.jsonl"))
}

function receiptsOf(options: {
  readonly settings: Settings
  readonly env: Environment
  readonly cwd: string
  readonly dataFolder: string
}): ReceiptsConfig {
  const { settings, env, cwd, dataFolder } = options
  const algorithm = settings.receipts?.algorithm ?? "EdDSA"
  const value = variable(env, "COUNTERSIGN_RECEIPT_KEY")
  if (value !== undefined) return { algorithm, key: { kind: "given", value } }
  const path = settings.receipts?.key_file
  const derivable = algorithm === "EdDSA" && path === undefined && variable(env, "COUNTERSIGN_KEY") !== undefined
  if (derivable) return { algorithm, key: { kind: "derived" } }
  return { algorithm, key: { kind: "file", path: resolve(cwd, path ?? join(dataFolder, "receipt-key.pem")) } }
}

/** What else a part of the config is made of. */
type Around = Pick<Parameters<typeof assemble>[0], "env" | "places">

function instanceOf(settings: Settings["instances"][number], { env, places }: Around): InstanceConfig {
  return {
    name: settings.name,
    url: settings.url.replace(/\/+$/, ""),
    token: settings.token,
    tokenFile: tokenFileOf(settings, places.cwd),
    resolving: resolvingOf(settings, places.cwd),
    pollMs: settings.poll_every ?? 1_000,
    timeoutMs: settings.timeout ?? 10_000,
    resume: settings.resume ?? "off",
    resumeToken: settings.resume_token,
    resumeMs: settings.resume_timeout ?? 300_000,
    rejectUserInput: settings.reject_user_input ?? "hold",
    besideAgnoSlack: settings.beside_agno_slack ?? false,
    way: wayOutTo(settings.url, { caFile: settings.ca_file, env, places }),
  }
}

function slackOf(settings: Settings["slack"], { env, places }: Around): SlackConfig {
  const apiUrl = `${(settings.api_url ?? SLACK_API_URL).replace(/\/+$/, "")}/`
  const common = {
    botToken: settings.bot_token,
    apiUrl,
    way: wayOutTo(apiUrl, { caFile: settings.ca_file, env, places }),
    sandbox: settings.sandbox ?? false,
    command: settings.command ?? "/approvals",
    paceMs: settings.pace_ms ?? 1_030,
    summaryAbove: settings.summary_above ?? 0,
  }
  const { app_token: appToken, signing_secret: signingSecret } = settings
  if (appToken !== undefined && settings.mode !== "http") return { ...common, mode: "socket", appToken }
  return { ...common, mode: "http", signingSecret: signingSecret ?? "" }
}

function ruleOf(settings: RuleSettings): Rule {
  return {
    name: settings.name,
    match: matchOf(settings.match ?? {}),
    matchUnknown: settings.match_unknown ?? true,
    routes: settings.routes.map(routeOf),
    approvers: approversOf(settings.approvers),
    quorum: settings.quorum ?? 1,
    forbidSelfApproval: settings.forbid_self_approval ?? true,
    unknownRequester: settings.unknown_requester ?? "allow",
    requireReason: settings.require_reason ?? "reject",
    reasons: settings.reasons ?? [],
    mask: settings.mask ?? [],
    risk: settings.risk ?? null,
    danger: settings.danger ?? false,
    allowGuests: settings.allow_guests ?? false,
    allowExternal: settings.allow_external ?? false,
    ...(settings.allow_shared_channel === true ? { allowSharedChannel: true } : {}),
    ...timingOf(settings, {
      routes: (settings.escalate_to?.routes ?? []).map(routeOf),
      approvers: approversOf(settings.escalate_to?.approvers ?? []),
    }),
  }
}

function matchOf(settings: NonNullable<RuleSettings["match"]>): Match {
  return Object.fromEntries(Object.entries(settings).filter(([, words]) => words !== undefined))
}

function routeOf(settings: RuleSettings["routes"][number]): Route {
  const id = typeof settings === "string" ? settings : "channel" in settings ? settings.channel : settings.person
  return { kind: /^[CG]/.test(id) ? "channel" : "person", id }
}

function approversOf(texts: readonly string[]): Rule["approvers"] {
  return [...new Set(texts)].map(approverOf)
}

function approverOf(text: string): Rule["approvers"][number] {
  if (text.includes("@")) return { kind: "email", email: text.toLowerCase() }
  if (text.startsWith("S")) return { kind: "group", id: text }
  const [id = text, team] = text.split(":").toReversed()
  return team === undefined ? { kind: "user", id } : { kind: "user", id, team }
}
