// Socket Mode: the connection through which Slack delivers, and its renewal.

import { setTimeout as delay } from "node:timers/promises"
import { SocketModeReceiver } from "@slack/bolt"
import type { Log } from "../flow/ports.ts"
import { createBoltLogger } from "./bolt-log.ts"
import { ChatError, chatErrorOf } from "./errors.ts"
import { badSetting } from "./identity.ts"
import type { Transport } from "./transport.ts"
import { clientOptions, type WebOptions } from "./web.ts"

/** How long Slack may take from our call to its hello, in ms. */
const HELLO_MS = 15_000
/** How long closing may take before it goes on by itself, in ms. */
const CLOSE_MS = 2_000
/** Waits between attempts to connect again; the first comes at once. */
const WAITS_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const

/**
 * Makes the Socket Mode transport. It connects again by itself: the library's own way waits 5 s first, and an attempt that fails for
 * good is an unhandled rejection there. Here clicks in the gap fail for milliseconds, and no failure ends the process.
 */
export function createSocket(options: WebOptions & { readonly appToken: string }): Transport {
  const { appToken, log } = options
  const receiver = new SocketModeReceiver({
    appToken,
    autoReconnectEnabled: false,
    logger: createBoltLogger(log),
    installerOptions: { clientOptions: clientOptions(options) },
  })
  const stop = new AbortController()
  let state: "down" | "connecting" | "up" = "down"
  const connect = async (): Promise<void> => {
    state = "connecting"
    try {
      await within(HELLO_MS, receiver.start(), () => void receiver.client.disconnect())
      state = "up"
    } catch (error) {
      state = "down"
      throw appTokenError(error)
    }
  }
  receiver.client.on("disconnected", () => {
    if (stop.signal.aborted || state !== "up") return
    state = "down"
    log.warn("socket-dropped")
    void connectAgain({ connect, log, signal: stop.signal })
  })
  return {
    receiver,
    connected: () => state === "up",
    listener: undefined,
    start: connect,
    close: async () => {
      stop.abort()
      state = "down"
      await within(CLOSE_MS, receiver.client.disconnect(), () => {}).catch(() => log.warn("socket-close-slow"))
    },
  }
}

/** Never rejects: as long as we are not closing, it goes on trying. */
async function connectAgain(options: {
  readonly connect: () => Promise<void>
  readonly log: Log
  readonly signal: AbortSignal
}): Promise<void> {
  const { connect, log, signal } = options
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await delay(WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)], undefined, { signal })
      await connect()
      log.info("socket-back", { attempt: attempt + 1 })
      return
    } catch (error) {
      // An abort ends the wait as an error too: then the loop ends here.
      log.warn("socket-not-back", { attempt: attempt + 1, error })
    }
  }
}

async function within<T>(ms: number, work: Promise<T>, giveUp: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    giveUp()
    const message = `Socket Mode: Slack did not answer within ${ms} ms`
    reject(new ChatError({ code: "unreachable", method: "apps.connections.open", message, retryable: true }))
  }, ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The words for an app-level token that Slack refused; other failures as a `ChatError`. */
function appTokenError(error: unknown): unknown {
  const known = chatErrorOf("apps.connections.open", error)
  if (known === undefined) {
    const message = "Socket Mode: the connection closed before Slack said hello"
    return new ChatError({ code: "unreachable", method: "apps.connections.open", message, retryable: true })
  }
  if (!(known instanceof ChatError) || known.slackCode === null || known.retryable) return known
  return badSetting(
    `Slack did not accept SLACK_APP_TOKEN (slack.app_token): ${known.slackCode}. Set it to an App-Level Token with connections:write, which begins with xapp-, and turn Socket Mode on`,
    known,
  )
}
