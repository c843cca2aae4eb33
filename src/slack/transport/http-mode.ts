// HTTP mode: Slack's signed requests, with a clock check in both directions. Another module has the server.
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  HTTPModuleFunctions as bolt,
  HTTPReceiver,
  type ReceiverProcessEventErrorHandlerArgs,
  type SocketModeReceiver,
} from "@slack/bolt"
import { type Clock, isPortError, type Log } from "../../flow/ports.ts"
import { eventsPath } from "../ids.ts"
import { createBoltLogger } from "./web-client.ts"

/** How far Slack's clock and ours may differ, in ms. Bolt itself limits only the past. */
const clockMs = 300_000

/** Makes the HTTP transport. Before `start` and after `close` it answers 503, and Slack shows the person an error. */
export function createHttp(options: {
  readonly signingSecret: string
  readonly clock: Clock
  readonly log: Log
}): SlackTransport {
  const { signingSecret, clock, log } = options
  const logger = createBoltLogger(log)
  const receiver = new HTTPReceiver({ signingSecret, endpoints: eventsPath, logger, processEventErrorHandler: refuse })
  let up = false
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const status = await refusalStatus(request, signingSecret)
    if (status === null) return receiver.requestListener(request, response)
    log.warn("no-delivery", { status })
    end(response, status)
  }
  return {
    receiver,
    connected: () => up,
    listener: (request, response) => {
      if (!up) return end(response, 503)
      if (pathOf(request) !== eventsPath || request.method !== "POST") return end(response, 404)
      if (isNear(request, clock())) return void take(request, response)
      log.warn("request-from-another-time", { path: eventsPath })
      return end(response, 401)
    },
    start: async () => {
      up = true
    },
    close: async () => {
      up = false
    },
  }
}

/** Answers a request that nobody acknowledged: 503 if it may be taken later (Redis is away). The listener logs why. */
async function refuse({ error, response }: ReceiverProcessEventErrorHandlerArgs): Promise<boolean> {
  if (!response.headersSent) end(response, isPortError(error) && error.retryable ? 503 : 500)
  return false
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

/**
 * The status for a request whose body is too long or is no object; null for all others, which Bolt accepts or refuses
 * itself. Bolt reads a field of any body. With `null` nobody would catch the error, and the process would end.
 */
async function refusalStatus(request: IncomingMessage, signingSecret: string): Promise<number | null> {
  try {
    const buffered = await bolt.bufferIncomingMessage(request, bolt.defaultBodyLimit)
    if (holdsObject(buffered)) return null
    await bolt.parseAndVerifyHTTPRequest({ signingSecret }, buffered)
    return 400
  } catch (error) {
    return bolt.isRawBodyError(error) ? error.statusCode : 401
  }
}

/** How nearly every body begins. */
const asObject = /^(?:payload=%7B|\{)/

/** True also for a body that cannot be read: Bolt refuses it. */
function holdsObject(buffered: Parameters<typeof bolt.parseHTTPRequestBody>[0]): boolean {
  if (asObject.test(buffered.rawBody.toString("latin1", 0, 20))) return true
  try {
    const body: unknown = bolt.parseHTTPRequestBody(buffered)
    return typeof body === "object" && body !== null && !Array.isArray(body)
  } catch {
    return true
  }
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? ""
}

/** False for a timestamp that is no number, or not within 5 minutes of now. Without one, Bolt's own check fails. */
function isNear(request: IncomingMessage, now: number): boolean {
  const stamp = request.headers["x-slack-request-timestamp"]
  if (stamp === undefined) return true
  if (typeof stamp !== "string" || !/^\d{1,12}$/.test(stamp)) return false
  return Math.abs(Number(stamp) * 1_000 - now) <= clockMs
}

/** One way by which Slack delivers; the listeners are the same for each. */
export interface SlackTransport {
  readonly receiver: SocketModeReceiver | HTTPReceiver
  connected(): boolean
  /** Answers one of Slack's requests. Undefined if Slack sends none this way. */
  readonly listener: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Begins to take deliveries. Throws `ChatError`. */
  start(): Promise<void>
  /** Takes nothing more, and ends what is open, for a limited time. */
  close(): Promise<void>
}
