// Says in one sentence why we cannot use Redis at the start: what is wrong with the address, the login or the server.
import { once } from "node:events"
import { createConnection } from "node:net"
import { connect as connectTls } from "node:tls"
import type { Log } from "../../flow/ports.ts"
import { type RedisNode, readRedisAddress, shownAddress } from "../../redis-address.ts"
import { attempt, StoreError } from "../errors.ts"
import { askInfo, type RedisClient } from "./owner.ts"

/** What ioredis says if another try does not help, and what that means. `kind`: another kind of server is there. */
interface Meaning {
  readonly says: RegExp
  readonly means: string
  readonly kind?: true
}

const ofSentinel = "; the Sentinels' own login is given as ?sentinel_user=…&sentinel_password=… after the name"

const meanings: readonly Meaning[] = [
  {
    says: /cluster support disabled/i,
    means: "is no Redis Cluster: use redis:// (rediss://) for a single server",
    kind: true,
  },
  {
    says: /unknown command.*sentinel|sentinel.*unknown command/i,
    means: "is no Sentinel: use redis:// (rediss://) for a single server, redis-cluster:// for a Redis Cluster",
    kind: true,
  },
  { says: /sentinel \S+ because.*(WRONGPASS|NOAUTH|NOPERM)/i, means: ofSentinel },
  { says: /WRONGPASS|NOAUTH|NOPERM|invalid username|invalid password/i, means: "" },
  { says: /certificate|CERT_|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO|wrong version number|packet length too/i, means: "" },
]

/** Notes what goes wrong with a first connection. `note` says whether it is useless to go on. */
export function startTrouble(url: string) {
  let last: Error | undefined
  let unknownName = false
  const note = (error: Error): boolean => {
    if (/invalid reply: null|No such master/.test(error.message)) unknownName = true
    const round = error.message.startsWith("All sentinels are unreachable")
    // The words of one server tell more than the message that none of them helped.
    if (last === undefined || !(round || /^Connection is closed|^None of/.test(deepest(error).message)))
      last = deepest(error)
    return (round && unknownName) || meaningOf(last) !== undefined
  }
  const told = async (): Promise<StoreError> => {
    const read = readRedisAddress(url)
    if (unknownName && read.ok && read.address.kind === "sentinel")
      return unreachable(url, `the Sentinels know no primary called ${read.address.primary}`, last)
    const meaning = last === undefined ? undefined : meaningOf(last)
    if (meaning?.kind === true) return otherKind(url, meaning.means, last)
    const scheme = await otherScheme(url)
    if (scheme !== null) return otherKind(url, scheme, last)
    return unreachable(url, `${wordsOf(last)}${meaning?.means ?? ""}`, last)
  }
  return { note, told }
}

/** Finds the right scheme if the server speaks TLS and the address denies it, or the other way round. */
async function otherScheme(url: string): Promise<string | null> {
  const [, secure, kind] = /^redis(s?)(-cluster|-sentinel)?:/.exec(url) ?? []
  const node = firstNode(url)
  if (secure === undefined || node === null) return null
  const isPlain = await speaksPlain(node)
  if (secure === "s" && isPlain === true)
    return `speaks no TLS there: use redis${kind ?? ""}://, or the port that it has for TLS,`
  // A proxy whose Redis is away hangs up as well. So we name TLS only if the server speaks it.
  const wantsTls = secure === "" && isPlain === false && (await speaksTls(node))
  return wantsTls ? `takes no plain connection there: use rediss${kind ?? ""}://` : null
}

/** The server of an address, or the first of several. */
function firstNode(url: string): RedisNode | null {
  const read = readRedisAddress(url)
  if (!read.ok) return null
  if (read.address.kind !== "server") return read.address.nodes[0] ?? null
  const { hostname = "", port = "" } = URL.parse(read.address.url) ?? {}
  return hostname === "" ? null : { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 6_379) }
}

/** How long a server may take to answer one word, in ms. */
const wordMs = 1_000

/** True if a server answers in plain text; false if it hangs up or answers with an alert of TLS; else null. */
async function speaksPlain(node: RedisNode): Promise<boolean | null> {
  const socket = createConnection(node)
  try {
    const signal = AbortSignal.timeout(wordMs)
    await once(socket, "connect", { signal })
    socket.write("PING\r\n")
    const ended = once(socket, "close", { signal }).then(() => [])
    const said = Promise.race([once(socket, "data", { signal }), ended])
    const [data]: readonly unknown[] = await said.catch(noneIfReset)
    return Buffer.isBuffer(data) && /^[+-]/.test(data.toString("latin1"))
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}

/** True if a server completes a handshake of TLS. We send it nothing more, so it need not prove who it is. */
async function speaksTls(node: RedisNode): Promise<boolean> {
  const socket = connectTls({ ...node, rejectUnauthorized: false })
  socket.on("error", () => undefined)
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(wordMs) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** No data if the server reset the connection, as one that wants TLS may do. Throws other errors. */
function noneIfReset(error: unknown): readonly never[] {
  if (error instanceof Error && "code" in error && error.code === "ECONNRESET") return []
  throw error
}

/** The last node's error, if an error is about all nodes of a cluster. */
function deepest(error: Error): Error {
  const inner = "lastNodeError" in error ? error.lastNodeError : undefined
  return inner instanceof Error ? inner : error
}

function wordsOf(error: Error | undefined): string {
  if (error === undefined) return "no answer"
  return error.message.replace(/\.$/, "").replace(/^Connection is closed$/, "it closes every connection at once")
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

/** The error if the address means another kind of server than is there. */
function otherKind(url: string, words: string, cause?: Error): StoreError {
  const options = cause === undefined ? {} : { cause }
  return new StoreError("redis-refused", `Redis at ${shownAddress(url)} ${words} in REDIS_URL (redis_url)`, options)
}

/** A server to judge, and the address where it answers. */
interface JudgedServer {
  readonly redis: RedisClient
  readonly tag: string
  readonly url: string
  readonly log: Pick<Log, "warn">
}

/** Warns if the server may evict keys. Throws `StoreError` if its address means another kind of server. */
export async function judgeServer({ redis, tag, url, log }: JudgedServer): Promise<void> {
  const tell = (section: string) => attempt("INFO", () => askInfo(redis, tag, section).catch(noneIfRefused))
  const [memory = "", server = "", cluster = ""] = await Promise.all(["memory", "server", "cluster"].map(tell))
  const another = /^(redis|server)_mode:sentinel/m.test(server) ? sentinelWords(url) : clusterWords(url, cluster)
  if (another !== null) throw otherKind(url, another)
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === "noeviction") return
  const advice = "set maxmemory-policy to noeviction: evicted cases cannot be decided"
  log.warn("redis-may-evict", { policy, advice })
}

/** No text if the server refused: a managed Redis may keep parts of INFO to itself. Throws other errors. */
function noneIfRefused(error: unknown): string {
  if (error instanceof Error && error.name === "ReplyError") return ""
  throw error
}

function clusterWords(url: string, info: string): string | null {
  const read = readRedisAddress(url)
  if (!/^cluster_enabled:1/m.test(info) || (read.ok && read.address.kind === "cluster")) return null
  return `is a node of a Redis Cluster: use ${schemeFor(url, "cluster")}<host>:<port>`
}

function sentinelWords(url: string): string {
  return `is a Sentinel: use ${schemeFor(url, "sentinel")}<host>:<port>/<primary's name>`
}

function schemeFor(url: string, kind: "cluster" | "sentinel"): string {
  return `${url.startsWith("rediss:") ? "rediss" : "redis"}-${kind}://`
}
