// Circumstances: who asked and when is read where a rule looks at it, when a revision is made, and kept with it (R6).
import { expect, test } from "vitest"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const rest = aRule({ name: "rest" })
const guests = aRule({ name: "guests", when: "requester.guest == true", quorum: 2 })
const interns = aRule({ name: "interns", when: '"S1" in requester.groups' })
const evening = aRule({ name: "evening", when: "time.hour >= 18", timeZone: "UTC" })

function demanded(world: World): readonly string[] {
  return caseOf(world).revision.quotas.map(({ name }) => name)
}

test("nothing is read where no rule looks at who asked or when", async () => {
  const world = createWorld({ policy: aPolicy([rest]) })
  world.people.fail(chatFailure("not asked"))

  const { revision } = await announced(world)

  expect(revision).not.toHaveProperty("circumstances")
})

test("R6: a rule on guests is added if the requester is one, and asks two people beside the other", async () => {
  const world = createWorld({ policy: aPolicy([guests, rest]) })
  world.people.set(aPerson({ user: "UASK", email: "asker@example.com", guest: true }))
  await announced(world)

  await pressed(world)
  const after = caseOf(world)

  expect(demanded(world)).toEqual(["guests", "rest"])
  expect(after.state).toBe("open")
  expect(after.revision.circumstances).toEqual({ requester: { known: true, guest: true, groups: [] }, at: null })
})

test("R6: it is not added for a member, and is for a claim that means nobody", async () => {
  const member = createWorld({ policy: aPolicy([guests, rest]) })
  const nobody = createWorld({ policy: aPolicy([guests, rest]) })

  await announced(member)
  await announced(nobody, anApproval({ userId: "sa:nightly" }))

  expect(demanded(member)).toEqual(["rest"])
  expect(demanded(nobody)).toEqual(["guests", "rest"])
  expect(caseOf(nobody).revision.circumstances?.requester).toEqual({ known: false, guest: null, groups: null })
})

test("the groups of the requester are those that a rule names", async () => {
  const world = createWorld({ policy: aPolicy([interns, rest]) })
  const outside = createWorld({ policy: aPolicy([interns, rest]) })
  world.people.group("S1", "UASK")
  outside.people.group("S1", "U1")

  await announced(world)
  await announced(outside)

  expect(demanded(world)).toEqual(["interns", "rest"])
  expect(demanded(outside)).toEqual(["rest"])
})

test("what Slack does not say is unknown: the rule is asked too, and nothing waits for it", async () => {
  const silent = createWorld({ policy: aPolicy([guests, rest]) })
  const unknown = createWorld({ policy: aPolicy([interns, rest]) })
  silent.people.fail(chatFailure("timeout"))

  await announced(silent)
  await announced(unknown)

  expect(demanded(silent)).toEqual(["guests", "rest"])
  expect(caseOf(silent).revision.circumstances).toEqual({ requester: null, at: null })
  expect(demanded(unknown)).toEqual(["interns", "rest"])
})

test("the time is that at which the revision was made: it moves nothing until the content does", async () => {
  const world = await announcedWorld({ policy: aPolicy([evening, rest]) })
  const before = demanded(world)
  const { at } = caseOf(world).revision.circumstances ?? {}

  world.clock.forward(8 * 3_600_000)
  await announced(world)
  const same = caseOf(world).revision
  await announced(world, anApproval({ toolArgs: { table: "orders" } }))

  expect(before).toEqual(["rest"])
  expect(same).toMatchObject({ number: 1, circumstances: { at } })
  expect(caseOf(world).revision.number).toBe(2)
  expect(demanded(world)).toEqual(["evening", "rest"])
})
