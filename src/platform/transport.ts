// One HTTP exchange with an instance on undici's Pool, with limits and time-outs. Says what broke.
import { isUtf8 } from "node:buffer"
import { type Dispatcher, FormData } from "undici"
import { isSendable } from "../domain/text/sendable.ts"
import { type MayLeave, type Meter, unmetered } from "../flow/ports.ts"
import { bounded, createSlots } from "../outgoing/bounded.ts"
import { brokenBy, isUnsent } from "../outgoing/broken.ts"
import { decoded, EncodingError } from "../outgoing/decode.ts"
import { directly, openDispatcher, type WayOut } from "../outgoing/dispatcher.ts"
import { type Failure, type PlatformCall, PlatformError } from "./errors.ts"

/** A bearer credential. If it may change, a function that we call before each exchange. Undefined: we send none. */
export type Token = string | (() => string) | undefined

/** Where and how to call. */
export interface TransportOptions {
  readonly name: string
  /** The address, with a path if the service is behind one; without a slash at the end. */
  readonly url: string
  readonly token: Token
  /** How long one exchange may take with a connection, in ms. It may wait for a connection for twice as long. */
  readonly timeoutMs: number
  readonly bodyLimitBytes: number
  /** The most connections at once. */
  readonly connections: number
  /** Default: without a proxy, and with Node's CAs. */
  readonly way?: WayOut | undefined
  /** Replaces our own pool, for tests. We do not close it. */
  readonly dispatcher?: Dispatcher | undefined
  /** Default: nothing measures the calls. */
  readonly meter?: Meter | undefined
}

/** What to send. */
export interface Request {
  readonly method: "GET" | "POST"
  /** Path and query below the instance's address. */
  readonly path: string
  /** JSON text, sent unchanged. */
  readonly body?: string
  /**
   * A form instead of a body, sent as multipart. AgentOS counts the encoded bytes of a field, and in a urlencoded field
   * one byte may count as three (`docs/platform-facts.md` 5.1).
   */
  readonly form?: FormData
  /** Replaces the transport's credential. */
  readonly token?: string
  /** Asked when the request has its connection: if false, it is not sent (`held_back`). Default: it is sent. */
  readonly mayLeave?: MayLeave
}

/** An answer of any status. */
export interface HttpAnswer {
  readonly status: number
  /** The bytes of the body. For most pages of a list they are enough to know the page again. */
  readonly bytes: Uint8Array
  /** The body as text, decoded on demand. */
  readonly text: string
  /** The server's clock, epoch ms; null if the answer does not give it. */
  readonly date: number | null
  /** Where a redirect leads, without its query; we never follow it. Null for any other answer. */
  readonly leadsTo: string | null
  /** What Countersign's gate says about the credential that it sends on, from a header; null if it says nothing. */
  readonly ofUpstream: string | null
  /** The credential of the request. We have to remove it from all words about the request. */
  readonly token: string | undefined
}

/** A way to call an instance. */
export interface Transport {
  /**
   * Sends once. Throws `PlatformError`: `unreachable`, `no_turn`, `held_back`, `timeout`, `cut`, `too_large` or
   * `not_json`.
   */
  exchange(request: Request): Promise<HttpAnswer>
  close(): Promise<void>
}

/** A credential that no header can hold. undici would never settle such a request, and would hold up later requests. */
const unsendable: Failure = {
  code: "unreachable",
  detail: "its credential holds a line break or another character that no header can carry",
}

/** Makes the way to an instance. It connects when it has to. */
export function createTransport(options: TransportOptions): Transport {
  const { name, timeoutMs, bodyLimitBytes, meter = unmetered } = options
  const address = new URL(options.url)
  const prefix = address.pathname.replace(/\/$/, "")
  const pools = createPools(options)
  // A call that waited inside the pool would use its connection at once, even after a 500, when AgentOS closes it
  // (`docs/platform-facts.md`, trap 44).
  const slots = createSlots(options.connections)
  const closing = new AbortController()
  const ask = async (call: PlatformCall, request: Request, signal: AbortSignal) => {
    const { body, form, mayLeave, token = presentOf(options.token) } = request
    if (token !== undefined && !isSendable(token)) throw new PlatformError(call, unsendable)
    const dispatcher = mayLeave === undefined ? pools.current() : pools.current().compose(lookFirst(mayLeave, call))
    const response = await dispatcher.request({
      origin: address.origin,
      method: call.method === "POST" ? "POST" : "GET",
      path: prefix + call.path,
      headers: { ...headersOf(token), ...typeOf(body) },
      body: body ?? form ?? null,
      signal,
    })
    // After some 500s AgentOS closes the connection unannounced (`docs/platform-facts.md` 2.3), so we use it no more.
    if (response.statusCode >= 500) pools.renew()
    const sent = await readBody(response.body, bodyLimitBytes, call)
    const { date, location, "content-encoding": header, "countersign-upstream": ofUpstream } = response.headers
    const bytes = await decoded(sent, { header, limit: bodyLimitBytes })
    return {
      status: response.statusCode,
      bytes: checked(bytes, call),
      get text() {
        return new TextDecoder().decode(bytes)
      },
      date: dateIn(date),
      ofUpstream: typeof ofUpstream === "string" ? ofUpstream : null,
      leadsTo: Math.floor(response.statusCode / 100) === 3 ? placeIn(location, options.url) : null,
      token,
    }
  }
  const send = async (call: PlatformCall, request: Request): Promise<HttpAnswer> => {
    const ends = closing.signal
    const waitMs = 2 * timeoutMs
    const late = () => new PlatformError(call, { code: "no_turn", detail: `it waited ${waitMs} ms` })
    const release = await bounded({ ms: waitMs, late, ends }, (signal) => slots.take(signal))
    try {
      return await bounded({ ms: timeoutMs, ends }, (signal) => ask(call, request, signal))
    } catch (error) {
      // The pool may not let go of this work, which then holds its connection for ever.
      if (brokenBy(error, address.protocol).kind === "late") pools.renew()
      throw error
    } finally {
      release()
    }
  }
  const exchange = async (request: Request): Promise<HttpAnswer> => {
    const call = callOf(options, request)
    try {
      return await send(call, request)
    } catch (error) {
      throw error instanceof PlatformError ? error : new PlatformError(call, breakage(error, options))
    }
  }
  return {
    exchange: (request) => {
      const call = { to: "platform", instance: name, method: `${request.method} ${routeOf(request.path)}` } as const
      const resultOf = ({ status }: HttpAnswer) => String(status)
      return meter.call(call, () => exchange(request), resultOf)
    },
    close: async () => {
      closing.abort()
      await pools.close()
    },
  }
}

/** Less than the 4.7 s after which AgentOS closes an idle connection: no call meets a socket that the server closed. */
const keepAliveMs = 3_500

/** Makes the pool that we use now, and keeps older pools until they have finished what they began. */
function createPools({ dispatcher, connections, timeoutMs, way = directly }: TransportOptions) {
  const open = () => openDispatcher({ way, connections, keepAliveMs, connectMs: timeoutMs })
  const all = new Set<Dispatcher>()
  let pool: Dispatcher | undefined
  const current = (): Dispatcher => {
    if (dispatcher) return dispatcher
    pool ??= open()
    all.add(pool)
    return pool
  }
  const renew = () => {
    const old = pool
    pool = undefined
    old?.close(() => all.delete(old))
  }
  return { current, renew, close: async () => void (await Promise.all([...all].map((each) => each.destroy()))) }
}

/** Makes requests ask at the moment when they have their connection: they may have waited long for it (R21). */
function lookFirst(mayLeave: MayLeave, call: PlatformCall): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        if (mayLeave()) handler.onRequestStart?.(controller, context)
        else controller.abort(new PlatformError(call, { code: "held_back", detail: "a stop came" }))
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })
}

/** A credential as it is now. */
export function presentOf(token: Token): string | undefined {
  return typeof token === "function" ? token() : token
}

/** A request to an instance, as its errors name it. */
export function callOf({ name, url }: Pick<TransportOptions, "name" | "url">, { method, path }: Request): PlatformCall {
  return { instance: name, host: new URL(url).host, method, path }
}

/** The route of a path. Every second segment is an id, except on the one route that has a word there. */
function routeOf(path: string): string {
  const [plain = ""] = path.split("?")
  const segments = plain.split("/").slice(1)
  return `/${segments.map((segment, at) => (at % 2 === 1 && segment !== "count" ? "{id}" : segment)).join("/")}`
}

/** A place without its query: that of a log-in page may name the person who is sent there. */
function placeIn(location: string | string[] | undefined, base: string): string | null {
  const url = typeof location === "string" ? URL.parse(location, base) : null
  return url === null ? null : url.origin + url.pathname
}

function dateIn(header: string | string[] | undefined): number | null {
  const at = typeof header === "string" ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function headersOf(token: string | undefined): Record<string, string> {
  return { accept: "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
}

/** A form with these fields. */
export function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** The type of a body. AgentOS answers 500 to a body without one (trap 29). A form names its own type. */
function typeOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-type": "application/json" }
}

async function readBody(body: Dispatcher.ResponseData["body"], limit: number, call: PlatformCall): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes: Uint8Array = chunk
    size += bytes.byteLength
    // Leaving the loop destroys the body and its connection.
    if (size > limit) throw new PlatformError(call, { code: "too_large", detail: `more than ${limit} bytes` })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Refuses bytes that are no UTF-8: if we took them, we would show something else than what runs. */
function checked(bytes: Uint8Array, call: PlatformCall): Uint8Array {
  if (isUtf8(bytes)) return bytes
  throw new PlatformError(call, { code: "not_json", detail: "bytes that are no UTF-8" })
}

/** Why there is no whole answer. */
function breakage(cause: unknown, { url, timeoutMs }: TransportOptions): Failure {
  if (cause instanceof EncodingError)
    return { code: cause.code === "too-large" ? "too_large" : "not_json", detail: cause.message, cause }
  const { protocol } = new URL(url)
  const { kind, words } = brokenBy(cause, protocol)
  if (kind === "late") return { code: "timeout", detail: `it had ${timeoutMs} ms`, cause }
  return { code: isUnsent(kind) ? "unreachable" : "cut", detail: words, cause }
}
