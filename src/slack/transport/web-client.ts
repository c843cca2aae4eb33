// The Web API client: one call at a time, never retried inside, every failure a `ChatError`.
import { type FetchFunction, WebClient, type WebClientOptions } from "@slack/web-api"
import { isLimited } from "../../flow/ports/pace.ts"
import { type Log, type Meter, type Pace, unmetered } from "../../flow/ports.ts"
import type { WayOut } from "../../outgoing/dispatcher.ts"
import { type BoltLogger, createBoltLogger } from "./bolt-log.ts"
import { ChatError, chatErrorOf, limited } from "./errors.ts"

/** Slack's Web API. */
export const SLACK_API_URL = "https://slack.com/api/"
/** How long one call may take, in ms, unless something else is said. */
export const TIMEOUT_MS = 10_000

/** How calls leave the process. */
export interface WebOptions {
  readonly apiUrl: string
  readonly timeoutMs?: number
  /** How connections leave this machine. Default: without a proxy, and believing whom Node believes. */
  readonly way?: WayOut
  /** Default: the global fetch. */
  readonly fetch?: FetchFunction
  /** Counts what people wait for, and holds a method that Slack limits; other methods go on. */
  readonly pace?: Pick<Pace, "reserve" | "count" | "hold">
  readonly log: Log
  /** Measures the calls. Default: nobody does. */
  readonly meter?: Meter
}

/** What the flow paces itself, by rank: it asked before it called. */
const PACED_BEFORE = new Set(["chat.postMessage", "chat.update", "views.publish"])

/**
 * Where a call stands in Slack's pace. `reserved`: the flow asked the pace for this one. `inLine`: nobody waits for it, so it keeps to the
 * minute's calls under this key, and where they are used up it fails as if Slack had refused.
 */
export type Paced = "reserved" | { readonly inLine: string }

/** Runs one call of the client and turns what it throws into a `ChatError`. By default it is counted, and goes at once. */
export type Call = <T>(method: string, run: (client: WebClient) => Promise<T>, how?: Paced) => Promise<T>

/**
 * Options for one Web API client. A fresh object each time: Bolt and the socket client change what they are handed. 429 is never
 * waited for inside (the queue paces), and nothing is repeated: a post that timed out may have been accepted.
 */
export function clientOptions(options: WebOptions): WebClientOptions & { readonly logger: BoltLogger } {
  return {
    slackApiUrl: options.apiUrl,
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: createBoltLogger(options.log),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }
}

/** A client for calls of our own. */
export function createCall(token: string, options: WebOptions): Call {
  const { meter = unmetered } = options
  const client = new WebClient(token, clientOptions(options))
  const { pace } = options
  const attempt: Call = async (method, run, how) => {
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

/** Throws at once while Slack refuses the method: it would refuse again. What stands in line is refused like that while others come first. */
async function demandFree(
  pace: Pick<Pace, "reserve" | "count">,
  method: string,
  how: { readonly inLine: string } | undefined,
): Promise<void> {
  if (!isLimited(method) || PACED_BEFORE.has(method)) return
  const held =
    how === undefined
      ? await pace.count(method)
      : await pace.reserve({ lanes: [method], key: how.inLine, rank: "decision" })
  if (held > 0) throw limited(method, held)
}

/** A 429 holds its method. Of a post it holds the channel, which whoever posts knows. */
async function holdMethod(pace: Pick<Pace, "hold">, method: string, error: unknown): Promise<void> {
  if (!(error instanceof ChatError) || error.retryAfterMs === null) return
  if (isLimited(method) && method !== "chat.postMessage") await pace.hold(method, error.retryAfterMs)
}
