// What Slack says on a socket about the socket itself: hello, and that it is to be disconnected.
import { z } from "zod"
import { jsonOf } from "./json-of.ts"

const signal = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello") }),
  z.object({ type: z.literal("disconnect"), reason: z.string().default("unknown") }),
])

/** Hello, or why Slack ends the socket (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export type SocketSignal = z.infer<typeof signal>

/** What is longer is a delivery, and not looked into. */
const LONGEST_UNITS = 2_000

/** The signal that a message is, or null. */
export function readSignal(message: unknown): SocketSignal | null {
  if (typeof message !== "string" || message.length > LONGEST_UNITS) return null
  return signal.safeParse(jsonOf(message)).data ?? null
}
