// Forwards requests to another instance after they passed the gate, and sends its answers back, both as streams.
import { Readable } from "node:stream"
import { type Dispatcher, errors, Pool } from "undici"
import { type CredentialPlace, withoutCookie } from "../../auth/credential.ts"
import type { FoundRoute } from "../../auth/match-route.ts"
import type { CallerStanding } from "../gate/standings.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"
import { isShort, refusalOf, remarksOnUpstream } from "./upstream-credential.ts"
import type { UpstreamOptions } from "./upstream-options.ts"

/** A request to forward: as it came, as the gate judged it, and its body, if that has been read already. */
interface Forwarding {
  readonly request: Request
  /** Called if an answer broke off. Cuts the caller's connection, so that half an answer does not look whole. */
  readonly onBroken: (error: unknown) => void
  /** Called with the cause of a 502 or 504: the caller is not told it, since it may name an address. */
  readonly onUnreached: (error: unknown) => void
  readonly found: FoundRoute
  readonly standing: CallerStanding
  readonly body?: Uint8Array<ArrayBuffer> | undefined
}

/** Forwards requests to one upstream. */
export interface Upstream {
  /**
   * Forwards a request. One that may change something is sent once, and never again; a GET or HEAD is sent a second
   * time if its connection broke before the answer began (RFC 9110, 9.2.2). Refuses if there is no answer to pass on:
   * 502, 504, 413, 400 or 501.
   */
  send(forwarding: Forwarding): Promise<Response | ServiceReply>
  /** Cuts the requests that are under way. */
  close(): Promise<void>
}

/** What an `Upstream` needs; `url` is the upstream's checked address. */
interface UpstreamWay {
  readonly upstream: UpstreamOptions
  readonly url: URL
  readonly place: CredentialPlace
  readonly maxBodyBytes: number
  /** Epoch ms. */
  readonly clock: () => number
}

const connectMs = 10_000
/** Common servers close an idle connection after five seconds; we close ours earlier. */
const keepAliveMs = 3_500

/** Makes an upstream. Connects when a request needs it. */
export function createUpstream(way: UpstreamWay): Upstream {
  const timeoutMs = way.upstream.timeoutMs ?? 300_000
  const pool = new Pool(way.url.origin, {
    connect: { timeout: Math.min(connectMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: keepAliveMs,
  })
  return {
    close: () => pool.destroy(),
    send: async (forwarding) => {
      const credential = credentialFor(forwarding, way.upstream.token)
      if (credential === null) return accountStaysHere
      if (forwarding.found.segments.some((segment) => segment.includes("%"))) return doublyEncoded
      try {
        const answer = await ask(pool, toRequest(forwarding, credential, way))
        const reply = await toResponse(answer, credential, forwarding.onBroken)
        return credential.kind === "replaced" && isCount(forwarding) ? withRemarks(reply, credential.token, way) : reply
      } catch (error) {
        const reply = failureReply(error)
        if (reply.status > 500) forwarding.onUnreached(error)
        return reply
      }
    },
  }
}

/** Asks once, or twice if nothing but a lost connection was the fault and nothing can happen twice. */
async function ask(pool: Pool, request: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  try {
    return await pool.request(request)
  } catch (error) {
    if (request.body !== null || !isRead(request.method) || !isLostConnection(error)) throw error
    return await pool.request(request)
  }
}

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** True if the other side closed a connection that we had: while it lay idle, say, or as AgentOS does after a 500. */
function isLostConnection(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE"
}

/** True for the first request that Countersign's doctor makes with its credential. */
function isCount({ request, found }: Forwarding): boolean {
  return request.method === "GET" && found.segments.join("/") === "approvals/count"
}

/** Tells a caller who passed the gate what is wrong with our own credential (`remarksOnUpstream`). */
function withRemarks<Reply>(reply: Reply, token: string, { clock }: UpstreamWay): Reply {
  if (!(reply instanceof Response)) return reply
  reply.headers.set("countersign-upstream", encodeURIComponent(JSON.stringify(remarksOnUpstream(token, clock()))))
  return reply
}

const accountStaysHere = refuse(
  501,
  "A service account of this service is unknown to its upstream. " +
    "Set upstream_token to pass requests on with a credential of its own.",
)

const doublyEncoded = refuse(400, "The path is encoded twice")

/** The credential to send; null if the caller's must not leave this service. */
function credentialFor({ found, standing }: Forwarding, token: string | undefined): ForwardedCredential | null {
  if (found.route.access === "public") return { kind: "none" }
  if (token !== undefined) return { kind: "replaced", token }
  return standing.caller.kind === "service_account" ? null : { kind: "callers" }
}

function toRequest(
  { request, found, body }: Forwarding,
  credential: ForwardedCredential,
  { url, place, maxBodyBytes }: UpstreamWay,
): Dispatcher.RequestOptions {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) throw new BodyTooLarge(maxBodyBytes)
  const chunks = request.body === null ? null : Readable.from(limited(request.body, maxBodyBytes))
  return {
    method: request.method,
    path: url.pathname.replace(/\/$/, "") + pathOf(found.segments) + new URL(request.url).search,
    headers: requestHeaders(request.headers, credential, place),
    body: body ?? chunks,
    signal: request.signal,
  }
}

/** The judged path, written anew: so the upstream reads the same segments, however the caller wrote them. */
function pathOf(segments: readonly string[]): string {
  return `/${segments.map((segment) => encodeURIComponent(segment).replaceAll("%3A", ":")).join("/")}`
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new BodyTooLarge(maxBytes)
    yield chunk
  }
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

async function toResponse(
  answer: Dispatcher.ResponseData,
  credential: ForwardedCredential,
  onBroken: Forwarding["onBroken"],
): Promise<Response | ServiceReply> {
  const { statusCode: status, body } = answer
  const headers = responseHeaders(answer.headers)
  if (credential.kind === "replaced" && status === 401) {
    await body.dump()
    return refuse(502, "The upstream refused the credential of this service (401). Check upstream_token.")
  }
  if (credential.kind === "replaced" && status === 403 && isShort(answer)) {
    const text = await body.text()
    const ownFault = refusalOf(credential.token, text)
    return ownFault === null ? new Response(text, { status, headers }) : refuse(403, ownFault)
  }
  if (bodiless.has(status)) await body.dump()
  const stream = bodiless.has(status) ? null : ReadableStream.from<Uint8Array>(whole(body, onBroken))
  return new Response(stream, { status, headers })
}

async function* whole(body: AsyncIterable<Uint8Array>, onBroken: Forwarding["onBroken"]): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    onBroken(error)
  }
}

/** Headers that concern one connection only (RFC 9110, 7.6.1), and those that undici sets itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** Headers that may make a server read a request in another way than the gate. */
const disguises: ReadonlySet<string> = new Set([
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
])

/** Whose credential we send: the caller's as it came, nobody's, or another token instead. */
type ForwardedCredential =
  | { readonly kind: "callers" }
  | { readonly kind: "none" }
  | { readonly kind: "replaced"; readonly token: string }

/** The headers of a request as we send them. A credential that is not sent is taken out of the cookie, too. */
function requestHeaders(
  headers: Headers,
  credential: ForwardedCredential,
  place: CredentialPlace,
): Record<string, string> {
  const named = connectionOptions(headers)
  const kept = [...headers].filter(([name]) => !hopByHop.has(name) && !named.has(name) && !disguises.has(name))
  if (credential.kind === "callers") return Object.fromEntries(kept)
  const bare = kept.filter(([name]) => name !== "authorization" && name !== "cookie")
  const cookie = withoutCookie(headers.get("cookie") ?? "", place.cookieName)
  return {
    ...Object.fromEntries(bare),
    ...(cookie === null ? {} : { cookie }),
    ...(credential.kind === "replaced" ? { authorization: `Bearer ${credential.token}` } : {}),
  }
}

/** The headers of an answer as we return them; a header that was sent several times stays so. */
function responseHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) all.append(name, item)
  }
  for (const name of [...hopByHop, ...connectionOptions(all)]) all.delete(name)
  return all
}

/** The headers that the Connection header names: they concern this connection only, too. */
function connectionOptions(headers: Headers): ReadonlySet<string> {
  const names = (headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)))
}

/** A body that turned out longer than allowed while we passed it on. A retry cannot help. */
class BodyTooLarge extends Error {
  readonly code = "body_too_large"
  readonly retryable = false
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`Request body is larger than ${maxBytes} bytes`)
    this.name = "BodyTooLarge"
    this.maxBytes = maxBytes
  }
}

/** The refusal for a failed forwarding. Hides the address, which only the operator may know. Throws other failures. */
function failureReply(error: unknown): ServiceReply {
  if (error instanceof BodyTooLarge) return refuse(413, error.message)
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) {
    return refuse(504, "The upstream did not answer in time")
  }
  if (error instanceof errors.UndiciError || error instanceof errors.HTTPParserError || isNetworkError(error))
    return refuse(502, "The upstream could not be reached")
  throw error
}

/** True for an error of the system about a connection (refused, reset, no such host), or after the caller gave up. */
function isNetworkError(error: unknown): boolean {
  return error instanceof Error && (("code" in error && typeof error.code === "string") || error.name === "AbortError")
}
