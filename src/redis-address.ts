// What REDIS_URL may say: one server, a Redis Cluster, or the Sentinels that know which server is the primary.

/** A server of a cluster, or a Sentinel. */
export interface RedisNode {
  readonly host: string
  readonly port: number
}

interface Access {
  readonly tls: boolean
  /** Undefined: the server's default user. */
  readonly user: string | undefined
  readonly password: string | undefined
}

/** Where Redis is. `url` is what ioredis takes for one server: an address, or the path of a Unix socket. */
export type RedisAddress =
  | (Access & { readonly kind: "server"; readonly url: string })
  | (Access & { readonly kind: "cluster"; readonly nodes: readonly RedisNode[] })
  | (Access & {
      readonly kind: "sentinel"
      readonly nodes: readonly RedisNode[]
      /** The name of the primary at the Sentinels. */
      readonly primary: string
      readonly database: number
      /** User and password of the Sentinels themselves, which never see those of the servers. */
      readonly sentinelUser: string | undefined
      readonly sentinelPassword: string | undefined
    })

/** An address that we understood, or what is wrong with it. The words follow the name of the setting. */
export type ReadAddress =
  | { readonly ok: true; readonly address: RedisAddress }
  | { readonly ok: false; readonly problem: string }

const schemes =
  "must be a redis:// or rediss:// address, or redis-cluster:// (rediss-cluster://) for a Redis Cluster, " +
  "or redis-sentinel:// (rediss-sentinel://) for Sentinels"

/**
 * Reads an address: `redis[s]://[user:password@]host[:port][/database]`, `redis[s]-cluster://[user:password@]<hosts>`,
 * `redis[s]-sentinel://[user:password@]<hosts>/<primary>[/database][?sentinel_user=…&sentinel_password=…]` where hosts
 * are `host[:port],…`, or the path of a Unix socket. Ports default to 6379, those of Sentinels to 26379. Tells a
 * problem without secrets.
 */
export function readRedisAddress(text: string): ReadAddress {
  if (text.startsWith("/"))
    return { ok: true, address: { kind: "server", url: text, tls: false, user: undefined, password: undefined } }
  if (/^rediss?:\/\//.test(text)) return serverAt(text)
  const parts = /^redis(s?)-(cluster|sentinel):\/\/(?:([^/]*)@)?([^@/?#]*)(\/[^?#@]*)?(\?[^#]*)?$/.exec(text)
  if (parts === null) return wrong(/^rediss?-(cluster|sentinel):\/\//.test(text) ? unreadable : schemes)
  const [, secure, kind, login = "", hosts = "", path = "", query = ""] = parts
  const [user, password] = loginIn(login)
  if (user === null || password === null)
    return wrong("has a % in its user or password that is no escape: write it as %25")
  const access = { tls: secure === "s", user, password }
  const found = hosts.split(",").map((host) => nodeIn(host, kind === "sentinel" ? 26_379 : 6_379))
  const nodes = found.filter((node) => node !== null)
  if (nodes.length < found.length) return wrong("must list hosts as host:port, with commas between them")
  return kind === "cluster" ? clusterOf(nodes, path, query, access) : sentinelsOf(nodes, path, query, access)
}

const unreadable = "cannot be read: a /, ? or # in a user or password is written as %2F, %3F or %23"

function wrong(problem: string): ReadAddress {
  return { ok: false, problem }
}

function serverAt(text: string): ReadAddress {
  const url = URL.parse(text)
  const several = /^rediss?:\/\/([^/]*@)?[^/?]*,/.test(text)
  if (several)
    return wrong("lists several servers: use redis-cluster:// for a Redis Cluster, redis-sentinel:// for Sentinels")
  if (url === null) return wrong(unreadable)
  const [user, password] = [url.username, url.password].map((part) => decoded(part) ?? part)
  const access = { user: user === "" ? undefined : user, password: password === "" ? undefined : password }
  return { ok: true, address: { kind: "server", url: text, tls: url.protocol === "rediss:", ...access } }
}

function clusterOf(nodes: readonly RedisNode[], path: string, query: string, access: Access): ReadAddress {
  if (!/^\/?0?$/.test(path) || query !== "") return wrong("ends after its hosts: a Redis Cluster has one database only")
  return { ok: true, address: { kind: "cluster", nodes, ...access } }
}

function sentinelsOf(nodes: readonly RedisNode[], path: string, query: string, access: Access): ReadAddress {
  const [, name = "", database = "0", ...rest] = path.split("/")
  const primary = decoded(name)
  if (primary === null || primary === "" || !/^\d{1,3}$/.test(database) || rest.length > 0)
    return wrong("must end in the name that the Sentinels have for the primary: redis-sentinel://host:26379/mymaster")
  const given = new URLSearchParams(query)
  const odd = [...given.keys()].find((key) => key !== "sentinel_user" && key !== "sentinel_password")
  if (odd !== undefined) return wrong("knows no other parameters than sentinel_user and sentinel_password")
  const own = {
    sentinelUser: given.get("sentinel_user") ?? undefined,
    sentinelPassword: given.get("sentinel_password") ?? undefined,
  }
  return { ok: true, address: { kind: "sentinel", nodes, primary, database: Number(database), ...access, ...own } }
}

/** User and password of `user:password`. A missing part is undefined, a broken escape null. */
function loginIn(login: string): readonly [user: string | null | undefined, password: string | null | undefined] {
  const at = login.indexOf(":")
  const [user, password] = at === -1 ? [login, ""] : [login.slice(0, at), login.slice(at + 1)]
  return [user === "" ? undefined : decoded(user), password === "" ? undefined : decoded(password)]
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** A server as written: `host`, `host:port` or `[::1]:port`. */
function nodeIn(text: string, standard: number): RedisNode | null {
  const [, six, name = six, port = String(standard)] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  return name === undefined || Number(port) === 0 || Number(port) > 65_535 ? null : { host: name, port: Number(port) }
}

/** An address without user, password and parameters, for people. */
export function shownAddress(text: string): string {
  return text.replace(/\?.*$/, "").replace(/^([a-z-]+:\/\/)[^/]*@/, "$1")
}

/** Every secret in an address, in each form in which it may appear. */
export function secretsInAddress(text: string): readonly string[] {
  const read = readRedisAddress(text)
  const address = read.ok ? read.address : undefined
  const sentinels = address?.kind === "sentinel" ? address.sentinelPassword : undefined
  const asWritten = /^[a-z-]+:\/\/[^/:]*:([^/]*)@/.exec(text)?.[1]
  const encoded = [address?.password, sentinels].map((one) => one && encodeURIComponent(one))
  const all = [asWritten, address?.password, sentinels, ...encoded]
  return [...new Set(all.flatMap((secret) => (secret ? [secret] : [])))]
}
