// The review of broken glass: who may say whether it was right, and what a case owes until somebody has.
import { describe, expect, test } from "vitest"
import type { Person } from "../../../src/domain/people/person.ts"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { askForReview } from "../../../src/flow/vote/glass-review.ts"
import { anApproval, aPerson, aPolicy, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { anOperator } from "../../support/orders.ts"
import { aPress, aView } from "../../support/presses.ts"
import { aGlassRule, aGlassWorld, breakGlass, brokenWorld, glass, review, users } from "../glass.ts"
import { announced, answering, caseOf, ledgerKinds } from "../support.ts"

const day = 24 * 3_600_000

/** Lets the time pass, and everything happen that is due by then. */
async function after(world: World, ms: number): Promise<void> {
  world.clock.forward(ms)
  await carryOutDeadlines(world.ports)
  await world.queue.runDue(world.ports)
}

const alarmsOf = (world: World) => world.alarms.filter(({ code }) => code === "glass-unreviewed")

test("a reviewer says that it was right, and the case closes", async () => {
  const world = await brokenWorld()
  expect(caseOf(world).state).toBe("settled")
  // Meanwhile nothing but a person can go on with it, so no sweep looks at it.
  expect(await world.ports.store.unfinished(10)).toEqual([])

  const { answers } = await review(world)
  await world.queue.runDue(world.ports)

  expect(answers).toEqual([{ kind: "glass-reviewed", right: true, left: 0 }])
  expect(caseOf(world)).toMatchObject({
    state: "closed",
    glass: { reviews: [{ person: { user: "U6" }, right: true }] },
  })
  expect(ledgerKinds(world)).toEqual(expect.arrayContaining(["glass-broken", "glass-reviewed", "closed"]))
})

test("a reviewer says that it was not right, with a reason, and nothing is undone", async () => {
  const world = await brokenWorld()
  await world.ports.views.remember(aView(caseOf(world), { user: "U6", route: "channel:C9", purpose: "glass-review" }))
  const form = { on: { kind: "view", viewId: "V1" }, surface: "form", right: false } as const

  const { answers } = await review(world, { ...form, reason: "the others were there" })

  expect(answers).toEqual([{ kind: "glass-reviewed", right: false, left: 0 }])
  expect(world.platform.row("a-1").status).toBe("approved")
  const onRoute = world.chat.messages.find(({ place }) => place.channel === "C9")
  expect(onRoute?.lines.at(-1)?.event).toMatchObject({ kind: "glass-reviewed", reason: "the others were there" })
})

test.each([null, " ", "\u200b"])(
  "a reviewer who says that it was not right gives a reason, and not %j",
  async (reason) => {
    const world = await brokenWorld()

    const { answers } = await review(world, { right: false, reason })

    expect(answers).toEqual([{ kind: "reason-missing", verb: "reject" }])
    expect(ledgerKinds(world)).not.toContain("glass-reviewed")
  },
)

describe("who may not review", () => {
  const identities = [
    { subject: "five", team, user: "U5" },
    { subject: "five", team, user: "U6" },
  ]
  const all = aGlassRule({ breakGlass: { ...glass, reviewers: users("U5", "U6", "UASK") } })

  test.each([
    ["of whoever broke the glass", "U5", {}, "breaker"],
    ["of another account of theirs", "U6", { identities }, "breaker"],
    ["of whoever asked", "UASK", {}, "requester"],
    ["of an approver who was passed over", "U1", {}, "not-reviewer"],
    ["of somebody whom nobody named", "U7", {}, "not-reviewer"],
  ])("no review counts %s", async (_what, user, changes, why) => {
    const world = createWorld({ policy: { ...aPolicy([all]), ...changes } })
    for (const one of ["U5", "U6", "U7"]) world.people.set(aPerson({ user: one }))
    await announced(world, anApproval({ userId: `slack:${team}:UASK` }))
    await breakGlass(world)
    await world.queue.runDue(world.ports)

    const { answers } = await review(world, { user })

    expect(answers).toEqual([{ kind: "review-refused", why }])
    expect(caseOf(world).glass?.reviews).toEqual([])
  })

  const absence = { id: "1", from: 0, until: 1, by: anOperator(), at: 0 }
  const [five, six] = [`${team}:U5`, `${team}:U6`]

  test.each([
    ["who stands in for whoever broke the glass", { person: five, standIn: six }],
    ["for whom whoever broke the glass stands in", { person: six, standIn: five }],
  ])("no review counts of somebody %s, then or now", async (_what, people) => {
    const [linked, free] = [{ stops: [], absences: [{ ...absence, ...people }] }, { stops: [] }]
    const now = await brokenWorld()
    now.order(linked)
    const then = aGlassWorld()
    await announced(then)
    then.order(linked)
    await breakGlass(then)
    await then.queue.runDue(then.ports)
    then.order(free)

    for (const world of [now, then])
      expect((await review(world)).answers).toEqual([{ kind: "review-refused", why: "linked" }])
  })

  const unfit: readonly Partial<Person>[] = [{ deactivated: true }, { bot: true }, { guest: true }, { external: true }]
  test.each(unfit)("no review counts of a reviewer who is %j", async (changes) => {
    const world = await brokenWorld()
    world.clock.forward(60_000)
    world.people.set(aPerson({ user: "U6", ...changes }))

    expect((await review(world)).answers).toEqual([{ kind: "review-refused", why: "not-reviewer" }])
  })

  test("no review counts on another message than the card on record", async () => {
    const world = await brokenWorld()

    const { answers } = await review(world, { on: { kind: "card", place: { channel: "C9", ts: "9.9" } } })

    expect(answers).toEqual([{ kind: "replaced" }])
  })

  test("no review counts in a form that was opened for something else", async () => {
    const world = await brokenWorld()
    await world.ports.views.remember(aView(caseOf(world), { user: "U6", route: "channel:C9" }))

    const { answers } = await review(world, { on: { kind: "view", viewId: "V1" }, right: false, reason: "no" })

    expect(answers).toEqual([{ kind: "replaced" }])
  })

  test("no review counts a second time", async () => {
    const world = await brokenWorld()
    await review(world)
    world.clock.forward(1)

    expect((await review(world, { right: false, reason: "no" })).answers).toEqual([
      { kind: "review-refused", why: "none-owed" },
    ])
  })
})

test("the form of a review opens only for somebody who may review", async () => {
  const world = await brokenWorld()
  const press = (user: string) => {
    const {
      verb: _verb,
      values: _none,
      ...rest
    } = { values: null, ...aPress(world, caseOf(world), { user, route: "channel:C9" }) }
    return { ...rest, verb: "review", right: false, reason: null } as const
  }

  expect(await askForReview(world.ports, press("U5"))).toMatchObject({ answer: { why: "breaker" } })
  expect(await askForReview(world.ports, press("U6"))).toMatchObject({ kind: "form" })
})

test("each rule whose glass was broken has a review of its own", async () => {
  const perhaps = aGlassRule({ name: "also", match: { team: ["x"] }, breakGlass: { ...glass, reviewers: users("U7") } })
  const world = await brokenWorld(perhaps, aGlassRule())

  expect((await review(world)).answers).toEqual([{ kind: "glass-reviewed", right: true, left: 1 }])
  await world.queue.runDue(world.ports)
  expect(caseOf(world).state).toBe("settled")
  expect((await review(world, { user: "U7" })).answers).toEqual([{ kind: "glass-reviewed", right: true, left: 0 }])
  await world.queue.runDue(world.ports)
  expect(caseOf(world).state).toBe("closed")
})

test("an alarm stands from the rule's time on, each hour, until somebody reviews", async () => {
  const world = await brokenWorld()

  await after(world, day - 1)
  expect(alarmsOf(world)).toEqual([])

  await after(world, 1)
  await after(world, 3_600_000)
  expect(alarmsOf(world)).toMatchObject([{ rules: ["payments"] }, { rules: ["payments"] }])

  await review(world)
  await after(world, 3_600_000)
  expect(alarmsOf(world)).toHaveLength(2)
})

test("a review that stays open for 31 days keeps the case from closing for 30", async () => {
  const world = await brokenWorld()

  for (let hours = 0; hours < 30 * 24 - 1; hours += 1) await after(world, 3_600_000)
  expect(caseOf(world)).toMatchObject({ state: "settled", approval: { id: "a-1" } })
  const open = world.server.sums.all()[0]

  await after(world, 3_600_000)
  await after(world, day)

  expect(Object.keys(open ?? {})).toEqual([caseOf(world).id])
  expect(caseOf(world)).toMatchObject({ state: "closed", approval: null, glass: { left: true, reviews: [] } })
  expect(ledgerKinds(world)).toEqual(expect.arrayContaining(["glass-left", "closed"]))
  expect((await review(world)).answers).toEqual([{ kind: "review-refused", why: "none-owed" }])
})

const open = (world: World) => Object.keys(world.server.sums.all()[0] ?? {})

test("a verdict that the platform definitely refuses owes no review, and none is open", async () => {
  const world = aGlassWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "no" }))

  await breakGlass(world)

  expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
  expect(caseOf(world)).not.toHaveProperty("glass")
  expect(open(world)).toEqual([])
})

test("a review is owed and counted although somebody else rejected the approval first", async () => {
  const world = aGlassWorld()
  await announced(world)
  world.platform.beforeResolve(() => world.platform.change("a-1", { status: "rejected" }))

  await breakGlass(world)
  await world.queue.runDue(world.ports)

  expect(caseOf(world)).toMatchObject({ state: "settled", outcome: { kind: "elsewhere", status: "rejected" } })
  expect(open(world)).toEqual([caseOf(world).id])
  await review(world)
  expect(open(world)).toEqual([])
})

test("R17 an alarm says that Redis lost a decision by breaking glass, and with it the review", async () => {
  const world = aGlassWorld()
  const { id } = await announced(world)
  const before = world.server.snapshot()
  await breakGlass(world)
  expect(world.alarmCodes()).not.toContain("glass-forgotten")
  world.server.restart(before)
  world.queue.forget()

  await reconcile(world.ports, id)

  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", verb: "approve" })
  expect(world.alarmCodes()).toContain("glass-forgotten")
})

test("a review lets the glass of a rule with five open ones be broken again", async () => {
  const world = aGlassWorld()
  for (const id of ["a-1", "a-2", "a-3", "a-4", "a-5", "a-6"])
    await announced(world, anApproval({ id, runId: `run-${id}`, toolArgs: { table: id } }))
  for (const id of ["a-1", "a-2", "a-3", "a-4", "a-5"]) await breakGlass(world, {}, id)
  await world.queue.runDue(world.ports)

  expect((await breakGlass(world, {}, "a-6")).answers).toMatchObject([{ refusal: { code: "open-reviews" } }])
  await review(world, {}, "a-3")
  await breakGlass(world, { interaction: "once more" }, "a-6")

  expect(world.platform.row("a-6").status).toBe("approved")
})
