// Brings events to one receiver over HTTP, signed as Standard Webhooks say (https://www.standardwebhooks.com).
import { Webhook as Signature } from "standardwebhooks"
import type { Dispatcher } from "undici"
import type { DeliveryResult, WebhookMessage } from "../flow/ports.ts"
import { bounded } from "../outgoing/bounded.ts"
import { brokenBy } from "../outgoing/broken.ts"
import { openDispatcher, type WayOut } from "../outgoing/dispatcher.ts"

/** What goes along with each event: the secrets that it is signed with, and headers of the receiver's own. */
export interface WebhookKeys {
  /** `whsec_…`; each makes a signature, so a receiver may know either. */
  readonly secrets: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** What a sender needs. */
export interface WebhookSenderOptions {
  /** https, or http to this machine. It may hold a secret, so no word of ours has more of it than the host. */
  readonly url: string
  readonly way: WayOut
  /** The secrets and headers as they are now; null: they cannot be read, so nothing is sent. */
  readonly keys: () => WebhookKeys | null
  /** Epoch ms. */
  readonly clock: () => number
  /** How long an attempt may take, in ms. Default 10,000. */
  readonly timeoutMs?: number
}

/** The way to a receiver. */
export interface WebhookSender {
  /** Sends once, and follows no redirect. Never throws. */
  readonly send: (message: WebhookMessage) => Promise<DeliveryResult>
  /** Asks for nothing, to see whether anybody answers: in words that follow "it", or null if somebody does. */
  readonly reach: () => Promise<string | null>
  /** Breaks off what is on its way: it is `unfinished`. */
  readonly close: () => Promise<void>
}

/** As many connections as chains are sent at once. */
const connections = 8
/** So much of an answer's body we take from its connection, in bytes, so that it can be used again. We read nothing. */
const maxBody = 65_536
/** How long that may take, in ms. */
const bodyMs = 1_000

/** Opens the way to a receiver. It connects when it has to. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { way, timeoutMs = 10_000 } = options
  const { origin, pathname, search, protocol } = new URL(options.url)
  const dispatcher = openDispatcher({ way, connections, connectMs: timeoutMs })
  const closing = new AbortController()
  const ask = async (request: Pick<Dispatcher.RequestOptions, "method" | "headers" | "body">): Promise<Answer> => {
    const ends = closing.signal
    const answer = await bounded({ ms: timeoutMs, ends }, (signal) =>
      dispatcher.request({ ...request, origin, path: pathname + search, signal }),
    )
    // Its status is all that counts: a body that hangs, breaks or never ends takes nothing back.
    const { statusCode: status, headers, body } = answer
    body.on("error", () => undefined)
    bounded({ ms: bodyMs, ends }, (signal) => body.dump({ limit: maxBody, signal })).catch(() => body.destroy())
    return { status, location: headers["location"], retryAfter: headers["retry-after"] }
  }
  const brokenWords = (error: unknown) => `was not reached: ${brokenBy(error, protocol).words}`
  return {
    send: async (message) => {
      const keys = options.keys()
      if (keys === null) return { kind: "failed", why: keyless, retryAfterMs: null }
      try {
        const headers = headersOf(message, keys, options.clock())
        return deliveryOf(await ask({ method: "POST", headers, body: message.body }), options)
      } catch (error) {
        if (closing.signal.aborted) return { kind: "unfinished" }
        return { kind: "failed", why: brokenWords(error), retryAfterMs: null }
      }
    },
    reach: async () => {
      try {
        await ask({ method: "HEAD", headers: {}, body: null })
        return null
      } catch (error) {
        return brokenWords(error)
      }
    },
    close: async () => {
      closing.abort()
      await dispatcher.destroy()
    },
  }
}

const keyless = "was not asked: its secret or its headers cannot be read"

interface Answer {
  readonly status: number
  readonly location: string | string[] | undefined
  readonly retryAfter: string | string[] | undefined
}

/** The headers of a message. Own headers may set the content type, which some receivers want, and never a signature. */
function headersOf(
  { id, body }: WebhookMessage,
  { secrets, headers }: WebhookKeys,
  now: number,
): Record<string, string> {
  const at = new Date(now)
  return {
    "content-type": "application/cloudevents+json; charset=utf-8",
    "user-agent": "countersign",
    ...headers,
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Signature(secret).sign(id, at, body)).join(" "),
  }
}

function deliveryOf({ status, location, retryAfter }: Answer, { url, clock }: WebhookSenderOptions): DeliveryResult {
  if (status >= 200 && status < 300) return { kind: "accepted" }
  if (status === 410) return { kind: "gone" }
  const failed = { kind: "failed", retryAfterMs: waitIn(retryAfter, clock()) } as const
  if (status < 300 || status >= 400) return { ...failed, why: `answered ${status}` }
  const target = typeof location === "string" ? URL.parse(location, url)?.host : undefined
  const where = target === undefined ? "" : ` to ${target}`
  return { ...failed, why: `answered ${status}, a redirect${where}, which is not followed: give the address behind it` }
}

/** Reads Retry-After, seconds or a date (RFC 9110, 10.2.3), as ms from now; null if it says nothing that we know. */
function waitIn(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== "string") return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
