// Slots: how many calls may be under way at once. What waits, waits here and not inside undici's pool.

/** So many slots, given in the order of asking. */
export interface Slots {
  /** Waits for a slot and gives back what frees it. Rejects with the signal's reason if that fires first. */
  take(signal: AbortSignal): Promise<() => void>
}

/**
 * Makes slots. A call that waited inside the pool would be sent down a connection at once when the answer before it
 * ends, even if that was a 500 after which AgentOS closes it (`docs/platform-facts.md`, trap 44).
 */
export function createSlots(size: number): Slots {
  let free = size
  const waiting = new Set<() => void>()
  const release = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await turn(waiting, signal)
      return release
    },
  }
}

function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      waiting.delete(go)
      signal.removeEventListener("abort", stop)
      resolve()
    }
    const stop = () => {
      waiting.delete(go)
      reject(signal.reason)
    }
    waiting.add(go)
    signal.addEventListener("abort", stop, { once: true })
  })
}
