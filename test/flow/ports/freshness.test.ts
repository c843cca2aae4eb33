// What the flow does where Redis is older than what is known: nothing is granted, people are asked again, and every
// press is answered.

import { expect, test } from "vitest"
import { reconcile, sweep } from "../../../src/flow/resolve/reconcile.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { carryOut } from "../../../src/flow/vote/interactions.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announcedWorld, caseOf, decideOn, ledgerKinds, minute, pressed, twoOfThree, unheard } from "../support.ts"

/** One of two votes is in. */
async function halfWay(): Promise<World> {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)
  return world
}

test("R17 votes of a case that a lost second touched are void at a new revision, and its people are asked again", async () => {
  const world = await halfWay()
  const shown = caseOf(world)
  world.server.touch(shown.id)

  const { answer } = await decideOn(world.ports, aPress(world, shown, { user: "U2" }))

  expect(answer).toEqual({ kind: "asked-anew" })
  expect(caseOf(world)).toMatchObject({ state: "open", votes: [], revision: { number: 2 } })
  expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "renewed", revision: 2, voided: ["T1:U1"], held: false })
  expect(world.platform.bodies).toEqual([])
})

test("R17 the sweep begins every touched case anew, whoever presses or not", async () => {
  const world = await halfWay()
  world.server.touch(caseOf(world).id)

  await sweep(world.ports)
  await sweep(world.ports)

  expect(caseOf(world)).toMatchObject({ votes: [], revision: { number: 2 } })
  expect(ledgerKinds(world).filter((kind) => kind === "renewed")).toHaveLength(1)
})

test("R17 a touched case that cannot be begun anew now holds up no other", async () => {
  const world = await halfWay()
  const { store } = world.ports
  world.server.touch("broken")
  world.server.touch(caseOf(world).id)
  const read: typeof store.read = async (id) => {
    if (id === "broken") throw new Error("not now")
    return store.read(id)
  }

  await sweep({ ...world.ports, store: { ...store, read } })

  expect(caseOf(world)).toMatchObject({ votes: [], revision: { number: 2 } })
})

test("R17 a press of an earlier era votes nothing, unless it was counted already; a press of now counts", async () => {
  const all = aRule({ quorum: 3, approvers: ["U1", "U2", "U3"].map((id) => ({ kind: "user", id })) })
  const world = await announcedWorld({ policy: aPolicy([all]) })
  const write = (user: string) => world.ports.tickets.write(aPress(world, caseOf(world), { user }))
  const [counted, waiting] = [await write("U1"), await write("U2")]
  await carryOut(world.ports, counted)
  world.server.touch()

  await carryOut(world.ports, counted)
  await carryOut(world.ports, waiting)
  await carryOut(world.ports, await write("U3"))

  expect(caseOf(world).votes.map(({ person }) => person.user)).toEqual(["U1", "U3"])
  expect(world.chat.told.map(({ answer }) => answer)).toEqual([{ kind: "asked-anew" }])
})

test("R9 R17 a verdict that a lost second touched is never sent again, is read, and ends after a minute of pending", async () => {
  const world = await unheard()
  const { id } = caseOf(world)
  world.server.touch(id)

  await resolve(world.ports, id)
  const sent = world.platform.bodies.length
  expect(caseOf(world)).toMatchObject({ state: "sending", sending: { doubtfulAt: world.clock.now() } })
  expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "doubtful" })
  world.clock.forward(minute - 1)
  await resolve(world.ports, id)
  expect(caseOf(world).state).toBe("sending")
  world.clock.forward(1)
  await resolve(world.ports, id)

  expect(caseOf(world)).toMatchObject({ state: "open", votes: [], decision: null })
  expect(world.platform.bodies).toHaveLength(sent)
})

test("R9 R17 such a minute is one, whatever the clock of the replica that looks says", async () => {
  const world = await unheard()
  const { id } = caseOf(world)
  world.server.touch(id)
  const ahead = { ...world.ports, clock: () => world.clock.now() + 40_000 }

  await resolve(world.ports, id)
  world.clock.forward(minute - 1)
  await resolve(ahead, id)
  expect(caseOf(world).state).toBe("sending")
  world.clock.forward(1)
  await resolve(ahead, id)

  expect(caseOf(world).state).toBe("open")
})

test("R9 R17 a verdict that a lost second touched, and that the platform has, is ours", async () => {
  const world = await unheard(true)
  const { id } = caseOf(world)
  world.server.touch(id)

  await resolve(world.ports, id)
  await world.queue.runDue(world.ports)

  expect(caseOf(world)).toMatchObject({ outcome: { kind: "ours", verb: "approve" } })
})

test("R9 the body of a verdict that had ended is an alarm where the platform has it later, and never ours", async () => {
  const world = await announcedWorld()
  world.platform.failResolve({ kind: "answer", answer: { kind: "refused", status: 403, detail: "no" } })
  await pressed(world)
  const [body = "{}"] = world.platform.bodies
  const decision = JSON.parse(body).resolution_data.countersign.decision_id
  expect(caseOf(world)).toMatchObject({ state: "open", ended: [decision] })

  world.platform.change("a-1", { status: "approved", resolutionData: JSON.parse(body).resolution_data })
  await reconcile(world.ports, caseOf(world).id)

  expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status: "approved" })
  expect(world.alarmCodes()).toContain("ended-verdict-sent")
})

test("R17 while Redis is rolled back nobody approves; a rejection is committed and sent after a read", async () => {
  const world = await announcedWorld()
  world.server.stand({ kind: "rolled-back", why: "a test", since: world.clock.now() })

  const approve = await decideOn(world.ports, aPress(world, caseOf(world), {}))
  expect([approve.answer, caseOf(world).votes, world.platform.bodies]).toEqual([{ kind: "rolled-back" }, [], []])
  world.clock.forward(1)
  const { case: after } = await pressed(world, { verb: "reject" })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R17 while Redis is rolled back a verdict of before is not sent again", async () => {
  const world = await unheard()
  const sent = world.platform.bodies.length
  world.server.stand({ kind: "rolled-back", why: "a test", since: world.clock.now() + 1 })
  world.clock.forward(minute)

  await resolve(world.ports, caseOf(world).id)

  expect(caseOf(world).state).toBe("sending")
  expect(world.platform.bodies).toHaveLength(sent)
})

test("R11 a press never counts twice, whatever Redis says was consumed", async () => {
  const world = await halfWay()
  const press = aPress(world, caseOf(world), { user: "U2", verb: "approve" })
  world.server.overwrite({
    ...caseOf(world),
    used: [{ interaction: press.interaction, person: "T1:U2", at: press.at }],
  })

  const { answer } = await decideOn(world.ports, press)

  expect(answer).toEqual({ kind: "changed", change: null })
  expect(caseOf(world).votes).toHaveLength(1)
})

test("R11 an approval that was pressed before the same person withdrew counts no more", async () => {
  const world = await halfWay()
  world.clock.forward(1)
  const early = aPress(world, caseOf(world), { user: "U1" })
  world.clock.forward(1_000)
  await pressed(world, { user: "U1", verb: "withdraw" })

  const { answer } = await decideOn(world.ports, early)

  expect(answer).toEqual({ kind: "late" })
  expect(caseOf(world).votes).toEqual([])
})

test("R14 a card that is ahead of its record freezes the case, unless what is missing was lost", async () => {
  const world = await halfWay()
  const shown = caseOf(world)
  const ahead = {
    ...aPress(world, shown, { user: "U2" }),
    target: { ...aPress(world, shown).target, bound: { era: 0, count: 99 } },
  }

  world.server.onSettle(() => world.server.touch(shown.id))
  expect((await decideOn(world.ports, ahead)).answer).toEqual({ kind: "asked-anew" })
  world.server.onSettle(() => undefined)
  const bound = { era: 1, count: 99 }
  const again = { ...aPress(world, caseOf(world), { user: "U3" }) }
  const { answer } = await decideOn(world.ports, { ...again, target: { ...again.target, bound } })

  expect(answer).toEqual({ kind: "frozen" })
  expect(world.alarmCodes()).toContain("tampered-case")
})
