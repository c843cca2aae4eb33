// A poll by itself, on the servers' core: the real step over the real client and store reads a list in which nothing
// is new.
import { randomBytes } from "node:crypto"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Pool } from "undici"
import { rulesSchema } from "../../src/config.ts"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { parseJson } from "../../src/domain/content/json.ts"
import { markOf, reportedEnd } from "../../src/domain/content/run-report.ts"
import { noOrders } from "../../src/domain/order/orders.ts"
import { type Policy, policyOf } from "../../src/domain/policy/policy.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import type { Rule, RuleLimit } from "../../src/domain/rule/rule.ts"
import { type PollPorts, poll } from "../../src/flow/poll/poll.ts"
import { noMarks } from "../../src/flow/ports.ts"
import { createPlatformClient } from "../../src/platform/client.ts"
import { readItem } from "../../src/platform/contract.ts"
import { readEnvelope } from "../../src/platform/envelope.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createStore } from "../../src/store/store.ts"
import { writeCheckpoint } from "./checkpoint.ts"
import { pageRows, pathOfPage } from "./lists.ts"
import { alternate, median } from "./rounds.ts"

const { BENCH_LIST = "", BENCH_REDIS = "", BENCH_COUNT = "0", BENCH_ROUNDS = "11" } = process.env
const count = Number(BENCH_COUNT)
const rounds = Number(BENCH_ROUNDS)
const pages = Math.ceil(count / pageRows)

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const installation = `p${count}`
const connection = await connectRedis({ url: BENCH_REDIS, installation, log: silent })
const seal = createSeal({ key: Buffer.alloc(32, 7), installation, nonce: () => randomBytes(12) })
const store = createStore({ connection, installation, seal, rulesSchema, log: silent, sandbox: true, paceMs: 0 })
const platform = createPlatformClient({ name: "main", url: BENCH_LIST, token: undefined, timeoutMs: 60_000 })
const policy = policyOf([], [])
/** Rules with conditions and limits, under which nothing has changed. */
const ruled: Policy = { ...policyOf(rulesWithLimits(), []), revision: policy.revision }
const found: string[] = []
const note = async (what: string | number) => void found.push(String(what))
const unasked = () => Promise.reject(new Error("no rule looks at who asked"))
const asks = { look: unasked, members: unasked, inChannel: unasked, byEmail: unasked, holderOf: unasked }
const people: PollPorts["people"] = {
  ...asks,
  home: { team: "T1", enterprise: null },
  spare: { ...asks, home: { team: "T1", enterprise: null } },
  lately: { ...asks, home: { team: "T1", enterprise: null } },
  get patient() {
    return people
  },
}
const ports: PollPorts = {
  installation,
  store: store.casesUnder(store.config),
  seal,
  backlog: store.backlog,
  admission: { perInstance: 1_000_000, perAgent: 1_000_000 },
  jobs: {
    isFree: () => false,
    present: note,
    resolve: note,
    reconcile: note,
    resume: note,
    remind: note,
    summarise: note,
  },
  policy,
  runs: new Map(),
  conduct: new Map(),
  people,
  clock: Date.now,
  alarm: ({ code }) => void found.push(code),
  log: silent,
  platforms: new Map([["main", platform]]),
  pace: store.pace,
  orders: () => noOrders,
  newId: () => randomBytes(12).toString("hex"),
}

/** As every approval of the list would be known after its case was opened. */
async function makeKnown(): Promise<void> {
  const ids: string[] = []
  for await (const page of platform.pending()) {
    const marks = page.approvals.flatMap((approval) => [
      approval.id,
      markOf(approval.digest, policy.revision, reportedEnd(approval)),
    ])
    await connection.commands.hset(store.keys.known("main"), ...marks)
    ids.push(...page.approvals.map(({ id }) => caseIdOf(installation, "main", id)))
  }
  const options = { redis: connection.commands, keys: store.keys, seal, clock: Date.now }
  const bound = await writeCheckpoint(options, { installation, entries: 4 * count, open: ids })
  await store.freshness.start({
    replica: "bench",
    clock: Date.now,
    now: () => performance.now(),
    alarm: ({ code }) => void found.push(code),
    bounds: { newest: async () => bound },
    marks: noMarks,
    requireCheckpoint: false,
    visitor: true,
  })
}

const pool = new Pool(BENCH_LIST)

async function textOfPage(page: number): Promise<string> {
  const response = await pool.request({ method: "GET", path: pathOfPage(page) })
  return response.body.text()
}

/** Floor of a poll: the same pages read and parsed by JSON.parse. */
async function readAll(): Promise<number> {
  const begun = performance.now()
  for (let page = 1; page <= pages; page += 1) JSON.parse(await textOfPage(page))
  return performance.now() - begun
}

async function pollAll(under = policy): Promise<number> {
  const begun = performance.now()
  await poll({ ...ports, policy: under }, "main")
  return performance.now() - begun
}

function rulesWithLimits(): readonly Rule[] {
  const approvers = [{ kind: "user", id: "U0ALICE" }] as const
  const routes = [{ kind: "channel", id: "C0BENCH" }] as const
  const limit: RuleLimit = {
    sum: "args.amount",
    per: "args.currency",
    windowMs: 86_400_000,
    above: "1000000",
    asks: { quorum: 2, approvers, routes },
  }
  const rule: Rule = {
    name: "all",
    match: {},
    matchUnknown: true,
    routes,
    approvers,
    quorum: 1,
    forbidSelfApproval: false,
    unknownRequester: "allow",
    requireReason: "never",
    reasons: [],
    mask: [],
    risk: null,
    danger: false,
    allowGuests: false,
    allowExternal: false,
    when: 'args.currency != "USD"',
    limit,
  }
  return [rule]
}

/** Floor of a block: one page parsed and checked. */
async function checkOnePage(): Promise<number> {
  const text = await textOfPage(1)
  const taken: number[] = []
  for (let at = 0; at < 20; at += 1) {
    const begun = performance.now()
    const items = readEnvelope(parseJson(text))?.items ?? []
    for (const item of items) readItem("main", item)
    taken.push(performance.now() - begun)
  }
  return median(taken)
}

/** The longest time for which a poll blocks the loop. */
async function blockOfPoll(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await poll(ports, "main")
  delay.disable()
  return delay.max / 1e6
}

await makeKnown()
const polls = process.env["BENCH_AGAINST"] === "no-conditions" ? [pollAll, () => pollAll(ruled)] : [readAll, pollAll]
const blocks = process.env["BENCH_BLOCK"] === "yes" ? [checkOnePage, blockOfPoll] : polls.map((block) => () => block())
const [floor = [], product = []] = await alternate(blocks, rounds)
if (found.length > 0) throw new Error(`the poll found ${found.length} things to do: ${found.slice(0, 3).join(", ")}`)
process.send?.({ floor, product })
await pool.destroy()
await platform.close()
await connection.close()
