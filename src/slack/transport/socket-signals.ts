// What Slack says on a socket besides deliveries: hello, that it is to be disconnected, and notices that its own library cannot take.
import { z } from "zod"
import { jsonOf } from "./json-of.ts"

const signal = z.discriminatedUnion("type", [
  // `num_connections` counts all sockets of the app, this one included.
  z.object({ type: z.literal("hello"), num_connections: z.int().min(1).catch(1) }),
  z.object({ type: z.literal("disconnect"), reason: z.string().default("unknown") }),
])

/** Hello, or why Slack ends the socket (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export type SocketSignal = z.infer<typeof signal>

/** What is longer is a delivery, and not looked into. */
const LONGEST_UNITS = 2_000

/** The signal that a message is, or null. */
export function readSignal(message: unknown): SocketSignal | null {
  return signal.safeParse(shortJson(message)).data ?? null
}

/** `app_rate_limited` and its like: an envelope of events that holds none. */
const notice = z.looseObject({
  type: z.literal("events_api"),
  payload: z.looseObject({ type: z.string(), event: z.undefined().optional() }),
})

/** The message as Slack's library can take it: an envelope of events without an event is an unhandled rejection there, so it gets one. */
export function withEvent(message: unknown): unknown {
  const found = notice.safeParse(shortJson(message))
  if (!found.success) return message
  const { payload } = found.data
  return JSON.stringify({ ...found.data, payload: { ...payload, event: { type: payload.type } } })
}

function shortJson(message: unknown): unknown {
  return typeof message === "string" && message.length <= LONGEST_UNITS ? jsonOf(message) : undefined
}
