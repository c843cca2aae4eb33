// Kills the embedded service, and starts it again over the same database.
import type { RunningService } from "../../src/service.ts"
import type { SimClock } from "./clock.ts"

/** A service that may be down. */
export interface Lives {
  /** Where it is now. Throws while it is down. */
  readonly url: () => string
  /** The one that runs now, or ran last. */
  readonly last: () => RunningService
  /** Waits until it runs. */
  readonly up: () => Promise<RunningService>
  /** Ends this life. The next one begins so many ms later, and remembers nothing that stood in memory. */
  readonly end: (downMs: number) => void
  readonly close: () => Promise<void>
}

/** Starts the first life; `start` starts each of them. */
export async function startLives(start: () => Promise<RunningService>, clock: SimClock): Promise<Lives> {
  let service = await start()
  let down = false
  let next = Promise.resolve()
  const restart = async (downMs: number) => {
    down = true
    await service.close()
    await clock.wait(downMs)
    service = await start()
    down = false
  }
  const up = async () => {
    await next
    return service
  }
  return {
    url: () => {
      if (down) throw new Error("the platform is down")
      return service.url
    },
    last: () => service,
    up,
    end: (downMs) => {
      next = next.then(() => restart(downMs))
    },
    close: async () => (await up()).close(),
  }
}
