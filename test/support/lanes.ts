// Plays tasks side by side. Each lane is a process of its own. If a lane hangs, we end it with all that it started, and
// the others go on.
import { type ChildProcess, fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"

/** How a task ended; `hung`: what its process left behind cannot be trusted. */
interface Ending {
  readonly hung: boolean
}

/** Lanes that stand ready. */
export interface Lanes<Task, Ended> {
  /** Plays tasks; one call at a time. `onEnd` is called as each ends; no more are begun once it says false. */
  readonly run: (tasks: readonly Task[], onEnd: (ended: Ended) => boolean) => Promise<void>
  /** Ends all at once; what runs ends as well, with what it has. May be called twice. */
  readonly close: () => Promise<void>
}

/** How many tasks are played side by side: most of the time each waits. */
export const defaultLanes = 2 * availableParallelism()
/** How long a lane may take to end by itself, in ms. */
const endMs = 5_000

/** What lanes are made of. */
export interface LanesOptions<Task, Ended> {
  readonly count: number
  /** A task that takes longer has hung, in ms. */
  readonly hangMs: number
  /**
   * The module that a lane runs. It answers each message that is a task with how that ended, and ends upon `{kind:
   * "end"}`.
   */
  readonly script: string
  /** Its arguments; the folder is removed in the end. */
  readonly args?: (folder: string) => Promise<readonly string[]>
  /** What becomes of a task whose lane died or hung. */
  readonly lost: (task: Task) => Ended
}

/** Opens lanes. Whatever is started ends with `close`, or with this process. */
export async function openLanes<Task extends object, Ended extends Ending>(
  options: LanesOptions<Task, Ended>,
): Promise<Lanes<Task, Ended>> {
  const folder = await mkdtemp(join(tmpdir(), "csf-"))
  const { args = async () => [] } = options
  const made: Made<Task, Ended> = { options, folder, given: await args(folder), running: new Set() }
  let closed: Promise<void> | null = null
  const close = async () => {
    await Promise.all([...made.running].map((lane) => lane.end()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const idle: Lane<Task, Ended>[] = []
  const along = async (waiting: Task[], onEnd: (ended: Ended) => boolean) => {
    let lane = idle.pop() ?? startLane(made)
    for (let next = waiting.shift(); next !== undefined && closed === null; next = waiting.shift()) {
      const ended = await lane.play(next)
      if (ended === null) return
      if (ended.hung) {
        lane.kill()
        lane = startLane(made)
      }
      if (!onEnd(ended)) waiting.length = 0
    }
    idle.push(lane)
  }
  return {
    run: async (tasks, onEnd) => {
      const waiting = [...tasks]
      const width = Math.min(options.count, waiting.length)
      await Promise.all(Array.from({ length: width }, () => along(waiting, onEnd)))
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

interface Made<Task, Ended> {
  readonly options: LanesOptions<Task, Ended>
  readonly folder: string
  readonly given: readonly string[]
  readonly running: Set<Lane<Task, Ended>>
}

/** One process that plays. */
interface Lane<Task, Ended> {
  /** Plays one; null if it was ended meanwhile. */
  readonly play: (task: Task) => Promise<Ended | null>
  readonly end: () => Promise<void>
  readonly kill: () => void
}

function startLane<Task extends object, Ended extends Ending>(made: Made<Task, Ended>): Lane<Task, Ended> {
  const { options, folder, given, running } = made
  // A process group of its own: Ctrl-C is not for it, and its replicas end with it. Redis has a guard that ends it
  // then.
  const child = fork(options.script, [...given], {
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
  const lane: Lane<Task, Ended> = {
    kill,
    play: async (task) => {
      const answer = new Promise<Ended>((resolve) => child.once("message", (ended) => resolve(ended as Ended)))
      child.send(task, () => undefined)
      const limit = after(options.hangMs)
      const ended = await Promise.race([answer, exited, limit.over])
      limit.clear()
      if (ended !== undefined || ending) return ended ?? null
      return options.lost(task)
    },
    end: async () => {
      ending = true
      if (child.connected) child.send({ kind: "end" }, () => undefined)
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
  const timer = setTimeout(resolve, ms)
  return { over: promise, clear: () => clearTimeout(timer) }
}
