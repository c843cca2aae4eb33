// The doctor on Redis: is it there, may it lose data, and is it fast enough?
import { isLoopback } from "../../../config/parts/way-out.ts"
import type { Config } from "../../../config.ts"
import type { Log } from "../../../log.ts"
import { brokenBy } from "../../../outgoing/broken.ts"
import { type RedisAddress, readRedisAddress } from "../../../redis-address.ts"
import { probeRights, probeServer, probeWrites, type ServerFacts } from "../../../store/admin/probe.ts"
import { StoreError } from "../../../store/errors.ts"
import { connectRedis, type StoreConnection } from "../../../store/redis/connection.ts"
import { createKeys } from "../../../store/redis/keys.ts"
import { smallestAcl } from "../../../store/redis/rights.ts"
import { writeRefusalIn, writeRefusals } from "../../../store/redis/write-refusal.ts"
import { borrowRedis, type Redis } from "../../installation/own-redis.ts"
import { type Finding, notesOn } from "../finding.ts"
import { remedies } from "../remedy.ts"
import { type CheckedInstallation, lookAtInstallation, type RedisRound } from "./installation.ts"

/** Which Redis, and what should be in it. */
export interface RedisOptions extends CheckedInstallation {
  readonly config: CheckedInstallation["config"] & Pick<Config, "redis">
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
}

const notes = notesOn("redis")

/** Looks at the Redis of an installation. If this is a server of our own that does not run, starts it meanwhile. */
export async function lookAtRedis(options: RedisOptions): Promise<RedisRound> {
  const { config, env, log } = options
  const seen = [...judgeAddress(config.redis)]
  let redis: Redis | undefined
  let connection: StoreConnection | undefined
  try {
    redis = await borrowRedis({ redis: config.redis, env, say: () => {} })
    connection = await connectRedis({ url: redis.url, ca: redis.ca, installation: config.installation, log })
    for (const one of await lookAtRights(config, connection)) seen.push(one)
    const facts = await probeServer(connection, config.installation)
    for (const one of judgeServer(facts)) seen.push(one)
    for (const one of await lookAtWrites(config, connection, facts)) seen.push(one)
    const round = await lookAtInstallation(options, connection)
    return { ...round, findings: [...seen, ...round.findings] }
  } catch (error) {
    return { stops: [], findings: [...seen, unusable(error)], open: null, signed: null, webhooks: null }
  } finally {
    await connection?.close()
    await redis?.stop()
  }
}

function unusable(error: unknown): Finding {
  const what = error instanceof Error ? error.message : String(error)
  const why = "all state is in Redis: without it Countersign does not start, and every click fails"
  const todo = redisTodo(error)
  return notes.fail({ what, why, todo })
}

/** Says what to do about a Redis that we cannot use: by its words, or by what broke the connection. */
function redisTodo(error: unknown): string {
  const said = error instanceof Error ? error.message : ""
  if (/REDIS_URL/.test(said) && error instanceof StoreError && error.code === "redis-refused")
    return "change REDIS_URL (redis_url) as it says"
  if (/NOPERM/.test(said)) return "give its user the rights of the smallest ACL that is printed here"
  if (/NOAUTH|WRONGPASS|invalid password/i.test(said)) return "put the user and password of that server into REDIS_URL"
  const { kind } = brokenBy(error, "")
  if (kind === "unknown-ca")
    return "trust the CA that signed its certificate: name it (PEM) as redis_ca_file (REDIS_CA_FILE)"
  if (kind === "wrong-name" || kind === "bad-certificate") return remedies[kind]
  return "start that server, or set REDIS_URL (redis_url) to one that runs; leave it out and Countersign starts its own"
}

/** Judges the way to a Redis on another machine: can others listen there, or connect themselves? */
export function judgeAddress(redis: Config["redis"]): readonly Finding[] {
  if (redis.kind === "own") return []
  const read = readRedisAddress(redis.url)
  const hosts = read.ok ? hostsOf(read.address) : []
  if (!read.ok || hosts.every(isLoopback)) return []
  const { tls, password } = read.address
  const at = hosts.map(({ host }) => host).join(", ")
  const todo = "use rediss:// (or rediss-cluster://, …) with a user and a password, and let nobody else reach its port"
  const heard = "whoever listens learns its password and what waits, and can put back what was withdrawn"
  const open = { what: `the way to ${at} is not encrypted (${redis.url.split("://")[0]}://)`, why: heard, todo }
  const reached = "whoever reaches its port can delete votes, or put back what was withdrawn"
  const unasked = { what: `${at} asks for no password`, why: reached, todo }
  return [...(tls ? [] : [notes.warn(open)]), ...(password === undefined ? [notes.warn(unasked)] : [])]
}

function hostsOf(address: RedisAddress): readonly URL[] {
  if (address.kind === "server") return [URL.parse(address.url)].filter((url) => url !== null)
  return address.nodes.map(({ host, port }) => new URL(`redis://${host.includes(":") ? `[${host}]` : host}:${port}`))
}

/** Looks whether the user has all rights that we need; we ask for no more. Our own server has no users. */
async function lookAtRights(
  { redis, installation }: RedisOptions["config"],
  connection: StoreConnection,
): Promise<readonly Finding[]> {
  const read = redis.kind === "url" ? readRedisAddress(redis.url) : null
  if (read === null || !read.ok) return []
  const { kind, user = "countersign" } = read.address
  const acl = `ACL SETUSER ${user} on '>a long password' ${smallestAcl(installation, kind)}`
  const missing = await probeRights(connection, { installation, kind })
  if (missing.length === 0) return [notes.ok(`its user may do all that is needed. The smallest ACL is: ${acl}`)]
  const what = `its user may not: ${missing.join(", ")}`
  const why = "Countersign tries a refused step again and again, and never gets it done"
  return [notes.fail({ what, why, todo: `give that user these rights; it needs all of them: ${acl}` })]
}

/**
 * Looks whether the server takes a write: one that answers may still refuse writes. If it is a replica, or its user
 * lacks rights, other findings say so.
 */
async function lookAtWrites(
  { installation }: RedisOptions["config"],
  { commands: redis }: StoreConnection,
  { role: found }: ServerFacts,
): Promise<readonly Finding[]> {
  try {
    await probeWrites({ redis, keys: createKeys(installation) })
    return [notes.ok("it takes writes")]
  } catch (error) {
    const word = error instanceof StoreError ? writeRefusalIn(error.message) : null
    if (word === null || word === "NOPERM") throw error
    if (word === "READONLY" && found !== null && found !== "master") return []
    const { means, todo } = writeRefusals[word]
    const why = "as long as it refuses writes, no press is taken and no card is posted"
    return [notes.fail({ what: `it answers, and takes no writes (${word}): ${means}`, why, todo })]
  }
}

/** Judges how the server is set up. */
export function judgeServer(facts: ServerFacts): readonly Finding[] {
  return [version(facts), role(facts), eviction(facts), persistence(facts), pace(facts), memory(facts)].flat()
}

function version({ version: found }: ServerFacts): Finding {
  const [major = 0, minor = 0] = (found ?? "").split(".").map(Number)
  if (major > 6 || (major === 6 && minor >= 2)) return notes.ok(`it answers and speaks Redis ${found}`)
  return notes.fail({
    what: `it is version ${found ?? "unknown"}, and 6.2 is the oldest that works`,
    why: "the job queue needs commands that older servers do not have",
    todo: "use Redis 6.2 or later, or Valkey",
  })
}

function role({ role: found }: ServerFacts): readonly Finding[] {
  if (found === null || found === "master") return []
  const why = "nothing can be written to it, so no vote could be taken"
  return [notes.fail({ what: `it is a ${found}, not the primary`, why, todo: "point REDIS_URL at the primary" })]
}

function eviction({ maxmemoryPolicy }: ServerFacts): Finding {
  if (maxmemoryPolicy === "noeviction") return notes.ok("it evicts nothing (maxmemory-policy noeviction)")
  const why = "when memory runs short it drops keys: cases, votes and ledger entries would be gone"
  const todo = "set maxmemory-policy to noeviction (redis.conf, CONFIG SET, or the parameter group of a managed Redis)"
  if (maxmemoryPolicy !== null) return notes.fail({ what: `its maxmemory-policy is ${maxmemoryPolicy}`, why, todo })
  const unknown = "check in its provider's console that maxmemory-policy is noeviction"
  return notes.warn({ what: "it does not tell its maxmemory-policy", why, todo: unknown })
}

function persistence({ appendOnly }: ServerFacts): Finding {
  if (appendOnly === true) return notes.ok("it writes everything to disk (appendonly yes)")
  return notes.warn({
    what: appendOnly === false ? "its append-only file is off" : "it does not tell whether its append-only file is on",
    why: "a restart loses what came after its last snapshot: votes, decisions, ledger entries",
    todo: "set appendonly to yes; only a managed Redis with a replica that takes over can do without",
  })
}

function pace({ hz }: ServerFacts): readonly Finding[] {
  if (hz === null) return []
  if (hz >= 100) return [notes.ok(`it looks at its timers often (hz ${hz})`)]
  const what = `its hz is ${hz}`
  const why = `delayed jobs and polls come up to ${Math.round(1_000 / Math.max(hz, 1))} ms late when it is idle`
  const todo = "set hz to 100; it costs half a percent of a core"
  return [notes.warn({ what, why, todo })]
}

function memory({ usedBytes, maxBytes }: ServerFacts): Finding {
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`
  if (usedBytes === null || maxBytes === null) return notes.ok("it does not tell its memory")
  if (maxBytes === 0) return notes.ok(`it uses ${megabytes(usedBytes)}, without a limit of its own`)
  const share = usedBytes / maxBytes
  const what = `it uses ${megabytes(usedBytes)} of ${megabytes(maxBytes)} (${Math.round(share * 100)} %)`
  if (share <= 0.8) return notes.ok(what)
  const why = "when it is full no case can be opened and no vote be taken"
  return notes.warn({ what, why, todo: "raise maxmemory, or move other users of this server away" })
}
