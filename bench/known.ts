// Measures what a start reads to know the ledger, from a checkpoint over a long ledger with many open cases, and how
// much of that it keeps in memory.
import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Redis } from "ioredis"
import { sha256 } from "../src/domain/content/canonical.ts"
import { createSeal } from "../src/domain/proof/seal.ts"
import type { Bound } from "../src/flow/ports.ts"
import { createHeadMap } from "../src/store/freshness/head-map.ts"
import { knowAtStart, type StartOptions } from "../src/store/freshness/start.ts"
import { createKeys } from "../src/store/redis/keys.ts"
import { startOwnRedis } from "./parts/bot.ts"
import { writeCheckpoint } from "./parts/checkpoint.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"

const rounds = 9
const openCases = 100_000
/** Closed cases leave nothing but entries, some eight each. */
const entries = 8 * 1_000_000
const installation = "known"
const megabyte = 1_000_000

/** Reports 18 and 18b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const redis = await startOwnRedis()
  const client = new Redis({ path: redis.url })
  const seal = createSeal({ key: randomBytes(32), installation, nonce: () => randomBytes(12) })
  const keys = createKeys(installation)
  const clock = Date.now
  const map = createHeadMap({ redis: client, keys, seal, replica: "bench", clock })
  const options: StartOptions = { redis: client, keys, seal, map, clock, now: () => performance.now() }
  const open = Array.from({ length: openCases }, (_, at) => sha256(String(at)).slice(0, 20))
  const bound = await writeCheckpoint(options, { installation, entries, open })
  const times: number[] = []
  const sizes: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const { ms, bytes } = await startOnce(options, bound)
    if (round > 0) {
      times.push(ms)
      sizes.push(bytes / megabyte)
    }
  }
  const many = `a checkpoint over ${openCases.toLocaleString("en")} open cases`
  report({ ...absolute({ scenario: "18", what: `a start from ${many}`, unit: "ms" }, times), rounds })
  report({ ...absolute({ scenario: "18b", what: `memory of ${many}`, unit: "MB" }, sizes), rounds })
  client.disconnect()
  await redis.stop()
}

/** One start, and what it keeps. */
async function startOnce(
  options: StartOptions,
  bound: Bound,
): Promise<{ readonly ms: number; readonly bytes: number }> {
  const before = heapNow()
  const begun = performance.now()
  const found = await knowAtStart(options, { bound, marks: [] })
  const ms = performance.now() - begun
  if (found.kind !== "sound" || !found.vouched) throw new Error("the start did not go on from the checkpoint")
  const bytes = heapNow() - before
  // Asked afterwards, so that it is kept until then.
  if (found.known.end().number !== entries) throw new Error("the ledger ends elsewhere")
  return { ms, bytes }
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

function heapNow(): number {
  collect()
  return process.memoryUsage().heapUsed
}
