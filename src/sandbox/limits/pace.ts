// Slack's limit of one posted message per second in a channel. It can be switched off.

/** The switch and the count. */
export type PostPace = ReturnType<typeof createPostPace>

/** Makes a pace that goes by `clock` (epoch ms). `on`: the limit holds from the start. */
export function createPostPace(clock: () => number, on: boolean) {
  const last = new Map<string, number>()
  let enabled = on
  return {
    /** Asks for a post in the channel. Returns 0 if it may pass, else how many seconds the app has to wait. */
    take: (channelId: string): number => {
      if (!enabled) return 0
      const wait = (last.get(channelId) ?? Number.NEGATIVE_INFINITY) + 1000 - clock()
      if (wait > 0) return Math.ceil(wait / 1000)
      last.set(channelId, clock())
      return 0
    },
    enabled: () => enabled,
    enable: (next: boolean) => {
      enabled = next
    },
  }
}
