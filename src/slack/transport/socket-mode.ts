// Socket Mode: the connection through which Slack delivers, and its renewal.

import { SocketModeReceiver } from "@slack/bolt"
import type { Alarm, Clock, Log, Sockets } from "../../flow/ports.ts"
import type { Closer } from "../../repeat.ts"
import { badSetting } from "../directory/identity.ts"
import { type Backoff, createBackoff } from "./backoff.ts"
import { createBoltLogger } from "./bolt-log.ts"
import { ChatError, chatErrorOf } from "./errors.ts"
import { createForeignSockets } from "./foreign-sockets.ts"
import { createRefusals, type Refusals } from "./refusals.ts"
import { readSignal, type SocketSignal, withEvent } from "./socket-signals.ts"
import { createSocketWay } from "./socket-way.ts"
import type { Transport } from "./transport.ts"
import { clientOptions, type WebOptions } from "./web-client.ts"

/** How long Slack may take from our call to its hello, in ms. */
const HELLO_MS = 15_000
/** How long closing may take before it goes on by itself, in ms. */
const CLOSE_MS = 2_000
/** A socket that lived shorter than this was turned away, for all that its hello says, in ms. */
const SETTLED_MS = 60_000

/** What the socket needs. */
export interface SocketOptions extends WebOptions {
  readonly appToken: string
  readonly clock: Clock
  /** Draws a number from 0 to below 1. */
  readonly random: () => number
  /** Resolves after so many ms; rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly alarm: (alarm: Alarm) => void
  /** Counts the sockets of all replicas. Default: nobody does. */
  readonly sockets?: Sockets
  /** How often this one says that it is there, in ms. */
  readonly countMs: number
}

/**
 * Makes the Socket Mode transport. It connects again by itself: the library's own way waits 5 s first, and an attempt that fails for
 * good is an unhandled rejection there. Here clicks in the gap fail for milliseconds, and no failure ends the process. Where Slack turns
 * sockets away it is asked ever less often, at last every 30 s, and the operator is told (`slack-socket-refused`).
 */
export function createSocket(options: SocketOptions): Transport {
  const { appToken, clock, log } = options
  const way = createSocketWay(options.way)
  const receiver = new SocketModeReceiver({
    appToken,
    dispatcher: way.dispatcher,
    autoReconnectEnabled: false,
    logger: createBoltLogger(log),
    installerOptions: { clientOptions: clientOptions(options) },
  })
  const { client } = receiver
  const stop = new AbortController()
  const backoff = createBackoff(options.random)
  const refusals = createRefusals(options.alarm)
  const foreign = options.sockets && createForeignSockets({ ...options, sockets: options.sockets })
  const now: Session = { state: "down", since: 0, parting: null }
  const connect = () => openSession(receiver, now, clock)
  let uncount: Closer | undefined
  overhear(receiver, (signal) => {
    if (signal.type === "hello") return foreign?.greeted(signal.num_connections)
    now.parting = signal.reason
    refusals.ended(signal.reason)
  })
  client.on("disconnected", () => {
    foreign?.closed()
    if (stop.signal.aborted || now.state !== "up") return
    now.state = "down"
    const livedMs = clock() - now.since
    if (livedMs >= SETTLED_MS) {
      backoff.reset()
      refusals.over()
    }
    log.warn("socket-dropped", { reason: now.parting, livedMs })
    void connectAgain({ ...options, connect, signal: stop.signal, backoff, refusals })
  })
  return {
    receiver,
    connected: () => now.state === "up",
    listener: undefined,
    start: async () => {
      await connect()
      uncount = foreign?.watch(options.countMs)
    },
    close: async () => {
      stop.abort()
      await uncount?.()
      now.state = "down"
      await within(CLOSE_MS, client.disconnect(), () => {}).catch(() => log.warn("socket-close-slow"))
      await way.close()
    },
  }
}

/** Hears each signal before Slack's library does, which gets what it can take. */
function overhear({ client }: SocketModeReceiver, hear: (signal: SocketSignal) => void): void {
  const takers = client.listeners("ws_message")
  client.removeAllListeners("ws_message")
  client.on("ws_message", (message: unknown, isBinary: unknown) => {
    const signal = readSignal(message)
    if (signal !== null) hear(signal)
    for (const take of takers) take(withEvent(message), isBinary)
  })
}

/** The socket as it is: since when it is up (epoch ms), and why Slack said that it ends it. */
interface Session {
  state: "down" | "connecting" | "up"
  since: number
  parting: string | null
}

async function openSession(receiver: SocketModeReceiver, now: Session, clock: Clock): Promise<void> {
  now.state = "connecting"
  now.parting = null
  try {
    await within(HELLO_MS, receiver.start(), () => void receiver.client.disconnect())
    now.state = "up"
    now.since = clock()
  } catch (error) {
    now.state = "down"
    throw startError(error, now.parting)
  }
}

/** Never rejects: as long as we are not closing, it goes on trying. */
async function connectAgain(options: {
  readonly connect: () => Promise<void>
  readonly wait: SocketOptions["wait"]
  readonly log: Log
  readonly signal: AbortSignal
  readonly backoff: Backoff
  readonly refusals: Refusals
}): Promise<void> {
  const { connect, wait, log, signal, backoff, refusals } = options
  let askedMs = 0
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      await wait(Math.max(askedMs, backoff.next()), signal)
      await connect()
      log.info("socket-back", { attempt })
      return
    } catch (error) {
      // An abort ends the wait as an error too: then the loop ends here.
      log.warn("socket-not-back", { attempt, error })
      refusals.failed(error)
      askedMs = error instanceof ChatError ? (error.retryAfterMs ?? 0) : 0
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

/** The words for an app-level token that Slack refused; other failures as a `ChatError`. `parting`: why Slack ended the socket, if it said so. */
function startError(error: unknown, parting: string | null): unknown {
  const known = chatErrorOf("apps.connections.open", error)
  if (known === undefined) {
    const said = parting === null ? "" : `: ${parting}`
    const message = `Socket Mode: the connection closed before Slack said hello${said}`
    return new ChatError({ code: "unreachable", method: "apps.connections.open", message, retryable: true })
  }
  if (!(known instanceof ChatError) || known.slackCode === null || known.retryable) return known
  return badSetting(
    `Slack did not accept SLACK_APP_TOKEN (slack.app_token): ${known.slackCode}. Set it to an App-Level Token with connections:write, which begins with xapp-, and turn Socket Mode on`,
    known,
  )
}
