// Going away and coming back: whom a rule lets stand in, and who may end it.
import { expect, test } from "vitest"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { createAbsenceActs } from "../../../src/flow/order/absences.ts"
import type { Home } from "../../../src/flow/ports/inbound.ts"
import { openHome } from "../../../src/flow/query/home.ts"
import { aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { minute } from "../support.ts"

const user = (id: string) => ({ kind: "user", id }) as const
const [alice, bob] = [
  { team, user: "U1" },
  { team, user: "U9" },
]
const listed = { approvers: [user("U1"), user("U2")], standIns: [user("U9")] }

function aWorld(...rules: readonly Partial<Rule>[]) {
  const world = createWorld({ policy: aPolicy(rules.map((rule) => aRule(rule))) })
  world.people.set(aPerson({ user: "U9" }))
  const acts = createAbsenceActs(() => world.ports)
  const until = world.ports.clock() + 60 * minute
  return { world, until, acts, goes: () => acts.away({ person: alice, standIn: bob, until }) }
}

test("somebody goes away, and the rules that list both say under which the other may vote", async () => {
  const group = {
    approvers: [{ kind: "group", id: "S1" }],
    standIns: [{ kind: "email", email: "u9@example.com" }],
  } as const
  const other = { name: "other", approvers: [user("U2")], standIns: [user("U9")] }
  const { world, goes, until } = aWorld(listed, { name: "on-call", ...group }, other)
  world.people.group("S1", "U1")

  const outcome = await goes()

  expect(outcome).toMatchObject({ kind: "begun", rules: ["all", "on-call"], absence: { until, person: "T1:U1" } })
  expect(world.ports.orders().absences).toMatchObject([
    { person: "T1:U1", standIn: "T1:U9", by: { kind: "person", user: "U1" } },
  ])
  expect(await goes()).toMatchObject({ kind: "away" })
})

test.each<[string, Partial<Rule>]>([
  ["no rule names a stand-in", { approvers: listed.approvers }],
  ["the rule lists only one of them", { ...listed, approvers: [user("U2")] }],
  ["the other is an approver already", { ...listed, approvers: [user("U1"), user("U9")] }],
])("nobody stands in if %s", async (_, rule) => {
  const { goes, world } = aWorld(rule)

  expect(await goes()).toEqual({ kind: "nobody", may: [] })
  expect(world.ports.orders().absences).toBeUndefined()
})

test("a guest stands in only where the rule lets guests decide, and the answer says who may", async () => {
  const { world, acts, until } = aWorld({ ...listed, standIns: [user("U9"), user("U8")] })
  world.people.set(aPerson({ user: "U8" }), aPerson({ user: "U9", guest: true }))

  expect(await acts.away({ person: alice, standIn: bob, until })).toEqual({
    kind: "nobody",
    may: [{ id: { team, user: "U8" }, name: "Name of U8", rules: ["all"] }],
  })
})

test("a time that is over begins nothing", async () => {
  const { acts, world } = aWorld(listed)

  const outcome = await acts.away({ person: alice, standIn: bob, until: world.ports.clock() })

  expect(outcome).toEqual({ kind: "refused", why: "no-time" })
})

test("both people can end an absence, and nobody else; it ends once", async () => {
  const { acts, goes, world } = aWorld(listed)
  world.people.set(aPerson({ user: "U8" }))
  await goes()
  const [absence] = world.ports.orders().absences ?? []
  const id = absence?.id ?? ""

  expect(await acts.back({ team, user: "U8" }, id)).toEqual({ kind: "not-yours" })
  expect(await acts.back({ team, user: "U8" }, null)).toEqual({ kind: "none" })
  expect(await acts.back(bob, id)).toEqual({ kind: "ended", absence })
  expect(await acts.back(alice, null)).toEqual({ kind: "none" })
  await goes()
  expect(await acts.back(alice, null)).toMatchObject({ kind: "ended" })
})

/** The Home of somebody. */
async function homeOf({ ports }: ReturnType<typeof createWorld>, id: string): Promise<Home | undefined> {
  const homes: Home[] = []
  const publishHome = async (_user: string, home: Home) => void homes.push(home)
  await openHome({ ...ports, chat: { ...ports.chat, publishHome } }, { team, user: id })
  return homes[0]
}

test("Home tells both people of an absence, and nobody else", async () => {
  const { goes, world } = aWorld(listed)
  world.people.set(aPerson({ user: "U8" }))
  await goes()
  const shown = async (id: string) => (await homeOf(world, id))?.absences?.map(({ person }) => person)

  expect([await shown("U1"), await shown("U9"), await shown("U8")]).toEqual([["T1:U1"], ["T1:U1"], undefined])
})

test("Home offers to be away to whom a rule gives a stand-in, while they are not away", async () => {
  const { goes, world } = aWorld(listed)
  const offers = async (id: string) => (await homeOf(world, id))?.mayBeAway

  expect([await offers("U1"), await offers("U2"), await offers("U9")]).toEqual([true, true, undefined])
  await goes()
  expect([await offers("U1"), await offers("U2")]).toEqual([undefined, true])
  const { world: plain } = aWorld({ approvers: listed.approvers })
  expect(await homeOf(plain, "U1")).not.toHaveProperty("mayBeAway")
})

test("R7 another id of the same human stands in for nobody", async () => {
  const identities = [alice, bob].map((id) => ({ subject: "ann", ...id }))
  const world = createWorld({ policy: aPolicy([aRule(listed)], identities) })
  world.people.set(aPerson({ user: "U9" }))

  expect(await createAbsenceActs(() => world.ports).mayStandIn(alice)).toEqual([])
})

test("a stranger, whom no rule names, and a guest go away for nobody", async () => {
  const { world, acts, until } = aWorld(listed)
  world.people.set(aPerson({ user: "U7" }), aPerson({ user: "U2", guest: true }))

  for (const user of ["U7", "U2"])
    expect(await acts.away({ person: { team, user }, standIn: bob, until })).toEqual({ kind: "nobody", may: [] })
  expect(world.ports.orders().absences).toBeUndefined()
})

test("whom no rule names stands in for nobody, and the answer says who may", async () => {
  const { world, acts, until } = aWorld(listed)
  world.people.set(aPerson({ user: "U8" }))

  expect(await acts.away({ person: alice, standIn: { team, user: "U8" }, until })).toEqual({
    kind: "nobody",
    may: [{ id: bob, name: "Name of U9", rules: ["all"] }],
  })
})

test("R7 nobody stands in for themselves, by no id of theirs", async () => {
  const identities = [alice, bob].map((id) => ({ subject: "ann", ...id }))
  const world = createWorld({ policy: aPolicy([aRule(listed)], identities) })
  const until = world.ports.clock() + minute
  const acts = createAbsenceActs(() => world.ports)

  for (const standIn of [alice, bob])
    expect(await acts.away({ person: alice, standIn, until })).toEqual({ kind: "refused", why: "own" })
})

test("whoever names somebody who is away, too, hears until when, and nobody votes for both", async () => {
  const both = { approvers: [user("U1"), user("U2")], standIns: [user("U9")] }
  const { world, acts, goes, until } = aWorld(both, { name: "b", approvers: [user("U9")], standIns: [user("U8")] })
  world.people.set(aPerson({ user: "U8" }))
  await acts.away({ person: bob, standIn: { team, user: "U8" }, until: until + minute })

  expect(await goes()).toMatchObject({ kind: "begun", alsoAway: until + minute })

  await acts.back(bob, null)
  await acts.back(alice, null)
  expect(await goes()).not.toHaveProperty("alsoAway")
})

test("R17 while Redis is rolled back nobody goes away", async () => {
  const { world, until } = aWorld(listed)
  const standing = () => ({ kind: "rolled-back", why: "it lacks entries", since: 0 }) as const
  const acts = createAbsenceActs(() => ({ ...world.ports, freshness: { ...world.ports.freshness, standing } }))

  expect(await acts.away({ person: alice, standIn: bob, until })).toEqual({ kind: "rolled-back" })
  expect(world.ports.orders().absences).toBeUndefined()
})
