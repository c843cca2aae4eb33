// Time in the steps: reminders, escalation, the clock, and what is overdue, with time moved by hand.

import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { isSound } from "../../../src/domain/case/vote.ts"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import { list } from "../../../src/flow/query/list.ts"
import { reconcile, sweep } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, aPerson, aPolicy, aRule, aStep, aTiming, team } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { chatFailure, platformFailure } from "../../support/port-failure.ts"
import {
  announced,
  announcedWorld,
  caseOf,
  ledgerKinds,
  lines,
  minute,
  pass,
  pressed,
  timed,
  waiting,
} from "../support.ts"

const reminding = timed({ remindAfter: [15 * minute, 30 * minute] })
const toU3 = { routes: [{ kind: "channel", id: "C2" }], approvers: [{ kind: "user", id: "U3" }] } as const
const user = (id: string) => ({ kind: "user", id }) as const
const twoSteps = [aStep(15 * minute, { approvers: [user("U2")] }), aStep(30 * minute, { approvers: [user("U3")] })]
const escalating = timed({ escalate: [aStep(15 * minute, toU3)] })
const rejecting = timed({ expireAfter: 30 * minute, onExpiry: "reject" })

const person = (user: string) => ({ team, user })
const key = (user: string) => `${team}:${user}`

describe("a reminder", () => {
  test("is a line in the thread that names who can still decide, at its time and once, and no new card", async () => {
    const world = await waiting(reminding)

    await pass(world, 15 * minute - 1)
    expect(lines(world)).toEqual([])
    await pass(world, 1)

    expect(world.chat.messages).toHaveLength(1)
    const reminder = { kind: "reminded", people: [key("U1"), key("U2")], more: 0, by: null }
    expect(caseOf(world).lines).toMatchObject([{ kind: "opened" }, reminder])
    await carryOutDeadlines(world.ports)
    expect(lines(world)).toEqual(["reminded"])
    await pass(world, 15 * minute)
    expect(lines(world)).toEqual(["reminded", "reminded"])
    expect(world.queue.waiting).toEqual([])
  })

  test("names neither who has voted, nor who may not, nor who is only needed by a rule that has its votes", async () => {
    const policy = aPolicy([
      aRule({ name: "first", match: { tool: ["delete_*"], team: ["ops"] }, approvers: [{ kind: "user", id: "U1" }] }),
      aRule({
        quorum: 2,
        approvers: ["U1", "U2", "U3", "UBOT"].map((id) => ({ kind: "user", id })),
        timing: aTiming({ remindAfter: [15 * minute] }),
      }),
    ])
    const world = createWorld({ policy })
    world.people.set(aPerson({ user: "UBOT", bot: true }))
    await announced(world)
    await pressed(world, { user: "U1" })

    await pass(world, 15 * minute)

    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "reminded", people: [key("U2"), key("U3")] })
  })

  test("counts those whom it does not name", async () => {
    const users = Array.from({ length: 14 }, (_, index) => `UX${index}`)
    const approvers = users.map((id) => ({ kind: "user", id }) as const)
    const world = createWorld({ policy: timed({ remindAfter: [minute] }, { approvers }) })
    world.people.set(...users.map((user) => aPerson({ user })))
    await announced(world)

    await pass(world, minute)

    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "reminded", people: users.slice(0, 10).map(key), more: 4 })
  })

  test("leaves out an approver whom Slack does not know", async () => {
    const approvers = ["U1", "UGONE"].map((id) => ({ kind: "user", id }) as const)
    const world = await announcedWorld({ policy: timed({ remindAfter: [minute] }, { approvers }) })

    await pass(world, minute)

    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "reminded", people: [key("U1")] })
  })

  test("waits while Slack does not say who they are, and comes as soon as it does", async () => {
    const world = await waiting(reminding)
    world.people.fail(chatFailure("timeout"))
    await pass(world, 15 * minute)
    expect(lines(world)).toEqual([])

    world.people.fail(null)
    await pass(world, 5_000)

    expect(lines(world)).toEqual(["reminded"])
  })

  test("is told while the platform does not answer", async () => {
    const world = await waiting(reminding)
    world.platform.failGet("timeout")

    await pass(world, 15 * minute)

    expect(lines(world)).toEqual(["reminded"])
  })

  test("is not told of what was decided elsewhere: the case settles instead", async () => {
    const world = await waiting(reminding)
    world.platform.change("a-1", { status: "approved", resolvedBy: "u1@example.com" })

    await pass(world, 15 * minute)

    expect(lines(world)).toEqual(["elsewhere"])
    expect(caseOf(world).state).toBe("closed")
  })

  test("one of two reminders that were slept through is told", async () => {
    const world = await waiting(reminding)

    await pass(world, 40 * minute)

    expect(lines(world)).toEqual(["reminded"])
  })

  test("a case that is decided is reminded of no more", async () => {
    const world = await waiting(reminding)
    await pressed(world)

    await pass(world, 60 * minute)

    expect(ledgerKinds(world)).not.toContain("reminded")
  })
})

describe("an escalation", () => {
  test("adds a card on each further route and says so on every card, and the votes of those asked besides count", async () => {
    const world = await waiting(escalating)
    const before = await pressed(world, { user: "U3" })
    expect(before.answers).toMatchObject([{ kind: "refused", refusal: { code: "not-approver" } }])

    await pass(world, 15 * minute)

    const models = world.chat.messages.map(({ place, model }) => [place.channel, model.time.escalatedAt !== null])
    expect(models).toEqual([
      ["C1", true],
      ["C2", true],
    ])
    expect(caseOf(world).lines.at(-1)).toMatchObject({
      kind: "escalated",
      rules: ["all"],
      people: ["U1", "U2", "U3"].map(key),
    })
    await pressed(world, { user: "U3", route: "channel:C2" })
    expect(world.platform.row("a-1")).toMatchObject({ status: "approved", resolvedBy: "u3@example.com" })
  })

  test("voids no vote, and needs no new revision", async () => {
    const world = await waiting(timed({ escalate: [aStep(15 * minute, toU3)] }, { quorum: 2 }))
    await pressed(world, { user: "U1" })

    await pass(world, 15 * minute)
    await pressed(world, { user: "U3" })

    expect(caseOf(world)).toMatchObject({ revision: { number: 1 }, outcome: { kind: "ours", verb: "approve" } })
  })

  test("R3 a vote says that its rule was escalated, and does not count on a case that is not", async () => {
    const world = await waiting(timed({ escalate: [aStep(15 * minute, toU3)] }, { quorum: 2 }))
    await pass(world, 15 * minute)
    await pressed(world, { user: "U3" })
    const current = caseOf(world)
    const [vote] = current.votes
    if (vote === undefined) throw new Error("no vote")

    expect(vote.rules).toMatchObject([{ name: "all", escalated: 1 }])
    expect(isSound(world.ports.seal, current, vote)).toBe(true)
    const never: Case = { ...current, time: { ...current.time, escalated: [] } }
    expect(isSound(world.ports.seal, never, vote)).toBe(false)
    const unmarked = { ...vote, rules: vote.rules.map(({ name, hash }) => ({ name, hash })) }
    expect(isSound(world.ports.seal, current, unmarked)).toBe(false)
  })

  test("goes on step by step: whom the second adds cannot decide after the first, and those of the first still can", async () => {
    const world = await waiting(timed({ escalate: twoSteps }, { quorum: 3, approvers: [user("U1")] }))

    await pass(world, 15 * minute)
    const early = await pressed(world, { user: "U3" })
    await pressed(world, { user: "U2" })
    await pass(world, 15 * minute)
    await pressed(world, { user: "U3" })
    await pressed(world, { user: "U1" })

    expect(early.answers).toMatchObject([{ kind: "refused", refusal: { code: "not-approver" } }])
    expect(lines(world).filter((kind) => kind === "escalated")).toHaveLength(2)
    const { decision } = caseOf(world)
    expect(decision?.votes.map(({ rules }) => rules[0]?.escalated)).toEqual([1, 2, 2])
    expect(world.platform.row("a-1")).toMatchObject({ status: "approved" })
  })

  test("takes two steps at once if both are due, with one message", async () => {
    const world = await waiting(timed({ escalate: twoSteps }, { approvers: [user("U1")] }))

    await pass(world, 40 * minute)
    await pressed(world, { user: "U3" })

    expect(lines(world).filter((kind) => kind === "escalated")).toHaveLength(1)
    expect(world.platform.row("a-1")).toMatchObject({ status: "approved", resolvedBy: "u3@example.com" })
  })

  test("R5 ends when the rules in force do not know it any more", async () => {
    const world = await waiting(escalating)
    await pass(world, 15 * minute)
    const other = timed({ escalate: [aStep(60 * minute, toU3)] })
    world.server.activate(other.revision)
    const ports = world.process(other)

    await reconcile(ports, caseOf(world).id)

    expect(caseOf(world)).toMatchObject({ revision: { number: 2 }, time: { escalated: [] } })
    const { answers } = await pressed(world, { user: "U3" }, ports)
    expect(answers).toMatchObject([{ kind: "refused", refusal: { code: "not-approver" } }])
  })

  test("R8 whoever is asked besides may look from then on", async () => {
    const world = await waiting(escalating)
    const mine = { mine: true, filter: {}, offset: 0, limit: 5 }
    expect(await list(world.ports, person("U3"), mine)).toMatchObject({ total: 0 })

    await pass(world, 15 * minute)

    expect(await list(world.ports, person("U3"), mine)).toMatchObject({ total: 1 })
  })

  test("carries the reminder that is due with it", async () => {
    const world = await waiting(timed({ remindAfter: [10 * minute], escalate: [aStep(15 * minute, toU3)] }))

    await pass(world, 20 * minute)

    expect(lines(world)).toEqual(["escalated"])
    expect(world.queue.waiting).toEqual([])
  })
})

describe("the clock", () => {
  test("is set by the first case, brought forward by an earlier one, and goes on to the next", async () => {
    const world = await announcedWorld({
      policy: aPolicy([
        aRule({ name: "quick", match: { tool: ["quick"] }, timing: aTiming({ remindAfter: [minute] }) }),
        aRule({ timing: aTiming({ remindAfter: [10 * minute] }) }),
      ]),
    })
    const dueIn = () => world.queue.waiting.map(({ kind, dueAt }) => [kind, dueAt - world.clock.now()])
    expect(dueIn()).toEqual([["remind", 10 * minute]])
    await announced(world, anApproval({ id: "a-2", toolName: "quick" }))
    expect(dueIn()).toEqual([["remind", minute]])

    await pass(world, minute)

    expect(dueIn()).toEqual([["remind", 9 * minute]])
  })

  test("the clock that was lost is noticed by the sweep once something is due", async () => {
    const world = await waiting(reminding)
    world.queue.forget()
    await sweep(world.ports)
    expect(world.queue.waiting).toEqual([])

    world.clock.forward(15 * minute)
    await sweep(world.ports)
    await world.queue.runDue(world.ports)

    expect(lines(world)).toEqual(["reminded"])
  })

  test("what fails on one case does not cost the others", async () => {
    const world = await waiting(reminding)
    await announced(world, anApproval({ id: "a-2" }))
    world.server.tamper(caseOf(world).id)

    await pass(world, 15 * minute)

    expect(ledgerKinds(world, "a-2")).toContain("reminded")
    expect(world.alarmCodes()).toContain("tampered-case")
  })

  test("a case of an instance that is not in the config any more goes on, and is sent nothing", async () => {
    const world = await waiting(rejecting)
    world.clock.forward(30 * minute)

    await carryOutDeadlines({ ...world.ports, platforms: new Map() })

    expect(caseOf(world)).toMatchObject({ state: "open", time: { expired: { at: expect.any(Number) } } })
    expect(world.platform.bodies).toEqual([])
  })

  test("a platform that is down only for one record is no reason to stop", async () => {
    const world = await waiting(reminding)
    const get = () => Promise.reject(platformFailure("server"))
    const status = () => Promise.reject(platformFailure("timeout"))
    world.clock.forward(15 * minute)

    await carryOutDeadlines({ ...world.ports, platforms: new Map([["main", { ...world.platform, get, status }]]) })

    expect(ledgerKinds(world)).toContain("reminded")
  })
})

describe("what is overdue", () => {
  const overdue = { mine: false, filter: { overdue: true }, offset: 0, limit: 5 } as const

  test("is what a deadline has passed of", async () => {
    const world = await waiting(reminding)
    expect(await list(world.ports, person("U1"), overdue)).toMatchObject({ total: 0 })

    await pass(world, 15 * minute)

    expect(await list(world.ports, person("U1"), overdue)).toMatchObject({ total: 1 })
  })

  test("is also what the platform itself says is over, though that decides nothing (trap 11)", async () => {
    const world = createWorld()
    await announced(world, anApproval({ expiresAt: world.clock.now() - 1 }))

    expect(await list(world.ports, person("U1"), overdue)).toMatchObject({ total: 1 })
    await pressed(world)
    expect(world.platform.row("a-1").status).toBe("approved")
  })
})
