// An alarm that repeats at every poll is raised once: again only when it says something else, or after hours.
import type { Alarm, Clock } from "./ports.ts"

/** How long the same alarm stays silent, in ms. */
const silentMs = 6 * 3_600_000
/** So many alarms are remembered; beyond that the oldest is forgotten, and may be raised again. */
const mostKept = 10_000

/** Makes an alarm of an alarm. What it says is all its fields. */
export function alarmOnce(alarm: (alarm: Alarm) => void, clock: Clock): (alarm: Alarm) => void {
  const raised = new Map<string, number>()
  return (one) => {
    const key = JSON.stringify(one)
    const at = clock()
    if (at - (raised.get(key) ?? Number.NEGATIVE_INFINITY) < silentMs) return
    raised.delete(key)
    raised.set(key, at)
    const [oldest] = raised.keys()
    if (raised.size > mostKept && oldest !== undefined) raised.delete(oldest)
    alarm(one)
  }
}
