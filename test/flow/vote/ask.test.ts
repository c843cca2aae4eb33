// Forms are for those whose vote could count: a press is judged before its form opens, and again when that is sent.
import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { filledWith } from "../../../src/domain/send-back/counterproposal.ts"
import type { Press } from "../../../src/flow/ports/interaction.ts"
import { createInbound } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import type { World, WorldOptions } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { aPress, aView, type PressChanges } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, ledgerKinds, pressed } from "../support.ts"

const withReason = aRule({ requireReason: "always" })
const reason = { reason: { required: true, choices: [] } }

/** What a press for a form gets. It must not vote, whatever comes of it. */
async function ask(
  world: World,
  changes: Omit<PressChanges, "on"> & Partial<Pick<Press, "on" | "sendBack">> = {},
  current?: Case,
) {
  const { on, ...rest } = changes
  const press = aPress(world, current ?? caseOf(world), rest)
  const asked = await createInbound(() => world.ports).ask({ ...(press as Press), ...(on === undefined ? {} : { on }) })
  return asked.kind === "form" ? asked.form : asked.answer
}

/** A world where this person presses a button that needs a form. */
async function asking(options: WorldOptions = {}, approval?: Approval) {
  return announcedWorld({ policy: aPolicy([withReason]), ...options }, approval)
}

test.each(["approve", "reject"] as const)("R1: an approver who presses for a form to %s gets it", async (verb) => {
  const world = await asking()

  expect(await ask(world, { verb })).toMatchObject(reason)
  expect(caseOf(world).votes).toEqual([])
})

test.each([
  { who: "a stranger", user: "U9", person: aPerson({ user: "U9" }), code: "not-approver" },
  { who: "a guest", user: "U1", person: aPerson({ user: "U1", guest: true }), code: "guest" },
  { who: "somebody of another company", user: "U1", person: aPerson({ user: "U1", external: true }), code: "external" },
  { who: "a deactivated account", user: "U1", person: aPerson({ user: "U1", deactivated: true }), code: "deactivated" },
  { who: "a bot", user: "U1", person: aPerson({ user: "U1", bot: true }), code: "bot" },
])("R5: $who gets no form, but the answer that the sent form would get", async ({ user, person, code }) => {
  const world = await asking()
  world.people.set(person)
  world.clock.forward(31_000)

  const told = await ask(world, { user, verb: "reject" })

  expect(told).toEqual({ kind: "refused", refusal: { code } })
  world.clock.forward(1)
  expect((await pressed(world, { user, verb: "reject", reason: "no" })).answers).toEqual([told])
  expect(ledgerKinds(world).filter((kind) => kind === "refused")).toHaveLength(2)
})

test("R6: whoever asked gets no form to approve, and one to reject", async () => {
  const rule = aRule({ requireReason: "always", forbidSelfApproval: true, unknownRequester: "refuse" })
  const world = await asking({ policy: aPolicy([rule]) }, anApproval({ userId: "U1" }))

  expect(await ask(world)).toEqual({ kind: "refused", refusal: { code: "requester", rule: "all" } })
  world.clock.forward(1)
  expect(await ask(world, { verb: "reject" })).toMatchObject(reason)
})

test("a press for a form says who was faster, and that the time is over", async () => {
  const world = await asking()
  const before = caseOf(world)
  await pressed(world, { reason: "fine" })

  expect(await ask(world, { user: "U2" }, before)).toMatchObject({ kind: "already", verb: "approve", users: ["U1"] })
})

test("whoever has approved with a reason is told so, and how many still have to", async () => {
  const approvers = ["U1", "U2"].map((id) => ({ kind: "user", id }) as const)
  const world = await asking({ policy: aPolicy([aRule({ requireReason: "always", quorum: 2, approvers })]) })
  await pressed(world, { reason: "fine" })
  world.clock.forward(1)

  expect(await ask(world)).toMatchObject({ kind: "again", verb: "approve", progress: [{ have: 1, need: 2 }] })
})

test("R18: a press for a form counts only on the card on record, and about what it shows now", async () => {
  const world = await asking()
  const before = caseOf(world)
  const elsewhere = { kind: "card", place: { channel: "C9", ts: "9.9" } } as const
  world.platform.put(anApproval({ toolArgs: { user_id: "U-200" } }))
  await announced(world, anApproval({ toolArgs: { user_id: "U-200" } }))

  expect(await ask(world, { on: elsewhere })).toEqual({ kind: "replaced" })
  expect(await ask(world, {}, before)).toMatchObject({ kind: "changed", change: { now: { revision: 2 } } })
})

test("R4: nobody fills in a form above Details that they have not read to the end", async () => {
  const long = anApproval({ toolArgs: { body: "x".repeat(120_000) }, requirements: null })
  const world = await asking({}, long)
  const current = caseOf(world)
  await world.ports.views.remember(aView(current))
  const on = { kind: "view", viewId: "V1" } as const

  expect(await ask(world, { on, surface: "details" })).toEqual({ kind: "unseen" })
})

test("R11: a press for a form that comes late is asked for again", async () => {
  const world = await asking()

  expect(await ask(world, { at: world.clock.now() - 120_001 })).toEqual({ kind: "late" })
})

test("a form to reject opens from the Home, where no card hangs", async () => {
  const world = await announcedWorld()

  expect(await ask(world, { on: null, surface: "home", verb: "reject" })).toMatchObject({
    reason: { required: false },
  })
  world.people.set(aPerson({ user: "U9" }))
  expect(await ask(world, { on: null, surface: "home", verb: "reject", user: "U9" })).toMatchObject({
    refusal: { code: "not-approver" },
  })
})

test("the form to reject says whether its person may send the case back instead", async () => {
  const asked = anApproval({ userId: "U1" })
  const world = await asking({}, asked)
  const offered = async (changes: Parameters<typeof ask>[1]) =>
    (await ask(world, { verb: "reject", ...changes })) as { readonly maySendBack?: true }

  expect((await offered({ user: "U2" })).maySendBack).toBe(true)
  expect((await offered({ user: "U1" })).maySendBack).toBeUndefined()
  await world.ports.views.remember(aView(caseOf(world), { user: "U2" }))
  const inDetails = { user: "U2", on: { kind: "view", viewId: "V1" }, surface: "details" } as const
  expect((await offered({ ...inDetails, sendBack: true })).maySendBack).toBeUndefined()
  expect((await offered({ user: "U2", verb: "approve" })).maySendBack).toBeUndefined()
})

describe("R18: Send Back… in the form of a rejection", () => {
  const rejecting = { purpose: "form", verb: "reject", pagesOpened: null } as const
  const on = { kind: "view", viewId: "V1" } as const
  const asked = { on, surface: "form", verb: "reject", sendBack: true } as const

  test("gets its own form, also if it is pressed twice", async () => {
    const world = await asking()
    for (const view of [rejecting, { ...rejecting, sendBack: true } as const]) {
      await world.ports.views.remember(aView(caseOf(world), view))

      expect(await ask(world, asked)).toMatchObject({ sendBack: { calls: [{}] } })
    }
  })

  test.each<readonly [what: string, view: Parameters<typeof aView>[1]]>([
    ["somebody else's form", { ...rejecting, user: "U2" }],
    ["the form of an approval", { ...rejecting, verb: "approve" }],
    ["the form that calls a request back", { ...rejecting, calledBack: true }],
    ["Details, as if they were a form", {}],
  ])("gets none in %s", async (_what, view) => {
    const world = await asking()
    await world.ports.views.remember(aView(caseOf(world), view))

    expect(await ask(world, asked)).toEqual({ kind: "replaced" })
  })

  test("makes no rejection of the plain form one that sends the case back", async () => {
    const world = await asking()
    await world.ports.views.remember(aView(caseOf(world), rejecting))
    const values = filledWith({ calls: [] })

    const { answers } = await pressed(world, { ...asked, reason: "no", values })

    expect(answers).toEqual([{ kind: "replaced" }])
  })
})

test("while Slack does not say who somebody is, they get no form, and hear that it failed", async () => {
  const world = await asking()
  world.people.fail(chatFailure("ratelimited"))
  world.clock.forward(31_000)

  await expect(ask(world)).rejects.toMatchObject({ source: "slack" })
})

test("R11: after a crash the press of somebody who may not decide opens nothing, and is refused", async () => {
  const world = await asking()
  world.people.set(aPerson({ user: "U1", guest: true }))
  world.clock.forward(31_000)

  const { answers } = await pressed(world)

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "guest" } }])
})
