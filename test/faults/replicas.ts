// Starts a replica, kills it, and starts it again with the config that is newest by then.
import type { Host } from "./hosts.ts"
import { type RedisProxy, startRedisProxy, straightWay } from "./redis-proxy.ts"
import type { Ground } from "./stage.ts"
import type { Timeline } from "./timeline.ts"
import type { News, Trap } from "./wire.ts"

/** A replica of the bot, whatever process it runs in. */
export interface Replica {
  readonly name: string
  readonly redis: RedisProxy
  /** Where it is served, or null while it is down. */
  readonly url: () => string | null
  /**
   * Starts it unless it runs; tries again until it comes up, as a supervisor does. Which config it gets is `revision`'s
   * to say.
   */
  readonly start: () => Promise<void>
  /** Ends it gently, as a rollout does. */
  readonly stop: () => Promise<void>
  readonly kill: () => Promise<void>
  /** The config that it is started with from now on. */
  revision: number
  /** Lays a trap, in this life and the next ones. */
  readonly lay: (trap: Trap) => void
  readonly disarm: (id: number) => void
  readonly go: (id: number) => void
  /** Who is told when a trap strikes; `dead` once the process is gone by it. */
  onTrap: (id: number, label: string, dead: boolean) => void
  /** Lines of its log that warn or worse, over all lives. */
  readonly log: Record<string, unknown>[]
  /** Ends that nobody asked for. */
  readonly falls: string[]
  readonly close: () => Promise<void>
}

interface ReplicaMade {
  readonly number: number
  readonly ground: Ground
  /** Whether its way to Redis can be cut. */
  readonly cuttable: boolean
  readonly env: Readonly<Record<string, string>>
  readonly yamlOf: (revision: number) => string
  readonly skewMs: number
  readonly timeline: Timeline
}

/** How often a start is tried, and how long is waited in between, in ms of simulated time. */
const mostStarts = 40
const startAgainMs = 3_000

/** Makes a replica that does not run yet. */
export async function createReplica(made: ReplicaMade): Promise<Replica> {
  const { ground, timeline, number } = made
  const name = `bot ${number + 1}`
  const redis = await (made.cuttable ? startRedisProxy : straightWay)(ground.redis.socket)
  const state: State = { host: null, url: null, traps: [], dying: null, wanted: false, starting: null }
  const replica: Replica = {
    name,
    redis,
    revision: 1,
    log: [],
    falls: [],
    onTrap: () => undefined,
    url: () => state.url,
    start: () => {
      state.wanted = true
      state.starting ??= startUp(made, state, replica).finally(() => {
        state.starting = null
      })
      return state.starting
    },
    stop: async () => {
      state.wanted = false
      await state.starting?.catch(() => undefined)
      await leave(ground, state, (news) => hear(news, state, replica, timeline))
    },
    kill: async () => {
      state.wanted = false
      const { host } = state
      forget(state)
      await host?.kill()
      timeline.note(name, "killed")
    },
    lay: (trap) => {
      state.traps.push(trap)
      state.host?.order({ kind: "trap", trap })
    },
    disarm: (id) => {
      state.traps = state.traps.filter((trap) => trap.id !== id)
      state.host?.order({ kind: "disarm", id })
    },
    go: (id) => state.host?.order({ kind: "go", id }),
    close: async () => {
      await replica.stop()
      await redis.close()
    },
  }
  return replica
}

interface State {
  host: Host | null
  url: string | null
  traps: Trap[]
  /** The trap by which the process is about to die. */
  dying: { readonly id: number; readonly label: string } | null
  wanted: boolean
  starting: Promise<void> | null
}

function forget(state: State): void {
  state.host = null
  state.url = null
}

/** What it still says while it closes counts as well: an alarm is an alarm. */
async function leave(ground: Ground, state: State, listen: (news: News) => void): Promise<void> {
  const { host } = state
  forget(state)
  if (host === null) return
  host.listen(
    (news) => (news.kind === "log" || news.kind === "point" ? listen(news) : undefined),
    () => undefined,
  )
  if (await host.stop()) ground.hosts.giveBack(host)
}

async function startUp(made: ReplicaMade, state: State, replica: Replica): Promise<void> {
  for (let tries = 1; state.wanted && state.url === null; tries += 1) {
    try {
      await startOnce(made, state, replica)
    } catch (error) {
      made.timeline.note(replica.name, `did not start: ${String(error)}`)
      if (state.host !== null) await leave(made.ground, state, (news) => hear(news, state, replica, made.timeline))
      if (tries >= mostStarts) throw error
      await made.ground.clock.wait(startAgainMs)
    }
  }
}

async function startOnce(made: ReplicaMade, state: State, replica: Replica): Promise<void> {
  const { ground, env, yamlOf, skewMs, timeline } = made
  const host = await ground.hosts.take()
  state.host = host
  state.dying = null
  host.listen(
    (news) => hear(news, state, replica, timeline),
    () => fell(host, state, replica, timeline),
  )
  const { plant } = ground
  const { traps } = state
  const yaml = yamlOf(replica.revision)
  state.url = await host.start({ env, yaml, redisUrl: replica.redis.url, skewMs, activate: false, plant, traps })
  timeline.note(replica.name, "up")
}

function hear(news: News, state: State, replica: Replica, timeline: Timeline): void {
  switch (news.kind) {
    case "log": {
      const { level, event, time: _time, ...rest } = news.line
      if (level === "warn" || level === "error") replica.log.push({ ...news.line })
      return timeline.note(replica.name, `${String(level)} ${String(event)} ${JSON.stringify(rest)}`, news.when)
    }
    case "point":
      return timeline.note(replica.name, `· ${news.label}`, news.when)
    case "reached":
      state.traps = state.traps.filter((trap) => trap.id !== news.id)
      return replica.onTrap(news.id, news.label, false)
    case "dying":
      state.dying = { id: news.id, label: news.label }
      return
    // Whoever gave the order waits for these.
    case "ready":
    case "up":
    case "failed":
    case "stopped":
    case "tock":
  }
}

function fell(host: Host, state: State, replica: Replica, timeline: Timeline): void {
  if (state.host !== host) return
  forget(state)
  const { dying } = state
  if (dying === null) {
    replica.falls.push("it ended by itself")
    return timeline.note(replica.name, "ended by itself")
  }
  state.traps = state.traps.filter((trap) => trap.id !== dying.id)
  timeline.note(replica.name, `died at ${dying.label}`)
  replica.onTrap(dying.id, dying.label, true)
}
