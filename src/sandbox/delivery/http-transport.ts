// Signed HTTP deliveries to the bot's request URL, as Slack sends them without Socket Mode.
import { createHmac } from "node:crypto"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import type { DeliveryAck, DeliveryEnvelope, DeliveryTransport } from "./delivery.ts"

/** Makes the HTTP way to the bot. Each delivery has its own connection. */
export function createHttpTransport(options: {
  /** The bot's request URL, such as `http://127.0.0.1:3000/slack/events`; undefined until it is known. */
  readonly target: () => { readonly url: string; readonly signingSecret: string } | undefined
  /** Epoch milliseconds. */
  readonly clock: () => number
  /** How long an answer may take, in milliseconds. */
  readonly ackMs: number
}): DeliveryTransport {
  return {
    deliver: async (envelope, { drop }) => {
      const target = options.target()
      if (!target) return { ok: false, reason: "no_connection", detail: "the bot's request URL is not set" }
      const { contentType, body } = encode(envelope)
      const timestamp = String(Math.floor(options.clock() / 1000))
      const headers = {
        "content-type": contentType,
        "content-length": Buffer.byteLength(body),
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": sign(target.signingSecret, timestamp, body),
      }
      const outgoing = request(target.url, { method: "POST", agent: false, headers })
      return await exchange(outgoing, body, { drop, ackMs: options.ackMs })
    },
  }
}

/** Slack's `v0` signature: https://docs.slack.dev/authentication/verifying-requests-from-slack */
function sign(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`
}

/** Encodes a delivery. The content type names no charset: Bolt refuses a form that names one. */
function encode({ kind, payload }: DeliveryEnvelope): { contentType: string; body: string } {
  const form = "application/x-www-form-urlencoded"
  if (kind === "events_api") return { contentType: "application/json", body: JSON.stringify(payload) }
  if (kind === "interactive") {
    return { contentType: form, body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() }
  }
  const fields = Object.entries(payload).map(([key, value]): [string, string] => [key, String(value)])
  return { contentType: form, body: new URLSearchParams(fields).toString() }
}

async function exchange(
  outgoing: ClientRequest,
  body: string,
  { drop, ackMs }: { readonly drop: boolean; readonly ackMs: number },
): Promise<DeliveryAck> {
  const { promise, resolve } = Promise.withResolvers<DeliveryAck>()
  const fail = (reason: "timeout" | "dropped" | "no_connection", detail: string) => {
    resolve({ ok: false, reason, detail })
    outgoing.destroy()
  }
  const timer = setTimeout(() => fail("timeout", `no answer within ${ackMs} ms`), ackMs)
  outgoing.on("error", (error) => fail("no_connection", error.message))
  outgoing.on("response", (response) => void readAck(response).then(resolve))
  outgoing.end(body, () => {
    if (drop) fail("dropped", "the connection broke before the answer")
  })
  return await promise.finally(() => clearTimeout(timer))
}

async function readAck(response: IncomingMessage): Promise<DeliveryAck> {
  try {
    let text = ""
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk)
    if (response.statusCode !== 200) return { ok: false, reason: "refused", detail: `HTTP ${response.statusCode}` }
    const json = response.headers["content-type"]?.startsWith("application/json") ?? false
    if (text === "") return { ok: true, payload: undefined }
    return { ok: true, payload: json ? JSON.parse(text) : { text } }
  } catch (error) {
    return { ok: false, reason: "refused", detail: error instanceof Error ? error.message : String(error) }
  }
}
