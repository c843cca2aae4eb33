// Room, floods and summaries in Redis: exact limits in any race, what waits in order, and what the operator was told.

import { expect, test } from "vitest"
import { admit } from "../../../src/domain/case/card-steps.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { settle } from "../../../src/domain/case/verdict.ts"
import type { Summary } from "../../../src/flow/ports.ts"
import { aPolicy } from "../../support/builders.ts"
import { anOwnRedis } from "../../support/redis.ts"
import { anApproval, noon, type OpenStore, openStore } from "../support.ts"

const within = { perInstance: 3, perAgent: 2 }

function opening(open: OpenStore, id: string, agentId: string, admitted = true) {
  const at = noon + Number(id)
  const approval = anApproval({ id, agentId, createdAt: at })
  const { installation } = open
  return openCase({ installation, approval, policy: aPolicy(), epoch: "e-1", at, admitted })
}

async function opened(open: OpenStore, id: string, agentId: string, admitted = true): Promise<Case | string> {
  const { next, events } = opening(open, id, agentId, admitted)
  const commit = { next, expectedVersion: 0, events }
  const done = await open.store.cases.commit(admitted ? { ...commit, within } : commit)
  return done.kind === "committed" ? done.case : done.kind
}

async function asCase(made: Promise<Case | string>): Promise<Case> {
  const found = await made
  if (typeof found === "string") throw new Error(`not committed: ${found}`)
  return found
}

test("R20 when many want admission at once, just as many get it as there is, for agent and instance", async () => {
  const one = await openStore()
  const two = await openStore({ installation: one.installation })

  const asked = Array.from({ length: 12 }, (_, index) =>
    opened(index % 2 === 0 ? one : two, String(index), index < 8 ? "a" : "b"),
  )
  const results = await Promise.all(asked)

  const given = results.filter((result) => typeof result !== "string")
  expect(given).toHaveLength(3)
  expect(given.filter((made) => made.approval?.agentId === "a").length).toBeLessThanOrEqual(2)
  expect(results.filter((result) => result === "full")).toHaveLength(9)
})

test("R20 a refused commit leaves nothing behind", async () => {
  const open = await openStore()
  for (const id of ["1", "2"]) await opened(open, id, "a")

  expect(await opened(open, "3", "a")).toBe("full")

  expect(await open.store.cases.read(opening(open, "3", "a").next.id)).toBeNull()
  expect(await open.store.verifyLedger()).toMatchObject({ problem: null, cases: 2 })
})

test("R20 what waits is found by the oldest of each agent, and is gone once it has admission", async () => {
  const open = await openStore()
  const waiting = await Promise.all(
    [
      ["5", "a"],
      ["4", "b"],
      ["3", "a"],
    ].map(([id = "", agent = ""]) => asCase(opened(open, id, agent, false))),
  )

  const before = await open.store.backlog.look("main")
  const [, , oldest] = waiting
  if (oldest === undefined) throw new Error("no case")
  const step = admit(oldest, noon)
  await open.store.cases.commit({ ...step, expectedVersion: oldest.version, within })
  const after = await open.store.backlog.look("main")

  expect(before).toMatchObject({ waiting: 3, heads: [waiting[2]?.id, waiting[1]?.id] })
  expect(after).toMatchObject({ waiting: 2, heads: [waiting[1]?.id, waiting[0]?.id] })
  expect((await open.store.backlog.look("other")).waiting).toBe(0)
})

test("R20 a case that settles makes space", async () => {
  const open = await openStore()
  const first = await asCase(opened(open, "1", "a"))
  await opened(open, "2", "a")
  const outcome = { kind: "elsewhere", status: "approved", resolvedBy: null, at: noon } as const
  const event = { kind: "elsewhere", at: noon, status: "approved", resolvedBy: null, claimsToBeOurs: false } as const

  await open.store.cases.commit({ ...settle(first, outcome, event), expectedVersion: first.version })

  expect(typeof (await opened(open, "3", "a"))).toBe("object")
})

test("R20 cases with admission are listed before those that wait for it", async () => {
  const open = await openStore()
  for (const id of ["1", "2"]) await opened(open, id, "a")
  for (const id of ["3", "4"]) await opened(open, id, "a", false)

  const listed = async (offset: number, limit: number) =>
    (await open.store.cases.listOpen({ offset, limit })).cases.map((one) => one.approvalId)

  expect(await listed(0, 10)).toEqual(["1", "2", "3", "4"])
  expect(await listed(1, 2)).toEqual(["2", "3"])
  expect(await listed(3, 2)).toEqual(["4"])
})

test("a case that waits for admission is no unfinished work, and waits for no card", async () => {
  const open = await openStore()
  await opened(open, "1", "a", false)
  const carded = await asCase(opened(open, "2", "b"))

  expect(await open.store.cases.unfinished(10)).toEqual([carded.id])
  expect(await open.store.summaries.uncarded("channel:C1", 10)).toEqual([carded.id])
})

test("R20 the memory is read as the server tells it, with and without a limit", async () => {
  const server = await anOwnRedis()
  const open = await openStore({ url: server.url })

  const free = (await open.store.backlog.look("main")).memory
  await open.connection.commands.config("SET", "maxmemory", "50mb")
  const limited = (await open.store.backlog.look("main")).memory

  expect(free.max).toBe(0)
  expect(limited.max).toBe(50 * 1_024 * 1_024)
  expect(limited.used).toBeGreaterThan(100_000)
})

test("what the operator was told is known to every replica until it is over", async () => {
  const one = await openStore()
  const two = await openStore({ installation: one.installation })

  await one.store.backlog.told("flood main")
  expect((await two.store.backlog.look("main")).told).toEqual(["flood main"])
  await two.store.backlog.over("flood main")

  expect((await one.store.backlog.look("main")).told).toEqual([])
})

const aSummary: Summary = {
  version: 1,
  id: "s1",
  route: "channel:C1",
  begunAt: noon,
  place: null,
  cases: ["c1"],
  modelHash: null,
  lease: null,
}

test("one of two that save the same version of a summary is the first", async () => {
  const open = await openStore()
  const { summaries } = open.store

  const saved = await Promise.all([summaries.save(aSummary), summaries.save({ ...aSummary, id: "s2" })])

  expect(saved.filter(Boolean)).toHaveLength(1)
  expect(await summaries.read("channel:C1")).toEqual(aSummary)
  expect(await summaries.routes()).toEqual(["channel:C1"])
  expect(await summaries.end({ ...aSummary, version: 7 })).toBe(false)
  expect(await summaries.end(aSummary)).toBe(true)
  expect(await summaries.read("channel:C1")).toBeNull()
  expect(await summaries.routes()).toEqual([])
})

test("R14 a summary that was not sealed by us is none, and the next is begun anew", async () => {
  const open = await openStore()
  const { summaries } = open.store
  await summaries.save(aSummary)
  await open.connection.commands.hset(open.store.keys.summary("channel:C1"), "sealed", "forged")

  expect(await summaries.read("channel:C1")).toBeNull()

  expect(await summaries.save({ ...aSummary, id: "s3" })).toBe(true)
})
