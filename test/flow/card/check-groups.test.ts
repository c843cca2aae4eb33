// Check: groups and addresses that stand for nobody raise an alarm before anybody presses. So do rules that are to be
// looked at again.

import { expect, test } from "vitest"
import { checkGroups, checkReviews, createAddressCheck } from "../../../src/flow/card/check.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"

const group = (id: string) => ({ kind: "group", id }) as const

test("each group that stands for nobody is told once, with the rules that name it", async () => {
  const rules = [
    aRule({ name: "a", approvers: [group("S-GONE"), group("S-WELL")] }),
    aRule({ name: "b", approvers: [group("S-GONE"), { kind: "user", id: "U1" }] }),
  ]
  const world = createWorld({ policy: aPolicy(rules) })
  world.people.group("S-WELL", "U2")

  await checkGroups(world.ports)

  expect(world.alarms).toEqual([
    { code: "group-stands-for-nobody", group: "S-GONE", rules: ["a", "b"], why: "Slack knows no such group" },
  ])
})

test("while Slack does not answer, nothing is said about groups", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ approvers: [group("S-GONE")] })]) })
  world.people.fail(chatFailure("internal_error"))

  await checkGroups(world.ports)

  expect(world.alarms).toEqual([])
})

test("each rule whose review_by has passed is told, and no other", () => {
  const rules = [
    aRule({ name: "old", reviewBy: "2026-11-19" }),
    aRule({ name: "new", reviewBy: "2026-11-21" }),
    aRule({ name: "undated" }),
  ]
  const world = createWorld({ policy: aPolicy(rules) })

  checkReviews(world.ports)

  expect(world.alarms).toEqual([expect.objectContaining({ code: "rule-review-overdue", rule: "old" })])
})

const address = (email: string) => ({ kind: "email", email }) as const

test("each address that Slack does not tell of is told, one a look, with the rules that list it", async () => {
  const rules = [
    aRule({ name: "a", approvers: [address("one@example.com"), address("two@example.com")] }),
    aRule({ name: "b", approvers: [address("One@example.com")] }),
  ]
  const world = createWorld({ policy: aPolicy(rules) })
  world.people.refuseEmails("missing_scope")
  const check = createAddressCheck()

  await check(world.ports)
  await check(world.ports)

  const common = { code: "address-stands-for-nobody", why: "missing_scope" }
  expect(world.alarms).toEqual([
    { ...common, email: "one@example.com", rules: ["a", "b"] },
    { ...common, email: "two@example.com", rules: ["a"] },
  ])
})

test("addresses are asked for twice a minute at most in the long run, however many there are", async () => {
  const approvers = Array.from({ length: 10 }, (_, at) => address(`a-${at}@example.com`))
  const world = createWorld({ policy: aPolicy([aRule({ approvers })]) })
  const asked: number[] = []
  const holderOf: typeof world.people.holderOf = async (_, maxAgeMs) => {
    asked.push(maxAgeMs)
    return { person: null, trouble: null }
  }
  const check = createAddressCheck()

  for (let look = 0; look < 11; look += 1) await check({ ...world.ports, people: { ...world.people, holderOf } })

  expect(asked).toEqual(Array.from({ length: 11 }, () => 300_000))
  expect(world.alarms).toEqual([])
})

test("nothing is said about addresses while Slack does not answer, or where no rule lists one", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ approvers: [address("one@example.com")] })]) })
  world.people.fail(chatFailure("internal_error"))
  await createAddressCheck()(world.ports)
  const none = createWorld()
  await createAddressCheck()(none.ports)

  expect([world.alarms, none.alarms]).toEqual([[], []])
})
