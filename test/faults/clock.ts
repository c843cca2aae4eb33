// The clock of the simulated world. It goes on by small steps. Each step waits until every process and every Redis has
// followed the step before.
import { moveOn, realTimeout, simNow } from "./sim-time.ts"

/** Something that has to follow each step before the next: it calls `followed` once it has. */
export type Follower = (now: number, followed: () => void) => void

/** The world's time, epoch ms. */
export interface SimClock {
  readonly now: () => number
  /** Resolves after so many ms of simulated time. */
  readonly wait: (ms: number) => Promise<void>
  /** From now on no step is made before this one followed. Returns what ends that. */
  readonly follow: (follower: Follower) => () => void
  readonly stop: () => void
}

/** How far one step goes, in ms of simulated time, and how long it takes at least, in ms of real time. */
export interface Pace {
  readonly stepMs: number
  readonly realMs: number
}

/** Starts the clock of this process and of all that follow it. */
export function startClock({ stepMs, realMs }: Pace): SimClock {
  const followers = new Map<Follower, boolean>()
  let stopped = false
  let rested = true
  const step = () => {
    if (stopped || !rested || [...followers.values()].includes(false)) return
    rested = false
    moveOn(simNow() + stepMs)
    for (const follower of followers.keys()) {
      followers.set(follower, false)
      follower(simNow(), () => {
        if (followers.has(follower)) followers.set(follower, true)
        step()
      })
    }
    realTimeout(() => {
      rested = true
      step()
    }, realMs)
  }
  realTimeout(step, realMs)
  return {
    now: simNow,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    follow: (follower) => {
      followers.set(follower, true)
      return () => {
        followers.delete(follower)
        step()
      }
    },
    stop: () => {
      stopped = true
    },
  }
}
