// Tells listeners that something in the workspace changed, so that nobody needs to poll.
import { SandboxError } from "./error.ts"

/** How long to wait, and for what, in the words of the error. */
export interface WaitOptions {
  /** How long to wait at most, in ms of real time. */
  readonly limitMs: number
  /** What we wait for, in words. Default: "a condition". */
  readonly what?: string
}

/** The workspace's one source of news about changes. */
export interface Changes {
  /** Says that something changed. It calls every listener before it returns. */
  readonly notify: () => void
  /** Calls the listener after every change. Returns the function that ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /**
   * Resolves with the first value of `look` that is neither undefined nor false: now, or right after a change. Rejects
   * with `waited_too_long` after `limitMs`, or with the error that `look` throws.
   */
  readonly waitFor: <T>(look: () => T | undefined | false, options: WaitOptions) => Promise<T>
}

/** Makes the source, without listeners. */
export function createChanges(): Changes {
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    notify: () => {
      for (const listener of listeners) listener()
    },
    subscribe,
    waitFor: (look, options) => waitFor(subscribe, look, options),
  }
}

async function waitFor<T>(
  subscribe: Changes["subscribe"],
  look: () => T | undefined | false,
  { limitMs, what = "a condition" }: WaitOptions,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const check = () => {
    try {
      const found = look()
      if (found !== undefined && found !== false) resolve(found)
    } catch (error) {
      reject(error)
    }
  }
  const unsubscribe = subscribe(check)
  const timer = setTimeout(() => {
    reject(new SandboxError("waited_too_long", `Waited ${limitMs} ms for ${what}`))
  }, limitMs)
  check()
  return await promise.finally(() => {
    clearTimeout(timer)
    unsubscribe()
  })
}
