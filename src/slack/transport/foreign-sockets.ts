// Whether somebody else has sockets open on our Slack app: Slack gives each press to any one of them, and theirs are lost to us.
import type { Alarm, Clock, Log, Sockets } from "../../flow/ports.ts"
import { type Closer, repeat } from "../../repeat.ts"

/** How long more sockets than ours have to be there, in ms: another replica may be about to say that one is its own. */
const SURE_MS = 60_000
const HINT = "Slack delivers each press to one of all sockets: give every installation a Slack app of its own"

/** The watch over one process' socket. */
export interface ForeignSockets {
  /** A socket was greeted; so many of the app Slack counts with it. */
  greeted(counted: number): void
  /** It closed. */
  closed(): void
  /** From now on says every so many ms that the socket is still open, and judges. */
  watch(everyMs: number): Closer
}

/** The socket that is open. */
interface Watched {
  readonly id: string
  readonly counted: number
  readonly since: number
  /** The most sockets that were ours at once since then. */
  most: number
  /** How many are somebody else's; null while that is not sure. */
  foreign: number | null
}

/** Makes it. Only the count of a hello is known, so what it says is judged once, against the sockets that were ours in the minute after it. */
export function createForeignSockets(options: {
  readonly sockets: Sockets
  readonly clock: Clock
  readonly random: () => number
  readonly alarm: (alarm: Alarm) => void
  readonly log: Log
}): ForeignSockets {
  const { sockets, clock, random, alarm, log } = options
  let watched: Watched | null = null
  let told = false
  const judge = (one: Watched): number => {
    const foreign = Math.max(0, one.counted - one.most)
    if (foreign > 0 && !told) alarm({ code: "slack-app-shared", sockets: one.counted, ours: one.most, hint: HINT })
    told = foreign > 0
    return foreign
  }
  const beat = async (): Promise<void> => {
    const one = watched
    if (one === null) return
    const ours = await sockets.note({ id: one.id, foreign: one.foreign ?? 0 })
    one.most = Math.max(one.most, ours)
    if (one.foreign === null && clock() - one.since >= SURE_MS) one.foreign = judge(one)
  }
  const failed = (error: unknown) => log.debug("sockets-not-counted", { error })
  return {
    greeted: (counted) => {
      watched = { id: String(random()).slice(2), counted, since: clock(), most: 1, foreign: null }
      void beat().catch(failed)
    },
    closed: () => {
      watched = null
    },
    watch: (everyMs) => repeat(everyMs, beat, failed),
  }
}
