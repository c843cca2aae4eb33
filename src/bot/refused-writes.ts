// Raises one alarm a minute while Redis takes no writes, in place of all the lines that its refusals would cause.
import { type Alarm, isPortError } from "../flow/ports.ts"
import type { Fields, Log } from "../log.ts"
import { type Closer, repeat } from "../repeat.ts"
import { type WriteRefusal, writeRefusalIn, writeRefusals } from "../store/redis/write-refusal.ts"

/** How often we tell the operator, in ms. */
const repeatMs = 60_000

/** Watches whether Redis takes writes. */
export interface RefusedWrites {
  /** The log for the rest of the bot. It leaves out, and counts, lines that only say that Redis refused a write. */
  readonly log: Log
  /** Looks from now on. `probe` writes, or throws what Redis says. Before this call the log leaves nothing out. */
  watch(probe: () => Promise<void>): Closer
}

/** What `createRefusedWrites` needs. */
interface RefusedWritesOptions {
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
  /** Ms on this process' own clock. */
  readonly now: () => number
  /** How often we look, in ms. Two refusals in a row count, because a failover passes by itself. Default 1,000. */
  readonly lookMs?: number
}

/** Makes `RefusedWrites`. */
export function createRefusedWrites(options: RefusedWritesOptions): RefusedWrites {
  const { log, lookMs = 1_000 } = options
  const teller = createTeller(options)
  let watching = false
  const failed = (error: unknown): void => {
    const why = refusalIn({ error })
    if (why !== null) teller.refused(why)
    else log.debug("writes-not-probed", { error })
  }
  const leaveOut = (fields: Fields | undefined): boolean => {
    const why = watching && fields !== undefined ? refusalIn(fields) : null
    if (why !== null) teller.leftOut(why)
    return why !== null
  }
  return {
    log: withoutLines(log, leaveOut),
    watch: (probe) => {
      watching = true
      const stop = repeat(lookMs, () => probe().then(teller.look()), failed)
      return async () => {
        watching = false
        await stop()
      }
    },
  }
}

/** A refusal by Redis, with its words. */
interface Refused {
  readonly reason: WriteRefusal
  readonly why: string
}

/** Tells of refusals that last, and of their end. Tells of short ones only if it left out lines about them. */
function createTeller({ log, alarm, now }: RefusedWritesOptions) {
  let inARow = 0
  let lasts = false
  let alarmedAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY
  let lines = 0
  let last: Refused | null = null
  const counted = () => {
    const linesLeftOut = lines
    lines = 0
    toldAt = now()
    return { linesLeftOut }
  }
  return {
    leftOut: (said: Refused): void => {
      lines += 1
      last = said
    },
    refused: (said: Refused): void => {
      inARow += 1
      if (inARow < 2 || now() - alarmedAt < repeatMs) return
      lasts = true
      alarmedAt = now()
      const { means, todo } = writeRefusals[said.reason]
      alarm({ code: "store-refuses-writes", ...said, hint: `${means}: ${todo}`, ...counted() })
    },
    /** Begins a look. Gives a function to call once Redis took the write. It ends only refusals before the look. */
    look: () => {
      const linesBefore = lines
      return (): void => {
        inARow = 0
        if (lasts) log.info("store-takes-writes-again", counted())
        else if (linesBefore > 0 && now() - toldAt >= repeatMs)
          log.warn("store-refused-writes", { ...last, ...counted() })
        lasts = false
      }
    },
  }
}

/** A log that leaves out warnings and errors for which `leaveOut` is true. It always writes an alarm. */
function withoutLines(log: Log, leaveOut: (fields: Fields | undefined) => boolean): Log {
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

/** The refusal of Redis that a log line tells: in the line's error, or in the message of a library. */
function refusalIn({ error, message }: Fields): Refused | null {
  return refusalOf(error) ?? (typeof message === "string" ? refused(message) : null)
}

/** The refusal in an error; null for a platform's error, whose words may be about a Redis of its own. */
function refusalOf(error: unknown): Refused | null {
  if (!(error instanceof Error) || (isPortError(error) && error.source !== undefined)) return null
  return refusalOf(error.cause) ?? refused(error.message)
}

function refused(why: string): Refused | null {
  const reason = writeRefusalIn(why)
  return reason === null ? null : { reason, why }
}
