// Lines of the log about writes that Redis refused.
import { isPortError } from "../flow/ports.ts"
import type { Fields, Log } from "../log.ts"
import { type WriteRefusal, writeRefusalIn } from "../store/redis/write-refusal.ts"

/** What Redis said of a write. */
export interface Refused {
  readonly reason: WriteRefusal
  readonly why: string
}

/** A log that leaves out warnings and errors of which `leaveOut` is true. An alarm is always written. */
export function withoutLines(log: Log, leaveOut: (fields: Fields | undefined) => boolean): Log {
  const put = (level: "warn" | "error") => (event: string, fields?: Fields) => {
    if (event === "alarm" || !leaveOut(fields)) log[level](event, fields)
  }
  return {
    ...log,
    warn: put("warn"),
    error: put("error"),
    child: (fields) => withoutLines(log.child(fields), leaveOut),
  }
}

/** What Redis says in a line: in its error, or in the message of a library. */
export function refusalIn({ error, message }: Fields): Refused | null {
  return refusalOf(error) ?? (typeof message === "string" ? refused(message) : null)
}

/** A platform may have a Redis of its own: what it says is about that. */
function refusalOf(error: unknown): Refused | null {
  if (!(error instanceof Error) || (isPortError(error) && error.source !== undefined)) return null
  return refusalOf(error.cause) ?? refused(error.message)
}

function refused(why: string): Refused | null {
  const reason = writeRefusalIn(why)
  return reason === null ? null : { reason, why }
}
