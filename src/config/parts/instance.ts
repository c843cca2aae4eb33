// One Agent Platform Service as the config describes it, and what the operator should know about it.
import { resolve } from "node:path"
import type { DelegatedSigning } from "../../domain/people/delegated.ts"
import type { SharedInstance } from "../../domain/policy/shared-config.ts"
import type { Environment } from "../reading/environment.ts"
import type { InstanceSettings } from "../schema/schema.ts"
import { type Remark, remarksOn, type Use } from "./credential.ts"
import { type Files, type TokenFile, tokenFileOf } from "./token-file.ts"
import { isLoopback, type WayOutConfig, wayOutTo } from "./way-out.ts"

/** One Agent Platform Service: what all replicas share of it, and what each replica has of its own. */
export interface InstanceConfig extends Omit<SharedInstance, "resolving"> {
  /** The bearer credential; undefined for an instance that asks for none. */
  readonly token: string | undefined
  /** The file that holds the credential, if any. What it holds now counts; `token` is what it held at the start. */
  readonly tokenFile: TokenFile | undefined
  readonly resolving: ResolvingConfig
  /** How often the pending approvals are read, ms. */
  readonly pollMs: number
  /** How long one call may take from the moment it is sent, ms. */
  readonly timeoutMs: number
  /** The credential that continues runs; undefined for an instance that asks for none. Never the one that resolves. */
  readonly resumeToken: string | undefined
  /** The file that holds it, if any; as `tokenFile`. */
  readonly resumeTokenFile: TokenFile | undefined
  /** How long a continue may take, ms. */
  readonly resumeMs: number
  /** How connections to the instance leave this machine. */
  readonly way: WayOutConfig
  /** The same to where runs are read and continued. */
  readonly resumeWay: WayOutConfig
}

/** The credential that resolves. `same`: the one that reads. `token`: another. `delegated`: one for each decision. */
export type ResolvingConfig =
  | { readonly kind: "same" }
  | { readonly kind: "token"; readonly token: string }
  | ({ readonly kind: "delegated" } & DelegatedSigning)

/** What a part of the config needs besides its settings. */
export interface InstanceSurroundings {
  readonly env: Environment
  readonly files: Files
}

/** Builds an instance from settings that passed every check. */
export function instanceOf(settings: InstanceSettings, { env, files }: InstanceSurroundings): InstanceConfig {
  const url = withoutSlash(settings.url)
  const resumeUrl = withoutSlash(settings.resume_url ?? settings.url)
  const outside = { caFile: settings.ca_file, env, files }
  return {
    name: settings.name,
    url,
    token: settings.token,
    tokenFile: tokenFileOf(settings, "token", files.cwd),
    resolving: resolvingOf(settings, files.cwd),
    pollMs: settings.poll_every,
    timeoutMs: settings.timeout,
    resume: settings.resume,
    ...(resumeUrl === url ? {} : { resumeUrl }),
    resumeToken: settings.resume_token,
    resumeTokenFile: tokenFileOf(settings, "resume_token", files.cwd),
    resumeMs: settings.resume_timeout,
    rejectUserInput: settings.reject_user_input,
    besideAgnoSlack: settings.beside_agno_slack,
    receiptLifeMs: settings.receipt_life,
    way: wayOutTo(url, outside),
    resumeWay: wayOutTo(resumeUrl, outside),
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "")
}

function resolvingOf({ resolve_token, delegated }: InstanceSettings, cwd: string): ResolvingConfig {
  if (resolve_token !== undefined) return { kind: "token", token: resolve_token }
  if (delegated === undefined) return { kind: "same" }
  const { algorithm, key, key_file, kid, audience, issuer } = delegated
  const place: DelegatedSigning["key"] =
    key === undefined ? { kind: "file", path: resolve(cwd, key_file ?? "") } : { kind: "given", value: key }
  return { kind: "delegated", algorithm, key: place, kid, audience, issuer }
}

/** Remarks on an instance that works; their `what` names the instance. `now` is epoch ms. */
export function warningsOf(
  {
    name,
    url,
    resumeUrl,
    token,
    resolving,
  }: Pick<InstanceConfig, "name" | "url" | "resumeUrl" | "token" | "resolving">,
  now: number,
): readonly Remark[] {
  const uses: readonly Use[] = resolving.kind === "same" ? ["read", "resolve"] : ["read"]
  const remarks = [
    ...[url, resumeUrl ?? url].flatMap((address) => remarksOnWay(new URL(address))),
    ...(token === undefined ? [noToken] : remarksOn(token, uses, now)),
    ...(resolving.kind === "token" ? remarksOn(resolving.token, ["resolve"], now) : []),
  ]
  const once = new Map(remarks.map((remark) => [remark.what, remark]))
  return [...once.values()].map((remark) => ({ ...remark, what: `instance ${name}: ${remark.what}` }))
}

/** Remarks on two instances with one address: each approval there would become a case of both. */
export function remarksOnTwins(instances: readonly Pick<InstanceConfig, "name" | "url">[]): readonly Remark[] {
  const byAddress = Map.groupBy(instances, ({ url }) => new URL(url).href)
  return [...byAddress.values()].flatMap((twins) =>
    twins.length === 1
      ? []
      : [
          {
            what: `instances ${twins.map(({ name }) => name).join(" and ")} have one address`,
            why: "each of them finds the same approvals, so people are asked about each one several times",
            todo: "remove all but one, or correct the address",
          },
        ],
  )
}

function remarksOnWay(url: URL): readonly Remark[] {
  if (url.protocol !== "http:" || isLoopback(url)) return []
  const what = `${url.href.replace(/\/$/, "")} is not https, so its credential travels unprotected`
  const why = "whoever listens on the way has the credential, and can decide in a person's place"
  const todo = "use https, or let nobody but Countersign and the platform reach that network"
  return [{ what, why, todo }]
}

const noToken: Remark = {
  what: "no token, so every call goes without a credential",
  why: "an instance that takes such calls lets whoever reaches it decide in a person's place",
  todo: "switch authorization on there and set token (PLATFORM_TOKEN), or let nobody but Countersign reach it",
}
