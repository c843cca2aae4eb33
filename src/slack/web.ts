// The Web API client: one call at a time, never retried inside, every failure a `ChatError`.
import { type FetchFunction, WebClient, type WebClientOptions } from "@slack/web-api"
import type { Log } from "../flow/ports.ts"
import { type BoltLogger, createBoltLogger } from "./bolt-log.ts"
import { chatErrorOf } from "./errors.ts"

/** Slack's Web API. */
export const SLACK_API_URL = "https://slack.com/api/"
/** How long one call may take, in ms. */
const TIMEOUT_MS = 10_000

/** How calls leave the process. */
export interface WebOptions {
  readonly apiUrl: string
  readonly timeoutMs?: number
  /** Default: the global fetch. */
  readonly fetch?: FetchFunction
  readonly log: Log
}

/** Runs one call of the client and turns what it throws into a `ChatError`. */
export type Call = <T>(method: string, run: (client: WebClient) => Promise<T>) => Promise<T>

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
  const client = new WebClient(token, clientOptions(options))
  return async (method, run) => {
    try {
      return await run(client)
    } catch (error) {
      throw chatErrorOf(method, error)
    }
  }
}
