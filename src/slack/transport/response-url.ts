// A response_url answers a click or replaces what was clicked; it counts under no method's limit. It is a bearer
// secret.
import type { FetchFunction } from "@slack/web-api"
import { z } from "zod"
import { type Meter, unmetered } from "../../flow/ports.ts"
import { ChatError, ofStatus } from "./errors.ts"
import { jsonOf } from "./json-of.ts"

/** Posts to a response_url. Throws `ChatError`; `slackCode`: `expired_url` for an old one, else Slack's word. */
export type Respond = (responseUrl: string, body: object) => Promise<void>

/** Slack's own hosts. We post to no others, except to the sandbox that our API calls go to (R19). */
const hosts = new Set(["hooks.slack.com", "hooks.slack-gov.com"])
const method = "response_url"
/** Slack's word for why it did not accept the post, whatever the status says. */
const refusal = z.object({ ok: z.literal(false), error: z.string() })

/** Makes the poster to response_urls. `apiUrl` is where Web API calls go; its origin counts only with `sandbox`. */
export function createRespond(
  options: Sending & { readonly apiUrl: string; readonly sandbox: boolean; readonly meter?: Meter | undefined },
): Respond {
  const { meter = unmetered } = options
  const own = options.sandbox ? new URL(options.apiUrl).origin : null
  return async (responseUrl, body) => {
    const url = URL.parse(responseUrl)
    if (url === null || !(isSlack(url) || url.origin === own))
      throw refusedReply("foreign_url", "it is not on Slack's host, so nothing was posted to it")
    await meter.call({ to: "slack", method }, () => send(options, url, body))
  }
}

function isSlack(url: URL): boolean {
  return url.protocol === "https:" && hosts.has(url.host)
}

async function send(options: Sending, url: URL, body: object): Promise<void> {
  const response = await postToUrl(options, url, body)
  if (response.status === 404 || response.status === 410)
    throw refusedReply("expired_url", "Slack does not take it any more")
  const { data } = refusal.safeParse(jsonOf(await response.text()))
  if (data !== undefined) throw refusedReply(data.error, `Slack refused: ${data.error}`)
  if (!response.ok) throw ofStatus(method, response.status)
}

interface Sending {
  readonly timeoutMs: number
  readonly fetch: FetchFunction
}

async function postToUrl({ fetch, timeoutMs }: Sending, url: URL, body: object) {
  const headers = { "content-type": "application/json; charset=utf-8" }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await fetch(url, { method: "POST", headers, body: JSON.stringify(body), redirect: "error", signal })
  } catch (cause) {
    const message = `${method}: Slack could not be reached`
    throw new ChatError({ code: "unreachable", method, message, retryable: true, cause })
  }
}

function refusedReply(slackCode: string, what: string): ChatError {
  return new ChatError({ code: "refused", method, message: `${method}: ${what}`, slackCode })
}
