// Answers the doctor's questions about Redis: how the server is set up, and whose installation it holds. Writes only
// one key of its own, which expires after ten seconds.

import { largest } from "../../domain/content/largest.ts"
import { configRevisionOf, type SharedConfig } from "../../domain/policy/shared-config.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { noProposals, type Proposals } from "../../domain/rule/proposal.ts"
import type { WebhookPorts } from "../../flow/ports.ts"
import { createReading } from "../cases/reading.ts"
import { readConfig, type StoredConfig } from "../config/config-record.ts"
import type { RulesSchema, SharedConfigRead } from "../config/shared-config-schema.ts"
import { attempt, StoreError } from "../errors.ts"
import { unbounded } from "../freshness/freshness.ts"
import { type LinkView, listLinks } from "../identity/identity-links.ts"
import { checkInstallation } from "../ledger/installation.ts"
import { readSigningKeys } from "../ledger/signing-keys.ts"
import { createOutboxes } from "../pace/outboxes.ts"
import { readSockets } from "../pace/slack-state.ts"
import type { StoreConnection } from "../redis/connection.ts"
import { ourSchema } from "../redis/data-schema.ts"
import { createKeys } from "../redis/keys.ts"
import { askInfo } from "../redis/owner.ts"
import { missingRights, type RedisKind } from "../redis/rights.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"

/** How a server is set up, as its `INFO` says; null where it says nothing. */
export interface ServerFacts {
  /** The version of Redis; for Valkey and others, the version of Redis that they claim to match. */
  readonly version: string | null
  readonly role: string | null
  readonly maxmemoryPolicy: string | null
  readonly appendOnly: boolean | null
  readonly hz: number | null
  readonly usedBytes: number | null
  /** 0 = no limit. */
  readonly maxBytes: number | null
}

/** Reads how the server is set up. Throws `StoreError`. */
export async function probeServer({ commands }: StoreConnection, installation: string): Promise<ServerFacts> {
  const { tag } = createKeys(installation)
  const sections = ["server", "replication", "memory", "persistence"]
  const texts = await attempt("INFO", () => Promise.all(sections.map((section) => askInfo(commands, tag, section))))
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(texts.join("\n"))?.[1] ?? null
  const count = (name: string) => numberIn(field(name))
  const aof = field("aof_enabled")
  return {
    version: field("redis_version"),
    role: field("role"),
    maxmemoryPolicy: field("maxmemory_policy"),
    appendOnly: aof === null ? null : aof === "1",
    hz: count("configured_hz") ?? count("hz"),
    usedBytes: count("used_memory"),
    maxBytes: count("maxmemory"),
  }
}

/** How long the key of a probe stays, in ms. */
const probeKeptMs = 10_000

/** Writes a key of our own, and reads it back. Throws `StoreError`, also if the server answers but takes no writes. */
export async function probeWrites({ redis, keys }: Pick<SealedPlace, "redis" | "keys">): Promise<void> {
  const tried = "write and read a key of our own"
  const [, found] = await attempt(tried, () =>
    Promise.all([redis.set(keys.probe, "1", "PX", probeKeptMs), redis.get(keys.probe)]),
  )
  if (found !== "1") throw new StoreError("redis-refused", `${tried}: Redis does not hold what was just written`)
}

/** Finds the rights that an installation needs and the connection's user does not have. Throws `StoreError`. */
export function probeRights(
  { commands }: StoreConnection,
  about: { readonly installation: string; readonly kind: RedisKind },
): Promise<readonly string[]> {
  return missingRights(commands, about)
}

/** An installation, and the key that should have sealed it. */
export interface InstallationPlace {
  readonly connection: StoreConnection
  readonly installation: string
  readonly seal: Seal
}

/** Says if there is an installation under our key. Throws `StoreError`: `other-key`, `tampered`, or no answer. */
export async function probeInstallation(place: InstallationPlace): Promise<"absent" | "ours"> {
  return checkInstallation(readable(place))
}

/** What reading needs. We do not check how old a record is. */
function readable({ connection, installation, seal }: InstallationPlace) {
  return { redis: connection.commands, keys: createKeys(installation), seal, installation, freshness: unbounded }
}

/**
 * The state of a config (R16). `new`: it was never active. `replaced`: it was active until `active` followed.
 * `proposals`: what is known of changes of the active config.
 */
export type ConfigStanding = { readonly proposals: Proposals; readonly revision: string } & (
  | { readonly kind: "new" }
  | { readonly kind: "active" | "replaced"; readonly active: Pick<StoredConfig, "revision"> & SharedConfigRead }
)

/** The stops in force; none before the first start. Throws `StoreError`. */
export async function probeStops(place: InstallationPlace & { readonly rulesSchema: RulesSchema }) {
  return (await readConfig({ ...readable(place), rulesSchema: place.rulesSchema }))?.orders.stops ?? []
}

/** Says in which state a config is. Throws `StoreError`: `tampered`, or Redis does not answer. */
export async function probeConfig(
  place: InstallationPlace & { readonly rulesSchema: RulesSchema },
  config: SharedConfig,
): Promise<ConfigStanding> {
  const active = await readConfig({ ...readable(place), rulesSchema: place.rulesSchema })
  const revision = configRevisionOf(config)
  const known = { revision, proposals: active?.proposals ?? noProposals }
  if (active?.revision === revision) return { kind: "active", active, ...known }
  return active?.earlier.includes(revision) ? { kind: "replaced", active, ...known } : { kind: "new", ...known }
}

/** The addresses of an installation that have an identity link. Throws `StoreError`. */
export async function probeLinks(place: InstallationPlace): Promise<readonly LinkView[]> {
  return listLinks(readable(place))
}

/** The ids of the keys that ever signed for an installation, oldest first. Throws `StoreError`. */
export async function probeSigningKeys(place: InstallationPlace): Promise<readonly string[]> {
  return (await readSigningKeys(readable(place))).map(({ kid }) => kid)
}

/** Counts how many approvals of each instance are open here. Throws `StoreError`. */
export async function probeOpen(
  { connection, installation }: InstallationPlace,
  instances: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const keys = createKeys(installation)
  const count = async (name: string) =>
    [name, await attempt("count open cases", () => connection.commands.hlen(keys.known(name)))] as const
  return new Map(await Promise.all(instances.map(count)))
}

/** Reads the outboxes of webhooks, and the ledger that they are compared with. */
export function probeOutboxes(place: InstallationPlace): Pick<WebhookPorts, "outboxes" | "reading"> {
  return {
    outboxes: createOutboxes(readable(place)),
    reading: createReading({ ...readable(place), schema: ourSchema }),
  }
}

/** Counts the sockets on our Slack app that are not ours, as the running replicas found. Throws `StoreError`. */
export async function probeForeignSockets(place: InstallationPlace): Promise<number> {
  const now = (await place.connection.clock())()
  const { live } = await readSockets(readable(place), now)
  return largest(
    0,
    live.map(({ foreign }) => foreign),
  )
}

function numberIn(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}
