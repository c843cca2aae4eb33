// Survey and watch: what the platform tells beside an approval's record reaches the card and the thread, once.

import { describe, expect, test } from "vitest"
import { poll } from "../../../src/flow/poll/poll.ts"
import { alarmOnce } from "../../../src/flow/poll/poll-troubles.ts"
import { createSessionLook } from "../../../src/flow/poll/sessions.ts"
import type { Alarm, SessionRun } from "../../../src/flow/ports.ts"
import { createWatch } from "../../../src/flow/resume/drift.ts"
import { anApproval, aRequirement, aSessionRun } from "../../support/builders.ts"
import { aClock } from "../../support/clock.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { caseOf, lines, pressed } from "../support.ts"

const aRun = (runId: string, more: Partial<SessionRun> = {}) => aSessionRun({ runId, ...more })
const member = aRun("run-1", { parentRunId: "team-run" })
const itsTeam = aRun("team-run", { teamId: "finance" })

/** How often a thread was told this. */
const times = (world: World, thread: string, kind: string) => lines(world, thread).filter((one) => one === kind).length

/** Polls with a survey of its own, as often as asked. */
async function surveyed(world: World, times = 1, survey = createSessionLook(() => world.ports)): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    await poll(world.ports, "main", { round: survey("main") })
    await world.queue.runAll(world.ports)
  }
}

/** The threads of a settled case: the one in the channel, and the one of the requester's own card. */
const threads = ["C1", "DUASK"]

describe("trap 23: around a member's approval", () => {
  test("the team of a member's approval is named once the session was read, and the session is read once", async () => {
    const world = createWorld()
    world.platform.sessions({ "session-1": [member, itsTeam] })
    world.platform.put(anApproval())

    await surveyed(
      world,
      4,
      createSessionLook(() => world.ports),
    )

    expect(caseOf(world).around).toEqual({ seen: true, team: "finance", unenforced: false })
    expect(world.platform.sessionReads).toBe(1)
  })

  test("a credential that may not read sessions is not asked at every poll", async () => {
    const world = createWorld()
    world.platform.put(anApproval(), anApproval({ id: "a-2" }))
    const survey = createSessionLook(() => world.ports)

    await surveyed(world, 5, survey)
    expect(world.platform.sessionReads).toBe(1)
    world.clock.forward(600_001)
    await surveyed(world, 1, survey)

    expect(world.platform.sessionReads).toBe(2)
    expect(caseOf(world).around.seen).toBe(false)
  })

  test("a session that can't be read now costs nobody the poll, and is asked for again", async () => {
    const world = createWorld()
    world.platform.put(anApproval())
    const failing = { ...world.platform, session: () => Promise.reject(platformFailure("server")) }
    const survey = createSessionLook(() => ({ ...world.ports, platforms: new Map([["main", failing]]) }))
    await poll(world.ports, "main", { round: survey("main") })
    world.platform.sessions({ "session-1": [member, itsTeam] })

    await surveyed(world)

    expect(caseOf(world).around.team).toBe("finance")
  })
})

test("trap 24: a workflow's step is marked: its session knows a workflow and not its run", async () => {
  const world = createWorld()
  world.platform.sessions({ "session-1": [aRun("workflow-run", { workflowId: "month-end" })] })
  world.platform.put(anApproval())

  await surveyed(world, 2)

  expect(caseOf(world).around).toEqual({
    seen: true,
    team: null,
    workflow: { id: "month-end", name: null, step: null },
    unenforced: true,
  })
})

describe("a workflow's step", () => {
  const step = { runId: "run-1", tools: [] }
  const waiting = aRun("w-2", { workflowId: "month-end", pausedStep: "delete", steps: [step] })
  const over = aRun("w-1", { workflowId: "other", status: "COMPLETED" })

  test("is named by the workflow that holds its run, whatever else stands in the session", async () => {
    const world = createWorld()
    world.platform.sessions({ "session-1": [over, waiting, aRun("w-3", { workflowId: "later" })] })
    world.platform.put(anApproval())

    await surveyed(world)

    expect(caseOf(world).around.workflow).toEqual({ id: "month-end", name: null, step: "delete" })
  })

  test("is named although its session tells the workflow only after its run, and a run alone is read three times", async () => {
    const world = createWorld()
    world.platform.sessions({ "session-1": [aRun("run-1")], "session-2": [aRun("run-2")] })
    world.platform.put(anApproval(), anApproval({ id: "a-2", runId: "run-2", sessionId: "session-2" }))
    const survey = createSessionLook(() => world.ports)
    await surveyed(world, 2, survey)
    world.platform.sessions({ "session-1": [aRun("run-1"), waiting], "session-2": [aRun("run-2")] })

    world.clock.forward(1_000)
    await surveyed(world, 1, survey)

    expect(caseOf(world).around).toMatchObject({ workflow: { id: "month-end" }, unenforced: true })
    for (const _ of [1, 2, 3]) {
      world.clock.forward(15_000)
      await surveyed(world, 1, survey)
    }
    expect(world.platform.sessionReads).toBe(5)
  })

  test("is enforced where the platform says that it goes by each record", async () => {
    const world = createWorld()
    world.platform.becomes({ enforcesRejection: true, version: null })
    const flow = aRun("w-2", { workflowId: "month-end", pausedStep: "delete" })
    world.platform.sessions({ "session-1": [aRun("run-1", { parentRunId: "w-2" }), flow] })
    world.platform.put(anApproval())

    await surveyed(world)

    expect(caseOf(world).around).toMatchObject({ workflow: { id: "month-end", step: "delete" }, unenforced: false })
  })

  test.each([true, false])("one whose record says so is judged without its session; enforced: %s", async (enforces) => {
    const world = createWorld()
    world.platform.becomes({ enforcesRejection: enforces, version: null })
    world.platform.put(anApproval({ workflowId: "month-end" }))

    await surveyed(world, 2)

    expect(caseOf(world).around).toEqual({ seen: true, team: null, unenforced: !enforces })
    expect(world.platform.sessionReads).toBe(0)
  })
})

test("trap 65: a team that ended while its member's approval is pending is said in the thread, and alarmed, once", async () => {
  const world = createWorld()
  world.platform.sessions({ "session-1": [member, itsTeam] })
  world.platform.put(anApproval())
  const survey = createSessionLook(() => world.ports)
  await surveyed(world, 2, survey)
  world.platform.sessions({ "session-1": [member, { ...itsTeam, status: "COMPLETED" }] })
  world.clock.forward(60_000)

  await surveyed(world, 2, survey)
  await surveyed(world, 2)

  expect(caseOf(world)).toMatchObject({ state: "open", noticed: ["run-over"] })
  expect(lines(world)).toEqual(["run-over"])
  expect(world.alarms).toMatchObject([{ code: "team-ended-without-waiting", team: "finance", status: "COMPLETED" }])
})

describe("a decided run", () => {
  const requirements = [aRequirement("pay", { tool_args: { amount: 5 } })]
  const execution = {
    tool_call_id: "call-pay",
    tool_name: "pay",
    confirmed: true,
    result: "paid",
    tool_call_error: false,
  }

  async function ended(tool: SessionRun["tools"][number], verb: "approve" | "reject" = "approve") {
    const world = createWorld()
    world.platform.put(anApproval({ requirements }))
    await surveyed(world)
    await pressed(world, { verb })
    await world.queue.runAll(world.ports)
    world.platform.change("a-1", { runStatus: "COMPLETED" })
    world.platform.sessions({ "session-1": [aRun("run-1", { status: "COMPLETED", tools: [tool] })] })
    const watch = createWatch(() => world.ports)
    await watch()
    await watch()
    await createWatch(() => world.ports)()
    await world.queue.runAll(world.ports)
    return world
  }

  test("trap 62: a decided run that ran other arguments than those approved alarms, in the closed case's thread too, once", async () => {
    const world = await ended({ ...execution, tool_args: { amount: 500 } })

    const deviations = ["pay ran with other arguments than those approved"]
    expect(world.alarms).toMatchObject([{ code: "ran-otherwise", approval: "a-1", deviations }])
    for (const thread of threads) expect(times(world, thread, "ran-otherwise")).toBe(1)
    expect(caseOf(world)).toMatchObject({ state: "closed", noticed: ["ran-otherwise"], outcome: { kind: "ours" } })
  })

  test("trap 63: a decided run that ran a call after its rejection alarms", async () => {
    const world = await ended({ ...execution, confirmed: false, tool_args: { amount: 5 } }, "reject")

    expect(world.alarms).toMatchObject([{ deviations: ["pay ran although it was rejected"] }])
    expect(lines(world)).toContain("ran-otherwise")
  })

  test.each([
    ["ran what was approved", { ...execution, tool_args: { amount: 5 } }, "approve"],
    ["refused what was rejected", { ...execution, confirmed: false, result: null, tool_call_error: true }, "reject"],
    ["failed before it ran", { ...execution, tool_args: { amount: 500 }, result: null }, "approve"],
    ["ran another call", { ...execution, tool_call_id: "call-other", tool_args: { amount: 500 } }, "approve"],
  ] as const)("a decided run that %s alarms nobody", async (_, tool, verb) => {
    const world = await ended(tool, verb)

    expect(world.alarms).toEqual([])
    expect(caseOf(world).noticed).toEqual([])
  })

  test("trap 61: a decided run that paused again unasked is said in the closed case's thread, once for all replicas", async () => {
    const world = createWorld()
    world.platform.becomes({ enforcesRejection: false, version: "2.9.0" })
    world.platform.put(anApproval())
    await surveyed(world)
    await pressed(world)
    await world.queue.runAll(world.ports)
    expect(caseOf(world).state).toBe("closed")
    world.platform.change("a-1", { runStatus: "PAUSED", updatedAt: world.clock.now() + 2_000 })
    const replicas = [createWatch(() => world.ports), createWatch(() => world.ports)]

    for (const watch of [...replicas, ...replicas]) await watch()
    await world.queue.runAll(world.ports)

    expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
    for (const thread of threads) expect(times(world, thread, "paused-again")).toBe(1)
    expect(caseOf(world)).toMatchObject({ state: "closed", noticed: ["paused-again"] })
  })

  test("trap 40: a decided run that had ended before is said in the thread of the decision", async () => {
    const world = createWorld()
    world.platform.put(anApproval())
    await surveyed(world)
    world.platform.beforeResolve(() => world.platform.change("a-1", { runStatus: "COMPLETED" }))

    await pressed(world)
    await world.queue.runAll(world.ports)

    expect(world.alarms).toMatchObject([{ code: "resolved-without-effect", runStatus: "COMPLETED" }])
    expect(lines(world).slice(-2)).toEqual(["resolved", "without-effect"])
  })
})

describe("trap 6: an alarm of every poll", () => {
  const unreadable: Alarm = { code: "unreadable-approval", instance: "main", approval: null, why: "1 of 1" }

  test("is raised once, when it says something else, and after hours", () => {
    const clock = aClock()
    const raised: Alarm[] = []
    const alarm = alarmOnce((one) => void raised.push(one), clock.now)

    alarm(unreadable)
    alarm({ ...unreadable })
    expect(raised).toHaveLength(1)
    alarm({ ...unreadable, why: "1 of 2" })
    expect(raised).toHaveLength(2)
    clock.forward(6 * 3_600_000)
    alarm({ ...unreadable })

    expect(raised.map(({ why }) => why)).toEqual(["1 of 1", "1 of 2", "1 of 1"])
  })
})
