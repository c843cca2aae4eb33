// Measures what a Redis Cluster costs: single clicks, by the same bot on a cluster of three servers and on one server.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/support/free-port.ts"
import { startCluster } from "../test/support/redis-server.ts"
import { type OwnRedis, startOwnRedis } from "./parts/bot.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Figure } from "./parts/figure.ts"
import { alternate, compare } from "./parts/rounds.ts"
import { aSide } from "./parts/side.ts"

/** Reports 21. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  fixOneCore()
  const both = [
    await aSide({ redis: await startOwnRedis({ port: await freePort() }) }),
    await aSide({ redis: await ownCluster() }),
  ]
  const [single = [], cluster = []] = await alternate(both.map(({ clicks }) => clicks))
  const about = { scenario: "21", what: "click to card on a Redis Cluster, against one server", unit: "ms" }
  report(compare({ ...about, floor: single, product: cluster }))
  await Promise.all(both.map(({ close }) => close()))
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
