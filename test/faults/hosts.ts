// Processes that wait for a bot to run. If one did not die, the next world uses it again, because starting Node takes
// most of a start.
import { type ChildProcess, fork } from "node:child_process"
import type { Program } from "./bundle.ts"
import type { SimClock } from "./clock.ts"
import type { News, Order, ReplicaOptions } from "./wire.ts"

/** A process that can run a bot. */
export interface Host {
  readonly order: (order: Order) => void
  /** Starts a bot; resolves with its address. Rejects with what the bot said, or `it died` if the process ended. */
  readonly start: (options: ReplicaOptions) => Promise<string>
  /** Closes its bot; false if the process had to be killed, or is dead. */
  readonly stop: () => Promise<boolean>
  /** SIGKILL, and its end. */
  readonly kill: () => Promise<void>
  /** Who is told what it says, and of its end. */
  listen(onNews: (news: News) => void, onEnd: () => void): void
  readonly alive: () => boolean
}

/** Lends processes. */
export interface Hosts {
  readonly take: () => Promise<Host>
  /** Gives back one whose bot was closed. */
  readonly giveBack: (host: Host) => void
  readonly close: () => Promise<void>
}

/** How long closing a bot may take, in ms of simulated time; then its process is killed. */
const stopMs = 15_000

/** Makes the pool. `spare` processes are always on their way, so that a restart does not wait for Node. */
export function createHosts(
  clock: SimClock,
  { spare, program }: { readonly spare: number; readonly program: Program },
): Hosts {
  const idle: Promise<Host>[] = []
  const all = new Set<Host>()
  const spawn = async () => {
    const env = { ...process.env, FAULTS_NOW: String(clock.now()), NODE_COMPILE_CACHE: program.compiled }
    const host = await startHost(program.path, env, clock)
    all.add(host)
    return host
  }
  const fill = () => {
    while (idle.length < spare) {
      const host = spawn()
      // Whoever takes it hears of its failure.
      host.catch(() => undefined)
      idle.push(host)
    }
  }
  return {
    take: async () => {
      const host = await (idle.shift() ?? spawn())
      fill()
      return host.alive() ? host : spawn()
    },
    giveBack: (host) => {
      if (host.alive()) idle.unshift(Promise.resolve(host))
    },
    close: async () => {
      await Promise.allSettled(idle)
      await Promise.all([...all].map((host) => host.kill()))
    },
  }
}

async function startHost(path: string, env: NodeJS.ProcessEnv, clock: SimClock): Promise<Host> {
  const child = fork(path, { env, stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  await saying(child, ended, ["ready"])
  let [onNews, onEnd]: [(news: News) => void, () => void] = [() => undefined, () => undefined]
  let followed = () => {}
  let unfollow = () => {}
  // Only who runs a bot needs the time.
  const follow = () => {
    order({ kind: "tick", now: clock.now() })
    unfollow = clock.follow((now, done) => {
      followed = done
      order({ kind: "tick", now })
    })
  }
  child.on("message", (all) => {
    for (const news of all as readonly News[]) {
      if (news.kind === "tock") followed()
      else onNews(news)
    }
  })
  void ended.then(() => {
    unfollow()
    onEnd()
  })
  const alive = () => child.exitCode === null && child.signalCode === null
  const order = (one: Order) => {
    if (child.connected) child.send(one, () => undefined)
  }
  const kill = async () => {
    child.kill("SIGKILL")
    await ended
  }
  return {
    order,
    alive,
    kill,
    listen: (news, end) => {
      ;[onNews, onEnd] = [news, end]
    },
    start: async (options) => {
      follow()
      const answer = saying(child, ended, ["up", "failed"])
      order({ kind: "start", options })
      const news = await answer
      if (news.kind === "up") return news.url
      throw new Error(news.kind === "failed" ? news.message : news.kind)
    },
    stop: async () => {
      if (!alive()) return false
      const answer = saying(child, ended, ["stopped"])
      order({ kind: "stop" })
      const limit = new Promise<null>((resolve) => setTimeout(() => resolve(null), stopMs))
      const stopped = await Promise.race([answer.catch(() => null), limit])
      unfollow()
      if (stopped === null) await kill()
      return stopped !== null
    },
  }
}

function saying(child: ChildProcess, ended: Promise<void>, kinds: readonly News["kind"][]): Promise<News> {
  const { promise, resolve, reject } = Promise.withResolvers<News>()
  const hear = (all: unknown) => {
    const news = (all as readonly News[]).find(({ kind }) => kinds.includes(kind))
    if (news !== undefined) resolve(news)
  }
  child.on("message", hear)
  void ended.then(() => reject(new Error("it died")))
  return promise.finally(() => child.off("message", hear))
}
