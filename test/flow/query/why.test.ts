// Why: who may decide a case is named, and nobody else; what is told to who may not see Details (R8).
import { expect, test } from "vitest"
import { details, notShown } from "../../../src/flow/query/case-view.ts"
import { why } from "../../../src/flow/query/why.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { announced } from "../support.ts"

const me = { team, user: "U1" }
const users = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }) as const)
const strangers = [
  aPerson({ user: "UGUEST", guest: true }),
  aPerson({ user: "UGONE", deactivated: true }),
  aPerson({ user: "UFAR", external: true }),
]

test("why names who may decide, and nobody who is listed and may not", async () => {
  const listed = aRule({ approvers: users("U1", "U2", "UGUEST", "UGONE", "UFAR", "UNOBODY") })
  const world = createWorld({ policy: aPolicy([listed, { ...listed, name: "open", allowGuests: true }]) })
  world.people.set(...strangers)
  const { id } = await announced(world)

  const told = await why(world.ports, id, me)

  expect(told?.rules).toEqual([{ name: "all", quorum: 1, users: ["U1", "U2"], more: 0 }])
})

test("why names guests where their rule lets them decide", async () => {
  const listed = aRule({ approvers: users("U1", "UGUEST", "UFAR"), allowGuests: true })
  const world = createWorld({ policy: aPolicy([listed]) })
  world.people.set(...strangers)
  const { id } = await announced(world)

  expect((await why(world.ports, id, me))?.rules[0]?.users).toEqual(["U1", "UGUEST"])
})

test("why looks a hundred people up, and counts the others", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ approvers: [{ kind: "group", id: "S1" }] })]) })
  const many = Array.from({ length: 130 }, (_, at) => `U${at}`)
  world.people.set(...many.map((user) => aPerson({ user })))
  world.people.group("S1", ...many)
  const { id } = await announced(world)

  const [rule] = (await why(world.ports, id, me))?.rules ?? []

  expect({ named: rule?.users.length, more: rule?.more }).toEqual({ named: 100, more: 30 })
})

test("R6 Details say how many have to approve where nobody knows who asked, before anybody voted", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "two" })
  const world = createWorld({ policy: aPolicy([rule]) })
  const { id } = await announced(world, anApproval({ userId: null }))

  const told = await details(world.ports, id, me, null)

  expect(told?.model.status).toEqual({ kind: "open", progress: [{ rule: "all", have: 0, need: 2 }] })
  expect(told?.model.rules[0]?.quorum).toBe(2)
})

test("R8 who pressed a card whose Details are not theirs is told why, and by an id hears that there is none", async () => {
  const world = createWorld()
  world.people.set(...strangers, aPerson({ user: "U9" }))
  const { id, cards } = await announced(world)
  const place = cards[0]?.place ?? null
  const ports = { ...world.ports, people: { ...world.people, inChannel: async () => false } }
  const told = (user: string, pressed = place) => notShown(ports, id, { team, user }, pressed)

  expect(await details(ports, id, { team, user: "U9" }, null)).toBeNull()
  expect(await told("U9")).toEqual({ kind: "hidden", why: "stranger" })
  expect(await told("UGUEST")).toEqual({ kind: "hidden", why: "guest" })
  expect(await told("UGONE")).toEqual({ kind: "hidden", why: "deactivated" })
  expect(await told("UFAR")).toEqual({ kind: "hidden", why: "external" })
  for (const pressed of [null, { channel: "C1", ts: "9.9" }])
    expect(await told("UGUEST", pressed)).toEqual({ kind: "unknown-case" })
  expect(await notShown(ports, "0".repeat(20), { team, user: "UGUEST" }, place)).toEqual({ kind: "unknown-case" })
})
