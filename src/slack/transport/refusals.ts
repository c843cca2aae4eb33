// Tells the operator, once, that Slack turns our sockets away.
import type { Alarm } from "../../flow/ports.ts"
import { ChatError } from "./errors.ts"

/** What was told, until a socket lived. */
export interface Refusals {
  /** Slack ended a socket, for this reason. */
  ended(reason: string): void
  /** An attempt to connect failed. */
  failed(error: unknown): void
  /** A socket lived: the next refusal is news again. */
  over(): void
}

/** Slack's reasons where it only asks for another socket. */
const RENEWALS = new Set(["warning", "refresh_requested"])
const HINTS: Readonly<Record<string, string>> = {
  too_many_websockets:
    "an app has ten sockets at most: run fewer replicas, or give each installation an app of its own",
  link_disabled: "turn Socket Mode on in the app's settings",
}
const HINT = "countersign doctor says whether Slack takes the app-level token"

/** Makes it. */
export function createRefusals(alarm: (alarm: Alarm) => void): Refusals {
  const told = new Set<string>()
  const tell = (reason: string) => {
    if (told.has(reason)) return
    told.add(reason)
    alarm({ code: "slack-socket-refused", reason, hint: HINTS[reason] ?? HINT })
  }
  return {
    ended: (reason) => {
      if (!RENEWALS.has(reason)) tell(reason)
    },
    failed: (error) => {
      if (error instanceof ChatError && error.slackCode !== null && !error.retryable) tell(error.slackCode)
    },
    over: () => told.clear(),
  }
}
