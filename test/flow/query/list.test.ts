// Lists: what each filter lets through, how far one answer looks, and that nobody finds what they may not see (R8).
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { noOrders } from "../../../src/domain/order/orders.ts"
import type { Filter } from "../../../src/flow/ports/inbound.ts"
import { history, list, paginate } from "../../../src/flow/query/list.ts"
import { anApproval, aPerson, aPolicy, aRule, aTiming, team } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const everything = { mine: false, offset: 0, limit: 50 }
const me = { team, user: "U1" }
/** Nothing is on hold. */
const free = { orders: () => noOrders, saidHolds: [] }
type World = ReturnType<typeof createWorld>

async function waiting(world: World, filter: Filter, person = me): Promise<readonly string[]> {
  const { models } = await list(world.ports, person, { ...everything, filter })
  return models.map(({ approvalId }) => approvalId).toSorted()
}

async function decided(world: World, filter: Filter, person = me): Promise<readonly string[]> {
  const { models } = await history(world.ports, person, { ...everything, filter })
  return models.map(({ approvalId }) => approvalId).toSorted()
}

/** Two that wait: a payment of a team for Rita, and a deletion of a workflow that nobody is named for. */
async function aPair(): Promise<World> {
  const world = createWorld()
  world.people.set(aPerson({ user: "U9", email: "rita@corp.example" }))
  await announced(
    world,
    anApproval({ id: "pay", toolName: "send_money", teamId: "finance", userId: "rita@corp.example" }),
  )
  world.clock.forward(3_600_000)
  await announced(world, anApproval({ id: "delete", toolName: "delete_rows", workflowId: "month-end", userId: null }))
  return world
}

test.each<[Filter, readonly string[]]>([
  [{}, ["delete", "pay"]],
  [{ team: "fin*" }, ["pay"]],
  [{ team: "FIN" }, ["pay"]],
  [{ team: "nance" }, []],
  [{ team: "financ?" }, ["pay"]],
  [{ team: "fin?" }, []],
  [{ workflow: "MONTH-END" }, ["delete"]],
  [{ tool: "send", requester: "rita" }, ["pay"]],
  [{ requester: "rita@*" }, ["pay"]],
  [{ requestedBy: { team, user: "U9" } }, ["pay"]],
  [{ requestedBy: me }, []],
  [{ text: "money" }, ["pay"]],
  [{ text: "MONTH" }, ["delete"]],
  [{ text: "rita money" }, ["pay"]],
  [{ text: "rita rows" }, []],
  [{ status: "waiting" }, ["delete", "pay"]],
  [{ status: "held" }, []],
  [{ person: "U2" }, []],
  [{ team: "finance", workflow: "month-end" }, []],
])("a list narrowed to %j finds just those", async (filter, found) => {
  const world = await aPair()

  expect(await waiting(world, filter)).toEqual(found)
})

/** Rules that make what is asked urgent in each way, by the first letters of a tool. */
const usual = aRule({ name: "usual", match: { tool: ["u*"] } })
const risky = aRule({ name: "risky", match: { tool: ["r*"] }, risk: "high" })
const grave = aRule({ name: "grave", match: { tool: ["g*"] }, danger: true })
const due = aRule({ name: "due", match: { tool: ["d*"] }, timing: aTiming({ expireAfter: 90 * 60_000 }) })

test("what is due comes first, then what is risky, then what has waited the longest, then what is over", async () => {
  const world = createWorld({ policy: aPolicy([usual, risky, grave, due]) })
  const ask = async (id: string) => {
    await announced(world, anApproval({ id, runId: id, toolName: id }))
    world.clock.forward(60_000)
  }
  for (const id of ["u-old", "d-old", "r-old", "u-new", "g-new", "d-new"]) await ask(id)
  const ordered = async (ask = {}) =>
    (await list(world.ports, me, { ...everything, filter: {}, ...ask })).models.map(({ approvalId }) => approvalId)

  expect(await ordered()).toEqual(["r-old", "g-new", "u-old", "d-old", "u-new", "d-new"])
  world.clock.forward(35 * 60_000)
  expect(await ordered()).toEqual(["d-old", "d-new", "r-old", "g-new", "u-old", "u-new"])
  expect(await ordered({ offset: 1, limit: 2, mine: true })).toEqual(["d-new", "r-old"])
  world.clock.forward(60 * 60_000)
  expect(await ordered()).toEqual(["r-old", "g-new", "u-old", "u-new", "d-old", "d-new"])
})

test("R8: no word finds what a rule masks, neither in a name nor in an argument", async () => {
  const rule = aRule({ mask: ["card", "/secret-[a-z]+/"] })
  const world = createWorld({ policy: aPolicy([rule]) })
  await announced(
    world,
    anApproval({ toolName: "secret-plan", toolArgs: { card: "4111", to: "jane" }, requirements: null }),
  )

  expect(await waiting(world, { text: "jane" })).toEqual(["a-1"])
  for (const filter of [{ text: "4111" }, { text: "jane 4111" }, { text: "plan" }, { tool: "secret-p" }])
    expect({ filter, found: await waiting(world, filter) }).toEqual({ filter, found: [] })
})

test("since and until are about when it was asked, both included", async () => {
  const world = await aPair()
  const at = caseOf(world, "delete").summary.createdAt ?? caseOf(world, "delete").openedAt
  const first = caseOf(world, "pay").summary.createdAt ?? caseOf(world, "pay").openedAt

  expect(await waiting(world, { since: first })).toEqual(["delete", "pay"])
  expect(await waiting(world, { until: Math.min(at, first) - 1 })).toEqual([])
})

test("whoever voted is found on what waits, by id and by name", async () => {
  const rule = aRule({ quorum: 2, approvers: ["U1", "U2", "U3"].map((id) => ({ kind: "user", id })) })
  const world = await announcedWorld({ policy: aPolicy([rule]) })
  await pressed(world)
  const [vote] = caseOf(world).votes

  expect(await waiting(world, { person: "U1" })).toEqual(["a-1"])
  expect(await waiting(world, { person: vote?.name ?? "" })).toEqual(["a-1"])
  expect(await waiting(world, { person: "U2" })).toEqual([])
})

test("a decided case is found by how it ended, by its team also after its content is erased, and by whom it concerns", async () => {
  const world = createWorld()
  world.people.set(aPerson({ user: "U9", email: "rita@corp.example" }))
  await announced(world, anApproval({ teamId: "finance", workflowId: "month-end", userId: "rita@corp.example" }))
  await pressed(world)
  await world.queue.runDue(world.ports)

  expect(caseOf(world)).toMatchObject({ state: "closed", approval: null })
  for (const filter of [
    { status: "approved" },
    { team: "finance" },
    { workflow: "month-*" },
    { requestedBy: { team, user: "U9" } },
    { concerning: { team, user: "U9" } },
    { concerning: me },
    { since: caseOf(world).outcome?.at ?? 0 },
  ] as const)
    expect({ filter, found: await decided(world, filter) }).toEqual({ filter, found: ["a-1"] })
  for (const filter of [
    { status: "rejected" },
    { status: "elsewhere" },
    { team: "other" },
    { concerning: { team, user: "U2" } },
    { since: (caseOf(world).outcome?.at ?? 0) + 1 },
  ] as const)
    expect({ filter, found: await decided(world, filter) }).toEqual({ filter, found: [] })
})

test("R8: no filter finds what somebody may not see, not even by its requester's name", async () => {
  const world = await aPair()
  world.people.set(aPerson({ user: "U7", guest: true }))
  const stranger = { team, user: "U7" }

  for (const filter of [
    {},
    { requester: "rita@corp.example" },
    { requestedBy: { team, user: "U9" } },
    { text: "money" },
  ])
    expect(await waiting(world, filter, stranger)).toEqual([])
  expect(await waiting(world, { requestedBy: { team, user: "U9" } }, { team, user: "U9" })).toEqual(["pay"])
})

test("an answer looks for a second, and says how far back that was", async () => {
  const { read, counted } = aLongList(2_600)
  let now = 0
  const clock = () => (now += 300)

  const { next } = await paginate(
    { ...free, read, clock },
    { offset: 0, limit: 5 },
    { asked: () => false, shown: async () => true },
  )

  expect(next).toEqual({ after: counted.read, back: counted.read - 1 })
  expect(counted.read).toBeLessThan(2_000)
})

/** A list of this many cases, of which nobody can be found; it counts how many were read. */
function aLongList(length: number) {
  const cases = Array.from({ length }, (_, index) => ({ id: String(index), outcome: { at: index } }) as unknown as Case)
  const counted = { read: 0 }
  const read = async ({ offset, limit }: { readonly offset: number; readonly limit: number }) => {
    const page = cases.slice(offset, offset + limit)
    counted.read += page.length
    return { cases: page, total: length }
  }
  return { read, counted }
}

test("one answer looks through 2,000 cases, says where the next look begins, and that one reaches the end", async () => {
  const { read, counted } = aLongList(2_600)
  const sieve = { asked: () => false, shown: async () => true }

  const first = await paginate({ ...free, read, clock: () => 0 }, { offset: 0, limit: 5 }, sieve)
  const looked = counted.read
  const second = await paginate(
    { ...free, read, clock: () => 0 },
    { offset: 0, limit: 5, after: first.next?.after ?? 0 },
    sieve,
  )

  expect(first).toEqual({ models: [], total: 0, more: true, next: { after: 2_000, back: 1_999 } })
  expect(looked).toBe(2_000)
  expect(second).toEqual({ models: [], total: 0, more: false })
  expect(counted.read).toBe(2_600)
})

test("a first page of the longest list reads a hundred cases, and says that there are more", async () => {
  const world = await aPair()
  const one = caseOf(world, "pay")
  let read = 0
  const endless = async ({ limit }: { readonly limit: number }) => {
    read += limit
    return {
      cases: Array.from({ length: limit }, (_, at) => ({ ...one, id: `c-${read}-${at}` })),
      total: 100_000,
    }
  }
  const all = { asked: () => true, shown: async () => true }

  const page = await paginate({ ...free, read: endless, clock: () => 0 }, { offset: 0, limit: 5 }, all)

  expect([page.models.length, page.total, page.more]).toEqual([5, 100, true])
  expect(read).toBe(100)
})

test("a look ends with the first part in which a case is older than all that is asked for", async () => {
  const { read, counted } = aLongList(2_600)

  const found = await paginate(
    { ...free, read, clock: () => 0 },
    { offset: 0, limit: 5 },
    {
      asked: () => false,
      shown: async () => true,
      last: (one) => Number(one.id) > 600,
    },
  )

  expect(found).toEqual({ models: [], total: 0, more: false })
  expect(counted.read).toBe(700)
})
