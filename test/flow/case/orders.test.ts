// A stop in the flow: what it covers is not approved, not posted and not continued, and its cards say so (R21).

import { expect, test } from "vitest"
import { withoutStop } from "../../../src/domain/order/orders.ts"
import { show } from "../../../src/flow/card/deliver.ts"
import { createOrderCheck, stopTrouble } from "../../../src/flow/case/orders.ts"
import { announce } from "../../../src/flow/poll/poll.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { resume } from "../../../src/flow/resume/resume.ts"
import { askForForm } from "../../../src/flow/vote/decide.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { anAbsence, aStop } from "../../support/orders.ts"
import { aPress } from "../../support/presses.ts"
import { paused } from "../resuming.ts"
import {
  announced,
  announcedWorld,
  carried,
  caseOf,
  ledgerKinds,
  minute,
  pass,
  pressed,
  takeUp,
  twoOfThree,
} from "../support.ts"

const stop = aStop()
const inForce = { stops: [stop] }
const { by, at, reason } = stop
const told = { kind: "stopped", by, at, reason, perhaps: false }

/** A stop comes: each process knows, and what was judged before is committed no more. */
function stopNow(world: World): void {
  world.order(inForce)
  world.server.activate("with a stop")
}

/** The ports of a process for the config with the stop. */
function portsNow(world: World): Ports {
  return world.process({ ...world.ports.policy, revision: world.server.active() })
}

test("R21 approving is refused with who, when and why, and nothing is counted; rejecting goes on", async () => {
  const world = await announcedWorld()
  world.order(inForce)

  const { answers } = await pressed(world)
  expect(answers).toEqual([told])
  expect(ledgerKinds(world)).not.toContain("voted")

  const { case: after } = await pressed(world, { interaction: "press-2", user: "U2", verb: "reject" })
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R21 a stop of other calls refuses nothing, and one that may be meant says so", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })

  world.order({ stops: [aStop({ match: { team: ["t"] } })] })
  expect((await pressed(world)).answers).toEqual([{ ...told, perhaps: true }])

  world.order({ stops: [aStop({ match: { instance: ["other"] } })] })
  expect((await pressed(world, { interaction: "press-2" })).case.votes).toHaveLength(1)
})

test("R21 what was pressed before the end of a stop approves nothing after it; what is pressed then does", async () => {
  const world = await announcedWorld()
  const early = aPress(world, caseOf(world))
  world.clock.forward(1_000)
  world.order(withoutStop(inForce, stop.id, world.clock.now()))

  expect((await carried(world, early)).answers).toEqual([{ kind: "stop-ended", at: world.clock.now() }])
  expect(ledgerKinds(world)).not.toContain("voted")

  world.clock.forward(1)
  const { case: after } = await pressed(world, { interaction: "press-2" })
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

test("R21 a rejection from before the end of a stop counts, and so does an approval that it did not cover", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  const others = aStop({ id: "s-2", match: { instance: ["other"] } })
  const [approving, rejecting] = [
    aPress(world, caseOf(world)),
    aPress(world, caseOf(world), { user: "U2", verb: "reject" }),
  ]
  world.order(withoutStop({ stops: [others] }, others.id, world.clock.now()))

  expect((await carried(world, approving)).case.votes).toHaveLength(1)
  world.order(withoutStop(inForce, stop.id, world.clock.now()))
  expect((await carried(world, rejecting)).case.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R21 no form is shown to somebody who may not approve while it is stopped", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ requireReason: "approve" })]) })
  const press = aPress(world, await announced(world))
  if (press.verb === "withdraw") throw new Error("a press that votes")
  world.order(inForce)

  const asked = await askForForm(world.ports, press)

  expect(asked).toMatchObject({ kind: "answered", decided: { answer: told } })
})

test("R21 earlier votes stay, and the one that completes comes after the end", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)
  world.order(inForce)
  await pressed(world, { user: "U2", interaction: "press-2" })
  expect(caseOf(world)).toMatchObject({ state: "open", votes: [{ person: { user: "U1" } }] })

  world.order({ stops: [] })
  const { case: after } = await pressed(world, { user: "U2", interaction: "press-3" })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

test("R21 whoever made a verdict and has not sent it notes that, and ends it at once", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => stopNow(world))

  await pressed(world)

  expect(world.platform.bodies).toEqual([])
  expect(caseOf(world)).toMatchObject({ state: "open", votes: [], decision: null })
  expect(ledgerKinds(world).slice(-3)).toEqual(["decided", "attempted", "reopened"])
  const { case: after } = await pressed(world, { interaction: "press-2" }, portsNow(world))
  expect(after.state).toBe("open")
})

test("R21 a verdict that waited while a stop came and went does not leave as it was: it is looked at once more", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => {
    world.order(inForce)
    world.order({ stops: [] })
  })

  await pressed(world)

  expect(world.platform.bodies).toEqual([])
  expect(caseOf(world)).toMatchObject({ state: "sending", sending: { attempts: [{ result: "refused" }] } })
  expect(ledgerKinds(world).at(-1)).toBe("attempted")
  world.platform.beforeResolve(() => undefined)
  await pass(world, minute)
  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

/** A verdict whose fate nobody knows when a stop comes: the platform carried it out (`applied`) or not. */
async function onItsWay(world: World, applied = false): Promise<Ports> {
  world.platform.failResolve({ kind: "unheard", applied })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await pressed(world)
  stopNow(world)
  expect(caseOf(world).state).toBe("sending")
  return portsNow(world)
}

test.each([
  [10_000, minute],
  [40_000, 2 * minute],
])(
  "R21 another replica only reads a verdict that may be on its way for a time limit of %i ms, and then ends it",
  async (timeoutMs, waitMs) => {
    const world = await announcedWorld({ conduct: { timeoutMs } })
    const ports = await onItsWay(world)
    await resolve(ports, caseOf(world).id)

    expect(caseOf(world)).toMatchObject({ state: "sending", sending: { stopped: true } })
    expect(ledgerKinds(world).at(-1)).toBe("doubtful")
    world.clock.forward(waitMs - 1)
    await resolve(ports, caseOf(world).id)
    expect(caseOf(world).state).toBe("sending")

    world.clock.forward(1)
    await resolve(ports, caseOf(world).id)

    expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
    expect(world.platform.bodies).toHaveLength(1)
  },
)

test("R21 a verdict that had left before the stop is settled as the platform says", async () => {
  const world = await announcedWorld()
  const ports = await onItsWay(world, true)

  await resolve(ports, caseOf(world).id)

  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

test("R21 a verdict to reject is sent although a stop covers it", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => world.order(inForce))

  const { case: after } = await pressed(world, { verb: "reject" })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R21 no run is continued while a stop covers it, and it goes on after the end", async () => {
  const world = await paused()
  await pressed(world)
  world.order(inForce)

  expect(await resume(world.ports, caseOf(world).id)).toBe(30_000)
  await pass(world, minute)
  expect(ledgerKinds(world)).not.toContain("continued")

  world.order({ stops: [] })
  await pass(world, minute)
  expect(world.runs.executions).toEqual(["delete_table"])
})

test.each([
  ["still counts", 23, ["delete_table"]],
  ["counts no more", 25, []],
])("R21 after a stop of many hours a run goes on if its approval %s", async (_what, hours, ran) => {
  const world = await paused()
  await pressed(world)
  world.order(inForce)
  await resume(world.ports, caseOf(world).id)
  expect(caseOf(world).resumption).toMatchObject({ kind: "waiting", stopped: { stop: stop.id, by, reason, at } })

  world.clock.forward(hours * 60 * minute)
  world.order({ stops: [] })
  await pass(world, minute)

  expect(world.runs.executions).toEqual(ran)
  expect(ledgerKinds(world).includes("not-resumed")).toBe(ran.length === 0)
  if (ran.length > 0) return
  const why = "it was stopped for longer than its approval counts (receipt_life)"
  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", why, late: true })
  expect(world.server.ledger).toContainEqual(expect.objectContaining({ kind: "not-resumed", why, late: true }))
  expect(JSON.stringify(world.chat.messages[0]?.lines)).toContain("not-resumed")
  expect(world.chat.messages[0]?.model.status).toMatchObject({ run: { kind: "withheld", late: true } })
  expect(world.alarms).toContainEqual(expect.objectContaining({ code: "not-resumed", why }))
})

test("R21 without a stop, a run whose approval counts no more goes on as before", async () => {
  const world = await paused()
  await pressed(world)
  world.clock.forward(25 * 60 * minute)

  await pass(world, minute)

  expect(world.runs.executions).toEqual(["delete_table"])
})

test("R21 the card says who stopped the run that waits, and after the end it says so no more", async () => {
  const world = await paused()
  await pressed(world)
  world.order(inForce)
  await resume(world.ports, caseOf(world).id)
  await show(world.ports, caseOf(world).id)
  const run = () => {
    const status = world.chat.messages[0]?.model.status
    return status?.kind === "settled" ? status.run : undefined
  }
  expect(run()).toMatchObject({ kind: "waiting", stopped: { by, reason } })

  world.order({ stops: [] })
  await pass(world, minute)

  expect(run()).toMatchObject({ kind: "ended" })
})

test("R21 a continue that has not left when the stop comes stays here, and waits", async () => {
  const world = await paused()
  world.runs.beforeContinue(() => stopNow(world))

  await pressed(world)
  await resume(world.ports, caseOf(world).id)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world).resumption).toMatchObject({ kind: "waiting", stopped: { stop: stop.id } })
})

test("R21 a continue that only refuses goes out", async () => {
  const world = await paused({ conduct: { resume: "decided" } })
  await pressed(world, { verb: "reject" })
  world.order(inForce)

  await world.queue.runAll(world.ports)

  expect(ledgerKinds(world)).toContain("continued")
})

test("R21 cards have no Approve while a stop covers them, and have it again after the end", async () => {
  const world = await announcedWorld()
  const check = createOrderCheck()
  const reads = () => world.chat.messages[0]?.model.status
  await check(world.ports)

  world.order(inForce)
  await check(world.ports)
  await world.queue.runAll(world.ports)
  expect(reads()).toEqual({ kind: "stopped", stop: stop.id, by, reason, at })

  world.order({ stops: [] })
  await check(world.ports)
  await world.queue.runAll(world.ports)
  expect(reads()).toMatchObject({ kind: "open" })
})

test("R21 a card that a short stop drew is drawn anew, though no check saw the stop", async () => {
  const world = await announcedWorld()
  const check = createOrderCheck()
  await check(world.ports)
  world.order(inForce)
  await show(world.ports, caseOf(world).id)
  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "stopped" })

  world.order({ stops: [] })
  await check(world.ports)
  await world.queue.runAll(world.ports)

  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "open" })
  expect(world.alarmCodes()).toEqual([])
})

test("R21 an alarm names each stop and its end, and /status says what is stopped", async () => {
  const world = createWorld()
  const check = createOrderCheck()
  world.order(inForce)
  await check(world.ports)
  expect(world.alarms).toMatchObject([
    { code: "stopped", stop: stop.id, covers: "everything", by: "operator ops", reason },
  ])
  expect(stopTrouble(world.ports)).toBe(`stopped: everything by operator ops (${reason}), stop ${stop.id}`)

  world.order({ stops: [] })
  await check(world.ports)

  expect(world.alarmCodes()).toEqual(["stopped", "stop-ended"])
  expect(stopTrouble(world.ports)).toBeNull()
})

test("R21 an approval that comes under a stop gets its card, without Approve from the first", async () => {
  const world = createWorld()
  world.order(inForce)
  const approval = anApproval()
  world.platform.put(approval)
  await announce(world.ports, approval)
  expect(caseOf(world).stopped).toMatchObject({ stop: stop.id })

  await takeUp(world)

  expect(world.chat.messages.map(({ model }) => model.status.kind)).toEqual(["stopped"])
  expect(ledgerKinds(world)).toEqual(["opened", "placed"])
})

test("a card names who may vote for an approver who is away, until they are back by the clock", async () => {
  const rule = aRule({ standIns: ["U9", "U8"].map((id) => ({ kind: "user", id })) })
  const world = await announcedWorld({ policy: aPolicy([rule]) })
  const check = createOrderCheck()
  const from = world.ports.clock() + minute
  const shown = async () => {
    await check(world.ports)
    await world.queue.runAll(world.ports)
    return world.chat.messages[0]?.model.rules.map(({ standIns }) => standIns)
  }
  const absences = [
    anAbsence({ person: "T1:U1", standIn: "T1:U9", from, until: from + minute }),
    anAbsence({ id: "a-2", person: "T1:U3", standIn: "T1:U8", from, until: from + minute }),
    anAbsence({ id: "a-3", person: "T1:U2", standIn: "T1:U7", from, until: from + minute }),
  ]
  world.order({ stops: [], absences })
  expect(await shown()).toEqual([undefined])

  world.clock.forward(minute)
  expect(await shown()).toEqual([[{ rule: "all", person: "T1:U1", standIn: "T1:U9" }]])

  world.clock.forward(minute)
  expect(await shown()).toEqual([undefined])
})

test("a card names nobody for an approver of a group who is not in it, or for an address that is somebody else's", async () => {
  const approvers = [{ kind: "group", id: "S1" }] as const
  const standIns = [{ kind: "email", email: "u9@example.com" }] as const
  const world = createWorld({ policy: aPolicy([aRule({ approvers, standIns })]) })
  world.people.set(aPerson({ user: "U9" }), aPerson({ user: "U8" }))
  world.people.group("S1", "U1")
  const away = (id: string, person: string, standIn: string) => anAbsence({ id, person, standIn, until: Infinity })
  const pairs = [away("a", "T1:U1", "T1:U9"), away("b", "T1:U2", "T1:U9"), away("c", "T1:U1", "T1:U8")]
  world.order({ stops: [], absences: pairs })

  await announced(world)

  const [rule] = world.chat.messages[0]?.model.rules ?? []
  expect(rule?.standIns).toEqual([{ rule: "all", person: "T1:U1", standIn: "T1:U9" }])
})
