// The `http` of countersign.yaml as Config: where Countersign listens, and who may measure and read.
import { join, resolve } from "node:path"
import { flawOfCredential } from "../../domain/text/sendable.ts"
import type { Settings } from "../schema/schema.ts"
import type { InstanceSurroundings } from "./instance.ts"
import { type WayOutConfig, wayOutTo } from "./way-out.ts"

/** Where Countersign listens, and who may measure and read. */
export interface HttpConfig {
  readonly port: number
  /** Default 127.0.0.1 in Socket Mode, 0.0.0.0 in HTTP mode, in which Slack must reach us. */
  readonly host: string
  /**
   * Who may read `/metrics` and `/status`: programs on this machine (default), whoever reaches the port, or nobody. If
   * there is a `token`, only its bearer. In HTTP mode nobody may without a token (`lacksMetricsToken`).
   */
  readonly metrics: { readonly reachable: "loopback" | "anywhere" | "off"; readonly token: string | undefined }
  /** The read API and its page; undefined: they are off. */
  readonly read: ReadConfig | undefined
  /** Who may stop agents over HTTP, by a token that the keys of `read` verify; undefined: nobody. */
  readonly stops: { readonly reachable: "loopback" | "anywhere" } | undefined
  /** The company's sign-in to the page; undefined: people paste a read token. */
  readonly signIn: SignInConfig | undefined
  /** The folder (absolute) of the access log, and how long its files are kept; undefined: it is in the log. */
  readonly accessLog: { readonly folder: string; readonly keepMs: number } | undefined
}

/** How people sign in to the page by the company's provider. */
export interface SignInConfig {
  readonly issuer: string
  readonly clientId: string
  /** Given, or the absolute path of the file that holds it. */
  readonly clientSecret:
    | { readonly kind: "given"; readonly value: string }
    | { readonly kind: "file"; readonly path: string }
  /** Without a slash at the end. */
  readonly publicUrl: string
  /** `openid` and the others. */
  readonly scopes: readonly string[]
  readonly groupsClaim: string
  /** The groups that open each scope. */
  readonly groupsOf: { readonly "cases:read": readonly string[]; readonly "ledger:read": readonly string[] }
  readonly sessionMs: number
  /** How connections to the provider leave this machine. */
  readonly way: WayOutConfig
}

interface HttpSurroundings extends InstanceSurroundings {
  /** Absolute. */
  readonly dataFolder: string
}

/** Whose tokens may read. */
export interface ReadConfig {
  readonly algorithm: "RS256" | "ES256" | "HS256"
  readonly verificationKeys: readonly string[]
  /** Absolute. */
  readonly jwksFile: string | undefined
  /** Default `countersign-read`, so that we refuse a platform's token, and a platform refuses ours. */
  readonly audience: readonly string[]
  /** Undefined: any. */
  readonly issuer: readonly string[] | undefined
  /** True: a token without `exp` is refused. */
  readonly requireExp: boolean
  /** `loopback`: programs and browsers on this machine only. */
  readonly reachable: "loopback" | "anywhere"
}

/** Builds the HttpConfig of settings that passed every check. */
export function httpOf(settings: Settings["http"], mode: "socket" | "http", around: HttpSurroundings): HttpConfig {
  const { port, metrics, metrics_token: token, read, stops, access_log: access, sign_in: signIn } = settings
  const { dataFolder } = around
  const { cwd } = around.files
  return {
    port,
    host: settings.host ?? (mode === "http" ? "0.0.0.0" : "127.0.0.1"),
    metrics: { reachable: metrics, token },
    read: read === undefined ? undefined : readOf(read, cwd),
    stops,
    signIn: signIn && signInOf(signIn, around),
    accessLog: access && {
      folder: resolve(cwd, access.folder ?? join(dataFolder, "access")),
      keepMs: access.keep,
    },
  }
}

/** True if `/metrics` and `/status` are wanted in HTTP mode, where others reach their port, and there is no token. */
export function lacksMetricsToken(config: {
  readonly http: Pick<HttpConfig, "metrics">
  readonly slack: { readonly mode: "socket" | "http" }
}): boolean {
  const { reachable, token } = config.http.metrics
  return config.slack.mode === "http" && reachable !== "off" && token === undefined
}

function readOf(settings: NonNullable<Settings["http"]["read"]>, cwd: string): ReadConfig {
  const { algorithm, verification_keys, jwks_file, audience, issuer, require_exp, reachable } = settings
  return {
    algorithm,
    verificationKeys: verification_keys ?? [],
    jwksFile: jwks_file === undefined ? undefined : resolve(cwd, jwks_file),
    audience,
    issuer,
    requireExp: require_exp,
    reachable,
  }
}

function signInOf(settings: NonNullable<Settings["http"]["sign_in"]>, around: InstanceSurroundings): SignInConfig {
  const { issuer, client_secret: value = "", client_secret_file: file } = settings
  return {
    issuer,
    clientId: settings.client_id,
    clientSecret:
      file === undefined ? { kind: "given", value } : { kind: "file", path: resolve(around.files.cwd, file) },
    publicUrl: new URL(settings.public_url).origin,
    scopes: [...new Set(["openid", ...settings.scopes])],
    groupsClaim: settings.groups_claim,
    groupsOf: { "cases:read": settings.cases_read, "ledger:read": settings.ledger_read ?? [] },
    sessionMs: settings.session,
    way: wayOutTo(issuer, { caFile: settings.ca_file, ...around }),
  }
}

/** The client's secret in a file's text; or why there is none, in words that follow the name of the file. */
export function clientSecretIn(
  text: string,
): { readonly ok: true; readonly secret: string } | { readonly ok: false; readonly why: string } {
  const secret = text.trim()
  const why = secret === "" ? "is empty" : flawOfCredential(secret)
  return why === null ? { ok: true, secret } : { ok: false, why }
}
