// Runs schedules side by side: each lane has a Redis of its own, all share the clock and the processes.
import { availableParallelism } from "node:os"
import { startClock } from "./clock.ts"
import { drive, type Ended } from "./drive.ts"
import { createHosts } from "./hosts.ts"
import { startLaneRedis } from "./redis.ts"
import type { Schedule } from "./schedule.ts"

/** What is run. */
export interface Round {
  readonly schedules: readonly Schedule[]
  /** The planted bug, or null. */
  readonly plant: string | null
  /** Called as each ends; no more are begun once it says false. */
  readonly onEnd: (ended: Ended) => boolean
}

/** Lanes that stand ready. */
export interface Lanes {
  /** Runs all schedules of a round; one round at a time. */
  readonly run: (round: Round) => Promise<void>
  readonly close: () => Promise<void>
}

/** A step of the clock: at best more than ten times as fast as real time, and slower where the machine is. */
const pace = { stepMs: 100, realMs: 8 }
/** How many seeds run side by side: most of the time each waits. */
export const defaultLanes = 2 * availableParallelism()

/** Opens so many lanes. Whatever is started ends with `close`. */
export async function openLanes(count: number): Promise<Lanes> {
  const clock = startClock(pace)
  const hosts = await createHosts(clock, count)
  const servers = await Promise.all(Array.from({ length: count }, () => startLaneRedis(clock)))
  return {
    run: async ({ schedules, plant, onEnd }) => {
      const waiting = [...schedules]
      const lane = async (redis: (typeof servers)[number]) => {
        for (let schedule = waiting.shift(); schedule !== undefined; schedule = waiting.shift()) {
          const ended = await drive({ clock, hosts, redis, plant }, schedule)
          if (!onEnd(ended)) waiting.length = 0
        }
      }
      await Promise.all(servers.map(lane))
    },
    close: async () => {
      await hosts.close()
      await Promise.all(servers.map((redis) => redis.stop()))
      clock.stop()
    },
  }
}
