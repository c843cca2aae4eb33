// Counts how often the app calls each method, because Slack limits the calls a minute.

const windowMs = 60_000

/** The count of calls. */
export type CallCounts = ReturnType<typeof createCallCounts>

/** Makes counts by `clock` (epoch ms). */
export function createCallCounts(clock: () => number) {
  const lately = new Map<string, readonly number[]>()
  const most = new Map<string, number>()
  /** The most calls of a method in any 60 s so far, refused calls included. */
  const busiestMinute = (method: string) => most.get(method) ?? 0
  return {
    /** Notes a call of a method. */
    note: (method: string) => {
      const now = clock()
      const times = [...(lately.get(method) ?? []).filter((at) => at > now - windowMs), now]
      lately.set(method, times)
      most.set(method, Math.max(times.length, busiestMinute(method)))
    },
    busiestMinute,
  }
}
