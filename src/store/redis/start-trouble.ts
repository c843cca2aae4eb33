// Why we cannot use Redis at the start, in one sentence: what is wrong with the address, the login or the server.
import type { Log } from "../../flow/ports.ts"
import { readRedisAddress, shownAddress } from "../../redis-address.ts"
import { attempt, StoreError } from "../errors.ts"
import { askInfo, type RedisClient } from "./owner.ts"

/** What ioredis says, and what it means; `lasting`: another try does not help. */
interface Meaning {
  readonly says: RegExp
  readonly means: string
  readonly lasting: boolean
}

const ofSentinel = "; the Sentinels' own login is given as ?sentinel_user=…&sentinel_password=… after the name"

const wantsTls = "; if the server wants TLS, use rediss:// (rediss-cluster://, rediss-sentinel://)"
const noTls = "; perhaps it speaks no TLS there: use redis://, or the port that it has for TLS"

const meanings: readonly Meaning[] = [
  {
    says: /cluster support disabled/i,
    means: "it is no Redis Cluster: use redis:// (rediss://) for a single server",
    lasting: true,
  },
  {
    says: /unknown command.*sentinel|sentinel.*unknown command/i,
    means: "it is no Sentinel: use redis:// (rediss://) for a single server, redis-cluster:// for a Redis Cluster",
    lasting: true,
  },
  { says: /sentinel \S+ because.*(WRONGPASS|NOAUTH|NOPERM)/i, means: ofSentinel, lasting: true },
  { says: /WRONGPASS|NOAUTH|NOPERM|invalid username|invalid password/i, means: "", lasting: true },
  { says: /certificate|CERT_|SELF_SIGNED|ERR_TLS/i, means: "", lasting: true },
  { says: /ERR_SSL|EPROTO|wrong version number|packet length too long/i, means: noTls, lasting: true },
  { says: /before secure TLS connection/, means: noTls, lasting: false },
  { says: /Connection is closed|ECONNRESET/, means: wantsTls, lasting: false },
]

/** Notes what goes wrong with a first connection. `note` says whether it is useless to go on. */
export function startTrouble(url: string) {
  let last: Error | undefined
  let unknownName = false
  const note = (error: Error): boolean => {
    if (/invalid reply: null|No such master/.test(error.message)) unknownName = true
    const round = error.message.startsWith("All sentinels are unreachable")
    // What one server said tells more than that none of them helped.
    if (last === undefined || !(round || /^Connection is closed|^None of/.test(deepest(error).message)))
      last = deepest(error)
    return (round && unknownName) || meaningOf(last)?.lasting === true
  }
  const told = (): StoreError => {
    const read = readRedisAddress(url)
    if (unknownName && read.ok && read.address.kind === "sentinel")
      return unreachable(url, `the Sentinels know no primary called ${read.address.primary}`, last)
    const said = last?.message.replace(/\.$/, "") ?? "no answer"
    const silence = url.startsWith("rediss") ? noTls : wantsTls
    const means = last === undefined ? silence : (meaningOf(last)?.means ?? "")
    return unreachable(url, means === "" || means.startsWith(";") ? `${said}${means}` : means, last)
  }
  return { note, told }
}

/** For an error about all nodes of a cluster: what the last of them said. */
function deepest(error: Error): Error {
  const inner = "lastNodeError" in error ? error.lastNodeError : undefined
  return inner instanceof Error ? inner : error
}

function meaningOf(error: Error): Meaning | undefined {
  const said = `${error.message} ${"code" in error ? String(error.code) : ""}`
  return meanings.find(({ says }) => says.test(said))
}

function unreachable(url: string, why: string, cause: Error | undefined): StoreError {
  const advice = "Check REDIS_URL (or redis_url) and that the server runs."
  return new StoreError("redis-unreachable", `Redis at ${shownAddress(url)} cannot be used: ${why}. ${advice}`, {
    cause,
  })
}

/** What is judged: the server that answers, and the address that it answers at. */
interface JudgedServer {
  readonly redis: RedisClient
  readonly tag: string
  readonly url: string
  readonly log: Pick<Log, "warn">
}

/** Warns if the server may evict keys. Throws `StoreError` if its kind is not the one of its address. */
export async function judgeServer({ redis, tag, url, log }: JudgedServer): Promise<void> {
  const tell = (section: string) => attempt("INFO", () => askInfo(redis, tag, section).catch(noneIfRefused))
  const [memory = "", server = "", cluster = ""] = await Promise.all(["memory", "server", "cluster"].map(tell))
  const another = /^(redis|server)_mode:sentinel/m.test(server) ? sentinelWords(url) : clusterWords(url, cluster)
  if (another !== null) throw new StoreError("redis-refused", `Redis at ${shownAddress(url)} ${another}`)
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === "noeviction") return
  const advice = "set maxmemory-policy to noeviction: evicted cases cannot be decided"
  log.warn("redis-may-evict", { policy, advice })
}

/** A managed Redis may keep parts of INFO to itself. */
function noneIfRefused(error: unknown): string {
  if (error instanceof Error && error.name === "ReplyError") return ""
  throw error
}

function clusterWords(url: string, info: string): string | null {
  const read = readRedisAddress(url)
  if (!/^cluster_enabled:1/m.test(info) || (read.ok && read.address.kind === "cluster")) return null
  return `is a node of a Redis Cluster: use ${schemeFor(url, "cluster")}<host>:<port> in REDIS_URL (redis_url)`
}

function sentinelWords(url: string): string {
  return `is a Sentinel: use ${schemeFor(url, "sentinel")}<host>:<port>/<primary's name> in REDIS_URL (redis_url)`
}

function schemeFor(url: string, kind: "cluster" | "sentinel"): string {
  return `${url.startsWith("rediss:") ? "rediss" : "redis"}-${kind}://`
}
