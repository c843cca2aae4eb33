// The Redis of a lane. A seed can kill it, start it again, and put it back to an earlier state.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { keepData, neverPostponeWrites, putBackData } from "../support/written-data.ts"
import type { SimClock } from "./clock.ts"
import { realTimeout } from "./sim-time.ts"
import { createWaker, type Sleepers, type Waker } from "./waker.ts"

/** A server that dies and comes back at the same address. */
export interface LaneRedis {
  /** The path of its socket. */
  readonly socket: string
  /** SIGKILL, then a start over what was written. */
  readonly crash: () => Promise<void>
  /** Keeps what is written now. */
  readonly keep: () => Promise<void>
  /** SIGKILL, then a start over what was kept. */
  readonly restore: () => Promise<void>
  /** From now on the workers of this installation are woken when a job is due. */
  readonly wake: (installation: Sleepers) => void
  readonly stop: () => Promise<void>
}

/** How long a server that died is away, in ms. */
const awayMs = 1_000

/** Starts a server in a folder of its own. */
export async function startLaneRedis(clock: SimClock): Promise<LaneRedis> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-faults-redis-"))
  const start = async () => {
    // Nothing happens in the world while it starts: how long that takes depends on the machine.
    const goOn = clock.follow(() => undefined)
    try {
      const started = await startRedis({ folder, env: process.env, log: () => undefined, wait: realWait })
      await neverPostponeWrites(started.socket)
      return started
    } finally {
      goOn()
    }
  }
  let server = await start()
  let waker = createWaker(null)
  let unfollow = followBy(clock, server.socket, () => waker)
  const kill = async () => {
    unfollow()
    process.kill(server.pid, "SIGKILL")
    await server.exited
  }
  const again = async () => {
    await clock.wait(awayMs)
    server = await start()
    unfollow = followBy(clock, server.socket, () => waker)
  }
  // Two faults may strike at once: what is done to the server is done one after the other.
  let last: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    last = last.catch(() => undefined).then(work)
    return last
  }
  const crash = async () => {
    await kill()
    await again()
  }
  const restore = async () => {
    await kill()
    await putBackData(folder)
    await again()
  }
  return {
    socket: server.socket,
    crash: () => inTurn(crash),
    keep: () => inTurn(() => keepData(folder)),
    restore: () => inTurn(restore),
    wake: (sleepers) => {
      waker = createWaker(sleepers)
    },
    stop: async () => {
      unfollow()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function realWait(ms: number): Promise<unknown> {
  return new Promise((resolve) => realTimeout(resolve, ms))
}

/** The clock waits for the server too, as long as it runs. */
function followBy(clock: SimClock, socket: string, waker: () => Waker): () => void {
  const redis = new Redis(socket, { retryStrategy: () => null })
  redis.on("error", () => undefined)
  const unfollow = clock.follow((now, followed) => void waker()(redis, now).then(followed, followed))
  return () => {
    unfollow()
    redis.disconnect()
  }
}
