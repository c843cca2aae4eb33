// Right of way: while people wait for what they pressed, what nobody waits for stands back.
import type { Later } from "./ports.ts"

/** Who goes first in this process. */
export interface RightOfWay {
  /** Somebody waits from now on, until what comes back is called. */
  enter(): () => void
  /** Resolves when nobody waits, or after `mostMs` all the same: people may press without end. */
  clear(): Promise<void>
}

/** For so long what nobody waits for stands back at most, in ms. */
export const mostMs = 1_000

/** Where nobody has to stand back. */
export const openWay: RightOfWay = { enter: () => () => undefined, clear: async () => undefined }

/** Makes the way of a process. */
export function createRightOfWay(later: Later): RightOfWay {
  let waiting = 0
  const standing = new Set<() => void>()
  return {
    enter: () => {
      waiting += 1
      return () => {
        waiting -= 1
        if (waiting === 0) for (const go of standing) go()
      }
    },
    clear: () => {
      if (waiting === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const go = () => {
          standing.delete(go)
          cancel()
          resolve()
        }
        const cancel = later(mostMs, go)
        standing.add(go)
      })
    },
  }
}
