// What a start reads to know the ledger: from a checkpoint over a long ledger with many open cases, and what it keeps of them in memory.
import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Redis } from "ioredis"
import { sha256 } from "../src/domain/canonical.ts"
import { createMerkleTree, entryLeaf } from "../src/domain/merkle.ts"
import { createSeal } from "../src/domain/seal.ts"
import type { Bound } from "../src/flow/ports.ts"
import { extendChain, noEntries } from "../src/store/entry.ts"
import { createHeadMap, type HeadMap } from "../src/store/freshness/head-map.ts"
import { createHeadTable } from "../src/store/freshness/head-table.ts"
import { knowAtStart, type StartOptions } from "../src/store/freshness/start.ts"
import { chainOf, createKeys } from "../src/store/keys.ts"
import { startOwnRedis } from "./parts/bot.ts"
import type { Figure } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"

const rounds = 9
const openCases = 100_000
/** Closed cases leave nothing but entries, some eight each. */
const entries = 8 * 1_000_000
const installation = "known"
const megabyte = 1_000_000

/** Reports 18 and 18b. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  const redis = await startOwnRedis()
  const client = new Redis({ path: redis.url })
  const seal = createSeal({ key: randomBytes(32), installation, nonce: () => randomBytes(12) })
  const keys = createKeys(installation)
  const clock = Date.now
  const map = createHeadMap({ redis: client, keys, seal, replica: "bench", clock })
  const options: StartOptions = { redis: client, keys, seal, map, clock, now: () => performance.now() }
  const bound = await checkpointed(options, map)
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
  report({ ...absolute({ scenario: "18", what: `a start from ${many}`, unit: "ms", goal: 5_000 }, times), rounds })
  report({ ...absolute({ scenario: "18b", what: `memory of ${many}`, unit: "MB", goal: 64 }, sizes), rounds })
  client.disconnect()
  await redis.stop()
}

/** A ledger's last entry, with the checkpoint that covers it and the heads of all cases that are open. */
async function checkpointed({ redis, keys, seal, clock }: StartOptions, map: HeadMap): Promise<Bound> {
  const table = createHeadTable()
  for (let at = 0; at < openCases; at += 1) {
    const id = sha256(String(at)).slice(0, 20)
    const mac = randomBytes(32).toString("base64url")
    table.set(chainOf.case(id), { count: 4, mac, era: 0, state: "open", voted: [randomBytes(9).toString("hex")] })
  }
  const end = { chain: chainOf.installation, head: noEntries, sandbox: false }
  const [entry] = extendChain(seal, end, [{ kind: "installed", at: clock(), installation, keyId: "bench" }]).entries
  if (entry === undefined) throw new Error("no entry was made")
  await redis.xadd(keys.ledger, `${entries}-0`, "body", entry.body, "mac", entry.mac)
  await redis.set(keys.sequence, entries)
  const tree = createMerkleTree()
  tree.append(entryLeaf(entry))
  const heads = await map.write(() => ({ table, eras: [] }))
  const root = tree.root().toString("hex")
  return { size: entries, mac: entry.mac, root, peaks: [], heads, era: 0, at: clock() }
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
