// Checks that need two keys at once, or a key and the environment. Each names the key that should change.
import { flawOfSecret } from "../../secret.ts"
import { clientSecretIn } from "../parts/http.ts"
import { type Files, textAt } from "../parts/token-file.ts"
import { checkCaFile, checkProxies, isLoopback } from "../parts/way-out.ts"
import { checkWebhooks } from "../parts/webhooks.ts"
import { type Environment, variable, variableProblem } from "../reading/environment.ts"
import { type ConfigNeed, isStandIn } from "../reading/need.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import { type Origin, problemAt } from "../reading/wording.ts"
import type { Settings } from "../schema/schema.ts"
import { checkInstances } from "./instance-checks.ts"
import { checkRules } from "./rule-checks.ts"

/** What the checks look at. */
export interface CheckedSettings {
  readonly settings: Settings
  readonly env: Environment
  readonly origin: Origin
  /** Reads the files that the config names. */
  readonly files: Files
  readonly need: ConfigNeed
}

/** Lists what is wrong although each key by itself is right. */
export function crossCheck(checked: CheckedSettings): readonly ConfigProblem[] {
  const report: Report = (path, what) => problemAt(path, what, checked.origin)
  const { settings, files, need } = checked
  return [
    ...checkNames("instances", settings, report),
    ...checkNames("rules", settings, report),
    ...checkRules(settings, report),
    ...(need === "shared" ? [] : checkInstances(settings, files, report)),
    ...checkNames("webhooks", settings, report),
    ...checkWebhooks(settings.webhooks, files, report),
    ...checkSlackMode(settings.slack, report),
    ...(callsSlack(checked) ? checkSlackAddress(settings.slack, report) : []),
    ...checkSlackTokens(settings.slack, report),
    ...checkWays(checked, report),
    ...checkRead(settings.http, report),
    ...checkStops(settings.http, report),
    ...checkSignIn(settings.http, files, report),
    ...checkRedisCa(checked, report),
    ...checkTraces(checked),
    ...checkKey(checked),
    ...checkReceiptKey(checked, report),
  ]
}

/** False if Slack is never called: we only compare, or no token is needed and none is set. */
function callsSlack({ settings, need }: CheckedSettings): boolean {
  return need === "all" || (need !== "shared" && !isStandIn(settings.slack.bot_token))
}

function checkNames(
  list: "instances" | "rules" | "webhooks",
  settings: Settings,
  report: Report,
): readonly ConfigProblem[] {
  const names = settings[list].map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [report([list, index, "name"], "is used twice")] : [],
  )
}

function checkSlackMode(slack: Settings["slack"], report: Report): readonly ConfigProblem[] {
  const mode = slack.mode ?? (slack.app_token === undefined && slack.signing_secret !== undefined ? "http" : "socket")
  if (mode === "socket" && slack.app_token === undefined)
    return [report(["slack", "app_token"], "is missing: Socket Mode needs it (HTTP mode needs signing_secret instead)")]
  if (mode === "http" && slack.signing_secret === undefined)
    return [report(["slack", "signing_secret"], "is missing: HTTP mode needs it (Socket Mode needs app_token instead)")]
  return []
}

/** Checks Slack's address (R19): it must be Slack's own or, with `sandbox`, that of a sandbox on this machine. */
function checkSlackAddress({ api_url, sandbox }: Settings["slack"], report: Report): readonly ConfigProblem[] {
  const url = api_url === undefined ? null : new URL(api_url)
  if (url === null || isSlack(url)) {
    const what = `is true, but api_url ${url === null ? "does not name a sandbox" : "is Slack's own"}`
    return sandbox ? [report(["slack", "sandbox"], what)] : []
  }
  if (sandbox && isLoopback(url)) return []
  const what = sandbox
    ? "must be on this machine (127.0.0.1 or localhost) for a sandbox"
    : "is not Slack's address; that is allowed only with sandbox: true (SLACK_SANDBOX=true)"
  return [report(["slack", "api_url"], what)]
}

function isSlack(url: URL): boolean {
  return url.protocol === "https:" && url.host === "slack.com" && /^\/api\/?$/.test(url.pathname)
}

/** Checks that nobody mixed up the two tokens, which begin differently. */
function checkSlackTokens(slack: Settings["slack"], report: Report): readonly ConfigProblem[] {
  if (slack.sandbox) return []
  const begins = [
    ["bot_token", "xoxb-", "is no bot token: those begin with xoxb-"],
    ["app_token", "xapp-", "is no app-level token: those begin with xapp-"],
  ] as const
  return begins.flatMap(([key, start, what]) =>
    (slack[key] ?? start).startsWith(start) ? [] : [report(["slack", key], what)],
  )
}

function checkWays({ settings, env, files }: CheckedSettings, report: Report): readonly ConfigProblem[] {
  const { instances, slack, webhooks } = settings
  const { sign_in: signIn } = settings.http
  const addresses = [
    ...instances.flatMap(({ url, resume_url = url }) => [url, resume_url]),
    ...webhooks.map(({ url }) => url),
  ]
  return [
    ...checkCaFile(signIn?.ca_file, files, (what) => report(["http", "sign_in", "ca_file"], what)),
    ...checkProxies(
      [...addresses, ...(signIn === undefined ? [] : [signIn.issuer]), slack.api_url ?? "https://slack.com"],
      env,
    ),
    ...instances.flatMap(({ ca_file }, index) =>
      checkCaFile(ca_file, files, (what) => report(["instances", index, "ca_file"], what)),
    ),
    ...webhooks.flatMap(({ ca_file }, index) =>
      checkCaFile(ca_file, files, (what) => report(["webhooks", index, "ca_file"], what)),
    ),
    ...checkCaFile(slack.ca_file, files, (what) => report(["slack", "ca_file"], what)),
  ]
}

/** Checks the CA for Redis: a CA counts only for TLS, and we must be able to read its file. */
function checkRedisCa({ settings, files }: CheckedSettings, report: Report): readonly ConfigProblem[] {
  const { redis_ca_file: file, redis_url: address = "" } = settings
  if (file === undefined) return []
  const problem = (what: string) => report(["redis_ca_file"], what)
  if (!address.startsWith("rediss"))
    return [problem("has no effect: redis_url does not begin with rediss, so there is no TLS")]
  return checkCaFile(file, files, problem)
}

/** Checks the read API's keys. Without keys, nobody could read; if a secret can be guessed, everybody could. */
function checkRead({ read }: Settings["http"], report: Report): readonly ConfigProblem[] {
  if (read === undefined) return []
  const { algorithm, verification_keys: keys, jwks_file } = read
  if (keys === undefined && jwks_file === undefined)
    return [report(["http", "read", "jwks_file"], "is missing: set it or verification_keys, to verify tokens with")]
  if (algorithm !== "HS256") return []
  return (keys ?? []).flatMap((key, index, { length }) => {
    const flaw = flawOfSecret(key)
    const place = ["http", "read", "verification_keys", ...(length === 1 ? [] : [index])]
    return flaw === null ? [] : [report(place, `${flaw}; take the output of openssl rand -hex 32`)]
  })
}

/** Stops over HTTP need the keys of the read API: else nobody could verify who stops. */
function checkStops({ read, stops }: Settings["http"], report: Report): readonly ConfigProblem[] {
  if (stops === undefined || read !== undefined) return []
  return [report(["http", "stops"], "needs http.read: its keys verify the tokens of those who stop")]
}

/** Checks the sign-in: its secret is there once, and codes and cookies travel by https, but for this machine itself. */
function checkSignIn({ sign_in: signIn }: Settings["http"], files: Files, report: Report): readonly ConfigProblem[] {
  if (signIn === undefined) return []
  const at = (key: keyof typeof signIn, what: string) => report(["http", "sign_in", key], what)
  const plain = (["issuer", "public_url"] as const).filter((key) => {
    const url = new URL(signIn[key])
    return url.protocol === "http:" && !isLoopback(url)
  })
  return [
    ...plain.map((key) => at(key, "must begin with https; only an address of this machine may do with http")),
    ...checkClientSecret(signIn, files, at),
  ]
}

function checkClientSecret(
  { client_secret, client_secret_file: file }: NonNullable<Settings["http"]["sign_in"]>,
  files: Files,
  at: (key: "client_secret" | "client_secret_file", what: string) => ConfigProblem,
): readonly ConfigProblem[] {
  if (file === undefined)
    return client_secret === undefined ? [at("client_secret", "is missing: set it or client_secret_file")] : []
  if (client_secret !== undefined)
    return [at("client_secret_file", "stands beside client_secret; give only one of them")]
  const text = textAt(files, file)
  const read = text === null ? null : clientSecretIn(text)
  if (read === null) return [at("client_secret_file", "names a file that cannot be read")]
  return read.ok ? [] : [at("client_secret_file", `names a file that ${read.why}`)]
}

/** Checks the key of receipts: without a file, replicas can share only an Ed25519 key, made from COUNTERSIGN_KEY. */
function checkReceiptKey({ settings, env }: CheckedSettings, report: Report): readonly ConfigProblem[] {
  const { algorithm, key_file } = settings.receipts
  const given = variable(env, "COUNTERSIGN_RECEIPT_KEY") !== undefined || key_file !== undefined
  if (algorithm !== "ES256" || given || variable(env, "COUNTERSIGN_KEY") === undefined) return []
  return [report(["receipts", "algorithm"], "needs a key of its own: set COUNTERSIGN_RECEIPT_KEY or receipts.key_file")]
}

/** Checks the collector's address: a wrong one would lose every trace in silence. */
function checkTraces({ env }: CheckedSettings): readonly ConfigProblem[] {
  const address = variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT")
  if (address === undefined || /^https?:$/.test(URL.parse(address)?.protocol ?? "")) return []
  return [variableProblem("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http or https address")]
}

/** Checks the key (R14). If Redis is given by address, a key must be given, too. A given key must be a good secret. */
function checkKey({ settings, env }: CheckedSettings): readonly ConfigProblem[] {
  const name = "COUNTERSIGN_KEY"
  const key = variable(env, name)
  if (key !== undefined) {
    const flaw = flawOfSecret(key)
    return flaw === null ? [] : [variableProblem(name, flaw)]
  }
  const what = "is not set, and a Redis given by address needs it"
  return settings.redis_url === undefined ? [] : [variableProblem(name, what)]
}
