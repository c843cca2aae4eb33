// The server behind a connection: which run of it answers, since when, and what time it has.
import type { Redis } from "ioredis"
import { attempt, StoreError } from "../errors.ts"

/** One run of the server. `startedAt` is on this process' own clock, which nobody sets (`performance.now`). */
export interface Run {
  readonly id: string
  readonly startedAt: number
}

/** A server that died takes its run id along, so what was read is forgotten with the connection. */
export function runOf(redis: Redis): () => Promise<Run> {
  let known: Promise<Run> | undefined
  redis.on("close", () => {
    known = undefined
  })
  return () => {
    const asked = (known ??= attempt("INFO server", () => readRun(redis)))
    asked.catch(() => {
      if (known === asked) known = undefined
    })
    return asked
  }
}

async function readRun(redis: Redis): Promise<Run> {
  const said = await redis.info("server")
  const id = /^run_id:(\S+)/m.exec(said)?.[1]
  const upForS = /^uptime_in_seconds:(\d+)/m.exec(said)?.[1]
  if (id === undefined) throw new StoreError("redis-refused", "INFO server: Redis does not tell its run_id")
  return { id, startedAt: performance.now() - Number(upForS ?? 0) * 1_000 }
}

/** How long a clock is taken to go as the server's does, in ms. */
const clockMs = 30_000

/** Read now and then, and after every reconnect: another server may answer then. */
export function clockOf(redis: Redis): () => Promise<() => number> {
  let known: { readonly readAt: number; readonly clock: Promise<() => number> } | undefined
  redis.on("close", () => {
    known = undefined
  })
  return () => {
    if (known !== undefined && performance.now() - known.readAt < clockMs) return known.clock
    const read = { readAt: performance.now(), clock: attempt("TIME", () => readClock(redis)) }
    known = read
    read.clock.catch(() => {
      if (known === read) known = undefined
    })
    return read.clock
  }
}

async function readClock(redis: Redis): Promise<() => number> {
  // From before the question: an answer that comes late makes this clock early, and what is claimed by it lasts longer.
  const askedAt = performance.now()
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
  const ahead = seconds * 1_000 + Math.floor(micros / 1_000) - askedAt
  return () => Math.floor(performance.now() + ahead)
}
