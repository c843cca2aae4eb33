// Show: whoever asked is told the outcome, once; a team's row and a member's row about one call link each other.

import { expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import { show } from "../../../src/flow/card/deliver.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, caseOf, ledgerKinds, pressed, teamAndMember } from "../support.ts"

/** What the direct messages of the requester hold. */
const direct = (world: World, channel = "DUASK") => world.chat.messages.filter((one) => one.place.channel === channel)

test("the person who asked is told the outcome by direct message, once, and the ledger says so", async () => {
  const world = await announcedWorld()
  await pressed(world)

  await world.queue.runAll(world.ports)
  await show(world.ports, caseOf(world).id)

  expect(direct(world)).toHaveLength(1)
  expect(direct(world)[0]).toMatchObject({
    model: { status: { kind: "settled", outcome: { verb: "approve" } } },
    lines: [],
  })
  expect(caseOf(world).state).toBe("closed")
  expect(ledgerKinds(world).filter((kind) => kind === "placed")).toHaveLength(2)
})

test("nobody is told before the case ended", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  await pressed(world)

  await world.queue.runAll(world.ports)

  expect(direct(world)).toEqual([])
})

test.for([
  ["decided it", { userId: "u1@example.com" }, "DU1"],
  ["is nobody in Slack", { userId: "nobody@example.com" }, "DUASK"],
  ["is not named", { userId: null }, "DUASK"],
  ["is a service account", { userId: "sa:robot" }, "DUASK"],
] as const)("who %s is not told", async ([, changes, channel]) => {
  const world = await announcedWorld({}, anApproval(changes))

  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(direct(world, channel)).toEqual([])
  expect(caseOf(world).state).toBe("closed")
})

test("who decided it elsewhere under the name they asked by is not told; anybody else is", async () => {
  for (const [resolvedBy, cards] of [
    ["asker@example.com", 0],
    ["boss@example.com", 1],
  ] as const) {
    const world = await announcedWorld()
    world.platform.change("a-1", { status: "approved", resolvedBy })

    await poll(world.ports, "main")
    await world.queue.runAll(world.ports)

    expect(direct(world)).toHaveLength(cards)
  }
})

test("R8: a guest who asked, whom no rule lets look, is not told", async () => {
  const world = createWorld()
  world.people.set(aPerson({ user: "UASK", email: "asker@example.com", guest: true }))
  await announced(world)

  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(direct(world)).toEqual([])
  expect(caseOf(world).state).toBe("closed")
})

test("where Slack says no to the direct message, the operator is told and the case closes", async () => {
  const world = await announcedWorld()
  world.chat.fail("DUASK", { kind: "refused", slackCode: "cannot_dm_bot" })

  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(direct(world)).toEqual([])
  expect(world.alarmCodes()).toContain("route-in-trouble")
  expect(caseOf(world).state).toBe("closed")
})

test("while Slack does not say who asked, the cards settle all the same, and it is asked again", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => world.people.fail(chatFailure("timeout")))

  await pressed(world)
  expect(world.chat.messages[0]?.model.status.kind).toBe("settled")
  expect(caseOf(world).state).toBe("settled")
  world.people.fail(null)
  await world.queue.runAll(world.ports)

  expect(direct(world)).toHaveLength(1)
  expect(caseOf(world).state).toBe("closed")
})

test("a team's row and a member's row about one call are two cases, each linking the card of the other", async () => {
  const world = createWorld()
  const [team, member] = teamAndMember()
  await announced(world, team)
  await announced(world, member)
  await world.queue.runAll(world.ports)

  const [ofTeam, ofMember] = [caseOf(world, team.id), caseOf(world, member.id)]
  const linkTo = (one: typeof ofTeam) => `https://slack.example/C1/${cardOn(one, "channel:C1")?.place?.ts}`

  expect(ofTeam.related).toEqual([{ caseId: ofMember.id, of: "member", link: linkTo(ofMember) }])
  expect(ofMember.related).toEqual([{ caseId: ofTeam.id, of: "team", link: linkTo(ofTeam) }])
  expect(world.chat.messages.map((one) => one.model.related.length)).toEqual([1, 1])
})

test("two runs whose calls happen to have one id are not tied", async () => {
  const world = createWorld()
  const [team, member] = teamAndMember()
  await announced(world, team)
  await announced(world, { ...member, runId: "another run" })
  await world.queue.runAll(world.ports)

  expect(caseOf(world, team.id).related).toEqual([])
  expect(caseOf(world, member.id).related).toEqual([])
})

test("one of two related approvals is decided by itself: the other waits on", async () => {
  const world = createWorld()
  const [team, member] = teamAndMember()
  await announced(world, team)
  await announced(world, member)
  await world.queue.runAll(world.ports)

  world.platform.change(member.id, { status: "rejected", resolvedBy: "boss@example.com" })
  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)

  expect(caseOf(world, member.id).state).toBe("closed")
  expect(caseOf(world, team.id).state).toBe("open")
})
