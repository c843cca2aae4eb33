// Whoever asked calls their own request back: a rejection that no rule lists them for (R1, R5, R6, R7, R8, R12).
import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import type { Person } from "../../../src/domain/people/person.ts"
import { details } from "../../../src/flow/query/case-view.ts"
import { createInbound } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { aPress, aView } from "../../support/presses.ts"
import { asksInput, paused } from "../resuming.ts"
import { announced, announcedWorld, carried, caseOf, ledgerKinds, pressed } from "../support.ts"

const inView = { kind: "view", viewId: "V1" } as const
const back = { verb: "reject", calledBack: true } as const
const asker = "UASK"

/** Sends the form that was opened for this person, who calls the request back. */
async function callBack(world: World, user: string = asker, reason: string | null = null) {
  const current = caseOf(world)
  await world.ports.views.remember(aView(current, { user, purpose: "form", ...back }))
  return carried(world, aPress(world, current, { user, on: inView, surface: "form", ...back, reason }))
}

/** Presses "Call Back…" in Details. */
async function pressForForm(world: World, user: string = asker) {
  const current = caseOf(world)
  await world.ports.views.remember(aView(current, { user }))
  const press = aPress(world, current, { user, on: inView, surface: "details" })
  return createInbound(() => world.ports).ask({ ...press, ...back, reason: null, values: null })
}

function maySee(world: World, user: string = asker) {
  return details(world.ports, caseOf(world).id, { team, user }, null)
}

test("R1: whoever asked calls it back, although no rule lists them, with a reason", async () => {
  const world = await announcedWorld()

  const { case: after } = await callBack(world, asker, "wrong account")

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
  expect(ledgerKinds(world)).toEqual(expect.arrayContaining(["called-back", "decided", "resolved"]))
  expect(ledgerKinds(world)).not.toContain("voted")
  const [body = ""] = world.platform.bodies
  expect(parseJson(body)).toMatchObject({
    status: "rejected",
    resolved_by: "asker@example.com",
    resolution_data: { countersign: { called_back: true, reason: "wrong account" } },
  })
  await world.queue.runAll(world.ports)
  expect(world.chat.messages[0]?.model.votes).toMatchObject([
    { user: asker, calledBack: true, reason: "wrong account" },
  ])
})

test("a rejection by an approver who asked says nothing of calling back", async () => {
  const world = await announcedWorld({}, anApproval({ userId: "U1" }))

  await pressed(world, { verb: "reject" })

  expect(world.platform.bodies[0]).not.toContain("called_back")
})

test("a request is called back without a reason, although a rule wants one of approvers, and with one vote there", async () => {
  const approvers = ["U1", "U2"].map((id) => ({ kind: "user", id }) as const)
  const world = await announcedWorld({ policy: aPolicy([aRule({ requireReason: "always", quorum: 2, approvers })]) })
  await pressed(world, { reason: "fine" })
  world.clock.forward(1)

  expect(await pressForForm(world)).toMatchObject({ kind: "form", form: { reason: { required: false, choices: [] } } })
  expect((await callBack(world)).case.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

interface Other {
  readonly who: string
  readonly user?: string
  readonly people?: readonly Person[]
  readonly approval?: Partial<Approval>
  readonly options?: WorldOptions
  readonly code?: string
}

const others: readonly Other[] = [
  { who: "an approver who did not ask", user: "U1" },
  { who: "a stranger", user: "U9", people: [aPerson({ user: "U9" })] },
  { who: "anybody, where the platform names nobody", approval: { userId: null } },
  { who: "anybody, where a service account asked", approval: { userId: "sa:robot" } },
  {
    who: "a second account with the same address",
    user: "U8",
    people: [aPerson({ user: "U8", email: "asker@example.com" })],
  },
  { who: "a second account of the same name in another workspace", user: asker, approval: { userId: "slack:TX:UASK" } },
  {
    who: "the account with an address that identities give to another account",
    options: { policy: aPolicy([aRule()], [{ subject: "asker@example.com", team, user: "U2" }]) },
  },
  {
    who: "either of two accounts that identities list under one name",
    approval: { userId: "ann" },
    options: {
      policy: aPolicy(
        [aRule()],
        [
          { subject: "ann", team, user: asker },
          { subject: "ann", team, user: "U2" },
        ],
      ),
    },
  },
  {
    who: "a guest whom no rule lets in",
    people: [aPerson({ user: asker, email: "asker@example.com", guest: true })],
    code: "guest",
  },
  {
    who: "a deactivated account",
    people: [aPerson({ user: asker, email: "asker@example.com", deactivated: true })],
    code: "deactivated",
  },
]

test.each(others)("R6 R7 R8: it is not called back by $who, by button or by a forged form", async (other) => {
  const { user = asker, people = [], approval = {}, options = {}, code = "not-requester" } = other
  const world = createWorld(options)
  world.people.set(...people)
  await announced(world, anApproval(approval))

  const refused = { kind: "refused", refusal: { code } }
  expect(await pressForForm(world, user)).toEqual({ kind: "answer", answer: refused })
  expect((await maySee(world, user))?.callBack).toBeUndefined()
  world.clock.forward(1)
  const { answers, case: after } = await callBack(world, user)

  expect(answers).toEqual([refused])
  expect([after.state, after.votes]).toEqual(["open", []])
  expect(world.platform.bodies).toEqual([])
})

test("R7: an address that meant somebody else before lets nobody call back", async () => {
  const world = await announcedWorld()
  await world.ports.identityLinks.pin("asker@example.com", { team, user: "U7" }, world.clock.now())

  expect((await callBack(world)).answers).toEqual([{ kind: "refused", refusal: { code: "not-requester" } }])
})

test("Details offer it to whoever asked, and to nobody else", async () => {
  const world = await announcedWorld()

  expect(await maySee(world)).toMatchObject({ callBack: true })
  expect(await maySee(world, "U1")).not.toHaveProperty("callBack")
})

test("R18: a form that was opened to reject calls nothing back, and the other way round", async () => {
  const world = await announcedWorld({}, anApproval({ userId: "U1" }))
  const current = caseOf(world)
  await world.ports.views.remember(aView(current, { purpose: "form", verb: "reject" }))
  const sent = { on: inView, surface: "form", verb: "reject" } as const

  expect((await carried(world, aPress(world, current, { ...sent, calledBack: true }))).answers).toEqual([
    { kind: "replaced" },
  ])
  await world.ports.views.remember(aView(current, { purpose: "form", ...back }))
  world.clock.forward(1)
  expect((await carried(world, aPress(world, current, sent))).answers).toEqual([{ kind: "replaced" }])
})

test("R12: a request that nobody would enforce is held when it is called back, and stays so for others", async () => {
  const world = await paused({ conduct: { resume: "off" }, execution: asksInput })

  const { case: held } = await callBack(world)

  expect([world.platform.bodies, held.state]).toEqual([[], "open"])
  expect(ledgerKinds(world).slice(-2)).toEqual(["called-back", "held"])
  world.clock.forward(1)
  const { answers } = await pressed(world, { verb: "reject" })
  expect(answers).toMatchObject([{ kind: "already", verb: "reject", users: [asker] }])
})

test("R5: who called back is judged again when the next vote counts: a held one of somebody who left falls", async () => {
  const world = await paused({ conduct: { resume: "off" }, execution: asksInput })
  await callBack(world)
  world.people.set(aPerson({ user: asker, email: "asker@example.com", deactivated: true }))
  world.clock.forward(31_000)

  await pressed(world, { verb: "reject" })

  expect(caseOf(world).votes.map(({ person }) => person.user)).toEqual(["U1"])
  expect(ledgerKinds(world)).toContain("voided")
})

test("R11: the same form counts once, however often it is carried out", async () => {
  const world = await announcedWorld()
  await callBack(world)

  await callBack(world)

  expect(ledgerKinds(world).filter((kind) => kind === "called-back")).toHaveLength(1)
})
