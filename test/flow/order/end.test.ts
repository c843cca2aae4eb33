// Somebody in Slack ends a stop: who may, what goes on, and what does not (R21).
import { expect, test } from "vitest"
import { createOrderActs } from "../../../src/flow/order/acts.ts"
import { resume } from "../../../src/flow/resume/resume.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { aStop } from "../../support/orders.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { paused } from "../resuming.ts"
import { announced, caseOf, ledgerKinds, minute, pass, pressed } from "../support.ts"

const byU1 = { kind: "person", team, user: "U1", name: "Name of U1" } as const
const users = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }) as const)
const asked = (user: string) => ({ person: { team, user }, stop: "s-1" })

function acts(world: World) {
  return createOrderActs(() => world.ports)
}

/** A world in which this stop is in force. */
function under(stop = aStop(), options: WorldOptions = {}): World {
  const world = createWorld(options)
  world.order({ stops: [{ ...stop, at: world.clock.now() }] })
  return world
}

/** What each of these people hears who would end the stop. */
async function whoMayEnd(world: World, ids: readonly string[]) {
  const seen = await Promise.all(ids.map((user) => acts(world).ending(asked(user))))
  return seen.map((one) => (one.kind === "not-allowed" ? one.why : one.kind))
}

test("R21 whoever stopped may take it back within ten minutes, and somebody else has to end it after that", async () => {
  const world = under(aStop({ by: byU1 }))

  world.clock.forward(10 * minute)
  expect(await whoMayEnd(world, ["U1", "U2"])).toEqual(["may", "may"])

  world.clock.forward(1)
  expect(await whoMayEnd(world, ["U1", "U2"])).toEqual(["own", "may"])
})

test("R21 another account of whoever stopped may not end it", async () => {
  const identities = ["U1", "U2"].map((user) => ({ subject: "jane", team, user }))
  const policy = aPolicy([aRule({ approvers: users("U1", "U2", "U3") })], identities)
  const world = under(aStop({ by: byU1 }), { policy })
  world.clock.forward(10 * minute + 1)

  expect(await whoMayEnd(world, ["U2"])).toEqual(["own"])
})

test("R21 an end is judged under the config that is active when it is noted, and under no earlier one", async () => {
  const world = under()
  const next = aPolicy([aRule({ name: "other", approvers: users("U2") })])
  world.server.activate(next.revision)
  const now = world.process(next)

  expect(await acts(world).endStop(asked("U1"))).toEqual({ kind: "other-config" })
  expect(now.orders().stops).toHaveLength(1)
  const learnt = [world.ports]
  const learning = createOrderActs(() => learnt.shift() ?? now)
  expect(await learning.endStop(asked("U1"))).toMatchObject({ kind: "not-allowed", why: "not-listed" })
  expect(await createOrderActs(() => now).endStop(asked("U2"))).toMatchObject({ kind: "ended" })
})

test("R21 lift_by alone says who ends a stop, else stop.by, else every approver; guests never", async () => {
  const roles = { by: users("U1"), liftBy: users("U3", "UGUEST"), routes: [] }
  const worlds = [roles, { ...roles, liftBy: [] }, { ...roles, by: [], liftBy: [] }].map((stopRoles) =>
    under(aStop(), { stopRoles }),
  )
  for (const { people } of worlds) people.set(aPerson({ user: "UGUEST", guest: true }))

  const may = await Promise.all(worlds.map((world) => whoMayEnd(world, ["U1", "U2", "U3", "UGUEST"])))

  expect(may).toEqual([
    ["not-listed", "not-listed", "may", "guest"],
    ["may", "not-listed", "not-listed", "guest"],
    ["may", "may", "not-listed", "guest"],
  ])
})

test("R21 nobody ends a stop who asked for what waits under it, by whatever name the platform has for them", async () => {
  const identities = [{ subject: "jane", team, user: "U2" }]
  const world = under(aStop({ match: { tool: ["delete_*"] } }), { policy: aPolicy([aRule()], identities) })
  await announced(world, anApproval({ userId: "u1@example.com" }))
  await announced(world, anApproval({ id: "a-2", userId: "Jane" }))
  await announced(world, anApproval({ id: "a-3", toolName: "send_mail", userId: "u1@example.com" }))

  expect(await whoMayEnd(world, ["U1", "U2"])).toEqual(["requester", "requester"])
})

test("R21 nor who asked for a run that would be continued", async () => {
  const world = await paused({ approval: { userId: "u2@example.com" } })
  await pressed(world)
  world.order({ stops: [aStop({ at: world.clock.now() })] })

  expect(await whoMayEnd(world, ["U1", "U2"])).toEqual(["may", "requester"])
})

test("R21 if the config names one person and no group, that one may end whatever they stopped or asked for", async () => {
  const alone = { by: users("U1"), liftBy: [], routes: [] }
  const email = { by: [...users("U1"), { kind: "email", email: "u1@example.com" } as const], liftBy: [], routes: [] }
  const group = { by: [...users("U1"), { kind: "group", id: "S1" } as const], liftBy: [], routes: [] }
  const worlds = [alone, email, group].map((stopRoles) => under(aStop({ by: byU1 }), { stopRoles }))
  for (const world of worlds) {
    world.people.group("S1", "U1")
    world.clock.forward(10 * minute + 1)
  }

  expect(await Promise.all(worlds.map((world) => whoMayEnd(world, ["U1"])))).toEqual([["may"], ["may"], ["own"]])
})

test("R21 a stop that came by HTTP is ended by anybody of lift_by", async () => {
  const world = under(aStop({ by: { kind: "caller", name: "ci" } }))
  await announced(world, anApproval({ userId: "u1@example.com" }))

  expect(await whoMayEnd(world, ["U1", "U3"])).toEqual(["may", "not-listed"])
})

test("R21 what goes on is counted and named, without what another stop covers, too", async () => {
  const world = await paused()
  await pressed(world)
  const at = world.clock.now()
  world.order({ stops: [aStop({ at }), aStop({ id: "s-2", match: { tool: ["send_*"] }, at })] })
  await announced(world, anApproval({ id: "a-2", runId: "run-2" }))
  await announced(world, anApproval({ id: "a-3", runId: "run-3", toolName: "send_mail" }))

  const seen = await acts(world).ending(asked("U2"))

  const named = [{ caseId: caseOf(world).id, tool: "delete_table", agent: caseOf(world).summary.agent }]
  expect(seen).toMatchObject({ kind: "may", waiting: 1, runs: named, late: [] })
})

test("R21 the end is an act of who ended it, judged anew; after it there is nothing left to end", async () => {
  const world = under(aStop({ by: byU1 }))
  world.clock.forward(10 * minute + 1)

  expect(await acts(world).endStop(asked("U1"))).toMatchObject({ kind: "not-allowed", why: "own" })
  expect(world.ports.orders().stops).toHaveLength(1)
  expect(await acts(world).endStop(asked("U2"))).toMatchObject({ kind: "ended", stop: { id: "s-1" } })
  expect(world.ports.orders().stops).toEqual([])
  expect(await acts(world).endStop(asked("U2"))).toEqual({ kind: "gone" })
})

test("R21 nobody ends a stop while Slack does not say who they are, whatever it said a minute ago", async () => {
  const world = under()
  await acts(world).ending(asked("U1"))
  world.people.fail(chatFailure("timeout"))
  world.clock.forward(minute)

  await expect(acts(world).endStop(asked("U1"))).rejects.toThrow("timeout")
  expect(world.ports.orders().stops).toHaveLength(1)
})

test("R21 nobody ends a stop while Redis is rolled back", async () => {
  const world = under()
  const standing = () => ({ kind: "rolled-back", why: "older", since: 0 }) as const
  const acting = createOrderActs(() => ({ ...world.ports, freshness: { ...world.ports.freshness, standing } }))

  expect(await acting.endStop(asked("U1"))).toEqual({ kind: "rolled-back" })
})

test("R21 guests and people of other companies see no stop; everybody else sees all, oldest first", async () => {
  const world = under()
  world.people.set(aPerson({ user: "UGUEST", guest: true }), aPerson({ user: "UEXT", external: true }))
  const stops = (user: string) => acts(world).stops({ team, user })

  expect(await stops("UASK")).toHaveLength(1)
  expect(await stops("UGUEST")).toEqual([])
  expect(await stops("UEXT")).toEqual([])
})

test("R21 a run that was stopped until its decision was too old is not continued any more, and says why", async () => {
  const world = await paused({ conduct: { resume: "decided", receiptLifeMs: 10 * minute } })
  await pressed(world)
  world.order({ stops: [aStop({ at: world.clock.now() })] })
  await resume(world.ports, caseOf(world).id)

  world.clock.forward(11 * minute)
  expect(await acts(world).ending(asked("U2"))).toMatchObject({ runs: [], late: [{ caseId: caseOf(world).id }] })
  world.order({ stops: [] })
  await pass(world, minute)

  expect(ledgerKinds(world)).not.toContain("continued")
  expect(caseOf(world).resumption).toMatchObject({
    kind: "withheld",
    why: expect.stringContaining("stopped for longer"),
  })
})

test("R21 a run that no stop kept is continued however old its decision is", async () => {
  const world = await paused({ conduct: { resume: "decided", receiptLifeMs: 10 * minute } })
  await pressed(world)

  world.clock.forward(11 * minute)
  await pass(world, minute)

  expect(world.runs.executions).toEqual(["delete_table"])
})
