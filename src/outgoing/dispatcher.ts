// Opens connections: directly or through a proxy, with the operator's CAs beside the usual ones.
import { getCACertificates } from "node:tls"
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool, request } from "undici"

/** How connections leave this machine. */
export interface WayOut {
  /** `except`: hosts that we reach directly, as in NO_PROXY. The address may hold user and password. Null: no proxy. */
  readonly proxy: { readonly url: string; readonly except: string } | null
  /** CAs in PEM beside those of Node, to which NODE_EXTRA_CA_CERTS adds. Null: no other CAs. */
  readonly ca: string | null
}

/** Directly: without a proxy, and with Node's CAs alone. */
export const directly: WayOut = { proxy: null, ca: null }

/** What connections are like. */
export interface ConnectionOptions {
  readonly way: WayOut
  /** How long it may take to open a connection, in ms. */
  readonly connectMs: number
  /** How many connections to one host may be open at once; undefined: any number. */
  readonly connections?: number
  /** How long an unused connection is kept, in ms. Default: undici's own. */
  readonly keepAliveMs?: number
  /** False: HTTP/1.1 alone. Default true. */
  readonly allowH2?: boolean
  /** Called with each socket when it opens: if a socket becomes a WebSocket, undici no longer ends it. */
  readonly opened?: (socket: Ending) => void
}

/** A socket that can be ended. */
interface Ending {
  destroy(): unknown
}

/** Makes the dispatcher that opens connections. The caller ends it. */
export function openDispatcher(options: ConnectionOptions): Dispatcher {
  const { way, connectMs, connections, keepAliveMs, allowH2 = true, opened } = options
  const tls = way.ca === null ? {} : { ca: [...getCACertificates("default"), way.ca] }
  const connect = { ...tls, timeout: connectMs, allowH2 }
  const common = {
    pipelining: 1,
    allowH2,
    connect,
    ...(connections === undefined ? {} : { connections }),
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
    ...(opened === undefined ? {} : { factory: poolThatTells(opened) }),
  }
  if (way.proxy === null) return new Agent(common)
  const { url, except } = way.proxy
  // For https without its own proxy, undici would use the proxy of http. So we chose the right one before.
  const proxies = { httpProxy: url, httpsProxy: url, noProxy: except }
  return new EnvHttpProxyAgent({
    ...common,
    ...proxies,
    connectTimeout: connectMs,
    requestTls: connect,
    proxyTls: connect,
  })
}

function poolThatTells(opened: (socket: Ending) => void) {
  return (origin: string | URL, options: object): Dispatcher => {
    const given = "connect" in options ? options.connect : undefined
    const connect = isConnector(given)
      ? given
      : buildConnector(typeof given === "object" && given !== null ? given : {})
    const telling: buildConnector.connector = (to, done) =>
      connect(to, (...result) => {
        if (result[0] === null) opened(result[1])
        done(...result)
      })
    return new Pool(origin, { ...options, connect: telling })
  }
}

/** True for the connector that a proxy brings. */
function isConnector(value: unknown): value is buildConnector.connector {
  return typeof value === "function"
}

/** What is sent. `redirect` is always `manual`: an answer that leads elsewhere is handed back as it is. */
export interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** A fetch, and a function that ends its connections. */
export interface FetchThrough {
  readonly fetch: (url: string, sent: Sent) => Promise<Response>
  readonly close: () => Promise<void>
}

/** The longest answer that is read, in bytes. */
const longestAnswer = 1_048_576

/** Opens one; connections come when they are needed. What is sent is text, or a form. The answer is read whole. */
export function openFetchThrough(way: WayOut): FetchThrough {
  const dispatcher = openDispatcher({ way, connectMs: 5_000, allowH2: false })
  return {
    fetch: async (url, { method, headers, body, signal }) => {
      const text = typeof body === "string" || body instanceof URLSearchParams ? String(body) : null
      const given = { method, headers, body: text, dispatcher, ...(signal === undefined ? {} : { signal }) }
      const answer = await request(url, given)
      const parts: Buffer[] = []
      let length = 0
      for await (const part of answer.body) {
        const bytes = Buffer.from(part)
        length += bytes.length
        if (length > longestAnswer) throw new Error(`the answer of ${new URL(url).host} has more than a megabyte`)
        parts.push(bytes)
      }
      const type = answer.headers["content-type"]
      const said = { status: answer.statusCode, headers: typeof type === "string" ? { "content-type": type } : {} }
      // A Response of a status without a body takes none, not even an empty one.
      return new Response(length === 0 ? null : Buffer.concat(parts), said)
    },
    close: () => dispatcher.destroy(),
  }
}
