// Slack's libraries write into our log: as events without message bodies.
import { type Logger, LogLevel } from "@slack/bolt"
import type { Log } from "../../flow/ports.ts"

/** What Slack's libraries log to. */
export type BoltLogger = Logger

/** A logger for Bolt and the Web API client. Their debug lines hold whole messages and are left out. */
export function createBoltLogger(log: Log): BoltLogger {
  const words = (parts: readonly unknown[]) => ({ message: parts.map(String).join(" ") })
  return {
    debug: () => {},
    info: (...parts: unknown[]) => log.debug("slack-sdk", words(parts)),
    warn: (...parts: unknown[]) => log.warn("slack-sdk", words(parts)),
    // What the libraries call an error is thrown at us too, and logged where it is handled.
    error: (...parts: unknown[]) => log.warn("slack-sdk", words(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  }
}
