// Measures a report over a ledger of 100,000 cases, all of them decided in the range, and how much it keeps in memory
// meanwhile. The ledger has seven entries for each case, as a click leaves them.
import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Redis } from "ioredis"
import { withStoreAt } from "../src/cli/installation/opened-store.ts"
import { readVerified } from "../src/cli/report/verified-entries.ts"
import type { CaseEvent } from "../src/domain/case/event.ts"
import { sha256 } from "../src/domain/content/canonical.ts"
import { createSeal, type Seal } from "../src/domain/proof/seal.ts"
import { createReport } from "../src/domain/report/report.ts"
import { createLog } from "../src/log.ts"
import { extendChain, noEntries } from "../src/store/ledger/entry.ts"
import { fieldsOf } from "../src/store/ledger/entry-form.ts"
import { chainOf, createKeys } from "../src/store/redis/keys.ts"
import { startOwnRedis } from "./parts/bot.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"

const quick = process.env["BENCH_QUICK"] === "yes"
const rounds = quick ? 1 : 5
const cases = quick ? 1_000 : 100_000
const installation = "report"
const megabyte = 1_000_000
const begun = Date.UTC(2026, 0, 1)
const minute = 60_000

/** Reports 26 and 26b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const redis = await startOwnRedis()
  const key = randomBytes(32)
  const seal = createSeal({ key, installation, nonce: () => randomBytes(12) })
  await writeLedger(redis.url, seal)
  const place = { redisUrl: redis.url, installation, sandbox: false, key, random: randomBytes, log: silent }
  const [times, sizes]: readonly [number[], number[]] = [[], []]
  await withStoreAt(place, async (store) => {
    for (let round = 0; round <= rounds; round += 1) {
      const before = heapNow()
      const start = performance.now()
      const counting = createReport({ from: begun, to: begun + cases * minute })
      await readVerified({ store }, [], counting.take)
      const bytes = heapNow() - before
      const { approved } = counting.report().cases
      if (approved !== cases) throw new Error(`the report counts ${approved} of ${cases}`)
      if (round === 0) continue
      times.push(performance.now() - start)
      sizes.push(bytes / megabyte)
    }
  })
  const many = `${cases.toLocaleString("en")} decided cases`
  report({ ...absolute({ scenario: "26", what: `a report on ${many}`, unit: "ms" }, times), rounds })
  report({ ...absolute({ scenario: "26b", what: `memory of a report on ${many}`, unit: "MB" }, sizes), rounds })
  await redis.stop()
}

const silent = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })

/** Writes the entries as the commits of that many clicks would, one case after the other. */
async function writeLedger(path: string, seal: Seal): Promise<void> {
  const client = new Redis({ path })
  const keys = createKeys(installation)
  let [number, pipeline] = [0, client.pipeline()]
  for (let at = 0; at < cases; at += 1) {
    const end = { chain: chainOf.case(sha256(String(at)).slice(0, 20)), head: noEntries, sandbox: false }
    for (const entry of extendChain(seal, end, eventsOf(at)).entries) {
      number += 1
      pipeline.xadd(keys.ledger, `${number}-0`, ...fieldsOf(entry))
    }
    if (at % 1_000 !== 999 && at < cases - 1) continue
    await pipeline.exec()
    pipeline = client.pipeline()
  }
  await client.set(keys.sequence, number)
  client.disconnect()
}

/** A case that one of fifty people approves, under one of ten rules, for one of a hundred tools. */
function eventsOf(index: number): readonly CaseEvent[] {
  const at = begun + index * (minute / 2)
  const decision = sha256(`decision ${index}`).slice(0, 32)
  const digest = sha256(`digest ${index}`)
  const [person, rule] = [`T0BENCH:U${index % 50}`, `rule-${index % 10}`]
  const place = { channel: "C0BENCH", ts: `${at}.000100` }
  const placed = { kind: "placed", at, route: "channel:C0BENCH", place, revision: 1 } as const
  const later = at + 1_000 + (index % 997) * 10
  const verb = "approve"
  const asked = [{ rule, quorum: 1, approvers: ["S0BENCH"] }]
  const named = { tool: `tool_${index % 100}`, team: `team-${index % 7}` }
  const opened = { approval: `a-${index}`, instance: "main", revision: 1, digest, rules: [rule], asked, ...named }
  const vote = { revision: 1, digest, name: "Jane Doe", subject: "jane@corp.example", reason: null, revealed: false }
  const voted = { ...vote, person, rules: [rule], verb, values: null, surface: "card", interaction: digest } as const
  const decided = { decision, verb, people: [person], subject: "jane@corp.example", reason: null, digest } as const
  return [
    { kind: "opened", at, ...opened },
    placed,
    { kind: "voted", at: later, ...voted, mac: digest },
    { kind: "decided", at: later, ...decided, receipt: sha256(decision) },
    { kind: "resolved", at: later + 50, decision, verb, resolvedBy: "jane@corp.example", sandbox: false },
    { ...placed, at: later + 100 },
    { kind: "closed", at: later + 150 },
  ]
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

function heapNow(): number {
  collect()
  return process.memoryUsage().heapUsed
}
