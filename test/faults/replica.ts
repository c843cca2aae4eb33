// A process that runs the real bot, again and again in different worlds. It obeys the driver, and dies where the driver
// says.
import "./sim-time.ts"
import { randomBytes } from "node:crypto"
import { flushCompileCache } from "node:module"
import { type Bot, startBot } from "../../src/bot.ts"
import { openSigner } from "../../src/cli/installation/context.ts"
import { loadConfig } from "../../src/config.ts"
import { createLog } from "../../src/log.ts"
import { plantBug } from "./plants.ts"
import { withPoints } from "./points.ts"
import { moveOn, setSkew, simNow } from "./sim-time.ts"
import type { Instant, News, Order, ReplicaOptions, Trap } from "./wire.ts"

let bot: Bot | undefined
let traps: (Trap & { seen: number })[] = []
const waiting = new Map<number, () => void>()

/** What waits to be said. */
let unsaid: News[] = []

function say(news: News): void {
  const all = [...unsaid, news]
  unsaid = []
  // The driver may be gone: then this process ends as well.
  if (process.connected) process.send?.(all, undefined, undefined, () => undefined)
}

const realNow = performance.now.bind(performance)
const begunAt = simNow()
// The clock that nobody sets goes with the simulated time as well. Only here: the driver measures in real time.
performance.now = () => simNow() - begunAt

function instant(): Instant {
  return { at: simNow(), real: performance.timeOrigin + realNow() }
}

/** Comes to a point: the traps laid there count, and the first that is due strikes. */
function reach(label: string): void | Promise<void> {
  unsaid.push({ kind: "point", label, when: instant() })
  for (const trap of traps) {
    if (trap.label !== label) continue
    trap.seen += 1
    if (trap.seen !== trap.nth) continue
    if (trap.act === "stop") return standStill(trap)
    say({ kind: "dying", id: trap.id, label })
    process.kill(process.pid, "SIGKILL")
  }
}

async function standStill({ id, label }: Trap): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(id, resolve)
  say({ kind: "reached", id, label })
  await promise
}

/**
 * Production's timings but for those that Redis measures, in real time: there a second stands for at least ten. A
 * worker that waits for a due job is woken by the waker, which knows the simulated time.
 */
const timing = { lockMs: 1_000, longestReadMs: 2_000 }

async function start(options: ReplicaOptions): Promise<void> {
  setSkew(options.skewMs)
  traps = options.traps.map((trap) => ({ ...trap, seen: 0 }))
  waiting.clear()
  const config = loadConfig({ env: options.env, readFile: () => options.yaml, cwd: "/" })
  const key = Buffer.from(options.env["COUNTERSIGN_KEY"] ?? "")
  const log = createLog({
    write: (line) => unsaid.push({ kind: "log", line: JSON.parse(line), when: instant() }),
    clock: Date.now,
    level: "info",
    secrets: config.secrets,
  })
  const { around, aroundFreshness } = plantBug(options.plant)
  const { redisUrl, activate } = options
  const signer = await openSigner({ config, key })
  bot = await startBot({
    config,
    key,
    log,
    signer,
    redisUrl,
    activate,
    timing,
    clock: Date.now,
    sharedClock: simNow,
    random: randomBytes,
    around: (ports) => withPoints(around(ports), reach),
    aroundFreshness,
  })
  say({ kind: "up", url: bot.url })
}

async function obey(order: Order): Promise<void> {
  switch (order.kind) {
    case "start":
      return start(order.options).catch((error: unknown) => say({ kind: "failed", message: String(error) }))
    case "stop":
      for (const go of waiting.values()) go()
      traps = []
      await bot?.close()
      bot = undefined
      return say({ kind: "stopped" })
    case "trap":
      traps.push({ ...order.trap, seen: 0 })
      return
    case "disarm":
      traps = traps.filter((trap) => trap.id !== order.id)
      return
    case "tick":
      moveOn(order.now)
      return void setImmediate(() => say({ kind: "tock" }))
    case "go":
      waiting.get(order.id)?.()
      waiting.delete(order.id)
  }
}

process.on("message", (order) => void obey(order as Order))
process.on("disconnect", () => process.exit(0))
// Written now, since most of these processes are killed: the next one need not compile the program again.
flushCompileCache()
say({ kind: "ready" })
