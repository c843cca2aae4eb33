// A call that people rejected for a while comes again: it is rejected by itself or left undecided, or people are asked.
import { describe, expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { isRepeat } from "../../../src/flow/again/repeat.ts"
import { renewAll } from "../../../src/flow/case/commit.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import type { AskAgainInteraction } from "../../../src/flow/ports/interaction.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { formFor } from "../../../src/flow/vote/forms.ts"
import { anApproval, aPerson, aPolicy, aRequirement, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aTarget, aView } from "../../support/presses.ts"
import { asksInput } from "../resuming.ts"
import { announced, carried, caseOf, ledgerKinds, minute, pass, pressed } from "../support.ts"

const rule = aRule({ afterRejection: { sameCallMs: 10 * minute } })
const known = { user: "U8", email: "asker@example.com" }

/** Polls as the bot does, which looks for repeats. */
async function polled(world: World, approval: Approval, ports: Ports = world.ports) {
  world.platform.put(approval)
  await poll(ports, "main", { isRepeat: (...call) => isRepeat(ports, ...call) })
  await world.queue.runDue(ports)
  return caseOf(world, approval.id)
}

/** A world in which U1 rejected `a-1` for a while. `nature`: what its platform is. */
async function rejected(
  changes: Partial<Rule> = {},
  said: { readonly lasting?: true } = { lasting: true },
  { asked = anApproval(), nature = enforcing(false) } = {},
) {
  const world = createWorld({ policy: aPolicy([{ ...rule, ...changes }]) })
  world.platform.becomes(nature)
  world.people.set(aPerson(known))
  await announced(world, asked)
  const view = { purpose: "form", verb: "reject" } as const
  await world.ports.views.remember(aView(caseOf(world), view))
  const on = { kind: "view", viewId: "V1" } as const
  await pressed(world, { verb: "reject", on, surface: "form", reason: "too much", ...said })
  await world.queue.runDue(world.ports)
  return world
}

/** A platform that enforces every rejection, or makes no such promise. */
function enforcing(enforcesRejection: boolean) {
  return { enforcesRejection, version: null }
}

const again = (id: string, changes: Partial<Approval> = {}) => anApproval({ id, ...changes })

function askAgain(world: World, user = "U1"): AskAgainInteraction {
  const current = caseOf(world)
  const place = cardOn(current, "channel:C1")?.place ?? { channel: "C1", ts: "0.0" }
  return {
    interaction: `${user} asks again at ${world.clock.now()}`,
    person: { team, user },
    name: `Name of ${user}`,
    at: world.clock.now(),
    target: aTarget(current, "channel:C1"),
    on: { kind: "card", place },
    surface: "card",
    replyTo: { kind: "response", responseUrl: world.chat.responseUrl(place), channel: place.channel, user },
    verb: "ask-again",
  }
}

describe("R22 the same call again", () => {
  test("is rejected by itself, in the name of the first, without a card", async () => {
    const world = await rejected()
    expect(caseOf(world)).toMatchObject({ state: "settled", lasting: { repeats: [] } })

    const repeat = await polled(world, again("a-2"))

    expect(repeat).toMatchObject({ cards: [], decision: { by: "again", as: { case: caseOf(world).id } } })
    expect(world.platform.row("a-2")).toMatchObject({
      status: "rejected",
      resolvedBy: "countersign:again",
      resolutionData: { countersign: { again: caseOf(world).decision?.id, reason: "too much", approvers: [] } },
    })
    expect(caseOf(world).lasting?.repeats).toMatchObject([{ case: repeat.id, run: "run-1" }])
    expect(ledgerKinds(world, "a-2").slice(0, 3)).toEqual(["opened", "decided", "resolved"])
  })

  test("a fourth time in a run is left undecided, with one alarm, until somebody presses Ask Me Again", async () => {
    const world = await rejected()
    for (const id of ["a-2", "a-3", "a-4"]) await polled(world, again(id))

    const looped = await polled(world, again("a-5"))

    expect(looped).toMatchObject({ state: "open", cards: [], looped: { case: caseOf(world).id } })
    expect(world.platform.row("a-5").status).toBe("pending")
    expect(world.alarms.filter(({ code }) => code === "asked-in-a-loop")).toHaveLength(1)
    expect((await polled(world, again("a-6", { runId: "run-2" }))).decision).toMatchObject({ by: "again" })

    expect((await carried(world, askAgain(world))).answers).toEqual([{ kind: "asks-again" }])

    await world.queue.runDue(world.ports)
    expect(cardOn(caseOf(world, "a-5"), "channel:C1")?.place).not.toBeNull()
    expect(caseOf(world, "a-5").looped).toBeUndefined()
    expect((await polled(world, again("a-7"))).cards).not.toEqual([])
  })

  test("stays rejected whatever is asked in between, and what was left undecided stays so: only people end it", async () => {
    const world = await rejected()
    const other = { toolArgs: { table: "orders" } }
    for (const at of [2, 3, 4]) {
      expect((await polled(world, again(`a-${at}`))).decision).toMatchObject({ by: "again" })
      expect((await polled(world, again(`b-${at}`, other))).cards).not.toEqual([])
    }

    await polled(world, again("a-5"))
    expect((await polled(world, again("b-5", { ...other, runId: "run-2" }))).cards).not.toEqual([])

    for (const looped of [caseOf(world, "a-5"), await polled(world, again("a-6"))])
      expect(looped).toMatchObject({ state: "open", cards: [], decision: null, looped: { case: caseOf(world).id } })
    expect(caseOf(world).lasting?.repeats).toHaveLength(5)
  })

  test("is asked when the time is over, also what was left undecided", async () => {
    const world = await rejected()
    for (const id of ["a-2", "a-3", "a-4", "a-5"]) await polled(world, again(id))

    await pass(world, 10 * minute)

    expect(cardOn(caseOf(world, "a-5"), "channel:C1")?.place).not.toBeNull()
    expect(caseOf(world).lasting).toBeUndefined()
    expect(caseOf(world).state).toBe("closed")
    expect((await polled(world, again("a-6"))).cards).not.toEqual([])
  })

  test("two replicas at once reject it once", async () => {
    const world = await rejected()
    world.platform.put(again("a-2"))
    const both = [world.ports, world.ports]

    await Promise.all(both.map((ports) => poll(ports, "main", { isRepeat: (...call) => isRepeat(ports, ...call) })))

    expect(caseOf(world).lasting?.repeats).toHaveLength(1)
    expect(world.platform.bodies.filter((body) => body.includes("countersign:again"))).toHaveLength(1)
  })
})

describe("R22 people are asked", () => {
  test.each<[string, Partial<Approval>]>([
    ["one changed character", { toolArgs: { table: "customer" } }],
    ["another requester", { userId: "other@example.com" }],
    ["another agent", { agentId: "agent-2" }],
  ])("about a call with %s", async (_what, changes) => {
    const world = await rejected()

    expect((await polled(world, again("a-2", changes))).cards).not.toEqual([])
  })

  test("if whoever rejected did not choose it, or the rule has no such key", async () => {
    for (const world of [await rejected({}, {}), await rejected({ afterRejection: undefined })]) {
      expect(caseOf(world).lasting).toBeUndefined()
      expect((await polled(world, again("a-2"))).cards).not.toEqual([])
    }
  })

  test("R5 if whoever rejected may not reject any more", async () => {
    const world = await rejected()
    world.people.set(aPerson({ user: "U1", deactivated: true }))
    world.clock.forward(minute)

    expect((await polled(world, again("a-2"))).cards).not.toEqual([])
  })

  test("R14 if somebody else wrote the record", async () => {
    const world = await rejected()
    world.server.tamper(caseOf(world).id)

    expect((await polled(world, again("a-2"))).cards).not.toEqual([])
  })

  test("R17 if a lost second touched the case, also once it has begun anew", async () => {
    const world = await rejected()
    world.server.touch(caseOf(world).id)

    expect((await polled(world, again("a-2"))).cards).not.toEqual([])
    await renewAll(world.ports)
    expect(caseOf(world).lasting).toBeUndefined()
    expect((await polled(world, again("a-3"))).cards).not.toEqual([])
  })

  test("R17 while Redis is rolled back, or nobody knows yet whether it is", async () => {
    const end = { size: 1, head: "h" }
    for (const kind of ["unsettled", "rolled-back"] as const) {
      const world = await rejected()
      const known = { why: "older", known: end, found: end, since: world.clock.now() }
      world.server.stand(kind === "unsettled" ? { kind } : { kind, ...known })
      expect(await isRepeat(world.ports, again("a-2"), world.ports.policy)).toBe(false)
    }
  })

  test("only whoever may reject it ends it, and a second press of the same is the same", async () => {
    const world = await rejected()
    world.people.set(aPerson({ user: "U9" }))

    expect((await carried(world, askAgain(world, "U9"))).answers).toMatchObject([{ kind: "refused" }])
    expect(caseOf(world).lasting).toBeDefined()
    const press = askAgain(world)
    await carried(world, press)
    expect((await carried(world, press)).answers).toEqual([{ kind: "asks-again" }])
    expect((await carried(world, askAgain(world, "U2"))).answers).toEqual([{ kind: "not-lasting" }])
  })
})

describe("R12 a call that would run all the same if its rejection were sent", () => {
  const call = { tool_args: { table: "customers" }, ...asksInput }
  const input = { requirements: [aRequirement("delete_table", call)], pauseType: "user_input" } as const
  const lasting = { lasting: true } as const

  test.each([
    ["promises no longer to enforce rejections", enforcing(false)],
    ["does not say what it is", null],
  ])("is not rejected by itself where the platform %s: people are asked", async (_what, nature) => {
    const world = await rejected({}, lasting, { asked: anApproval(input), nature: enforcing(true) })
    expect((await polled(world, again("a-2", input))).decision).toMatchObject({ by: "again" })
    world.platform.becomes(nature)

    const repeat = await polled(world, again("a-3", input))

    expect(repeat).toMatchObject({ state: "open", decision: null })
    expect(cardOn(repeat, "channel:C1")?.place).not.toBeNull()
    expect(world.platform.row("a-3").status).toBe("pending")
    expect(caseOf(world).lasting?.repeats).toHaveLength(1)
  })

  test("is asked each time while the first rejection is held: what was not sent rejects nothing else", async () => {
    const world = await rejected({}, lasting, { asked: anApproval(input) })
    expect(caseOf(world)).toMatchObject({ state: "open", votes: [{ verb: "reject" }] })
    expect(caseOf(world).lasting).toBeUndefined()

    const repeat = await polled(world, again("a-2", input))

    expect(repeat).toMatchObject({ state: "open", decision: null })
    expect(cardOn(repeat, "channel:C1")?.place).not.toBeNull()
    expect(world.platform.bodies).toEqual([])
  })
})

test("R22 the form of a rejection offers it, and the one that sends back does not", async () => {
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(world)
  const on = { caseId: caseOf(world).id, route: "channel:C1" }

  expect(await formFor(world.ports, on, { verb: "reject" })).toMatchObject({ lastingMs: 10 * minute })
  expect(await formFor(world.ports, on, { verb: "reject", sendBack: true })).not.toHaveProperty("lastingMs")
  expect(await formFor(world.ports, on, { verb: "reject", calledBack: true })).not.toHaveProperty("lastingMs")
})
