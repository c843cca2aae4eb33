// Raises one alarm a minute while Redis takes no writes, in place of all the lines that this would cause.
import { type Alarm, isPortError } from "../flow/ports.ts"
import type { Fields, Log } from "../log.ts"
import { type Closer, repeat } from "../repeat.ts"
import { type WriteRefusal, writeRefusalIn, writeRefusals } from "../store/redis/write-refusal.ts"

/** How often it is told, in ms. */
const repeatMs = 60_000

/** What is told of a Redis that takes no writes. */
export interface RefusedWrites {
  /** The log for everybody: what only says that a write was refused is left out, and counted. */
  readonly log: Log
  /** Looks from now on. `probe` writes, or throws what Redis says. Before that, nothing is left out. */
  watch(probe: () => Promise<void>): Closer
}

/** What it needs. */
interface RefusedWritesOptions {
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
  /** Ms on this process' own clock. */
  readonly now: () => number
  /** How often we look, in ms; it has to be refused twice in a row, as a failover passes by itself. Default 1,000. */
  readonly lookMs?: number
}

/** Makes it. */
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
      const stop = repeat(lookMs, () => probe().then(teller.taken), failed)
      return async () => {
        watching = false
        await stop()
      }
    },
  }
}

/** What Redis said. */
interface Refused {
  readonly reason: WriteRefusal
  readonly why: string
}

/** Says what lasts, and that it is over. What passes is told as well, if lines about it were left out. */
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
    taken: (): void => {
      inARow = 0
      if (lasts) log.info("store-takes-writes-again", counted())
      else if (lines > 0 && now() - toldAt >= repeatMs) log.warn("store-refused-writes", { ...last, ...counted() })
      lasts = false
    },
  }
}

/** A log that leaves out warnings and errors of which `leaveOut` is true. An alarm is always written. */
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

/** What Redis says in a line: in its error, or in the message of a library. */
function refusalIn({ error, message }: Fields): Refused | null {
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
