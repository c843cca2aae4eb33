// What a message on a socket is, and what we tell the operator about signals.
import { z } from "zod"
import type { Alarm, Clock, Log, Sockets } from "../../flow/ports.ts"
import { type Closer, repeat } from "../../repeat.ts"
import { ChatError } from "./errors.ts"
import { jsonOf } from "./json-of.ts"

const signal = z.discriminatedUnion("type", [
  // `num_connections` counts all sockets of the app, also this one.
  z.object({ type: z.literal("hello"), num_connections: z.int().min(1).catch(1) }),
  z.object({ type: z.literal("disconnect"), reason: z.string().catch("unknown") }),
])

/** Hello, or why Slack ends the socket (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export type SocketSignal = z.infer<typeof signal>

/**
 * What Slack delivers. Slack's library reads fields of the payload, and of an event, without a look at what they are.
 * If one were no object, nobody would catch the error, and the process would end.
 */
const delivery = z.discriminatedUnion("type", [
  z.looseObject({ type: z.enum(["interactive", "slash_commands"]), payload: z.looseObject({}) }),
  z.looseObject({ type: z.literal("events_api"), payload: z.looseObject({ type: z.string().catch("unknown") }) }),
])
const event = z.looseObject({ type: z.string() })

/** What a message on the socket is. `none`: Slack sends no such message; `type` is its type, if it has one. */
export type SocketMessage =
  | { readonly kind: "signal"; readonly signal: SocketSignal }
  | { readonly kind: "delivery"; readonly text: string }
  | { readonly kind: "none"; readonly type: string | null }

/** Reads a message. The text of a delivery is such that Slack's library can take it. */
export function readMessage(message: unknown): SocketMessage {
  const json = jsonOf(message)
  const known = signal.safeParse(json)
  if (known.success) return { kind: "signal", signal: known.data }
  const { data } = delivery.safeParse(json)
  if (data === undefined || typeof message !== "string") return { kind: "none", type: typed.parse(json) }
  return { kind: "delivery", text: data.type === "events_api" ? withEvent(message, data) : message }
}

const typed = z
  .object({ type: z.string() })
  .transform(({ type }) => type.slice(0, 40))
  .nullable()
  .catch(null)

/** Some deliveries, such as `app_rate_limited`, hold no event: we make them one. */
function withEvent(message: string, envelope: { readonly payload: { readonly type: string } }): string {
  const { payload } = envelope
  if ("event" in payload && event.safeParse(payload.event).success) return message
  return JSON.stringify({ ...envelope, payload: { ...payload, event: { type: payload.type } } })
}

/** Tells the operator that Slack turns our sockets away: once for each reason, and again after a socket has lived. */
export interface SocketRefusals {
  ended(reason: string): void
  failed(error: unknown): void
  /** A socket lived: the next refusal is reported again. */
  over(): void
}

/** Slack's reasons if it only asks for another socket. */
const renewals = new Set(["warning", "refresh_requested"])
const hints: Readonly<Record<string, string>> = {
  too_many_websockets:
    "an app has ten sockets at most: run fewer replicas, or give each installation an app of its own",
  link_disabled: "turn Socket Mode on in the app's settings",
}
const refusedHint = "countersign doctor says whether Slack takes the app-level token"

/** Makes a `SocketRefusals`. */
export function createSocketRefusals(alarm: (alarm: Alarm) => void): SocketRefusals {
  const told = new Set<string>()
  const tell = (reason: string) => {
    if (told.has(reason)) return
    told.add(reason)
    alarm({ code: "slack-socket-refused", reason, hint: hints[reason] ?? refusedHint })
  }
  return {
    ended: (reason) => {
      if (!renewals.has(reason)) tell(reason)
    },
    failed: (error) => {
      if (error instanceof ChatError && error.slackCode !== null && !error.retryable) tell(error.slackCode)
    },
    over: () => told.clear(),
  }
}

/** How long there must be more sockets than ours, in ms: a replica may not have reported its own socket yet. */
const sureMs = 60_000
const sharedHint = "Slack delivers each press to one of all sockets: give every installation a Slack app of its own"

/** Whether somebody else has sockets on our Slack app. Slack sends each interaction to only one: we would lose some. */
export interface ForeignSockets {
  /** Slack greeted a socket, and says how many sockets it counts for the app. */
  greeted(counted: number): void
  closed(): void
  /** Every `everyMs` notes that the socket is still open, and judges whether somebody else has sockets. */
  watch(everyMs: number): Closer
}

interface Watched {
  readonly id: string
  readonly counted: number
  readonly since: number
  /** The most sockets that were ours at the same time since then. */
  most: number
  /** How many sockets are somebody else's; null until that is certain. */
  foreign: number | null
}

/**
 * Makes a `ForeignSockets`. Only a hello counts all sockets. We judge each count once: against the most sockets that we
 * had in the minute after it.
 */
export function createForeignSockets(options: {
  readonly sockets: Sockets
  readonly clock: Clock
  readonly random: () => number
  readonly alarm: (alarm: Alarm) => void
  readonly log: Log
}): ForeignSockets {
  const { sockets, clock, random, alarm, log } = options
  let watched: Watched | null = null
  let told = false
  const judge = (one: Watched): number => {
    const foreign = Math.max(0, one.counted - one.most)
    if (foreign > 0 && !told)
      alarm({ code: "slack-app-shared", sockets: one.counted, ours: one.most, hint: sharedHint })
    told = foreign > 0
    return foreign
  }
  const beat = async (): Promise<void> => {
    const one = watched
    if (one === null) return
    const ours = await sockets.note({ id: one.id, foreign: one.foreign ?? 0 })
    one.most = Math.max(one.most, ours)
    if (one.foreign === null && clock() - one.since >= sureMs) one.foreign = judge(one)
  }
  const failed = (error: unknown) => log.debug("sockets-not-counted", { error })
  return {
    greeted: (counted) => {
      watched = { id: String(random()).slice(2), counted, since: clock(), most: 1, foreign: null }
      void beat().catch(failed)
    },
    closed: () => {
      watched = null
    },
    watch: (everyMs) => repeat(everyMs, beat, failed),
  }
}
