// What a Redis Cluster costs: one click at a time, by the same bot on a cluster of three servers and on one server.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/support/free-port.ts"
import { startCluster } from "../test/support/redis-server.ts"
import { cardsIn, type OwnRedis, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { createClicker } from "./parts/clicker.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Figure } from "./parts/figure.ts"
import { alternate, compare, usualRounds } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const clicksABlock = 20
/** Clicks that both see before, so that what is measured is compiled code. */
const warmUp = 200
const clicksInAll = clicksABlock * (usualRounds + 1)

/** Reports 21. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  fixOneCore()
  const both = [await aSide(await startOwnRedis({ port: await freePort() })), await aSide(await ownCluster())]
  const [single = [], cluster = []] = await alternate(both.map(({ clicks }) => clicks))
  const about = { scenario: "21", what: "click to card on a Redis Cluster, against one server", unit: "ms" }
  report(compare({ ...about, floor: single, product: cluster }))
  await Promise.all(both.map(({ close }) => close()))
}

/** A bot on this Redis in front of a world of its own, warm; and blocks of clicks on its cards. */
async function aSide(redis: OwnRedis) {
  const world = await startWorld()
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < warmUp + clicksInAll; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  const product = await startProduct({ world, redis, pollMs: 3_600_000, paceMs: 0 })
  await until("all cards", () => cardsIn(world).length === warmUp + clicksInAll)
  const cards = [...cardsIn(world)]
  const clicker = createClicker(world)
  await clicker.backToBack(product.url, cards.splice(0, warmUp))
  return {
    clicks: () => clicker.oneByOne(product.url, cards.splice(0, clicksABlock)),
    close: async () => {
      await product.kill()
      await Promise.all([redis.stop(), world.close()])
    },
  }
}

async function ownCluster(): Promise<OwnRedis> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-bench-"))
  const { url, stop } = await startCluster()
  return {
    url,
    folder,
    stop: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
