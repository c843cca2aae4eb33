// Measures memory at rest, and after ten thousand clicks and ten thousand polled approvals. The second figure is what a
// process keeps of them, once such work has brought its heap and its compiled code to their size.
//
// At rest we measure the product as it is installed, without code that Node compiled before. Floor: a bare node:http
// server.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { freePort } from "../test/support/free-port.ts"
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { type Child, startChild } from "./parts/child.ts"
import { createClicker } from "./parts/clicker.ts"
import type { Measured } from "./parts/figure.ts"
import { buildProgram, endedBySignal, installedBot, untilStarted } from "./parts/installed.ts"
import { absolute, compare } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const warmUp = 2_000
const count = 10_000
const atOnce = 20
const starts = 9
const MB = 1_048_576

/** Reports 13 and 13b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const world = await startWorld()
  const redis = await startOwnRedis({ port: await freePort() })
  await buildProgram()
  const installed = installedBot({ world, redis })
  const floor: number[] = []
  const product: number[] = []
  for (let at = 0; at < starts; at += 1) {
    floor.push(await atRest(() => startChild("bare-process.ts", {})))
    product.push(await atRest(() => startInstalled(installed)))
  }
  report(compare({ scenario: "13", what: "memory at rest", unit: "MB", floor, product }))
  const bot = await startProduct({ world, redis, pollMs: 1_000, paceMs: 0 })
  const clicker = createClicker(world)
  const work = async (first: number, many: number) => {
    world.arrivals.length = 0
    for (let at = first; at < first + many; at += 1) {
      const row = aRow(at, Math.floor(Date.now() / 1_000))
      world.rows.set(row.id, row)
    }
    await until("all cards", () => cardsIn(world).length === many, 600_000)
    const cards = [...cardsIn(world)]
    while (cards.length > 0) await clicker.allAtOnce(bot.url, cards.splice(0, atOnce))
    await settle()
  }
  await work(0, warmUp)
  const before = rssOf(bot.pid)
  await work(warmUp, count)
  const growth = (rssOf(bot.pid) - before) / MB
  report(absolute({ scenario: "13b", what: "growth by 10,000 clicks and approvals", unit: "MB" }, [growth]))
  await bot.kill()
  await Promise.all([redis.stop(), world.close()])
}

async function startInstalled({ command: [program = "", ...args], env }: ReturnType<typeof installedBot>) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  await untilStarted(child)
  return { pid: child.pid ?? 0, kill: () => endedBySignal(child) }
}

async function atRest(start: () => Promise<Pick<Child, "pid" | "kill">>): Promise<number> {
  const child = await start()
  await settle()
  const rss = rssOf(child.pid) / MB
  await child.kill()
  return rss
}

/** Gives a process the time to come to rest. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3_000))
}

function rssOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  if (kilobytes === undefined) throw new Error(`the memory of process ${pid} cannot be read`)
  return Number(kilobytes) * 1_024
}
