// What the revision of a config covers (R16), so that every replica can work under it. Pure; it holds no secret.
import { hashOf } from "../content/canonical.ts"
import type { JsonObject } from "../content/json.ts"
import type { DelegateAlgorithm } from "../people/delegated.ts"
import type { Identity } from "../people/human.ts"
import { type Rule, ruleAsJson } from "./policy.ts"

/** In whose name an instance's decisions go out. A file that says otherwise may not send them. No credential. */
export type SharedResolving =
  | { readonly kind: "same" | "token" }
  | {
      readonly kind: "delegated"
      readonly algorithm: DelegateAlgorithm
      /** The id of the public key that the instance checks with, where the config names one. */
      readonly kid: string | null
      readonly audience: string | null
      readonly issuer: string | null
    }

/** One instance: where it is and what is done there. */
export interface SharedInstance {
  readonly name: string
  /** http or https, without a slash at the end. */
  readonly url: string
  readonly resolving: SharedResolving
  readonly resume: "off" | "approved" | "decided"
  readonly rejectUserInput: "hold" | "send"
  /** Left out if not set, as in configs from before there was such a key: so their revisions stay the same. */
  readonly besideAgnoSlack?: true
  /** How long an approval is good at a gate, in ms. Left out where it is the default, for the same reason. */
  readonly receiptLifeMs?: number
}

/** All that the revision covers. It holds no secrets, files, ports, timeouts or pacing: these belong to the process. */
export interface SharedConfig {
  readonly rules: readonly Rule[]
  readonly identities: readonly Identity[]
  /** Template of `resolved_by`. */
  readonly resolvedBy: string
  /** Slack's address. */
  readonly slack: { readonly apiUrl: string; readonly sandbox: boolean }
  readonly instances: readonly SharedInstance[]
}

/** What a config says besides rules, by its key in the file. */
export type ConfigPart = "identities" | "resolved_by" | "slack" | "instances"

/** The config's revision: SHA-256 over all of it, as 64 hex characters. */
export function revisionOf(shared: SharedConfig): string {
  return hashOf({ rules: shared.rules.map(ruleAsJson), ...partsOf(shared) })
}

function partsOf({ identities, resolvedBy, slack, instances }: SharedConfig): Record<ConfigPart, JsonObject[string]> {
  return {
    identities: identities.map((one) => ({ ...one })),
    resolved_by: resolvedBy,
    slack: { ...slack },
    instances: instances.map((one) => ({ ...one, resolving: { ...one.resolving } })),
  }
}

/** Which parts differ from another config; all of them if nothing is known of that one. */
export function changedParts(before: SharedConfig | null, after: SharedConfig): readonly ConfigPart[] {
  const parts: readonly ConfigPart[] = ["identities", "resolved_by", "slack", "instances"]
  if (before === null) return parts
  const [old, fresh] = [partsOf(before), partsOf(after)]
  return parts.filter((part) => hashOf(old[part]) !== hashOf(fresh[part]))
}

/** An instance that a replica leaves to others, and why. */
export interface Elsewhere {
  readonly instance: string
  readonly why: string
}

/**
 * The instances of the active config that a replica with this file must leave to others. Its credentials go only where
 * its own file sends them, and only if the active config says the same.
 */
export function elsewhereFor(file: SharedConfig, active: SharedConfig): readonly Elsewhere[] {
  return active.instances.flatMap((instance) => {
    const own = file.instances.find(({ name }) => name === instance.name)
    const why = own === undefined ? "the file of this replica has no such instance" : unlike(own, instance)
    return why === null ? [] : [{ instance: instance.name, why }]
  })
}

function unlike(own: SharedInstance, active: SharedInstance): string | null {
  if (own.url !== active.url) return `the active config names ${active.url}, the file of this replica ${own.url}`
  if (hashOf({ ...own.resolving }) !== hashOf({ ...active.resolving }))
    return "the active config lets decisions go out under another credential than the file of this replica has"
  return own.resume === "off" && active.resume !== "off"
    ? "the active config has runs continued, and the file of this replica has no credential for that"
    : null
}
