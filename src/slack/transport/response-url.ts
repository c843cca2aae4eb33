// A response_url: the one way to answer or replace what was clicked that draws on no method's limit. A bearer secret.
import type { FetchFunction } from "@slack/web-api"
import { z } from "zod"
import { type Meter, unmetered } from "../../flow/ports.ts"
import { ChatError, ofStatus } from "./errors.ts"

/** What is posted to a response_url. */
type ResponseBody = object

/** Posts to a response_url. Throws `ChatError`; `slackCode` is `expired_url` where Slack does not take it any more, else Slack's own word. */
export type Respond = (responseUrl: string, body: ResponseBody) => Promise<void>

/** Slack's own hosts; nothing else is ever posted to, unless it is the sandbox that the API calls go to (R19). */
const HOSTS = new Set(["hooks.slack.com", "hooks.slack-gov.com"])

/** Makes the one function that posts to response_urls. `apiUrl` is where Web API calls go; its origin counts only in the sandbox. */
export function createRespond(options: {
  readonly apiUrl: string
  readonly sandbox: boolean
  readonly timeoutMs: number
  readonly fetch: FetchFunction
  readonly meter?: Meter | undefined
}): Respond {
  const { meter = unmetered } = options
  const own = options.sandbox ? new URL(options.apiUrl).origin : null
  return async (responseUrl, body) => {
    const url = URL.parse(responseUrl)
    if (url === null || !(isSlack(url) || url.origin === own)) throw notSlack()
    await meter.call({ to: "slack", method: "response_url" }, () => send(options, url, body))
  }
}

function isSlack(url: URL): boolean {
  return url.protocol === "https:" && HOSTS.has(url.host)
}

async function send(options: Parameters<typeof post>[0], url: URL, body: ResponseBody): Promise<void> {
  const response = await post(options, url, body)
  if (response.status === 404 || response.status === 410) throw expired()
  const refused = refusal.safeParse(jsonOf(await response.text()))
  if (refused.success) throw notTaken(refused.data.error)
  if (!response.ok) throw ofStatus("response_url", response.status)
}

/** Slack's word for why it did not take what was posted, whatever the status says. */
const refusal = z.object({ ok: z.literal(false), error: z.string() })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function post(
  { fetch, timeoutMs }: { readonly timeoutMs: number; readonly fetch: FetchFunction },
  url: URL,
  body: ResponseBody,
) {
  const headers = { "content-type": "application/json; charset=utf-8" }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await fetch(url, { method: "POST", headers, body: JSON.stringify(body), redirect: "error", signal })
  } catch (cause) {
    const message = "response_url: Slack could not be reached"
    throw new ChatError({ code: "unreachable", method: "response_url", message, retryable: true, cause })
  }
}

function notSlack(): ChatError {
  const message = "response_url: it is not on Slack's host, so nothing was posted to it"
  return new ChatError({ code: "refused", method: "response_url", message, slackCode: "foreign_url" })
}

function notTaken(slackCode: string): ChatError {
  const message = `response_url: Slack refused: ${slackCode}`
  return new ChatError({ code: "refused", method: "response_url", message, slackCode })
}

function expired(): ChatError {
  const message = "response_url: Slack does not take it any more"
  return new ChatError({ code: "refused", method: "response_url", message, slackCode: "expired_url" })
}
