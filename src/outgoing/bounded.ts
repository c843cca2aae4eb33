// Our own limits on time and number for all that leaves this machine: no library decides how long we wait.

/** When work has to be over. */
export interface Limit {
  readonly ms: number
  /** The reason if the time is over. Default: an error named `TimeoutError`. */
  readonly late?: () => Error
  /** This signal ends the work as well, with its own reason. */
  readonly ends?: AbortSignal | undefined
}

/**
 * Does the work under a signal that fires when the time is over. Settles by then in any case: with the result, or with
 * the reason of the end. Until then it keeps the process alive, because somebody waits.
 */
export async function bounded<T>(limit: Limit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { ms, late = timedOut, ends } = limit
  const own = new AbortController()
  const signal = ends === undefined ? own.signal : AbortSignal.any([own.signal, ends])
  signal.throwIfAborted()
  const { promise: over, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener("abort", stop, { once: true })
  const timer = setTimeout(() => own.abort(late()), ms)
  try {
    return await Promise.race([work(signal), over])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
  }
}

function timedOut(): Error {
  return new DOMException("the time is up", "TimeoutError")
}

/** Makes this many slots. Whoever asks first gets one first. */
export function createSlots(size: number) {
  let free = size
  const waiting = new Set<() => void>()
  const release = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  return {
    /** Waits for a slot and returns a function that frees it. Rejects with the signal's reason if that fires first. */
    take: async (signal: AbortSignal): Promise<() => void> => {
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
