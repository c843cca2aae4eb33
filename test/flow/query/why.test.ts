// Why: who may decide a case is named, and nobody else; what is told to whom presses a card without seeing Details (R8).
import { expect, test } from "vitest"
import { why } from "../../../src/flow/query/case-view.ts"
import { aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
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
