// A run that ended while its approval is pending: the card says so, nobody approves it, and an operator hears of it.
import { describe, expect, test } from "vitest"
import { cardModelOf } from "../../../src/domain/case/card-model.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { anApproval, aPolicy, aRequirement, aRule, aSessionRun, aTiming } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, caseOf, lines, pressed } from "../support.ts"

/** Polls, and lets the jobs run that come of it. */
async function polled(world: World): Promise<void> {
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)
}

const statusOf = (world: World) => {
  const current = caseOf(world)
  return cardModelOf(current, current.cards[0]?.route ?? "").status
}

const over = (status: string, ran: readonly string[] = []) => ({ kind: "run-over", status, ran })

const requirement = aRequirement("delete_table", { tool_args: { table: "customers" } })

/** A session of which the run of `a-1` says how it stands, with one call. */
const session = (status: string, call: JsonObject = {}) => ({
  "session-1": [aSessionRun({ runId: "run-1", status, tools: [{ ...executionIn(requirement), ...call }] })],
})

describe("trap 25: the run of a pending approval", () => {
  test.each(["COMPLETED", "CANCELLED"])("is %s: the next poll says so on its card, once", async (runStatus) => {
    const world = await announcedWorld()
    world.platform.change("a-1", { runStatus })

    await polled(world)
    const reads = world.platform.reads
    await polled(world)

    expect(statusOf(world)).toEqual(over(runStatus))
    expect(world.chat.messages.at(-1)?.model.status).toEqual(over(runStatus))
    expect(lines(world).filter((one) => one === "run-over")).toHaveLength(1)
    const told = { code: "run-ended-without-waiting", approval: "a-1", run: "run-1", runStatus, refused: [] }
    expect(world.alarms).toMatchObject([told])
    expect(world.platform.reads).toBe(reads)
  })

  test("had ended before its card was posted: two polls say so", async () => {
    const world = createWorld()
    world.platform.put(anApproval({ runStatus: "CANCELLED" }))

    await polled(world)
    await polled(world)

    expect(statusOf(world)).toEqual(over("CANCELLED"))
  })

  test("is over: a press of Approve from before is refused, and a rejection closes the card", async () => {
    const world = await announcedWorld()
    world.platform.change("a-1", { runStatus: "CANCELLED" })

    const { answers, case: after } = await pressed(world)

    expect(answers).toEqual([{ kind: "run-over", status: "CANCELLED" }])
    expect(after.votes).toEqual([])
    expect(world.platform.bodies).toEqual([])
    await world.queue.runDue(world.ports)
    const { case: closed } = await pressed(world, { verb: "reject" })
    expect(closed.outcome).toMatchObject({ kind: "ours", verb: "reject" })
  })

  test("R12: is over, so nothing can run in spite of a rejection: it is sent", async () => {
    const input = { requires_user_input: true, requires_confirmation: null, user_input_schema: [] }
    const approval = anApproval({ pauseType: "user_input", requirements: [aRequirement("delete_table", input)] })
    const world = await announcedWorld({}, approval)
    world.platform.change("a-1", { runStatus: "COMPLETED" })
    await polled(world)

    const { case: after } = await pressed(world, { verb: "reject" })

    expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
  })

  test.each([
    ["PAUSED", "open"],
    ["ERROR", "run-over"],
    ["CANCELLED", "run-over"],
  ])("is said to be ERROR: only the run itself, here %s, says whether that is so", async (status, kind) => {
    const world = createWorld()
    world.platform.sessions(session(status))
    await announced(world)
    world.platform.change("a-1", { runStatus: "ERROR" })

    await polled(world)
    const reads = world.platform.reads
    await polled(world)

    expect(statusOf(world).kind).toBe(kind)
    expect(world.platform.reads).toBe(reads)
  })

  test("is said to be ERROR, and nobody may read it: its approval can still be given", async () => {
    const world = await announcedWorld()
    world.platform.change("a-1", { runStatus: "ERROR" })
    await polled(world)

    const { case: after } = await pressed(world)

    expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
  })

  test("is said to be ERROR, and its session does not answer: it is asked at the next poll", async () => {
    const world = await announcedWorld()
    world.platform.change("a-1", { runStatus: "ERROR" })
    const silent = { ...world.platform, session: () => Promise.reject(platformFailure("timeout")) }
    await poll({ ...world.ports, platforms: new Map([["main", silent]]) }, "main")
    await world.queue.runDue({ ...world.ports, platforms: new Map([["main", silent]]) })
    expect(statusOf(world).kind).toBe("open")
    world.platform.sessions(session("ERROR"))

    await polled(world)

    expect(statusOf(world)).toEqual(over("ERROR"))
  })

  test("ended by an ERROR that was no end: the vote itself looks again", async () => {
    const world = createWorld()
    world.platform.sessions(session("PAUSED"))
    await announced(world)
    world.platform.change("a-1", { runStatus: "ERROR" })
    await polled(world)
    world.platform.sessions(session("ERROR"))

    const { answers } = await pressed(world)

    expect(answers).toEqual([{ kind: "run-over", status: "ERROR" }])
  })

  test("waits after all: its card asks again", async () => {
    const world = await announcedWorld()
    world.platform.change("a-1", { runStatus: "COMPLETED" })
    await polled(world)
    world.platform.change("a-1", { runStatus: "PAUSED" })

    await polled(world)

    expect(statusOf(world).kind).toBe("open")
    expect(caseOf(world)).not.toHaveProperty("reported")
  })

  test("ran the call although nobody had decided: card, thread and an alarm say so", async () => {
    const world = createWorld()
    world.platform.sessions(session("COMPLETED", { confirmed: true, result: "dropped" }))
    await announced(world, anApproval({ requirements: [requirement] }))
    world.platform.change("a-1", { runStatus: "COMPLETED" })

    await polled(world)

    const ran = ["delete_table ran although nobody had decided"]
    expect(statusOf(world)).toEqual(over("COMPLETED", ran))
    expect(lines(world).slice(-2)).toEqual(["run-over", "ran-otherwise"])
    expect(world.alarms.slice(-1)).toMatchObject([{ code: "ran-otherwise", deviations: ran }])
  })

  test("met a gate that stopped the call: an operator hears of it before anybody decides", async () => {
    const said = "countersign refused: no approval of this call"
    const world = createWorld()
    world.platform.sessions(session("COMPLETED", { confirmed: true, tool_call_error: true, result: said }))
    await announced(world)
    world.platform.change("a-1", { runStatus: "COMPLETED" })

    await polled(world)

    expect(world.alarms).toMatchObject([{ code: "run-ended-without-waiting", refused: [said] }])
    expect(statusOf(world)).toEqual(over("COMPLETED"))
  })

  test("is over: nobody is reminded of it", async () => {
    const policy = aPolicy([aRule({ timing: aTiming({ remindAfter: [60_000] }) })])
    const world = await announcedWorld({ policy })
    world.platform.change("a-1", { runStatus: "COMPLETED" })
    await polled(world)

    world.clock.forward(3_600_000)
    await world.queue.runAll(world.ports)

    expect(lines(world)).not.toContain("reminded")
  })

  test("is over while a verdict is on its way: polls do not send that again and again", async () => {
    const world = await announcedWorld()
    world.platform.failResolve({ kind: "unheard", applied: false }, { kind: "unheard", applied: false })
    await pressed(world)
    world.platform.change("a-1", { runStatus: "COMPLETED" })

    for (let round = 0; round < 5; round += 1) await polled(world)

    expect(world.platform.bodies.length).toBeLessThanOrEqual(2)
  })
})
