// Decide: who may, in which order, and what each of them is told (R1, R3, R5, R6, R7).
import { expect, test } from "vitest"
import { decide } from "../../src/flow/decide.ts"
import { anApproval, aPerson, aPolicy, aRequirement, aRule } from "../support/builders.ts"
import { createWorld } from "../support/memory-ports.ts"
import { chatFailure } from "../support/port-failure.ts"
import { aPress } from "../support/presses.ts"
import { announced, caseOf, ledgerKinds, pressed } from "./support.ts"

const twoOfThree = aRule({
  quorum: 2,
  approvers: ["U1", "U2", "U3"].map((id) => ({ kind: "user", id })),
})

test("one approval under a rule of one resolves the record in the approver's name", async () => {
  const world = createWorld()
  await announced(world)

  const { answers, case: after } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([])
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve", resolvedBy: "u1@example.com" })
  expect(world.platform.row("a-1")).toMatchObject({ status: "approved", resolvedBy: "u1@example.com" })
  expect(caseOf(world).state).toBe("closed")
  expect(ledgerKinds(world)).toEqual(["opened", "placed", "voted", "decided", "resolved", "closed"])
})

test("one rejection decides, and its reason travels with it", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)
  await pressed(world)

  await pressed(world, { user: "U2", verb: "reject", reason: "too early" })

  const { status, resolvedBy, resolutionData } = world.platform.row("a-1")
  expect({ status, resolvedBy }).toEqual({ status: "rejected", resolvedBy: "u2@example.com" })
  expect(resolutionData).toMatchObject({ countersign: { reason: "too early" } })
})

test("a rule that wants a reason takes no press without one, not even one of spaces", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ requireReason: "always" })]) })
  await announced(world)

  const { answers, case: after } = await pressed(world, { reason: "  " })

  expect(answers).toEqual([{ kind: "reason-missing", verb: "approve" }])
  expect(after.votes).toEqual([])
})

test("of two people at once one decides, and the other is told who was first", async () => {
  const world = createWorld()
  const current = await announced(world)

  const decided = await Promise.all([
    decide(world.ports, aPress(world, current)),
    decide(world.ports, aPress(world, current, { user: "U2", verb: "reject" })),
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

  const { answer } = await decide(ports, aPress(world, current, { user: "U2" }))

  expect(answer).toMatchObject({ kind: "already", verb: "approve", users: ["U1"] })
})

test("a quorum of two waits for the second person, whose vote completes the decision and names it", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)

  const first = await decide(world.ports, aPress(world, caseOf(world)))
  expect(first.answer).toEqual({ kind: "counted", verb: "approve", progress: [{ rule: "all", have: 1, need: 2 }] })
  expect(world.platform.effects).toBe(0)
  const second = await decide(world.ports, aPress(world, caseOf(world), { user: "U3" }))

  expect(second.answer).toEqual({ kind: "resolved", verb: "approve", resolvedBy: "u3@example.com" })
  expect(world.platform.row("a-1").resolutionData).toMatchObject({
    countersign: { approvers: [{ slack: "T1:U1" }, { slack: "T1:U3" }] },
  })
})

test("two voters who race for a quorum of two make one decision together", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  const current = await announced(world)

  await Promise.all(["U1", "U2"].map((user) => decide(world.ports, aPress(world, current, { user }))))

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
    ["U1", "U2", "U3"].map((user) => decide(world.ports, aPress(world, current, { user }))),
  )

  expect(world.platform.effects).toBe(1)
  expect(decided.filter((one) => one.answer.kind === "already")).toHaveLength(1)
})

test("the same person twice is no quorum of two", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)
  await pressed(world)
  world.clock.forward(1_000)

  const { case: after } = await pressed(world)

  expect(after.state).toBe("open")
  expect(after.votes).toHaveLength(1)
})

test("a person may change from approve to reject while the case is open", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)
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

  const first = await decide(world.ports, aPress(world, caseOf(world)))
  const second = await decide(world.ports, aPress(world, caseOf(world), { user: "U2" }))

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
  const world = createWorld({ policy: aPolicy(rules) })
  await announced(world, anApproval({ requirements: [aRequirement("delete_x"), aRequirement("send_y")] }))

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
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)
  await pressed(world, { values: { amount: 1 } })

  const second = await decide(world.ports, aPress(world, caseOf(world), { user: "U2", values: { amount: 2 } }))
  expect(second.answer).toMatchObject({ kind: "counted", progress: [{ have: 1, need: 2 }] })
  await pressed(world, { user: "U3", values: { amount: 2 } })

  expect(world.platform.row("a-1").resolutionData).toMatchObject({ values: { amount: 2 } })
  expect(caseOf(world).decision?.votes.map((vote) => vote.person.user)).toEqual(["U2", "U3"])
})

test("R3: a vote is bound to installation, case, revision, digest, rule, person, verb, values, surface and interaction", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)

  const press = aPress(world, caseOf(world), { values: { amount: 1 } })
  const { case: after } = await decide(world.ports, press)

  const { id, revision, installation } = caseOf(world)
  expect(after?.votes[0]).toMatchObject({
    installation,
    caseId: id,
    revision: revision.number,
    digest: revision.digest,
    rules: revision.quotas.map(({ name, hash }) => ({ name, hash })),
    person: press.person,
    verb: "approve",
    values: { amount: 1 },
    surface: "card",
    interaction: press.interaction,
  })
})

test("R5: somebody who left the group since they voted loses the vote when the quorum is reached", async () => {
  const rule = aRule({ quorum: 2, approvers: [{ kind: "group", id: "S1" }] })
  const world = createWorld({ policy: aPolicy([rule]) })
  world.people.group("S1", "U1", "U2", "U3")
  await announced(world)
  await pressed(world)
  world.people.group("S1", "U2", "U3")
  world.clock.forward(31_000)

  const { case: after } = await pressed(world, { user: "U2" })

  expect(after.state).toBe("open")
  expect(after.votes.map((vote) => vote.person.user)).toEqual(["U2"])
  expect(ledgerKinds(world)).toContain("voided")
  expect(world.platform.effects).toBe(0)
})

test("R5: somebody who was deactivated since they voted loses the vote", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  await announced(world)
  await pressed(world)
  world.people.set(aPerson({ user: "U1", deactivated: true }))
  world.clock.forward(31_000)

  const { case: after } = await pressed(world, { user: "U2" })

  expect(after.votes.map((vote) => vote.person.user)).toEqual(["U2"])
})

test("R5: a person is read anew when what is known of them is older than 30 s", async () => {
  const world = createWorld()
  const current = await announced(world)
  await world.ports.people.look({ team: "T1", user: "U1" }, 0)
  world.people.set(aPerson({ user: "U1", deactivated: true }))
  world.clock.forward(30_001)

  const { answer } = await decide(world.ports, aPress(world, current))

  expect(answer).toEqual({ kind: "refused", refusal: { code: "deactivated" } })
})

test("R5: a changed rule is a new revision, and the press under the old one decides nothing", async () => {
  const world = createWorld()
  const current = await announced(world)
  const stricter = aPolicy([aRule({ quorum: 2 })])
  world.server.activate(stricter.revision)
  const ports = world.process(stricter)

  const { answer, case: after } = await decide(ports, aPress(world, current))

  expect(answer).toEqual({ kind: "changed" })
  expect(after?.revision).toMatchObject({ number: 2, quotas: [{ name: "all", quorum: 2 }] })
  expect(world.platform.effects).toBe(0)
})

test("when Slack does not say who somebody is, nobody decides and the ticket stays", async () => {
  const world = createWorld()
  await announced(world)
  world.people.fail(chatFailure("internal_error"))

  await expect(pressed(world)).rejects.toMatchObject({ code: "internal_error" })

  expect(world.tickets.waiting).toHaveLength(1)
  expect(caseOf(world).votes).toEqual([])
})

test.for([
  { who: "a stranger", user: "U3", person: aPerson({ user: "U3" }), code: "not-approver" },
  { who: "a bot", user: "U1", person: aPerson({ user: "U1", bot: true }), code: "bot" },
  { who: "a deactivated person", user: "U1", person: aPerson({ user: "U1", deactivated: true }), code: "deactivated" },
  { who: "a guest", user: "U1", person: aPerson({ user: "U1", guest: true }), code: "guest" },
  {
    who: "somebody of another workspace",
    user: "U1",
    person: aPerson({ user: "U1", external: true }),
    code: "external",
  },
])("$who is refused, told so privately, and noted in the ledger", async ({ user, person, code }) => {
  const world = createWorld()
  world.people.set(person)
  await announced(world)

  const { answers, case: after } = await pressed(world, { user, verb: "reject" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code } }])
  expect(after.votes).toEqual([])
  expect(world.server.ledger.at(-1)).toMatchObject({ kind: "refused", person: `T1:${user}`, why: code })
})

test("R6: the requester may not approve, but may reject", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world, anApproval({ userId: "U1@example.com" }))

  const { answers } = await pressed(world)
  await pressed(world, { verb: "reject", interaction: "another click" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "all" } }])
  expect(world.platform.row("a-1").status).toBe("rejected")
})

test("R6: a requester in another spelling of an address that Slack knows as theirs is still refused", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world, anApproval({ userId: " u1@example.com " }))

  const { answers } = await pressed(world)

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "all" } }])
})

test("R6: the requester is recognised by an identity that the config lists", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const identities = [{ subject: "sa:robot-of-u1", team: "T1", user: "U1" }]
  const world = createWorld({ policy: aPolicy([rule], identities) })
  await announced(world, anApproval({ userId: "sa:robot-of-u1" }))

  const { answers } = await pressed(world)

  expect(answers).toMatchObject([{ kind: "refused", refusal: { code: "requester" } }])
})

test.for([null, "sa:robot", "somebody-else", "nobody@example.org"])(
  "R6: where the claim %s means nobody, unknown_requester refuse lets nobody approve",
  async (userId) => {
    const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
    const world = createWorld({ policy: aPolicy([rule]) })
    await announced(world, anApproval({ userId }))

    const { answers } = await pressed(world)

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "unknown-requester", rule: "all" } }])
  },
)

test("R6: unknown_requester two needs two people, and a rejection still only one", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "two" })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world, anApproval({ userId: null }))

  const first = await decide(world.ports, aPress(world, caseOf(world)))
  expect(first.answer).toMatchObject({ kind: "counted", progress: [{ have: 1, need: 2 }] })
  const second = await decide(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  expect(second.answer.kind).toBe("resolved")
})

test("R6: unknown_requester two asks one person only where the requester is known", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "two" })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world)

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test("R6: unknown_requester allow lets an approver approve alone", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world, anApproval({ userId: null }))

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test("R7: an e-mail is pinned when first seen, and counts for nobody once it means somebody else", async () => {
  const rule = aRule({
    quorum: 2,
    approvers: [
      { kind: "email", email: "u1@example.com" },
      { kind: "user", id: "U2" },
    ],
  })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world)
  await pressed(world)
  world.people.set(aPerson({ user: "U1", email: "old@example.com" }), aPerson({ user: "U3", email: "u1@example.com" }))
  world.clock.forward(31_000)

  const { answers, case: after } = await pressed(world, { user: "U3" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "conflicting-email", email: "u1@example.com" } }])
  expect(after.state).toBe("open")
  expect(world.alarmCodes()).toContain("email-means-somebody-else")
})

test("R7: two Slack users with one subject are no quorum of two", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  world.people.set(aPerson({ user: "U2", email: "u1@example.com" }))
  await announced(world)
  await pressed(world)

  const { answer } = await decide(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  expect(answer).toMatchObject({ kind: "counted", progress: [{ have: 1, need: 2 }] })
})

test("a resolved_by of more than 255 characters is refused before anything is sent", async () => {
  const world = createWorld()
  world.people.set(aPerson({ user: "U1", email: `${"x".repeat(250)}@example.com` }))
  await announced(world)

  const { answers, case: after } = await pressed(world)

  expect(answers).toEqual([{ kind: "subject-too-long", length: 262 }])
  expect(after.votes).toEqual([])
  expect(world.platform.bodies).toEqual([])
})

test("a person whose address nobody may read is named by their Slack id", async () => {
  const world = createWorld()
  world.people.set(aPerson({ user: "U1", email: null }))
  await announced(world)

  await pressed(world)

  expect(world.platform.row("a-1").resolvedBy).toBe("slack:T1:U1")
})
