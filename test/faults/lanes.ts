// Plays schedules side by side: each lane is a process, so that one that hangs is ended with all that it started, and costs the others nothing.
import { type ChildProcess, fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleReplica, type Program } from "./bundle.ts"
import type { Ended } from "./drive.ts"
import type { Schedule } from "./schedule.ts"
import { realTimeout } from "./sim-time.ts"
import type { LaneOrder } from "./wire.ts"

/** What is played. */
export interface Round {
  readonly schedules: readonly Schedule[]
  /** The planted bug, or null. */
  readonly plant: string | null
  /** Called as each ends; no more are begun once it says false. */
  readonly onEnd: (ended: Ended) => boolean
}

/** Lanes that stand ready. */
export interface Lanes {
  /** Plays all schedules of a round; one round at a time. */
  readonly run: (round: Round) => Promise<void>
  /** Ends all at once; a round that runs ends as well, with what it has. May be called twice. */
  readonly close: () => Promise<void>
}

/** How many seeds are played side by side: most of the time each waits. */
export const defaultLanes = 2 * availableParallelism()
/** So long after a seed hangs its lane must have said so, in ms. */
const graceMs = 30_000
/** How long a lane may take to end by itself, in ms. */
const endMs = 5_000

const script = fileURLToPath(new URL("lane.ts", import.meta.url))

/** How many lanes, and after how many ms of real time a seed hangs. */
export interface LanesOptions {
  readonly count: number
  readonly hangMs: number
}

/** Opens lanes. Whatever is started ends with `close`, or with this process. */
export async function openLanes({ count, hangMs }: LanesOptions): Promise<Lanes> {
  const folder = await mkdtemp(join(tmpdir(), "csf-"))
  const program = await bundleReplica(folder)
  const running = new Set<Lane>()
  let closed: Promise<void> | null = null
  const close = async () => {
    await Promise.all([...running].map((lane) => lane.end()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const idle: Lane[] = []
  const along = async (waiting: Schedule[], { plant, onEnd }: Round) => {
    let lane = idle.pop() ?? startLane(folder, program, running)
    for (let next = waiting.shift(); next !== undefined && closed === null; next = waiting.shift()) {
      const ended = await lane.play({ kind: "play", schedule: next, plant, hangMs })
      if (ended === null) return
      if (ended.hung) {
        lane.kill()
        lane = startLane(folder, program, running)
      }
      if (!onEnd(ended)) waiting.length = 0
    }
    idle.push(lane)
  }
  return {
    run: async (round) => {
      const waiting = [...round.schedules]
      const width = Math.min(count, waiting.length)
      await Promise.all(Array.from({ length: width }, () => along(waiting, round)))
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** One process that plays. */
interface Lane {
  /** Plays one; null if it was ended meanwhile. A lane that dies or hangs is a violation of the seed that it played. */
  readonly play: (order: Extract<LaneOrder, { kind: "play" }>) => Promise<Ended | null>
  readonly end: () => Promise<void>
  readonly kill: () => void
}

function startLane(folder: string, program: Program, running: Set<Lane>): Lane {
  // A process group of its own: Ctrl-C is not for it, and its replicas end with it. Redis has a guard that ends it then.
  const child = fork(script, [program.path, program.compiled], {
    env: { ...process.env, TMPDIR: folder },
    detached: true,
    execArgv: [],
  })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  let ending = false
  const kill = () => {
    ending = true
    running.delete(lane)
    endGroup(child)
  }
  const lane: Lane = {
    kill,
    play: async (order) => {
      const answer = new Promise<Ended>((resolve) => child.once("message", (ended) => resolve(ended as Ended)))
      child.send(order, () => undefined)
      const limit = after(order.hangMs + graceMs)
      const ended = await Promise.race([answer, exited, limit.over])
      limit.clear()
      if (ended !== undefined || ending) return ended ?? null
      return lost(order.schedule.seed)
    },
    end: async () => {
      ending = true
      if (child.connected) child.send({ kind: "end" } satisfies LaneOrder, () => undefined)
      const limit = after(endMs)
      await Promise.race([exited, limit.over])
      limit.clear()
      kill()
      await exited
    },
  }
  running.add(lane)
  return lane
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch (error) {
    // Nobody is left of it.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

function after(ms: number): { readonly over: Promise<void>; readonly clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = realTimeout(resolve, ms)
  return { over: promise, clear: () => clearTimeout(timer) }
}

function lost(seed: number): Ended {
  const violations = ["its process ended or stood still, and told nothing"]
  return { seed, violations, struck: [], convergedMs: 0, told: {}, timeline: [], hung: true }
}
