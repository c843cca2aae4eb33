// What the revision of a config covers (R16), so that every replica can work under it. Pure; it holds no secret.
import { hashOf } from "../content/canonical.ts"
import type { DelegateAlgorithm } from "../people/delegated.ts"
import type { Identity } from "../people/human.ts"
import type { Approver, Route, Rule } from "../rule/rule.ts"
import type { RulesChange } from "../rule/rules-change.ts"
import { whatIsSaid } from "../rule/said.ts"

/** In whose name we send an instance's decisions. A replica whose file says otherwise may not send them. */
export type SharedResolving =
  | { readonly kind: "same" | "token" }
  | {
      readonly kind: "delegated"
      readonly algorithm: DelegateAlgorithm
      /** The id of the public key that the instance checks with, if the config names one. */
      readonly kid: string | null
      readonly audience: string | null
      readonly issuer: string | null
    }

/** One instance: where it is and what is done there. */
export interface SharedInstance {
  readonly name: string
  /** http or https, without a slash at the end; may have a path. */
  readonly url: string
  readonly resolving: SharedResolving
  /** Which decided runs we continue. */
  readonly resume: "off" | "approved" | "decided"
  /** Where runs are read and continued, in the form of `url`. Absent: at `url`. */
  readonly resumeUrl?: string
  /** What becomes of a rejection that the platform would not enforce (R12). */
  readonly rejectUserInput: "hold" | "send"
  /** True: we also continue runs of AgentOS's own Slack interface, although anybody in their thread can do that. */
  readonly besideAgnoSlack: boolean
  /** How long after the decision a gate at the tool lets the approved calls begin, ms. */
  readonly receiptLifeMs: number
}

/** Who may stop agents, and who may end that (R21). An empty list: what the config left out. */
export interface StopRoles {
  /** Who may stop; empty: every approver of any rule. */
  readonly by: readonly Approver[]
  /** Who may end a stop that somebody else made; empty: who may stop. */
  readonly liftBy: readonly Approver[]
  /** Where a stop is told; empty: on the routes of the cases that it covers. */
  readonly routes: readonly Route[]
}

/** The roles of a config that names none. */
export const noStopRoles: StopRoles = { by: [], liftBy: [], routes: [] }

/** What a hold covers: cases of a requester or a tool (globs), or one case by its id or its approval's. */
export interface HoldOf {
  readonly kind: "requester" | "tool" | "case"
  readonly value: string
}

/** Rules in two forms. We seal them as the file says them, and judge by what we make from that. */
export interface Ruled {
  /** What the file says about rules and classes, without what equals a default. */
  readonly written: unknown
  readonly rules: readonly Rule[]
}

/** What all replicas share. It holds no secrets, files, ports, timeouts or pacing: these belong to the process. */
export interface SharedConfig extends Ruled {
  readonly identities: readonly Identity[]
  /** Template of `resolved_by`. */
  readonly resolvedBy: string
  /** Slack's address. */
  readonly slack: { readonly apiUrl: string; readonly sandbox: boolean }
  readonly instances: readonly SharedInstance[]
  /** Absent if the file says nothing of it. */
  readonly stop?: StopRoles
  /** Who approves another config in place of this one. Absent: a replica that starts with another file changes it. */
  readonly rulesChange?: RulesChange
  /** Which cases stay with their arguments (R15). Absent if the file names none. */
  readonly hold?: readonly HoldOf[]
}

/** What a config says besides rules, by its key in the file. */
export type ConfigPart = "identities" | "resolved_by" | "slack" | "instances" | "stop" | "rules_change" | "hold"

/**
 * The config's revision: SHA-256 (64 hex characters) over the rules that we make from the file, whatever its wording,
 * and over all other parts.
 */
export function configRevisionOf({ written: _written, ...made }: SharedConfig): string {
  return hashOf(whatIsSaid(made))
}

/** What we seal of a config. It lacks the rules that we made, because each replica makes them from the file's words. */
export function sealedOf({ rules: _rules, written, ...parts }: SharedConfig): Readonly<Record<string, unknown>> {
  return { ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, whatIsSaid(part)])), written }
}

function configParts({
  identities,
  resolvedBy,
  slack,
  instances,
  stop = noStopRoles,
  rulesChange,
  hold = [],
}: SharedConfig): Readonly<Record<ConfigPart, unknown>> {
  return { identities, resolved_by: resolvedBy, slack, instances, stop, rules_change: rulesChange, hold }
}

/** True if a config says anything of a part that it may leave out. */
function said(part: ConfigPart, { stop, rulesChange, hold }: SharedConfig): boolean {
  const told = { stop, rules_change: rulesChange, hold }
  return part in told && Object.entries(told).some(([name, value]) => name === part && value !== undefined)
}

/** The parts that differ from another config; all that say something if nobody knows that config. */
export function changedConfigParts(before: SharedConfig | null, after: SharedConfig): readonly ConfigPart[] {
  const always: readonly ConfigPart[] = ["identities", "resolved_by", "slack", "instances"]
  const parts: readonly ConfigPart[] = [...always, "stop", "rules_change", "hold"]
  if (before === null) return parts.filter((part) => always.includes(part) || said(part, after))
  const [old, fresh] = [configParts(before), configParts(after)]
  return parts.filter((part) => hashOf(whatIsSaid(old[part])) !== hashOf(whatIsSaid(fresh[part])))
}

/** An instance that a replica has to leave to others, and why. */
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
  if (hashOf(whatIsSaid(own.resolving)) !== hashOf(whatIsSaid(active.resolving)))
    return "the active config lets decisions go out under another credential than the file of this replica has"
  if (active.resume === "off") return null
  if (own.resume === "off")
    return "the active config has runs continued, and the file of this replica has no credential for that"
  const [here, there] = [own, active].map(({ url, resumeUrl = url }) => resumeUrl)
  return here === there ? null : `the active config has runs continued at ${there}, the file of this replica at ${here}`
}
