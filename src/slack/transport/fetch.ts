// How calls to Slack leave the process: undici's request as the fetch that Slack's client takes, at half the price of a fetch.
import type { FetchFunction } from "@slack/web-api"
import { request } from "undici"
import { bounded } from "../../outgoing/bounded.ts"
import { decoded } from "../../outgoing/decode.ts"
import { directly, openDispatcher, type WayOut } from "../../outgoing/dispatcher.ts"

/** A fetch with connections of its own, and what ends them. */
export interface OwnFetch {
  /**
   * Sends text and reads the whole answer, within the limit in time. Never follows a redirect, whatever it is told: it is answered as it came.
   */
  readonly fetch: FetchFunction
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/** The longest answer of Slack that is read, bytes. */
const BODY_LIMIT = 32 * 1024 * 1024

/** Makes one; connections are opened when needed. `timeoutMs` is for one whole exchange. */
export function createFetch(options: { readonly timeoutMs: number; readonly way?: WayOut | undefined }): OwnFetch {
  const { timeoutMs, way = directly } = options
  // Over HTTP/2 all calls would share one connection, and a dead one would be noticed late.
  const dispatcher = openDispatcher({ way, connectMs: timeoutMs, allowH2: false })
  return {
    fetch: async (url, init = {}) => {
      const { method = "GET", headers = {}, body = null, signal } = init
      if (typeof body === "object" && body !== null)
        throw new TypeError("only text is sent to Slack, no form with files")
      const { answer, text } = await bounded({ ms: timeoutMs, ends: signal }, async (ends) => {
        const begun = await request(url, { method, headers, body, dispatcher, signal: ends })
        const sent = new Uint8Array(await begun.body.arrayBuffer())
        const bytes = await decoded(sent, { header: begun.headers["content-encoding"], limit: BODY_LIMIT })
        return { answer: begun, text: new TextDecoder().decode(bytes) }
      })
      const { statusCode: status } = answer
      return {
        ok: status >= 200 && status < 300,
        status,
        statusText: answer.statusText,
        url: String(url),
        headers: new Headers(flat(answer.headers)),
        text: async () => text,
        json: async () => JSON.parse(text) as unknown,
        arrayBuffer: async () => new TextEncoder().encode(text).buffer,
      }
    },
    close: () => dispatcher.destroy(),
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string]),
  )
}
