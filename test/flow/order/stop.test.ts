// Somebody in Slack stops something: who may, and what they are told (R21).
import { expect, test } from "vitest"
import { createOrderActs } from "../../../src/flow/order/acts.ts"
import type { StopOutcome, TypedStop } from "../../../src/flow/ports.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, beside, caseOf, pressed } from "../support.ts"

const day = 86_400_000
const everything: TypedStop = { match: {}, reason: "runaway refunds", forMs: null }

function stops(world: World, user = "U1", change: Partial<TypedStop> = {}): Promise<StopOutcome> {
  return createOrderActs(() => world.ports).stop({ person: { team, user }, stop: { ...everything, ...change } })
}

const listed = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }) as const)

/** Who may stop in a world, of some people. */
async function whoMay(options: WorldOptions, users: readonly string[]) {
  const world = createWorld(options)
  world.people.set(
    aPerson({ user: "UGUEST", guest: true }),
    aPerson({ user: "UEXT", external: true }),
    aPerson({ user: "UGONE", deactivated: true }),
    aPerson({ user: "UBOT", bot: true }),
  )
  world.people.group("S1", "U3")
  const outcomes = await Promise.all(users.map((user) => stops(world, user)))
  return outcomes.map((one) => (one.kind === "not-allowed" ? one.why : "may"))
}

test("R21 without stop.by every approver of any rule may stop, whatever the rule covers, and nobody else", async () => {
  const asks = { quorum: 1, approvers: listed("U2"), routes: [] }
  const policy = aPolicy([
    aRule({ name: "one", match: { tool: ["x"] }, approvers: listed("U1") }),
    aRule({
      name: "limited",
      approvers: [{ kind: "group", id: "S1" }],
      limit: { sum: "args.amount", windowMs: day, above: "5", asks },
    }),
  ])

  expect(await whoMay({ policy }, ["U1", "U2", "U3", "UASK"])).toEqual(["may", "may", "may", "not-listed"])
})

test("R21 stop.by alone says who may stop, and no guest, stranger, bot or deactivated account ever may", async () => {
  const by = [
    ...listed("U3", "UGUEST", "UEXT", "UGONE", "UBOT"),
    { kind: "email", email: "asker@example.com" } as const,
  ]
  const stopRoles = { by, liftBy: [], routes: [] }

  const may = await whoMay({ stopRoles }, ["U1", "U3", "UASK", "UGUEST", "UEXT", "UGONE", "UBOT"])

  expect(may).toEqual(["not-listed", "may", "may", "guest", "external", "deactivated", "bot"])
})

test("R21 while Slack is silent, what it said in the last day counts for a stop, and nothing older", async () => {
  const world = createWorld()
  await stops(world)
  world.people.fail(chatFailure("timeout"))

  world.clock.forward(day - 1)
  expect(await stops(world, "U1", { match: { agent: ["a"] } })).toMatchObject({ kind: "stopped" })

  world.clock.forward(2)
  await expect(stops(world, "U1", { match: { agent: ["b"] } })).rejects.toThrow("timeout")
})

test("R21 a group that Slack does not tell hides nobody who is listed by name", async () => {
  const approvers = [{ kind: "email", email: "u3@example.com" } as const, ...listed("U1")]
  const world = createWorld({ stopRoles: { by: approvers, liftBy: [], routes: [] } })
  await world.people.lately.look({ team, user: "U1" }, 0)
  world.people.fail(chatFailure("timeout"))

  expect(await stops(world)).toMatchObject({ kind: "stopped" })
})

test("R21 a stop is in force with who, when, why and until when, and the same again names the older one", async () => {
  const world = createWorld()

  const made = await stops(world, "U1", { forMs: 7_200_000 })
  const again = await stops(world, "U2", { reason: "me too", forMs: 60_000 })

  const stop = {
    id: "stop-1",
    match: {},
    by: { kind: "person", team, user: "U1", name: "Name of U1" },
    reason: "runaway refunds",
    at: world.clock.now(),
    until: world.clock.now() + 7_200_000,
  }
  expect(made).toMatchObject({ kind: "stopped", stop })
  expect(again).toMatchObject({ kind: "again", stop })
  expect(world.ports.orders().stops).toEqual([stop])
})

test("R21 whoever stops hears what waits under it, how much only perhaps, and what was on its way", async () => {
  const world = await announcedWorld({}, anApproval({ teamId: null }))
  await beside(world)
  world.platform.failResolve({ kind: "unheard", applied: false })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await pressed(world)

  const outcome = await stops(world, "U1", { match: { team: ["t"] } })

  const { id, decision } = caseOf(world)
  expect(outcome).toMatchObject({
    kind: "stopped",
    under: {
      waiting: 1,
      perhaps: 1,
      runs: [],
      onWay: [{ caseId: id, tool: "delete_table", at: decision?.at }],
      gates: 1,
    },
  })
})

test("R21 a value that no case of the last 30 days had is stopped and told, with the nearest ones", async () => {
  const world = createWorld()
  await announced(world, anApproval({ agentId: "billing-agent" }))

  const outcome = await stops(world, "U1", { match: { agent: ["biling-agent", "billing-agent"], tool: ["delete_*"] } })

  expect(outcome).toMatchObject({
    kind: "stopped",
    unknown: [{ word: "agent", value: "biling-agent", nearest: ["billing-agent"] }],
  })
})

test("R21 a stop that holds but could not be counted is told as one that holds", async () => {
  const world = await announcedWorld()
  const failing = {
    ...world.ports,
    store: { ...world.ports.store, listOpen: () => Promise.reject(chatFailure("redis is gone")) },
  }

  const outcome = await createOrderActs(() => failing).stop({ person: { team, user: "U1" }, stop: everything })

  expect(outcome).toMatchObject({ kind: "stopped", under: null })
  expect(world.ports.orders().stops).toHaveLength(1)
})
