// Poll troubles: instances that nobody reads, or that refuse our credential. Each is an alarm, and `/status` names it.
import type { Alarm, Clock, PollHistory, Ports } from "../ports.ts"

export type PollTroublePorts = Pick<Ports, "polls" | "store" | "platforms" | "conduct" | "clock">

/** One trouble that an instance may have. */
export interface PollTrouble {
  readonly instance: string
  readonly code: keyof typeof hints
  readonly there: boolean
  /** True if we told the operator of the trouble, and it has not ended since. */
  readonly told: boolean
  /** In words for the operator. */
  readonly why: string
}

const hints = {
  "token-refused":
    "no vote can be taken there before that is mended. AgentOS also answers 401 to a service account while its " +
    "database is down",
  "instance-not-polled": "meanwhile nobody is asked about its approvals; `countersign doctor` says more",
}

/** It is a trouble if nobody polled an instance for this many intervals, … */
const missedPolls = 3
/** … but never earlier than after this many ms. */
const leastMs = 30_000

/**
 * Every trouble that an instance of this replica may have, and whether it is there. `startedAt` (ms) is when this
 * replica started. If nobody polled an instance before, it may still be well.
 */
export async function pollTroubles(ports: PollTroublePorts, startedAt: number): Promise<readonly PollTrouble[]> {
  const [known, sharedClock] = await Promise.all([ports.polls.read(), ports.store.sharedClock()])
  const [now, upMs] = [sharedClock(), ports.clock() - startedAt]
  return [...ports.platforms.keys()].flatMap((instance) => {
    const limitMs = Math.max(leastMs, missedPolls * (ports.conduct.get(instance)?.pollMs ?? 0))
    const found = judgePolls(known.of(instance), { now, upMs, limitMs })
    return found.map(({ code, there, why }) => {
      const told = known.told.has(instanceName({ code, instance }))
      return { instance, code, why, told, there: there ?? told }
    })
  })
}

/** Raises an alarm for each trouble that began since any replica last looked; again only after it was over. */
export async function tellPollTroubles(
  ports: PollTroublePorts & Pick<Ports, "alarm">,
  startedAt: number,
): Promise<void> {
  for (const trouble of await pollTroubles(ports, startedAt)) {
    const { instance, code, there, told, why } = trouble
    if (there && !told) {
      ports.alarm({ code, instance, why, hint: hints[code] })
      await ports.polls.told(instanceName(trouble))
    }
    if (!there && told) await ports.polls.over(instanceName(trouble))
  }
}

function instanceName({ code, instance }: Pick<PollTrouble, "code" | "instance">): string {
  return `${code} ${instance}`
}

/** `there` is null if nobody can tell now: then the last answer stays. */
type Judged = Pick<PollTrouble, "code" | "why"> & { readonly there: boolean | null }

interface Moment {
  readonly now: number
  /** How long this replica has been running, in ms. */
  readonly upMs: number
  readonly limitMs: number
}

function judgePolls({ polledAt, failure }: PollHistory, { now, upMs, limitMs }: Moment): readonly Judged[] {
  const failing = failure !== null && failure.at > (polledAt ?? 0) ? failure : null
  const polled = polledAt !== null && now - polledAt <= limitMs
  const since = polledAt === null ? "yet" : `for ${Math.round((now - polledAt) / 1_000)} s`
  const last = failing === null ? "no poll has ended meanwhile" : `the last poll failed: ${failing.why}`
  const refused = `it refuses Countersign's own credential, or cannot check it: ${failing?.why}`
  return [
    { code: "token-refused", there: failing === null ? false : failing.refused || null, why: refused },
    {
      code: "instance-not-polled",
      there: polled ? false : upMs > limitMs || null,
      why: `no replica has read its approvals ${since}; ${last}`,
    },
  ]
}

/** We do not raise the same alarm again for this long, in ms. */
const silentMs = 6 * 3_600_000
/** We remember this many alarms. If there are more, we forget the oldest, and may raise it again. */
const maxKept = 10_000

/** Makes an alarm function that does not repeat a recent alarm. Two alarms are the same if all their fields are. */
export function alarmOnce(alarm: (alarm: Alarm) => void, clock: Clock): (alarm: Alarm) => void {
  const raised = new Map<string, number>()
  return (one) => {
    const key = JSON.stringify(one)
    const at = clock()
    if (at - (raised.get(key) ?? Number.NEGATIVE_INFINITY) < silentMs) return
    raised.delete(key)
    raised.set(key, at)
    const [oldest] = raised.keys()
    if (raised.size > maxKept && oldest !== undefined) raised.delete(oldest)
    alarm(one)
  }
}
