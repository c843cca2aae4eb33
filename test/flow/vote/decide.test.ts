// Decide: one person, two at once, a quorum, several rules: what is counted, and what each is told (R1, R3).

import { expect, test } from "vitest"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, decideOn, ledgerKinds, pressed, twoOfThree } from "../support.ts"

test("one approval under a rule of one resolves the record in the approver's name", async () => {
  const world = await announcedWorld()

  const { answers, case: after } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([])
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve", resolvedBy: "u1@example.com" })
  expect(world.platform.row("a-1")).toMatchObject({ status: "approved", resolvedBy: "u1@example.com" })
  expect(caseOf(world).state).toBe("closed")
  expect(ledgerKinds(world)).toEqual(["opened", "placed", "voted", "decided", "resolved", "placed", "closed"])
})

test("one rejection decides, and its reason travels with it", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)

  await pressed(world, { user: "U2", verb: "reject", reason: "too early" })

  const { status, resolvedBy, resolutionData } = world.platform.row("a-1")
  expect({ status, resolvedBy }).toEqual({ status: "rejected", resolvedBy: "u2@example.com" })
  expect(resolutionData).toMatchObject({ countersign: { reason: "too early" } })
})

test.each([
  ["without one", null],
  ["of spaces", "  "],
  ["of an invisible character", "\u200b"],
  ["of a filler that draws a blank", "\u3164"],
  ["of a blank of Braille", "\u2800 \u2800"],
])("a rule that wants a reason takes no press %s", async (_how, reason) => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ requireReason: "always" })]) })

  const { answers, case: after } = await pressed(world, { reason })

  expect(answers).toEqual([{ kind: "reason-missing", verb: "approve" }])
  expect(after.votes).toEqual([])
})

test("R1: who presses again is told what is missing, and nothing is added: no entry, no line", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)
  const before = { entries: ledgerKinds(world), lines: caseOf(world).lines }

  const { answers } = await pressed(world, { interaction: "press-2" })
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([{ kind: "again", verb: "approve", progress: [{ rule: "all", have: 1, need: 2 }] }])
  expect({ entries: ledgerKinds(world), lines: caseOf(world).lines }).toEqual(before)
})

test("R1: who presses again with another reason, or changes their mind, votes anew", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)

  await pressed(world, { interaction: "press-2", reason: "checked twice" })
  const { case: after } = await pressed(world, { interaction: "press-3", verb: "reject" })

  expect(ledgerKinds(world).filter((kind) => kind === "voted")).toHaveLength(3)
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("two people decide at once: one does, and the other is told who was first", async () => {
  const world = createWorld()
  const current = await announced(world)

  const decided = await Promise.all([
    decideOn(world.ports, aPress(world, current)),
    decideOn(world.ports, aPress(world, current, { user: "U2", verb: "reject" })),
  ])

  const told = decided.map((one) => one.answer)
  expect(told).toContainEqual({ kind: "resolved", verb: "approve", resolvedBy: "u1@example.com" })
  expect(told).toContainEqual({ kind: "already", verb: "approve", users: ["U1"], pending: true })
  expect(world.platform.effects).toBe(1)
})

test("somebody whose read of the platform already shows the other's decision is told who was first", async () => {
  const world = createWorld()
  const current = await announced(world)
  const slow = {
    ...world.platform,
    get: async (id: string) => {
      await pressed(world)
      return world.platform.get(id)
    },
  }
  const ports = { ...world.ports, platforms: new Map([["main", slow]]) }

  const { answer } = await decideOn(ports, aPress(world, current, { user: "U2" }))

  expect(answer).toMatchObject({ kind: "already", verb: "approve", users: ["U1"] })
})

test("a quorum of two waits for the second person, whose vote completes the decision and names it", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })

  const first = await decideOn(world.ports, aPress(world, caseOf(world)))
  expect(first.answer).toEqual({ kind: "counted", verb: "approve", progress: [{ rule: "all", have: 1, need: 2 }] })
  expect(world.platform.effects).toBe(0)
  const second = await decideOn(world.ports, aPress(world, caseOf(world), { user: "U3" }))

  expect(second.answer).toEqual({ kind: "resolved", verb: "approve", resolvedBy: "u3@example.com" })
  expect(world.platform.row("a-1").resolutionData).toMatchObject({
    countersign: { approvers: [{ slack: "T1:U1" }, { slack: "T1:U3" }] },
  })
})

test("two voters who race for a quorum of two make one decision together", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  const current = await announced(world)

  await Promise.all(["U1", "U2"].map((user) => decideOn(world.ports, aPress(world, current, { user }))))

  expect(
    caseOf(world)
      .decision?.votes.map((vote) => vote.person.user)
      .toSorted(),
  ).toEqual(["U1", "U2"])
  expect(world.platform.effects).toBe(1)
})

test("three voters who race for a quorum of two resolve once", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  const current = await announced(world)

  const decided = await Promise.all(
    ["U1", "U2", "U3"].map((user) => decideOn(world.ports, aPress(world, current, { user }))),
  )

  expect(world.platform.effects).toBe(1)
  expect(decided.filter((one) => one.answer.kind === "already")).toHaveLength(1)
})

test("the same person twice is no quorum of two", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)
  world.clock.forward(1_000)

  const { case: after } = await pressed(world)

  expect(after.state).toBe("open")
  expect(after.votes).toHaveLength(1)
})

test("a person may change from approve to reject while the case is open", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world)
  world.clock.forward(1_000)

  await pressed(world, { verb: "reject" })

  expect(world.platform.row("a-1").status).toBe("rejected")
})

test("R1: a row with two gated calls under two rules needs the approvers of both", async () => {
  const rules = [
    aRule({ name: "deletes", match: { tool: ["delete_*"] }, approvers: [{ kind: "user", id: "U1" }] }),
    aRule({ name: "mails", match: { tool: ["send_*"] }, approvers: [{ kind: "user", id: "U2" }] }),
  ]
  const world = createWorld({ policy: aPolicy(rules) })
  await announced(
    world,
    anApproval({ toolName: "delete_x", requirements: [aRequirement("delete_x"), aRequirement("send_y")] }),
  )

  const first = await decideOn(world.ports, aPress(world, caseOf(world)))
  const second = await decideOn(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  expect(first.answer).toMatchObject({
    kind: "counted",
    progress: [
      { rule: "deletes", have: 1, need: 1 },
      { rule: "mails", have: 0, need: 1 },
    ],
  })
  expect(second.answer.kind).toBe("resolved")
  expect(world.platform.effects).toBe(1)
})

test("R1: a rejection by an approver of one of two rules decides for both", async () => {
  const rules = [
    aRule({ name: "deletes", match: { tool: ["delete_*"] }, approvers: [{ kind: "user", id: "U1" }] }),
    aRule({ name: "mails", match: { tool: ["send_*"] }, approvers: [{ kind: "user", id: "U2" }] }),
  ]
  const world = await announcedWorld(
    { policy: aPolicy(rules) },
    anApproval({ requirements: [aRequirement("delete_x"), aRequirement("send_y")] }),
  )

  await pressed(world, { user: "U2", verb: "reject" })

  expect(world.platform.row("a-1").status).toBe("rejected")
})

test("R1: a call that no rule covers lets nobody decide, and an alarm says so", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ match: { tool: ["send_*"] } })]) })

  const current = await announced(world)
  const { answers } = await pressed(world)

  expect(current.revision.covered).toBe(false)
  expect(world.alarmCodes()).toEqual(["no-rule"])
  expect(answers).toEqual([{ kind: "replaced" }])
  expect(world.platform.effects).toBe(0)
})

test("R3: votes with different values never add up", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  await pressed(world, { values: { values: { amount: 1 } } })

  const second = await decideOn(
    world.ports,
    aPress(world, caseOf(world), { user: "U2", values: { values: { amount: 2 } } }),
  )
  expect(second.answer).toMatchObject({ kind: "counted", progress: [{ have: 1, need: 2 }] })
  await pressed(world, { user: "U3", values: { values: { amount: 2 } } })

  expect(world.platform.row("a-1").resolutionData).toMatchObject({ values: { amount: 2 } })
  expect(caseOf(world).decision?.votes.map((vote) => vote.person.user)).toEqual(["U2", "U3"])
})

test("R3: a vote is bound to installation, case, revision, digest, rule, person, verb, values, surface and interaction", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })

  const press = aPress(world, caseOf(world), { values: { values: { amount: 1 } } })
  const { case: after } = await decideOn(world.ports, press)

  const { id, revision, installation } = caseOf(world)
  expect(after?.votes[0]).toMatchObject({
    installation,
    caseId: id,
    revision: revision.number,
    digest: revision.digest,
    rules: revision.quotas.map(({ name, hash }) => ({ name, hash })),
    person: press.person,
    verb: "approve",
    values: { values: { amount: 1 } },
    surface: "card",
    interaction: press.interaction,
  })
})
