// The `http` of countersign.yaml as Config: where Countersign listens, and who may measure and read.
import { resolve } from "node:path"
import type { Settings } from "../schema/schema.ts"

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
export function httpOf(settings: Settings["http"], mode: "socket" | "http", cwd: string): HttpConfig {
  const { port, metrics, metrics_token: token, read, stops } = settings
  return {
    port,
    host: settings.host ?? (mode === "http" ? "0.0.0.0" : "127.0.0.1"),
    metrics: { reachable: metrics, token },
    read: read === undefined ? undefined : readOf(read, cwd),
    stops,
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
