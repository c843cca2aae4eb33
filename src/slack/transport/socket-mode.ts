// Socket Mode: the connection through which Slack delivers, how it leaves this machine, and its renewal.
import { SocketModeReceiver } from "@slack/bolt"
import type { Dispatcher } from "undici"
import type { Alarm, Clock, Log, Sockets } from "../../flow/ports.ts"
import { bounded } from "../../outgoing/bounded.ts"
import { openDispatcher, type WayOut } from "../../outgoing/dispatcher.ts"
import { backoffMs, type Closer } from "../../repeat.ts"
import { badSetting, ChatError, chatErrorOf } from "./errors.ts"
import type { SlackTransport } from "./http-mode.ts"
import {
  createForeignSockets,
  createSocketRefusals,
  readMessage,
  type SocketRefusals,
  type SocketSignal,
} from "./socket-signals.ts"
import { clientOptions, createBoltLogger, type WebOptions } from "./web-client.ts"

const method = "apps.connections.open"
/** How long Slack may take from our call to its hello, in ms. */
const helloMs = 15_000
/** How long a close waits for the socket to end, in ms. */
const closeMs = 2_000
/** A socket that lived shorter than this, in ms, was turned away, even if it began with a hello. */
const settledMs = 60_000

interface SocketOptions extends WebOptions {
  readonly appToken: string
  readonly clock: Clock
  /** Draws a number from 0 to below 1. */
  readonly random: () => number
  /** Resolves after this many ms; rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly alarm: (alarm: Alarm) => void
  /** Counts the sockets of all replicas. Default: nobody counts. */
  readonly sockets?: Sockets
  /** How often this socket says that it is there, in ms. */
  readonly countMs: number
}

/**
 * Makes the Socket Mode transport. It reconnects itself: the library would wait 5 s first, and if one of its attempts
 * failed for good, that would be an unhandled rejection. Here clicks fail only for milliseconds, and no failure ends
 * the process. If Slack refuses sockets, it asks less and less often, at last every 30 s, and tells the operator
 * (`slack-socket-refused`).
 */
export function createSocket(options: SocketOptions): SlackTransport {
  const { clock, log } = options
  const way = createSocketWay(options.way)
  const receiver = createReceiver(options, way)
  const { client } = receiver
  const stop = new AbortController()
  const backoff = createBackoff(options.random)
  const refusals = createSocketRefusals(options.alarm)
  const foreign = options.sockets && createForeignSockets({ ...options, sockets: options.sockets })
  const now: Session = { state: "down", since: 0, parting: null }
  const connect = () => openSession(receiver, now, clock)
  let uncount: Closer | undefined
  overhear(receiver, log, (signal) => {
    if (signal.type === "hello") return foreign?.greeted(signal.num_connections)
    now.parting = signal.reason
    refusals.ended(signal.reason)
  })
  client.on("disconnected", () => {
    foreign?.closed()
    if (stop.signal.aborted || now.state !== "up") return
    now.state = "down"
    const livedMs = clock() - now.since
    if (livedMs >= settledMs) {
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
      await within(closeMs, client.disconnect(), () => {}).catch(() => log.warn("socket-close-slow"))
      await way.close()
    },
  }
}

function createReceiver(options: SocketOptions, { dispatcher }: SocketWay): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken: options.appToken,
    dispatcher,
    autoReconnectEnabled: false,
    logger: createBoltLogger(options.log),
    installerOptions: { clientOptions: clientOptions(options) },
  })
}

/** Reads each message before Slack's library does, and passes on what the library can take. */
function overhear({ client }: SocketModeReceiver, log: Log, hear: (signal: SocketSignal) => void): void {
  const takers = client.listeners("ws_message")
  client.removeAllListeners("ws_message")
  client.on("ws_message", (message: unknown, isBinary: unknown) => {
    const read = readMessage(message)
    if (read.kind === "none") return log.warn("no-delivery", { type: read.type })
    if (read.kind === "signal") hear(read.signal)
    for (const take of takers) take(read.kind === "signal" ? message : read.text, isBinary)
  })
}

/** The state of the socket: since when it is up (epoch ms), and Slack's reason for ending it. */
interface Session {
  state: "down" | "connecting" | "up"
  since: number
  parting: string | null
}

async function openSession(receiver: SocketModeReceiver, now: Session, clock: Clock): Promise<void> {
  now.state = "connecting"
  now.parting = null
  try {
    await within(helloMs, receiver.start(), () => void receiver.client.disconnect())
    now.state = "up"
    now.since = clock()
  } catch (error) {
    now.state = "down"
    throw startError(error, now.parting)
  }
}

/** Tries until it is connected or we close. Never rejects. */
async function connectAgain(options: {
  readonly connect: () => Promise<void>
  readonly wait: SocketOptions["wait"]
  readonly log: Log
  readonly signal: AbortSignal
  readonly backoff: Backoff
  readonly refusals: SocketRefusals
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
      // An abort ends the wait with an error, too. Then the loop ends.
      log.warn("socket-not-back", { attempt, error })
      refusals.failed(error)
      askedMs = error instanceof ChatError ? (error.retryAfterMs ?? 0) : 0
    }
  }
}

function within<T>(ms: number, work: Promise<T>, giveUp: () => void): Promise<T> {
  const late = () => {
    giveUp()
    return unreachable(`Slack did not answer within ${ms} ms`)
  }
  return bounded({ ms, late }, () => work)
}

function unreachable(what: string): ChatError {
  return new ChatError({ code: "unreachable", method, message: `Socket Mode: ${what}`, retryable: true })
}

/** The error for an app-level token that Slack refused; others unchanged. `parting`: why Slack ended the socket. */
function startError(error: unknown, parting: string | null): unknown {
  const known = chatErrorOf(method, error)
  if (known === undefined)
    return unreachable(`the connection closed before Slack said hello${parting === null ? "" : `: ${parting}`}`)
  if (!(known instanceof ChatError) || known.slackCode === null || known.retryable) return known
  const token = "an App-Level Token with connections:write, which begins with xapp-"
  const remedy = `Set it to ${token}, and turn Socket Mode on`
  return badSetting(`Slack did not accept SLACK_APP_TOKEN (slack.app_token): ${known.slackCode}. ${remedy}`, known)
}

/** How long to wait between attempts. */
export interface Backoff {
  /**
   * The next wait in ms: first none, then half a second, doubled up to 30 s. A random part, up to half, is left out.
   */
  next(): number
  /** The connection works: the next attempt comes at once again. */
  reset(): void
}

/** Makes a `Backoff`. `random` draws a number from 0 to below 1, so that replicas come back at different moments. */
export function createBackoff(random: () => number): Backoff {
  let waits = 0
  return {
    next: () => {
      waits += 1
      return waits === 1 ? 0 : backoffMs(waits - 1, () => 1 - random())
    },
    reset: () => {
      waits = 0
    },
  }
}

/** What the socket's library connects with (undefined: its own way). `close` ends the last connection. */
export interface SocketWay {
  readonly dispatcher: Dispatcher | undefined
  close(): Promise<void>
}

/** How long a connection may take to open, in ms; the hello has a limit of its own. */
const connectMs = 10_000

/** Makes the way. The library ends no open socket: each new socket ends the one before it, the close ends the last. */
export function createSocketWay(way: WayOut | undefined): SocketWay {
  if (way === undefined || (way.proxy === null && way.ca === null))
    return { dispatcher: undefined, close: () => Promise.resolve() }
  let last: { destroy(): unknown } | undefined
  const opened = (socket: { destroy(): unknown }) => {
    last?.destroy()
    last = socket
  }
  const dispatcher = openDispatcher({ way, connectMs: connectMs, allowH2: false, opened })
  return {
    dispatcher,
    close: async () => {
      last?.destroy()
      await dispatcher.destroy()
    },
  }
}
