// What `http` in countersign.yaml comes to, with every default filled in.
import { resolve } from "node:path"
import type { Report } from "../checks/slack-checks.ts"
import type { Problem } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"

/** Where Countersign listens, and who may measure and read. */
export interface HttpConfig {
  /** Default 3000. */
  readonly port: number
  /** Default 127.0.0.1 in Socket Mode, 0.0.0.0 in HTTP mode, where Slack must get in. */
  readonly host: string
  /**
   * `/metrics` and `/status`: for programs on this machine (the default), for whoever reaches the port, or for nobody; with `token` only for
   * its bearer. In HTTP mode nobody without a token (`lacksMetricsToken`).
   */
  readonly metrics: { readonly reachable: "loopback" | "anywhere" | "off"; readonly token: string | undefined }
  /** The read API and its page; undefined: they are off. */
  readonly read: ReadConfig | undefined
}

/** Whose tokens may read. */
export interface ReadConfig {
  /** Default RS256. */
  readonly algorithm: "RS256" | "ES256" | "HS256"
  readonly verificationKeys: readonly string[]
  /** Absolute. */
  readonly jwksFile: string | undefined
  /** Default `countersign-read`: a platform's token does not read here, nor one of ours there. */
  readonly audience: readonly string[]
  /** Undefined: any. */
  readonly issuer: readonly string[] | undefined
  /** True (the default): a token without `exp` is refused. */
  readonly requireExp: boolean
  /** Default `loopback`: programs and browsers on this machine only. */
  readonly reachable: "loopback" | "anywhere"
}

/** Builds it of settings that passed every check. */
export function httpOf(options: {
  readonly settings: Settings["http"]
  readonly mode: "socket" | "http"
  readonly cwd: string
}): HttpConfig {
  const { settings, mode, cwd } = options
  return {
    port: settings?.port ?? 3_000,
    host: settings?.host ?? (mode === "http" ? "0.0.0.0" : "127.0.0.1"),
    metrics: { reachable: settings?.metrics ?? "loopback", token: settings?.metrics_token },
    read: settings?.read === undefined ? undefined : readOf(settings.read, cwd),
  }
}

/** True if `/metrics` and `/status` are wanted but not served: in HTTP mode Slack, and so the world, reaches its port, and there is no token to ask for. */
export function lacksMetricsToken(config: {
  readonly http: Pick<HttpConfig, "metrics">
  readonly slack: { readonly mode: "socket" | "http" }
}): boolean {
  const { reachable, token } = config.http.metrics
  return config.slack.mode === "http" && reachable !== "off" && token === undefined
}

function readOf(settings: ReadSettings, cwd: string): ReadConfig {
  const { algorithm = "RS256", verification_keys = [], jwks_file, audience, issuer, require_exp, reachable } = settings
  return {
    algorithm,
    verificationKeys: verification_keys,
    jwksFile: jwks_file === undefined ? undefined : resolve(cwd, jwks_file),
    audience: audience ?? ["countersign-read"],
    issuer,
    requireExp: require_exp ?? true,
    reachable: reachable ?? "loopback",
  }
}

type ReadSettings = NonNullable<NonNullable<Settings["http"]>["read"]>

/** A read API without keys would believe nobody; that cannot be meant. */
export function checkRead(settings: Settings["http"], report: Report): readonly Problem[] {
  const { read } = settings ?? {}
  if (read === undefined || read.verification_keys !== undefined || read.jwks_file !== undefined) return []
  return [report(["http", "read", "jwks_file"], "is missing: tokens are verified by a key set or by verification_keys")]
}

/** The secrets below `http`. */
export function httpSecrets(settings: Settings["http"]): readonly (string | undefined)[] {
  return [settings?.metrics_token, ...(settings?.read?.verification_keys ?? [])]
}
