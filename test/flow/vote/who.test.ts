// Who may decide: people as they are when it counts, the requester, and whose name is sent (R5, R6, R7).

import { expect, test } from "vitest"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure, PortFailure } from "../../support/port-failure.ts"
import { aPress } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, decideOn, ledgerKinds, pressed, twoOfThree } from "../support.ts"

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
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
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

  const { answer } = await decideOn(world.ports, aPress(world, current))

  expect(answer).toEqual({ kind: "refused", refusal: { code: "deactivated" } })
})

test("R5: a changed rule is a new revision, and the press under the old one decides nothing", async () => {
  const world = createWorld()
  const current = await announced(world)
  const stricter = aPolicy([aRule({ quorum: 2 })])
  world.server.activate(stricter.revision)
  const ports = world.process(stricter)

  const { answer, case: after } = await decideOn(ports, aPress(world, current))

  expect(answer).toMatchObject({ kind: "changed" })
  expect(after?.revision).toMatchObject({ number: 2, quotas: [{ name: "all", quorum: 2 }] })
  expect(world.platform.effects).toBe(0)
})

test("when Slack does not say who somebody is, nobody decides and the ticket stays", async () => {
  const world = await announcedWorld()
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

const withGoneGroup = aRule({
  approvers: [
    { kind: "group", id: "S-GONE" },
    { kind: "user", id: "U1" },
  ],
})

test.for(["approve", "reject"] as const)("a group that is gone keeps nobody else from pressing %s", async (verb) => {
  const world = await announcedWorld({ policy: aPolicy([withGoneGroup]) })

  await pressed(world, { verb })

  expect(world.platform.row("a-1").status).toBe(verb === "approve" ? "approved" : "rejected")
})

test("where all approvers of one rule are gone, nobody approves, and an approver of another rule rejects", async () => {
  const gone = aRule({ name: "gone", match: { agent: ["agent-1"] }, approvers: [{ kind: "group", id: "S-GONE" }] })
  const possible = anApproval({ agentId: null })
  const world = await announcedWorld({ policy: aPolicy([gone, aRule()]) }, possible)

  const { answers } = await pressed(world)
  await pressed(world, { verb: "reject", interaction: "another click" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "no-approvers" } }])
  expect(world.platform.row("a-1").status).toBe("rejected")
})

/** A rule that lists one approver by an address, and one by id. */
const withAddress = aRule({
  approvers: [
    { kind: "email", email: "u2@example.com" },
    { kind: "user", id: "U1" },
  ],
})

/** A world in which Slack does not tell whom addresses mean. */
async function withoutEmails(requester: string | null = null): Promise<World> {
  const world = await announcedWorld({ policy: aPolicy([withAddress]) }, anApproval({ userId: requester }))
  world.people.refuseEmails("missing_scope")
  return world
}

test.for(["approve", "reject"] as const)(
  "an address that Slack does not tell of keeps nobody else from pressing %s",
  async (verb) => {
    const world = await withoutEmails()

    await pressed(world, { verb })

    expect(world.platform.row("a-1").status).toBe(verb === "approve" ? "approved" : "rejected")
  },
)

test.each(["behind", "tampered"])(
  "R7 R14: an address whose record is %s counts for nobody, with an alarm",
  async (code) => {
    const world = createWorld({ policy: aPolicy([aRule({ approvers: [{ kind: "email", email: "u2@example.com" }] })]) })
    world.people.set(aPerson({ user: "U2", email: "u2@example.com" }))
    await announced(world, anApproval({ userId: null }))
    const failure = new PortFailure({ name: "StoreError", code, retryable: false })
    const identityLinks = { ...world.ports.identityLinks, read: () => Promise.reject(failure) }

    const ports = { ...world.ports, identityLinks }

    const { answers, case: after } = await pressed(world, { person: { team, user: "U2" } }, ports)

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "no-approvers" } }])
    expect(after.votes).toEqual([])
    expect(world.alarmCodes()).toContain(`link-${code}`)
  },
)

test("an address that Slack does not tell of counts for nobody, though it was pinned", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ approvers: [{ kind: "email", email: "u2@example.com" }] })]) })
  world.people.set(aPerson({ user: "U2", email: "u2@example.com" }))
  await announced(world, anApproval({ userId: null }))
  await world.ports.identityLinks.pin("u2@example.com", { team, user: "U2" }, 0)
  world.people.refuseEmails("missing_scope")

  const { answers } = await pressed(world, { person: { team, user: "U2" } })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "no-approvers" } }])
})

test("R6 where Slack does not tell whom addresses mean, who asked by one keeps nobody from rejecting, and nobody approves", async () => {
  const world = await withoutEmails("asker@example.com")

  const { answers } = await pressed(world)
  expect(answers).toEqual([{ kind: "slack-refuses", word: "missing_scope" }])
  await pressed(world, { verb: "reject", interaction: "another click" })

  expect(world.platform.row("a-1").status).toBe("rejected")
})

test("a refusal of Slack that trying again does not mend is said so, and costs no ticket", async () => {
  const world = await announcedWorld()
  world.people.fail(chatFailure("missing_scope", { retryable: false }))

  const { answers } = await pressed(world)

  expect(answers).toEqual([{ kind: "slack-refuses", word: "missing_scope" }])
  expect(world.tickets.waiting).toEqual([])
  expect(world.alarmCodes()).toEqual(["press-failed"])
})

test("R6: the requester may not approve, but may reject", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
  const world = await announcedWorld({ policy: aPolicy([rule]) }, anApproval({ userId: "U1@example.com" }))

  const { answers } = await pressed(world)
  await pressed(world, { verb: "reject", interaction: "another click" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "all" } }])
  expect(world.platform.row("a-1").status).toBe("rejected")
})

test("R6: a requester in another spelling of an address that Slack knows as theirs is still refused", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const world = await announcedWorld({ policy: aPolicy([rule]) }, anApproval({ userId: " U1\u200B@example.com " }))

  const { answers } = await pressed(world)

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "all" } }])
})

test("R6: the requester is recognised by an identity that the config lists", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const identities = [{ subject: "sa:robot-of-u1", team: "T1", user: "U1" }]
  const world = await announcedWorld({ policy: aPolicy([rule], identities) }, anApproval({ userId: "sa:robot-of-u1" }))

  const { answers } = await pressed(world)

  expect(answers).toMatchObject([{ kind: "refused", refusal: { code: "requester" } }])
})

const janeTwice = ["U1", "U2"].map((user) => ({ subject: "jane@corp.example", team: "T1", user }))

test("R6: the requester is refused with whichever of their Slack ids they vote", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const world = await announcedWorld({ policy: aPolicy([rule], janeTwice) }, anApproval({ userId: "u1@example.com" }))

  const { answers } = await pressed(world, { user: "U2" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "all" } }])
})

test("R7: one human with two Slack ids counts once in a quorum, with their newer vote", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree], janeTwice) })
  await pressed(world)

  const { case: after } = await pressed(world, { user: "U2" })
  const { case: end } = await pressed(world, { user: "U3" })

  expect(after.state).toBe("open")
  expect(after.votes.map((vote) => vote.person.user)).toEqual(["U2"])
  expect(world.server.ledger).toContainEqual(expect.objectContaining({ kind: "voided", why: "same-person" }))
  expect(end.decision?.votes.map((vote) => vote.person.user)).toEqual(["U2", "U3"])
  expect(end.outcome?.kind).toBe("ours")
})

test("R7: whoever is found to be one human after both votes counts once when the quorum is reached", async () => {
  const rule = aRule({ quorum: 3, approvers: ["U1", "U2", "U3", "U4"].map((id) => ({ kind: "user", id })) })
  const world = createWorld({ policy: aPolicy([rule]) })
  world.people.set(aPerson({ user: "U4" }))
  await announced(world)
  await pressed(world)
  await pressed(world, { user: "U2" })
  const policy = aPolicy([rule], janeTwice)
  world.server.activate(policy.revision)

  const { case: after } = await pressed(world, { user: "U3" }, world.process(policy))

  expect(after.state).toBe("open")
  expect(after.votes.map((vote) => vote.person.user)).toEqual(["U2", "U3"])
})

test.for([null, "sa:robot", "somebody-else", "nobody@example.org"])(
  "R6: where the claim %s means nobody, unknown_requester refuse lets nobody approve",
  async (userId) => {
    const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
    const world = await announcedWorld({ policy: aPolicy([rule]) }, anApproval({ userId }))

    const { answers } = await pressed(world)

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "unknown-requester", rule: "all" } }])
  },
)

test("R6: unknown_requester two needs two people, and a rejection still only one", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "two" })
  const world = await announcedWorld({ policy: aPolicy([rule]) }, anApproval({ userId: null }))

  const first = await decideOn(world.ports, aPress(world, caseOf(world)))
  expect(first.answer).toMatchObject({ kind: "counted", progress: [{ have: 1, need: 2 }] })
  const second = await decideOn(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  expect(second.answer.kind).toBe("resolved")
})

test("R6: unknown_requester two asks one person only where the requester is known", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "two" })
  const world = await announcedWorld({ policy: aPolicy([rule]) })

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test("R6: unknown_requester allow lets an approver approve alone", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "allow" })
  const world = await announcedWorld({ policy: aPolicy([rule]) }, anApproval({ userId: null }))

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
  const world = await announcedWorld({ policy: aPolicy([rule]) })
  await pressed(world)
  world.people.set(aPerson({ user: "U1", email: "old@example.com" }), aPerson({ user: "U3", email: "u1@example.com" }))
  world.clock.forward(31_000)

  const { answers, case: after } = await pressed(world, { user: "U3" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "conflicting-email", email: "u1@example.com" } }])
  expect(after.state).toBe("open")
  expect(world.alarmCodes()).toContain("email-means-somebody-else")
})

test("R7: an e-mail that meant somebody else stays refused, even if it means the first one again", async () => {
  const rule = aRule({ approvers: [{ kind: "email", email: "u1@example.com" }] })
  const world = await announcedWorld({ policy: aPolicy([rule]) })
  world.people.set(aPerson({ user: "U1", email: "old@example.com" }), aPerson({ user: "U3", email: "u1@example.com" }))
  world.clock.forward(31_000)
  const moved = await pressed(world, { user: "U3" })
  world.people.set(aPerson({ user: "U1" }), aPerson({ user: "U3" }))
  world.clock.forward(31_000)

  const back = await pressed(world, { user: "U1", interaction: "later" })

  const refused = [{ kind: "refused", refusal: { code: "conflicting-email", email: "u1@example.com" } }]
  expect(moved.answers).toEqual(refused)
  expect(back.answers).toEqual(refused)
  expect(await world.ports.identityLinks.read("u1@example.com")).toMatchObject({ contested: { user: "U3" } })
  expect(world.alarms.at(-1)).toMatchObject({ code: "email-means-somebody-else", pinned: "T1:U1", now: "T1:U3" })
})

test("R7: an e-mail that means nobody now still counts for the person it is pinned to", async () => {
  const rule = aRule({ approvers: [{ kind: "email", email: "u1@example.com" }] })
  const world = await announcedWorld({ policy: aPolicy([rule]) })
  await world.ports.identityLinks.pin("u1@example.com", { team: "T1", user: "U1" }, world.clock.now())
  world.people.set(aPerson({ user: "U1", email: null }))

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test("R7: two Slack users with one subject are no quorum of two", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  world.people.set(aPerson({ user: "U2", email: "u1@example.com" }))
  await announced(world)
  await pressed(world)

  const { answer } = await decideOn(world.ports, aPress(world, caseOf(world), { user: "U2" }))

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
