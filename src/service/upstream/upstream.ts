// Sends requests that passed the gate on to another instance, and its answers back, both as streams.
import { Readable } from "node:stream"
import { type Dispatcher, Pool } from "undici"
import type { CredentialPlace } from "../../auth/credential.ts"
import type { FoundRoute } from "../../auth/match-route.ts"
import type { Standing } from "../parts.ts"
import { type Reply, refuse } from "../wire/reply.ts"
import { BodyTooLarge, failureReply } from "./upstream-failure.ts"
import { type ForwardedCredential, requestHeaders, responseHeaders } from "./upstream-headers.ts"
import type { UpstreamOptions } from "./upstream-options.ts"

/** A request to send on: as it came, as the gate judged it, and its body, if that was read already. */
export type Forwarding = {
  readonly request: Request
  /** Told when an answer broke off after it had begun; it cuts the caller's connection, so that no half answer is taken for a whole one. */
  readonly onBroken: (error: unknown) => void
  readonly found: FoundRoute
  readonly standing: Standing
  readonly body?: Uint8Array<ArrayBuffer> | undefined
}

/** A way to the upstream. */
export type Upstream = {
  /** Sends once and never again. Where there is no answer to pass on it refuses: 502, 504, 413, 400 or 501. */
  send(forwarding: Forwarding): Promise<Response | Reply>
  /** Cuts what is under way. */
  close(): Promise<void>
}

/** What the way needs; `url` is the upstream's address, checked. */
export type UpstreamWay = {
  readonly upstream: UpstreamOptions
  readonly url: URL
  readonly place: CredentialPlace
  readonly maxBodyBytes: number
}

const connectMs = 10_000
/** Below the five seconds after which common servers close an idle connection. */
const keepAliveMs = 3_500

/** Opens a way. Connections are made when needed. */
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
        return await toResponse(
          await pool.request(toRequest(forwarding, credential, way)),
          credential,
          forwarding.onBroken,
        )
      } catch (error) {
        return failureReply(error)
      }
    },
  }
}

const accountStaysHere = refuse(
  501,
  "A service account of this service is unknown to its upstream. Set upstream_token to pass requests on with a credential of its own.",
)

const doublyEncoded = refuse(400, "The path is encoded twice")

/** Null for a credential that must not leave this service. */
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

/** The path that was judged, written anew, so that the upstream reads the same segments whatever the request's spelling was. */
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
): Promise<Response | Reply> {
  const { statusCode, body } = answer
  const ownFault = statusCode === 401 && credential.kind === "replaced"
  if (ownFault || bodiless.has(statusCode)) await body.dump()
  if (ownFault) return refuse(502, "The upstream refused the credential of this service (401). Check upstream_token.")
  const stream = bodiless.has(statusCode) ? null : ReadableStream.from<Uint8Array>(whole(body, onBroken))
  return new Response(stream, { status: statusCode, headers: responseHeaders(answer.headers) })
}

async function* whole(body: AsyncIterable<Uint8Array>, onBroken: Forwarding["onBroken"]): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    onBroken(error)
  }
}
