// Check: groups that stand for nobody raise an alarm before anybody presses.
import { expect, test } from "vitest"
import { checkGroups } from "../../src/flow/card/check.ts"
import { aPolicy, aRule } from "../support/builders.ts"
import { createWorld } from "../support/memory-ports.ts"
import { chatFailure } from "../support/port-failure.ts"

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

test("while Slack does not answer, nothing is said of groups", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ approvers: [group("S-GONE")] })]) })
  world.people.fail(chatFailure("internal_error"))

  await checkGroups(world.ports)

  expect(world.alarms).toEqual([])
})
