// The doctor on our data in Redis: is the data sealed with our key (R14), and is this config the active one (R16)?
import { type Config, rulesSchema, type SharedSettings, sharedOf } from "../../../config.ts"
import { type Stop, wordsOfStop } from "../../../domain/order/stop.ts"
import { ordererWords } from "../../../domain/people/orderer.ts"
import { personKey } from "../../../domain/people/person.ts"
import { elsewhereFor, type SharedConfig } from "../../../domain/policy/shared-config.ts"
import { createSeal } from "../../../domain/proof/seal.ts"
import { proposalWaiting } from "../../../domain/rule/proposal.ts"
import type { WebhookStanding } from "../../../flow/ports.ts"
import { standingOf } from "../../../flow/webhook/standing.ts"
import {
  type ConfigStanding,
  type InstallationPlace,
  probeConfig,
  probeForeignSockets,
  probeInstallation,
  probeLinks,
  probeOpen,
  probeOutboxes,
  probeSigningKeys,
  probeStops,
} from "../../../store/admin/probe.ts"
import { notRead, otherVersion } from "../../../store/config/config-record.ts"
import { StoreError } from "../../../store/errors.ts"
import type { LinkView } from "../../../store/identity/identity-links.ts"
import type { StoreConnection } from "../../../store/redis/connection.ts"
import { type Finding, notesOn } from "../finding.ts"

const notes = notesOn("redis")

/** The installation to look at, and its key; null if no key was made yet. */
export interface CheckedInstallation {
  readonly config: Pick<Config, "installation" | "webhooks"> & SharedSettings
  readonly key: Buffer | null
  readonly random: (size: number) => Buffer
}

/** What Redis showed; null for what we cannot read. */
export interface RedisRound {
  /** One for each stop in force: the doctor begins with them. */
  readonly stops: readonly Finding[]
  readonly findings: readonly Finding[]
  /** How many approvals of each instance are open. */
  readonly open: ReadonlyMap<string, number> | null
  /** The ids of all keys that ever signed, oldest first. */
  readonly signed: readonly string[] | null
  /** How each webhook of the config stands. */
  readonly webhooks: readonly WebhookStanding[] | null
}

/**
 * Looks at the installation. If Redis holds it but we have no key, its key is lost. To find that out we ask under a
 * temporary key.
 */
export async function lookAtInstallation(
  { config, key, random }: CheckedInstallation,
  connection: StoreConnection,
): Promise<RedisRound> {
  const { installation } = config
  const seal = createSeal({ key: key ?? random(32), installation, nonce: () => random(12) })
  const place = { connection, installation, seal }
  try {
    const standing = await probeInstallation(place)
    const absent = `installation ${installation} is not there yet: the first start makes it`
    if (standing === "absent") return { stops: [], findings: [notes.ok(absent)], ...nothing }
    const ours = notes.ok(`installation ${installation} is sealed with our key`)
    const links = await probeLinks(place)
    const found = [...(await lookAtActiveConfig(place, sharedOf(config))), ...links.flatMap(lookAtLink)]
    const findings = [ours, ...found, ...judgeForeign(await probeForeignSockets(place))]
    const names = config.instances.map(({ name }) => name)
    const stops = (await probeStops({ ...place, rulesSchema })).map(inForce)
    const outboxes = probeOutboxes(place)
    const webhooks = await Promise.all(config.webhooks.map((webhook) => standingOf(outboxes, webhook.name)))
    return { stops, findings, open: await probeOpen(place, names), signed: await probeSigningKeys(place), webhooks }
  } catch (error) {
    if (!(error instanceof StoreError) || error.retryable) throw error
    return { stops: [], findings: [refusedSeal(error)], ...nothing }
  }
}

const nothing = { open: null, signed: null, webhooks: null }

function inForce({ id, match, by, reason }: Stop): Finding {
  return notesOn("stops").warn({
    what: `stopped is ${wordsOfStop(match)}, by ${ordererWords(by)}: ${reason}`,
    why: "nothing that it covers is approved or let run until somebody ends it",
    todo: `once that is right again, run countersign stops end ${id}`,
  })
}

/** Judges the foreign sockets that replicas saw. The doctor opens no socket: Slack would send interactions to it. */
function judgeForeign(foreign: number): readonly Finding[] {
  if (foreign === 0) return []
  const what = `sockets of somebody else are open on our Slack app: ${foreign}`
  const why = "Slack delivers each press to one of all sockets of an app, so we lose those that reach the others"
  const todo = "give every installation a Slack app of its own, and stop what else runs with this app's tokens"
  return [notesOn("slack").warn({ what, why, todo })]
}

/** Fails an address that now means somebody else: it counts for nobody (R7). */
function lookAtLink({ email, person, contested }: LinkView): readonly Finding[] {
  if (contested === null) return []
  const [was, now] = [personKey(person), personKey(contested)]
  const what = `${email} was pinned to ${was}, and Slack says that it means ${now}`
  const why = "whoever took over an address could decide in a person's place, so the address counts for neither of them"
  const todo =
    `if it is right, run countersign people link ${email} ${now}; else correct the address in Slack, ` +
    `and link ${was} again`
  return [notesOn("people").fail({ what, why, todo })]
}

function refusedSeal({ message }: StoreError): Finding {
  const what = message
  const why = "what another key sealed, or somebody changed, counts as forged: Countersign refuses to start"
  const todo = "set COUNTERSIGN_KEY to the key of this installation, or give this one another name (installation)"
  return notes.fail({ what, why, todo })
}

async function lookAtActiveConfig(place: InstallationPlace, file: SharedConfig): Promise<readonly Finding[]> {
  const standing = await probeConfig({ ...place, rulesSchema }, file)
  return [...lookAtProposals(standing), ...judgeStanding(standing, file)]
}

function judgeStanding(standing: ConfigStanding, file: SharedConfig): readonly Finding[] {
  if (standing.kind === "new")
    return standing.proposals.guarded
      ? []
      : [notes.ok("this config was never active: the next start makes it so, for all replicas")]
  const { shared, unread, revision } = standing.active
  if (shared === null) return [unreadable(unread)]
  if (standing.kind === "active") return [notes.ok("this config is the active one")]
  return [replaced(revision), ...leftToOthers(file, shared)]
}

const changes = notesOn("rules change")

/** Says what waits for approval, whether this file does, and whether rules count that nobody approved. */
function lookAtProposals({ proposals, kind, revision }: ConfigStanding): readonly Finding[] {
  const { unapproved, guarded } = proposals
  const waiting = proposalWaiting(proposals)
  const found: Finding[] = []
  if (unapproved !== null)
    found.push(
      changes.fail({
        what: `revision ${unapproved.revision.slice(0, 12)} became active without approval`,
        why: "nobody of rules_change has agreed to the rules that count",
        todo: "look at what they say; the alarm ends when a later change was approved",
      }),
    )
  if (waiting !== null)
    found.push(
      changes.warn({
        what: `revision ${waiting.to.slice(0, 12)} is proposed, from ${waiting.host}, and waits for approval`,
        why: "replicas work under the active config until people approve it on its card",
        todo: "have it approved or rejected",
      }),
    )
  if (guarded && kind === "new" && waiting?.to !== revision)
    found.push(
      changes.warn({
        what: `this config (${revision.slice(0, 12)}) is not approved`,
        why: "the active config has rules_change, so a replica with this file works under the active one",
        todo: proposals.refused.includes(revision)
          ? "it was rejected, or expired: countersign activate proposes it again"
          : "the next start proposes it",
      }),
    )
  return found
}

function unreadable(unread: string): Finding {
  const why = "a stricter rule could get lost, so it works under all of that config or not at all: it decides nothing"
  return notes.fail({ what: notRead(unread), why, todo: otherVersion })
}

function replaced(active: string): Finding {
  return notes.warn({
    what: `this config was active earlier, and another one (${active.slice(0, 12)}) has replaced it`,
    why:
      "an old file could take a stricter rule away, so a replica with it works under the active config and " +
      "not under its file",
    todo: "use the newer file, or start once with countersign run --activate to go back to this one",
  })
}

/** The instances that a replica with this file leaves to others: it sends credentials only where this file says. */
function leftToOthers(file: SharedConfig, active: SharedConfig): readonly Finding[] {
  return elsewhereFor(file, active).map(({ instance, why }) =>
    notesOn(`platform ${instance}`).fail({
      what: `a replica with this file neither polls nor decides there: ${why}`,
      why:
        "credentials go only to the address that stands beside them in a replica's own file, " +
        "and only if the active config says the same",
      todo: "use the file that is active",
    }),
  )
}
