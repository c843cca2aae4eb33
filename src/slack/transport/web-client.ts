// The Web API client and its connections. Each call goes out once, and every failure is a `ChatError`.
import { type Logger, LogLevel } from "@slack/bolt"
import { type FetchFunction, WebClient, type WebClientOptions } from "@slack/web-api"
import { type Dispatcher, Headers, request } from "undici"
import type { SlackMethod, SlotRequest } from "../../flow/ports/pace.ts"
import { type Log, type Meter, type Pace, unmetered } from "../../flow/ports.ts"
import { bounded } from "../../outgoing/bounded.ts"
import { decoded } from "../../outgoing/decode.ts"
import { directly, openDispatcher, type WayOut } from "../../outgoing/dispatcher.ts"
import { ChatError, chatErrorOf, limited, unsaidWaitMs } from "./errors.ts"
import { isLimited } from "./rate-limits.ts"

/** Slack's Web API. */
export const slackApiUrl = "https://slack.com/api/"
/** How long one call may take, in ms, unless the caller says otherwise. */
export const defaultTimeoutMs = 10_000

/** How calls leave the process. */
export interface WebOptions {
  readonly apiUrl: string
  /** How long one call may take, in ms. Default 10 s. */
  readonly timeoutMs?: number
  /** How connections leave this machine. Default: without a proxy; they trust the CAs of Node. */
  readonly way?: WayOut
  /** Default: the global fetch. */
  readonly fetch?: FetchFunction
  /** Counts the calls that people wait for, and holds a method that Slack limits; other methods go on. */
  readonly pace?: Pick<Pace, "reserve" | "count" | "hold">
  readonly log: Log
  /** Measures the calls. Default: nobody does. */
  readonly meter?: Meter
}

/** The methods that the flow paces, by rank: it asks before each call, and tries again after a refusal. */
export const pacedBefore: ReadonlySet<string> = new Set(["chat.postMessage", "chat.update", "views.publish"])

/**
 * How a call stands in Slack's pace. `reserved`: the flow has a slot for it. `queuedAs`: nobody waits for it. So it
 * counts under this key among the minute's calls. If none is left, it fails as if Slack refused it. `spare`: the same,
 * but it leaves a part of each minute to all others.
 */
export type Paced = "reserved" | "spare" | { readonly queuedAs: string }

/** Runs one call of the client; a failure becomes a `ChatError`. By default the call is counted, and goes at once. */
export type SlackCall = <T>(method: string, run: (client: WebClient) => Promise<T>, how?: Paced) => Promise<T>

/**
 * Options for one Web API client, new each time, because Bolt and the socket client change what they get. After a 429
 * the client fails at once (the queue paces). It repeats nothing: Slack may have accepted a post that timed out.
 */
export function clientOptions(options: WebOptions): WebClientOptions & { readonly logger: BoltLogger } {
  return {
    slackApiUrl: options.apiUrl,
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: createBoltLogger(options.log),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }
}

/** A client for calls of our own. */
export function createCall(token: string, options: WebOptions): SlackCall {
  const { meter = unmetered } = options
  const client = new WebClient(token, clientOptions(options))
  const { pace } = options
  const attempt: SlackCall = async (method, run, how) => {
    if (pace !== undefined && how !== "reserved") await demandFree(pace, method, how)
    try {
      return await run(client)
    } catch (error) {
      const known = chatErrorOf(method, error)
      if (pace !== undefined) await holdMethod(pace, method, known)
      throw known
    }
  }
  return (method, run, how) => meter.call({ to: "slack", method }, () => attempt(method, run, how))
}

/** An answer in parts: where the next part begins. */
interface Paged {
  readonly response_metadata?: { readonly next_cursor?: string }
}

/** The parts of an answer, at most `maxPages`. */
export async function* pagesOf<A extends Paged>(
  maxPages: number,
  read: (cursor: { cursor?: string }) => Promise<A>,
): AsyncGenerator<A> {
  let answer = await read({})
  yield answer
  for (let page = 1; page < maxPages && !isLastPage(answer); page++) {
    answer = await read({ cursor: answer.response_metadata?.next_cursor ?? "" })
    yield answer
  }
}

/** True for the last part. */
export function isLastPage({ response_metadata: told }: Paged): boolean {
  return (told?.next_cursor ?? "") === ""
}

/**
 * Throws at once while Slack refuses the method, because it would refuse again. Throws also if nobody waits for the
 * call and others go first.
 */
async function demandFree(
  pace: Pick<Pace, "reserve" | "count">,
  method: string,
  how: Exclude<Paced, "reserved"> | undefined,
): Promise<void> {
  if (!isLimited(method) || pacedBefore.has(method)) return
  const held = await (how === undefined ? pace.count(method) : pace.reserve(slotOf(method, how)))
  if (held > 0) throw limited(method, held)
}

function slotOf(method: SlackMethod, how: Exclude<Paced, "reserved">): SlotRequest {
  return how === "spare"
    ? { buckets: [method], key: how, rank: "reminder" }
    : { buckets: [method], key: how.queuedAs, rank: "decision" }
}

/** A 429 holds its method. For a post it holds the channel instead; the caller that posts sees to that. */
async function holdMethod(pace: Pick<Pace, "hold">, method: string, error: unknown): Promise<void> {
  if (!(error instanceof ChatError) || error.retryAfterMs === null) return
  if (isLimited(method) && method !== "chat.postMessage") await pace.hold(method, error.retryAfterMs)
}

/** What Slack's libraries log to. */
export type BoltLogger = Logger

/** A logger for Bolt and the Web API client. It leaves out their debug lines, which hold whole messages. */
export function createBoltLogger(log: Log): BoltLogger {
  const words = (parts: readonly unknown[]) => ({ message: parts.map(String).join(" ") })
  return {
    debug: () => {},
    info: (...parts: unknown[]) => log.debug("slack-sdk", words(parts)),
    warn: (...parts: unknown[]) => log.warn("slack-sdk", words(parts)),
    // The libraries also throw what they log as an error. We log it where we handle it.
    error: (...parts: unknown[]) => log.warn("slack-sdk", words(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  }
}

/** A fetch with its own connections, and a function that ends them. */
export interface OwnFetch {
  /** Sends text, and reads the whole answer within the time limit. Never follows a redirect, but returns it. */
  readonly fetch: FetchFunction
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/** The longest answer of Slack that is read, bytes. */
const maxBodyBytes = 32 * 1024 * 1024

/** Makes an `OwnFetch`; connections are opened when needed. `timeoutMs` is for one whole exchange. */
export function createFetch(options: { readonly timeoutMs: number; readonly way?: WayOut | undefined }): OwnFetch {
  const { timeoutMs, way = directly } = options
  // With HTTP/2, all calls would share one connection, and we would notice late that it is dead.
  const dispatcher = openDispatcher({ way, connectMs: timeoutMs, allowH2: false })
  return {
    fetch: async (url, init = {}) => {
      const { method = "GET", headers = {}, body = null, signal } = init
      if (typeof body === "object" && body !== null)
        throw new TypeError("only text is sent to Slack, no form with files")
      const { answer, text } = await bounded({ ms: timeoutMs, ends: signal }, async (ends) => {
        const begun = await request(url, { method, headers, body, dispatcher, signal: ends })
        const sent = new Uint8Array(await begun.body.arrayBuffer())
        const bytes = await decoded(sent, { header: begun.headers["content-encoding"], limit: maxBodyBytes })
        return { answer: begun, text: new TextDecoder().decode(bytes) }
      })
      const { statusCode: status, statusText } = answer
      return {
        ok: status >= 200 && status < 300,
        status,
        statusText,
        url: String(url),
        headers: headersOf(answer),
        text: async () => text,
        json: async () => JSON.parse(text) as unknown,
        arrayBuffer: async () => new TextEncoder().encode(text).buffer,
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/**
 * Slack's library has no class for a 429 without a waiting time, so we add one. The headers are those of the undici
 * that is already loaded; Node's own would load a second undici.
 */
function headersOf({ statusCode, headers }: Dispatcher.ResponseData): Headers {
  const all = new Headers(flat(headers))
  if (statusCode === 429 && Number.isNaN(Number.parseInt(all.get("retry-after") ?? "", 10)))
    all.set("retry-after", String(unsaidWaitMs / 1_000))
  return all
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string]),
  )
}
