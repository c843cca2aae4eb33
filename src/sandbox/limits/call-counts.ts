// How often the app calls each method: Slack allows so many calls a minute.

const windowMs = 60_000

/** The count of calls. */
export interface CallCounts {
  /** A call of a method came. */
  readonly note: (method: string) => void
  /** The most calls of a method that came within any 60 s so far, those that were refused included. */
  readonly busiestMinute: (method: string) => number
}

/** Makes counts by `clock` (epoch ms). */
export function createCallCounts(clock: () => number): CallCounts {
  const lately = new Map<string, readonly number[]>()
  const most = new Map<string, number>()
  const busiestMinute = (method: string) => most.get(method) ?? 0
  return {
    note: (method) => {
      const now = clock()
      const times = [...(lately.get(method) ?? []).filter((at) => at > now - windowMs), now]
      lately.set(method, times)
      most.set(method, Math.max(times.length, busiestMinute(method)))
    },
    busiestMinute,
  }
}
