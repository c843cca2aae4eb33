// Audit rows: each that was made after the first look enters the ledger once, whatever the clocks, the replicas and the
// failures.

import { expect, test } from "vitest"
import { digestOf } from "../../../src/domain/content/digest.ts"
import { createAuditLook } from "../../../src/flow/poll/audits.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { anApproval } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"

const minute = 60_000

/** A row that the platform writes now, or this many ms from now. */
function wrote(world: World, id: string, aheadMs = 0): void {
  const createdAt = world.clock.now() + aheadMs
  const about = { approvalType: "audit", status: "approved", toolName: "export_report", agentId: "report-agent" }
  world.platform.put(anApproval({ id, ...about, requirements: null, createdAt, resolvedAt: createdAt }))
}

/** One replica. */
const aReplica = (world: World, changes: Partial<Ports> = {}) => createAuditLook(() => ({ ...world.ports, ...changes }))

function failed(): never {
  throw platformFailure("server")
}

const told = (world: World) => world.audits.told.map(({ approval }) => approval)

test("a row that was made after the first look enters the ledger once", async () => {
  const world = createWorld()
  const look = aReplica(world)
  wrote(world, "before")
  await look("main")
  expect(told(world)).toEqual([])

  wrote(world, "after")
  for (let times = 0; times < 4; times += 1) {
    world.clock.forward(minute)
    await look("main")
  }

  expect(world.audits.told).toEqual([
    {
      approval: "after",
      run: "run-1",
      agent: "report-agent",
      team: null,
      tool: "export_report",
      status: "approved",
      digest: digestOf(world.platform.row("after")),
      madeAt: expect.any(Number),
    },
  ])
  expect(world.alarms).toEqual([])
})

test("where none was made yet, the first one that is made is told", async () => {
  const world = createWorld()
  const look = aReplica(world)
  await look("main")
  wrote(world, "first")

  world.clock.forward(minute)
  await look("main")

  expect(told(world)).toEqual(["first"])
})

test("a minute passes between two looks of a process, and a new process goes on from where the others were", async () => {
  const world = createWorld()
  const look = aReplica(world)
  await look("main")
  wrote(world, "a-1")
  world.clock.forward(minute - 1)
  await look("main")
  expect(told(world)).toEqual([])

  await aReplica(world)("main")
  world.clock.forward(1)
  await look("main")

  expect(told(world)).toEqual(["a-1"])
})

test("two replicas at once tell each row once", async () => {
  const world = createWorld()
  await aReplica(world)("main")
  for (let row = 0; row < 250; row += 1) wrote(world, `a-${row}`, row)

  await Promise.all([aReplica(world)("main"), aReplica(world)("main")])
  await aReplica(world)("main")

  expect(told(world)).toEqual(Array.from({ length: 250 }, (_, row) => `a-${row}`))
})

test("what comes a little late, or bears a date from the future, is told once and hides nothing", async () => {
  const world = createWorld()
  const look = async () => {
    world.clock.forward(minute)
    await aReplica(world)("main")
  }
  await look()
  wrote(world, "future", 365 * 86_400_000)
  await look()
  wrote(world, "now")
  await look()
  wrote(world, "late", -30_000)
  await look()
  await look()

  expect(told(world)).toEqual(["future", "now", "late"])
})

test("a process that ends between two portions leaves the rest to the next one", async () => {
  const world = createWorld()
  await aReplica(world)("main")
  for (let row = 0; row < 150; row += 1) wrote(world, `a-${row}`)
  let commits = 0
  const audits: Ports["audits"] = {
    ...world.ports.audits,
    enter: (...given) => ((commits += 1) > 1 ? Promise.reject(platformFailure()) : world.ports.audits.enter(...given)),
  }

  await aReplica(world, { audits })("main")
  expect(told(world)).toHaveLength(100)
  await aReplica(world)("main")

  expect(new Set(told(world)).size).toBe(150)
  expect(told(world)).toHaveLength(150)
})

test("an instance that fails is asked again at the next poll", async () => {
  const world = createWorld()
  await aReplica(world)("main")
  wrote(world, "a-1")
  const failing = { ...world.platform, audits: failed }
  let platform = failing
  const look = createAuditLook(() => ({ ...world.ports, platforms: new Map([["main", platform]]) }))
  await look("main")
  expect(told(world)).toEqual([])

  platform = world.platform as typeof failing
  await look("main")

  expect(told(world)).toEqual(["a-1"])
})

test("nothing is entered into a ledger that is rolled back", async () => {
  const world = createWorld()
  await aReplica(world)("main")
  wrote(world, "a-1")
  const end = { number: 1, mac: "" }
  const standing = () => ({ kind: "rolled-back", why: "", known: end, found: end, since: 0 }) as const

  await aReplica(world, { freshness: { ...world.ports.freshness, standing } })("main")

  expect(told(world)).toEqual([])
})

test("a row that cannot be read, or has no date, is an alarm and costs its neighbours nothing", async () => {
  const world = createWorld()
  await aReplica(world)("main")
  world.platform.unreadable({ id: "bad", why: "status: not a string" })
  wrote(world, "undated")
  world.platform.change("undated", { createdAt: null })
  wrote(world, "good")

  await aReplica(world)("main")

  expect(told(world)).toEqual(["good"])
  expect(world.alarms).toMatchObject([
    { code: "unreadable-approval", approval: "bad" },
    { code: "unreadable-approval", approval: "undated", why: "an audit row that does not say when it was made" },
  ])
})

test("R14 a mark that somebody else wrote is an alarm", async () => {
  const world = createWorld()
  const read = () =>
    Promise.reject(Object.assign(new Error("not written by us"), { code: "tampered", retryable: false }))

  await aReplica(world, { audits: { ...world.ports.audits, read } })("main")

  expect(world.alarms).toMatchObject([{ code: "audits-tampered", instance: "main" }])
})
