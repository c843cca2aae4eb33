// The connections to an instance: undici's pools, and how many calls may be under way on them at once.
import type { Dispatcher } from "undici"
import { directly, openDispatcher } from "../outgoing/dispatcher.ts"
import type { TransportOptions } from "./transport.ts"

/** Below the 4.7 s after which AgentOS closes an idle connection: a socket that the server closed costs no call. */
const keepAliveMs = 3_500

/** Makes the pool in use, and older ones that finish what they have begun. */
export function createPools({ dispatcher, connections, timeoutMs, way = directly }: TransportOptions) {
  const open = () => openDispatcher({ way, connections, keepAliveMs, connectMs: timeoutMs })
  const all = new Set<Dispatcher>()
  let pool: Dispatcher | undefined
  const current = (): Dispatcher => {
    if (dispatcher) return dispatcher
    pool ??= open()
    all.add(pool)
    return pool
  }
  const renew = () => {
    const old = pool
    pool = undefined
    old?.close(() => all.delete(old))
  }
  return { current, renew, close: async () => void (await Promise.all([...all].map((each) => each.destroy()))) }
}

/**
 * Makes so many slots, given in the order of asking. A call that waited inside the pool would go down its connection at
 * once, even after a 500, when AgentOS closes it (`docs/platform-facts.md`, trap 44).
 */
export function createSlots(size: number) {
  let free = size
  const waiting = new Set<() => void>()
  const release = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  return {
    /** Waits for a slot and gives back what frees it. Rejects with the signal's reason if that fires first. */
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
