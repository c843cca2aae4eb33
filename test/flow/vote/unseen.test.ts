// What was not seen is not approved: whether a surface showed everything is computed again at the vote, from the case
// (R4).

import { describe, expect, it, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import type { OpenedView } from "../../../src/flow/ports.ts"
import { reveal } from "../../../src/flow/query/case-view.ts"
import { againFor } from "../../../src/flow/vote/answer.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, aView, type PressChanges } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const inView = { on: { kind: "view", viewId: "V1" }, surface: "details" } as const
/** Three pages of Details. */
const long = anApproval({ toolArgs: { body: "x".repeat(120_000) } })
const masking = aPolicy([aRule({ mask: ["secret"] })])

async function inDetails(world: World, approval: Approval, view: Partial<OpenedView>, press: PressChanges = {}) {
  await announced(world, approval)
  await world.ports.views.remember(aView(caseOf(world), view))
  return pressed(world, { ...inView, ...press })
}

describe("R4 Approve on a card that does not show everything as it is counts nothing:", () => {
  it.each<readonly [string, Partial<Approval>]>([
    ["folded", { toolArgs: { body: "x".repeat(5_000) } }],
    ["masked as a whole", { toolArgs: { secret: { a: 1 } } }],
    ["with characters that reorder others", { toolArgs: { body: "\u202Egnp" } }],
    ["with a blank that is no space", { toolArgs: { body: "a\u2800b" } }],
    ["with what looks like a mask", { toolArgs: { body: "▒▒▒▒ 7 characters masked ▒▒▒▒" } }],
    ["with a name that is cut", { sourceName: "A".repeat(500) }],
    [
      "with more calls than it lists",
      { requirements: Array.from({ length: 20 }, (_, at) => aRequirement(`call${at}`)) },
    ],
  ])("Approve on a card that does not show everything as it is counts nothing: %s", async (_how, approval) => {
    const world = await announcedWorld({ policy: masking }, anApproval(approval))

    const { answers, case: after } = await pressed(world)

    expect(answers).toEqual([{ kind: "unseen" }])
    expect(after).toMatchObject({ state: "open", votes: [] })
    expect(world.platform.effects).toBe(0)
  })

  it("Approve on a card with a mask over one value counts, as Details show no more", async () => {
    const world = await announcedWorld({ policy: masking }, anApproval({ toolArgs: { secret: "hunter2" } }))

    await pressed(world)

    expect(world.platform.effects).toBe(1)
  })

  it("Reject on a card that does not show everything counts as it always did", async () => {
    const world = await announcedWorld({}, long)

    const { case: after } = await pressed(world, { verb: "reject" })

    expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
  })
})

describe("R4 Approve in Details", () => {
  it.each([0, 1, 2])("counts nothing after %i of 3 pages", async (pages) => {
    const { answers, case: after } = await inDetails(createWorld(), long, { pagesOpened: pages })

    expect(answers).toEqual([{ kind: "unseen" }])
    expect(after.votes).toEqual([])
  })

  it.each([
    ["nothing after as many small pages as there are large ones", "small", 3],
    ["once all large pages were opened", "large", 3],
    ["once all small pages were opened", "small", 22],
  ] as const)("counts %s", async (_what, pageSize, pagesOpened) => {
    const { answers, case: after } = await inDetails(createWorld(), long, { pagesOpened, pageSize })

    const unseen = pageSize === "small" && pagesOpened === 3
    expect(answers.some(({ kind }) => kind === "unseen")).toBe(unseen)
    expect(after.outcome?.kind ?? null).toBe(unseen ? null : "ours")
  })

  it("counts with a mask over a value, and not with one over an object until it was revealed", async () => {
    const hidden = (toolArgs: Approval["toolArgs"]) => anApproval({ toolArgs })
    const [value, whole, revealed] = await Promise.all([
      inDetails(createWorld({ policy: masking }), hidden({ secret: "hunter2" }), {}),
      inDetails(createWorld({ policy: masking }), hidden({ secret: { a: 1 } }), {}),
      inDetails(createWorld({ policy: masking }), hidden({ secret: { a: 1 } }), { revealed: true }),
    ])

    expect(value.case.outcome).toMatchObject({ kind: "ours" })
    expect(whole.answers).toEqual([{ kind: "unseen" }])
    expect(revealed.case.outcome).toMatchObject({ kind: "ours" })
  })

  it("counts nothing where revealing made it longer than what was read", async () => {
    const secret = anApproval({ toolArgs: { secret: "x".repeat(120_000) } })
    const world = await announcedWorld({ policy: masking }, secret)
    await world.ports.views.remember(aView(caseOf(world), { pagesOpened: 1 }))

    await reveal(world.ports, "V1", { team: "T1", user: "U1" })
    const { answers } = await pressed(world, inView)

    expect(await world.ports.views.read("V1")).toMatchObject({ revealed: true, pagesOpened: 0 })
    expect(answers).toEqual([{ kind: "unseen" }])
  })
})

describe("R4 a form", () => {
  const form = { purpose: "form", verb: "approve" } as const
  const filled = { surface: "form", reason: "because" } as const

  it.each<readonly [string, Partial<OpenedView>, boolean]>([
    ["above page 1 of 3 of Details does not approve", { ...form, pagesOpened: 1 }, false],
    ["above a card that folds does not approve", { ...form, pagesOpened: null }, false],
    ["above Details that were read to the end approves", { ...form, pagesOpened: 3 }, true],
  ])("a form %s", async (_which, view, counts) => {
    const { answers, case: after } = await inDetails(createWorld(), long, view, filled)

    expect(answers.some(({ kind }) => kind === "unseen")).toBe(!counts)
    expect(after.outcome?.kind ?? null).toBe(counts ? "ours" : null)
  })

  it("a form above a card that shows everything approves", async () => {
    const { case: after } = await inDetails(createWorld(), anApproval(), { ...form, pagesOpened: null }, filled)

    expect(after.outcome).toMatchObject({ kind: "ours" })
  })
})

test("R4 whoever approved unseen in a view finds its first page again, and only that counts as read", async () => {
  const world = createWorld()
  const current = await announced(world, long)
  await world.ports.views.remember(aView(current, { pagesOpened: 2, revealed: true }))
  const replyTo = { kind: "view", viewId: "V1", user: "U1" } as const

  const again = await againFor(world.ports, aPress(world, current, { ...inView, replyTo }), { kind: "unseen" })

  expect(again?.details.model.caseId).toBe(current.id)
  expect(await world.ports.views.read("V1")).toMatchObject({ pagesOpened: 1, revealed: false })
})

test("R4 R11 the same press, carried out once more after its view was shown anew, counts nothing either", async () => {
  const world = createWorld()
  await world.ports.views.remember(aView(await announced(world), { pagesOpened: 0 }))
  const press = { ...inView, replyTo: { kind: "view", viewId: "V1", user: "U1" } } as const
  await pressed(world, press)

  const { case: after } = await pressed(world, press)

  expect(await world.ports.views.read("V1")).toMatchObject({ purpose: "details", pagesOpened: 1 })
  expect(after).toMatchObject({ state: "open", votes: [] })
  expect(world.platform.effects).toBe(0)
})
