// Breaking glass: a person whom each demanded rule lists for that approves without the others, and the case owes a
// review.
import { describe, expect, test } from "vitest"
import { isSound } from "../../../src/domain/case/vote.ts"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { reviewSum } from "../../../src/domain/glass/glass.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { details } from "../../../src/flow/query/case-view.ts"
import { anApproval, aPerson, aPolicy, aRule, aTiming, team } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aStop } from "../../support/orders.ts"
import { aPress, aView, type PressChanges } from "../../support/presses.ts"
import { aGlassRule, aGlassWorld, breakGlass, glass, users } from "../glass.ts"
import { asksInput, paused } from "../resuming.ts"
import { announced, carried, caseOf, ledgerKinds, pressed } from "../support.ts"

const hour = 3_600_000

/** Asserts that nothing was counted. */
function expectNothing(world: World): void {
  expect(world.platform.bodies).toEqual([])
  expect(ledgerKinds(world)).not.toContain("voted")
}

test("R1: somebody whom the rule lists for that approves alone, and the case owes a review", async () => {
  const world = aGlassWorld()
  await announced(world)
  await pressed(world, { user: "U1" })
  world.clock.forward(1)

  const { case: after } = await breakGlass(world)

  expect(world.platform.row("a-1").status).toBe("approved")
  expect(after).toMatchObject({ state: "settled", glass: { rules: ["payments"], by: { user: "U5" }, reviews: [] } })
  expect(after.decision?.votes.map(({ person }) => person.user)).toEqual(["U5"])
  expect(after.cards.map(({ route }) => route)).toContain("channel:C9")
  const broken = after.lines.find(({ kind }) => kind === "glass-broken")
  expect(broken).toMatchObject({ person: `${team}:U5`, asked: [{ rule: "payments", approvers: ["U2", "U3"] }] })
  expect(parseJson(world.platform.bodies[0] ?? "")).toMatchObject({
    resolution_data: { countersign: { glass: true, reason: "the shop is down" } },
  })
})

test("R3: a vote is sealed with the word that it breaks the glass", async () => {
  const world = aGlassWorld()
  await announced(world)
  const { case: after } = await breakGlass(world)
  const [vote] = after.decision?.votes ?? []
  if (vote === undefined) throw new Error("there is no vote")
  const { glass: said, ...plain } = vote
  const before = { ...after, state: "open" } as const

  expect(said).toBe(true)
  expect(isSound(world.ports.seal, before, vote)).toBe(true)
  expect(isSound(world.ports.seal, before, plain)).toBe(false)
})

describe("R1: nobody breaks the glass whom not each demanded rule lists there", () => {
  const other = (changes: Partial<Rule>) => aRule({ name: "also", match: { tool: ["*"] }, ...changes })
  const perhaps = aGlassRule({ match: { team: ["finance"] } })

  test.each([
    ["an approver of the rule", "U1", [aGlassRule()], { code: "no-glass", rule: "payments" }],
    ["a reviewer", "U6", [aGlassRule()], { code: "no-glass", rule: "payments" }],
    [
      "somebody of one rule, where the other has no glass",
      "U5",
      [perhaps, other({})],
      { code: "no-glass", rule: "also" },
    ],
    [
      "somebody of one rule, where the other lists others",
      "U5",
      [perhaps, other({ breakGlass: { ...glass, approvers: users("U7") } })],
      { code: "no-glass", rule: "also" },
    ],
  ])("it is refused to %s", async (_what, user, rules, refusal) => {
    const world = aGlassWorld(...rules)
    await announced(world)

    const { answers } = await breakGlass(world, { user })

    expect(answers).toEqual([{ kind: "refused", refusal }])
    expectNothing(world)
  })

  test("R1: above a limit, since the rule that it demands never has the key; below it the sum counts", async () => {
    const asks = { quorum: 2, approvers: users("U1", "U5"), routes: [{ kind: "channel", id: "C2" } as const] }
    const limit = { sum: "args.amount", windowMs: 24 * hour, above: "1000", asks }
    const world = aGlassWorld(aGlassRule({ limit }))
    const pays = (id: string) => anApproval({ id, runId: `run-${id}`, toolName: "pay", toolArgs: { amount: 900 } })
    await announced(world, pays("a-1"))
    await announced(world, pays("a-2"))

    await breakGlass(world)
    const { answers } = await breakGlass(world, {}, "a-2")

    expect(world.platform.row("a-1").status).toBe("approved")
    expect(answers).toEqual([{ kind: "refused", refusal: { code: "no-glass", rule: "payments, above its limit" } }])
    expect(world.platform.row("a-2").status).toBe("pending")
  })
})

describe("R6: the glass is not broken", () => {
  test("by the requester, even where a rule allows self-approval", async () => {
    const world = aGlassWorld(aGlassRule({ forbidSelfApproval: false }))
    await announced(world, anApproval({ userId: `slack:${team}:U5` }))

    const { answers } = await breakGlass(world)

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "requester", rule: "payments" } }])
    expectNothing(world)
  })

  test.each(["refuse", "two"] as const)("where nobody knows who asked, and the rule says %s", async (unknown) => {
    const world = aGlassWorld(aGlassRule({ unknownRequester: unknown }))
    await announced(world, anApproval({ userId: null }))

    const { answers } = await breakGlass(world)

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "unknown-requester", rule: "payments" } }])
    expectNothing(world)
  })

  test("unless the rule says allow", async () => {
    const world = aGlassWorld(aGlassRule({ unknownRequester: "allow" }))
    await announced(world, anApproval({ userId: null }))

    await breakGlass(world)

    expect(world.platform.row("a-1").status).toBe("approved")
  })
})

describe("what beats it", () => {
  test("R21: a stop", async () => {
    const world = aGlassWorld()
    await announced(world)
    world.order({ stops: [aStop()] })

    const { answers } = await breakGlass(world)

    expect(answers).toMatchObject([{ kind: "stopped" }])
    expectNothing(world)
  })

  test("R13: the end of its time", async () => {
    const world = aGlassWorld(aGlassRule({ timing: aTiming({ expireAfter: hour }) }))
    await announced(world)
    world.clock.forward(hour)

    const { answers } = await breakGlass(world)

    expect(answers).toMatchObject([{ kind: "expired" }])
    expectNothing(world)
  })

  test("R12: a held rejection", async () => {
    const world = await paused({ conduct: { resume: "off" }, execution: asksInput, policy: aPolicy([aGlassRule()]) })
    world.people.set(aPerson({ user: "U5" }))
    await pressed(world, { verb: "reject", reason: "too much" })
    world.clock.forward(1)

    const { answers } = await breakGlass(world, { values: { values: { recipient: "Ann" } } })

    expect(answers).toMatchObject([{ kind: "already", verb: "reject", users: ["U1"] }])
    expect(caseOf(world).state).toBe("open")
    expect(world.platform.bodies).toEqual([])
  })

  test("R2: other content since the form was opened", async () => {
    const world = aGlassWorld()
    const current = await announced(world)
    world.platform.put({ ...anApproval(), toolArgs: { table: "everything" } })

    await breakGlass(world)

    expect(openGatedCalls(current.approval ?? anApproval())).toHaveLength(1)
    expectNothing(world)
  })
})

describe("R4: the glass is broken in Details, with a reason that can be read", () => {
  test.each([null, "  ", "\u200b"])("not with the reason %j", async (reason) => {
    const world = aGlassWorld()
    await announced(world)

    expect((await breakGlass(world, { reason })).answers).toEqual([{ kind: "reason-missing", verb: "approve" }])
    expectNothing(world)
  })

  test("not by a press on a card", async () => {
    const world = aGlassWorld()
    await announced(world)

    const { answers } = await pressed(world, { user: "U5", glass: true, reason: "now" } as PressChanges)

    expect(answers).toEqual([{ kind: "unseen" }])
    expectNothing(world)
  })

  test("not in a form that was opened for an ordinary approval", async () => {
    const world = aGlassWorld(aGlassRule({ approvers: users("U1", "U5") }))
    const current = await announced(world)
    await world.ports.views.remember(aView(current, { user: "U5", purpose: "form", verb: "approve" }))
    const on = { kind: "view", viewId: "V1" } as const
    const press = aPress(world, current, { user: "U5", on, surface: "form", reason: "now" })

    const { answers } = await carried(world, { ...press, glass: true } as typeof press)

    expect(answers).toEqual([{ kind: "replaced" }])
    expectNothing(world)
  })
})

test("R8: whoever may break the glass may look at the open case, and a reviewer once it is broken", async () => {
  const world = aGlassWorld()
  const { id } = await announced(world)
  const ports = { ...world.ports, people: { ...world.ports.people, inChannel: async () => false } }
  const looks = async (user: string) => (await details(ports, id, { team, user }, null)) !== null

  expect([await looks("U5"), await looks("U6"), await looks("U7")]).toEqual([true, false, false])

  await breakGlass(world)

  expect([await looks("U6"), await looks("U7")]).toEqual([true, false])
})

describe("a rule with five open reviews", () => {
  async function broken(world: World, ids: readonly string[]) {
    for (const id of ids) {
      await announced(world, anApproval({ id, runId: `run-${id}`, toolArgs: { table: id } }))
      await breakGlass(world, {}, id)
    }
  }
  const five = ["a-1", "a-2", "a-3", "a-4", "a-5"]

  test("lets nobody break its glass", async () => {
    const world = aGlassWorld()
    await broken(world, five)
    await announced(world, anApproval({ id: "a-6" }))

    const { answers } = await breakGlass(world, {}, "a-6")

    expect(five.map((id) => world.platform.row(id).status)).toEqual(five.map(() => "approved"))
    expect(answers).toEqual([{ kind: "refused", refusal: { code: "open-reviews", rule: "payments" } }])
    expect(world.platform.row("a-6").status).toBe("pending")
  })

  test.each(["tampered with", "lost"])("has them also where their count was %s", async (how) => {
    const world = aGlassWorld()
    await broken(world, five)
    if (how === "lost") world.server.sums.touch(reviewSum("payments"), 1)
    else world.server.sums.tamper(reviewSum("payments"))
    await announced(world, anApproval({ id: "a-6" }))

    const { answers } = await breakGlass(world, {}, "a-6")

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "open-reviews", rule: "payments" } }])
  })

  test("keeps no other rule from it", async () => {
    const own = { match: { tool: ["pay"] }, name: "own" }
    const world = aGlassWorld(aGlassRule(own), aGlassRule())
    await broken(world, five)
    await announced(world, anApproval({ id: "a-6", toolName: "pay" }))

    await breakGlass(world, {}, "a-6")

    expect(world.platform.row("a-6").status).toBe("approved")
  })
})
