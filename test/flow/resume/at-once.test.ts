// The process that settles a case continues its run at once, by the resolve's own answer; what takes a closer look is
// left to the job.
import { expect, test } from "vitest"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import type { Ports, Runs, SettledCase } from "../../../src/flow/ports.ts"
import { resumeAtOnce } from "../../../src/flow/resume/resume.ts"
import { aRequirement } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aRun } from "../../support/memory-runs.ts"
import { pairPaused, paused, settledNow } from "../resuming.ts"
import { caseOf, ledgerKinds } from "../support.ts"

/** The ports, and how often the list of a run's approvals was asked for. */
function counted(world: World) {
  let lists = 0
  const ofRun = (runId: string) => {
    lists += 1
    return world.platform.ofRun(runId)
  }
  const ports: Ports = { ...world.ports, platforms: new Map([["main", { ...world.platform, ofRun }]]) }
  return { ports, lists: () => lists }
}

/** What the process that settled the only case knows of it. */
async function known(world: World): Promise<SettledCase> {
  const settled = await settledNow(world)
  if (settled === null) throw new Error("nobody is to continue it at once")
  return settled
}

test("R10 a run that waits for just what was decided goes on by the resolve's own answer: no list is asked for", async () => {
  const world = await paused()
  const settled = await known(world)
  const { ports, lists } = counted(world)

  expect(await resumeAtOnce(ports, settled)).toBe(null)

  expect([world.runs.posts.length, world.runs.executions, lists()]).toEqual([1, ["delete_table"], 0])
  await world.queue.runAll(world.ports)
  expect(ledgerKinds(world).slice(-3)).toEqual(["continued", "run-ended", "closed"])
  expect(world.alarms).toEqual([])
})

/** Lets the job go on with it. */
async function resumed(world: World): Promise<void> {
  await world.queue.resume(caseOf(world).id, 0)
  await world.queue.runAll(world.ports)
}

const other = executionIn(aRequirement("send_email"))

test.each([
  ["cannot be read", (world: World) => world.runs.failRead("server"), "ended"],
  ["is not there", (world: World) => world.runs.failRead("missing"), "ended"],
  [
    "waits for another call as well",
    (world: World) => world.runs.change("run-1", { tools: [...aRun().tools, other] }),
    "withheld",
  ],
  ["waits for another call instead", (world: World) => world.runs.change("run-1", { tools: [other] }), "withheld"],
  ["waits no longer", (world: World) => world.runs.change("run-1", { status: "CANCELLED" }), "ended"],
  ["belongs to another one", (world: World) => world.runs.change("run-1", { parentId: "team-run" }), "withheld"],
] as const)("a run that %s is left to the job, which looks at all of it", async (_, change, end) => {
  const world = await paused()
  change(world)
  const settled = await known(world)

  expect(await resumeAtOnce(world.ports, settled)).toBe(0)

  expect([world.runs.posts.length, caseOf(world).resumption?.kind]).toEqual([0, "waiting"])
  await resumed(world)
  expect(caseOf(world).resumption?.kind).toBe(end)
})

test("the run of a team's member is left to the job, too", async () => {
  const world = await pairPaused()
  const settled = await known(world)

  expect(await resumeAtOnce(world.ports, settled)).toBe(0)

  expect([world.runs.posts.length, caseOf(world).resumption?.kind]).toEqual([0, "waiting"])
})

test("the run of a team is not even read", async () => {
  const world = await paused({ approval: { sourceType: "team", teamId: "team-1", agentId: null } })

  expect(await settledNow(world)).toBe(null)
})

test("R17 while Redis is rolled back nothing is continued", async () => {
  const world = await paused()
  const settled = await known(world)
  world.server.stand({ kind: "rolled-back", why: "a test", since: world.clock.now() })

  expect(await resumeAtOnce(world.ports, settled)).toBeGreaterThan(0)

  expect(world.runs.posts).toEqual([])
})

test("a run is read only after the platform took the decision", async () => {
  const world = await paused()
  const order: string[] = []
  const read: Runs["read"] = (address) => {
    order.push("read")
    return world.runs.read(address)
  }
  const runs = new Map([["main", { ...world.runs, read }]])
  world.platform.beforeResolve(() => void order.push("resolve"))

  await settledNow(world, { ...world.ports, runs })

  expect(order).toEqual(["resolve", "read"])
})

test("a continue that takes long is told on the card meanwhile", async () => {
  const world = await paused()
  const settled = await known(world)
  let shown: unknown
  world.runs.beforeContinue(async () => {
    world.timePasses()
    await world.queue.runDue(world.ports)
    shown = world.chat.messages[0]?.model.status
  })

  await resumeAtOnce(world.ports, settled)

  expect(shown).toMatchObject({ kind: "settled", run: { kind: "continuing" } })
})
