// The doctor on the config and the Node that reads it: all problems, and what is kept outside Redis. It writes nothing.
import { accessSync, constants, existsSync } from "node:fs"
import { createServer } from "node:net"
import { dirname } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { openProvider } from "../../bot/sign-in.ts"
import {
  type Config,
  ConfigError,
  type ConfigOptions,
  describeWhere,
  lacksMetricsToken,
  loadConfig,
  spanWords,
} from "../../config.ts"
import { isJsonObject, parseJson } from "../../domain/content/json.ts"
import { listenSettings, ownUrl } from "../../http/server.ts"
import { callbackPath } from "../../http/sign-in/company-sessions.ts"
import { type Provider, ProviderError } from "../../http/sign-in/provider.ts"
import { ListenError, listenOn } from "../../listen.ts"
import { ProofError } from "../../proof/errors.ts"
import { marksFolder } from "../../proof/marks.ts"
import { loadKeySet } from "../installation/key-set.ts"
import { type Finding, notesOn } from "./finding.ts"
import { remedyOf } from "./remedy.ts"

/** Reads the config as `run` does. Returns the config if it is usable, and the findings. */
export function lookAtConfig(options: ConfigOptions) {
  const notes = notesOn("config")
  try {
    const config = loadConfig(options)
    const source = config.file === undefined ? "the environment alone" : config.file
    const what =
      `${source}: instances ${config.instances.length}, rules ${config.rules.length}, ` +
      `Slack by ${config.slack.mode}`
    const warnings = config.warnings.map((warning) => notes.warn(warning))
    return { config, findings: [notes.ok(what), ...warnings, notes.note(keptWords(config))] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: null, findings: error.problems.map(problem) }
  }
}

/** How long arguments are kept unless the config says otherwise: too short for most audits of a year. */
const usualRetentionMs = 90 * 24 * 3_600_000

/** For how long people can read what was approved. */
function keptWords({ retainArgumentsMs }: Config): string {
  if (retainArgumentsMs === 0) return "arguments go as their case closes (retain_arguments: 0)"
  const kept = `arguments can be read for ${spanWords(retainArgumentsMs)} after their case closes`
  const short = retainArgumentsMs <= usualRetentionMs ? ": an auditor who comes later needs more" : ""
  return `${kept}, then only their digest is left (retain_arguments)${short}`
}

/** Says which proxy leads to which address. If a proxy does not work, the probes of these addresses show that. */
export function lookAtProxies({
  instances,
  slack,
  webhooks,
  http: { signIn },
}: Pick<Config, "instances" | "slack" | "webhooks" | "http">): readonly Finding[] {
  const ways = [
    ...instances.flatMap(waysTo),
    { to: "slack", what: "it", way: slack.way },
    ...webhooks.map(({ name, way }) => ({ to: `webhook ${name}`, what: "its receiver", way })),
    ...(signIn === undefined ? [] : [{ to: "sign-in", what: "the provider", way: signIn.way }]),
  ]
  return ways.flatMap(({ to, what, way: { proxy } }) => {
    if (proxy === null) return []
    const but = proxy.except === "" ? "" : `, unless NO_PROXY names its host (${proxy.except})`
    const through = `through the proxy ${new URL(proxy.url).host} (${proxy.variable})`
    return [notesOn(to).ok(`${what} is reached ${through}${but}`)]
  })
}

function waysTo({ name, way, resumeUrl, resumeWay }: Config["instances"][number]) {
  const to = `platform ${name}`
  return [{ to, what: "it", way }, ...(resumeUrl === undefined ? [] : [{ to, what: "resume_url", way: resumeWay }])]
}

function problem({ place, what, example }: ConfigError["problems"][number]): Finding {
  return notesOn("config").fail({
    what: `${describeWhere(place)} ${what}`,
    why: "Countersign does not start with a config that it cannot understand, and doctor can check nothing else",
    todo: example === undefined ? "see countersign.example.yaml, which explains every key" : `for example: ${example}`,
  })
}

/** Tries the port, and frees it again. `kid` is the key that signs here: a bot that serves it is our installation's. */
export async function lookAtPort({ host, port }: Config["http"], kid: string | null): Promise<Finding> {
  const notes = notesOn("http")
  const server = createServer()
  try {
    await listenOn(server, { host, port, settings: listenSettings })
    await new Promise((resolve) => server.close(resolve))
    return notes.ok(port === 0 ? "it takes any free port" : `port ${port} is free`)
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    const url = ownUrl({ host, port })
    if (error.taken && kid !== null && (await kidsAt(url)).includes(kid))
      return notes.ok(`port ${port} is held by a bot of this installation, which runs now`)
    const why = "Countersign does not start without a port for health checks and, in HTTP mode, for Slack"
    return notes.fail({ what: error.what, why, todo: error.todo })
  }
}

/** The ids of the keys that a bot serves there; none if something else listens. */
async function kidsAt(url: string): Promise<readonly string[]> {
  try {
    return (await loadKeySet(`${url}/.well-known/jwks.json`)).keys.map(({ kid }) => kid)
  } catch (error) {
    if (error instanceof ProofError) return []
    throw error
  }
}

/** Says if `/metrics` and `/status` lack a token. Empty if they are served, or not wanted. */
export function lookAtMetrics(config: Pick<Config, "http" | "slack">): readonly Finding[] {
  if (!lacksMetricsToken(config)) return []
  const what = "/metrics is not served, nor is /status: in HTTP mode they need a token"
  const why = "Slack's port is open to others, who would read what waits and what is decided; Prometheus reads nothing"
  return [notesOn("metrics").warn({ what, why, todo: "set http.metrics_token, or set http.metrics: off" })]
}

/** Looks where checkpoints are kept, and whether marks and the access log can be written; makes no folder. */
export function lookOutside({
  ledger,
  dataFolder,
  http: { accessLog },
}: Pick<Config, "ledger" | "dataFolder" | "http">): readonly Finding[] {
  const read = accessLog === undefined ? [] : [accesses(accessLog.folder)]
  return [checkpoints(ledger), marks(marksFolder(dataFolder)), ...read]
}

function accesses(folder: string): Finding {
  const notes = notesOn("access log")
  const obstacle = obstacleTo(folder)
  if (obstacle === null) return notes.ok(`who reads cases is noted in ${folder}`)
  const why = "the page and the read API show nothing that they cannot note: they answer 503"
  const todo = "set http.access_log.folder to a folder that the user of Countersign may write, on a volume that lasts"
  return notes.fail({ what: `${folder} cannot be written: ${obstacle}`, why, todo })
}

function checkpoints({ checkpointFile, auditChannel, requireCheckpoint }: Config["ledger"]): Finding {
  const notes = notesOn("ledger")
  const places = [checkpointFile, auditChannel === null ? null : `channel ${auditChannel}`].filter(
    (one) => one !== null,
  )
  if (places.length > 0) return notes.ok(`checkpoints are kept in ${places.join(" and ")}`)
  const what = "no checkpoint of the ledger is kept outside Redis"
  const todo =
    "set ledger.checkpoint_file to a file on a volume that outlives the process and that all replicas share, " +
    "or set ledger.audit_channel"
  if (requireCheckpoint)
    return notes.fail({ what, why: "ledger.require_checkpoint is set: every start but the first would end", todo })
  const why =
    "a start cannot tell that Redis was rolled back: it believes what Redis says of rules and links, " +
    "and may ask people again for every open case"
  return notes.warn({ what, why, todo })
}

function marks(folder: string): Finding {
  const notes = notesOn("marks")
  const obstacle = obstacleTo(folder)
  if (obstacle === null) return notes.ok(`what each process knows of the ledger is noted in ${folder}`)
  const why = "what a process knew of the ledger is lost when it crashes: people may be asked again for every open case"
  const todo = "make data_folder writable for the user that Countersign runs as; an emptyDir is enough"
  return notes.warn({ what: `${folder} cannot be written: ${obstacle}`, why, todo })
}

/** Why nobody can write into a folder or make it; null if they can. */
function obstacleTo(folder: string): string | null {
  if (!existsSync(folder) && dirname(folder) !== folder) return obstacleTo(dirname(folder))
  try {
    // With the dot, this also fails for a file in the folder's place.
    accessSync(`${folder}/.`, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Two texts: in some Nodes (24.0 to 24.21 among them) `JSON.parse` gives the second one the name of the first. */
const pair = ['{"a":1,"b\\\\":2}', '{"a":1,"b\\n":2}'] as const

/** Reads the pair. `read` is our own reader. The finding also says what this Node does by itself. */
export function lookAtNode(read: (text: string) => unknown = parseJson): Finding {
  const notes = notesOn("node")
  const name = `Node ${process.version}`
  if (!isRead(read)) {
    return notes.fail({
      what: `${name} reads names in JSON wrongly, and Countersign's own reader does as well`,
      why: "a card could show another argument than the one that runs",
      todo: "run Countersign with another version of Node, and report this one",
    })
  }
  return notes.ok(
    isRead(JSON.parse)
      ? `${name} reads names in JSON as they are written`
      : `${name} by itself reads some names in JSON wrongly; Countersign reads these by itself`,
  )
}

function isRead(read: (text: string) => unknown): boolean {
  const names = pair.map((text) => {
    const value = read(text)
    return isJsonObject(value) ? Object.keys(value) : []
  })
  return isDeepStrictEqual(names, [
    ["a", "b\\"],
    ["a", "b\n"],
  ])
}

/** Asks the company's provider what it offers, and says whether a sign-in to the page can work so. */
export async function lookAtSignIn(
  { http: { signIn } }: Pick<Config, "http">,
  clock: () => number,
): Promise<readonly Finding[]> {
  if (signIn === undefined) return []
  const notes = notesOn("sign-in")
  const why = "nobody can sign in to /page; programs with a token read on"
  const { provider, close } = openProvider(signIn, { clock, log: { hide: () => {} } })
  try {
    const metadata = await provider.metadata()
    const register = `${signIn.publicUrl}${callbackPath}`
    const flaws = flawsOf(metadata, signIn.scopes)
    if (flaws.length === 0) return [notes.ok(`${signIn.issuer} offers what it takes; register ${register} there`)]
    const todo = "set the client up there for the code flow with PKCE (docs/how-to/sign-in.md), or correct http.sign_in"
    return flaws.map((what) => notes.fail({ what: `${signIn.issuer} ${what}`, why, todo }))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const todo = `compare http.sign_in.issuer with the issuer that the provider itself names; ${remedyOf(error)}`
    return [notes.fail({ what: error.message, why, todo })]
  } finally {
    await close()
  }
}

/** What a provider says that it does not offer. Where it says nothing, it may. */
function flawsOf(metadata: Awaited<ReturnType<Provider["metadata"]>>, scopes: readonly string[]): readonly string[] {
  const lacks = (offered: readonly string[] | undefined, wanted: (one: string) => boolean, words: string) =>
    offered === undefined || offered.some(wanted) ? [] : [words]
  const algorithms = metadata.id_token_signing_alg_values_supported
  return [
    ...lacks(metadata.response_types_supported, (one) => one === "code", "does not offer the code flow"),
    ...lacks(metadata.code_challenge_methods_supported, (one) => one === "S256", "does not offer PKCE by S256"),
    ...lacks(algorithms, (one) => /^(?:RS|PS|ES|Ed)/.test(one), "signs ID tokens by no key that others can verify"),
    ...scopes.flatMap((scope) =>
      lacks(
        metadata.scopes_supported,
        (one) => one === scope,
        `does not know the scope ${scope} (http.sign_in.scopes)`,
      ),
    ),
  ]
}
