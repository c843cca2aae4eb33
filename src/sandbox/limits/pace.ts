// Slack's limit of one posted message per second and channel, as a switch.

/** The switch and the count. */
export interface PostPace {
  /** Takes one post in the channel. Returns 0 if it may pass, else the seconds after which to come back. */
  readonly take: (channelId: string) => number
  readonly enabled: () => boolean
  readonly enable: (on: boolean) => void
}

/** Makes a pace that starts as `on` and counts by `clock` (epoch ms). */
export function createPostPace(clock: () => number, on: boolean): PostPace {
  const last = new Map<string, number>()
  let enabled = on
  return {
    take: (channelId) => {
      if (!enabled) return 0
      const wait = (last.get(channelId) ?? Number.NEGATIVE_INFINITY) + 1000 - clock()
      if (wait > 0) return Math.ceil(wait / 1000)
      last.set(channelId, clock())
      return 0
    },
    enabled: () => enabled,
    enable: (next) => {
      enabled = next
    },
  }
}
