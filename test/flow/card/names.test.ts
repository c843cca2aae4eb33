// The people on a card: who asks stands there by the name that Slack shows, and nobody who may not decide.
import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced } from "../support.ts"

const listed = ["U1", "UGUEST", "UGONE", "UNOBODY"].map((id) => ({ kind: "user", id }) as const)
const policy = aPolicy([aRule({ approvers: listed })])

function aWorldOf(options: { readonly approval?: Partial<Approval>; readonly slack?: "silent" } = {}) {
  const world = createWorld({ policy })
  world.people.set(aPerson({ user: "UASK", name: "Rita Reyes\u200B", email: "asker@example.com" }))
  world.people.set(aPerson({ user: "UGUEST", guest: true }), aPerson({ user: "UGONE", deactivated: true }))
  if (options.slack === "silent") world.people.fail(chatFailure("internal_error"))
  const card = async () => {
    await announced(world, anApproval(options.approval))
    return world.chat.messages[0]?.model
  }
  return { world, card }
}

test("who asks stands on the card by the name that Slack shows, and is kept nowhere", async () => {
  const { world, card } = aWorldOf()

  expect(await card()).toMatchObject({ requesterName: "Rita Reyes", summary: { requester: "asker@example.com" } })
  expect(JSON.stringify(world.server.cases())).not.toContain("Rita")
})

test.each([
  ["a service account", "sa:billing"],
  ["an address that Slack does not know", "rita@elsewhere.example"],
  ["nobody", null],
])("%s keeps the platform's name", async (_, userId) => {
  const { card } = aWorldOf({ approval: { userId } })

  const model = await card()

  expect(model?.summary.requester).toBe(userId)
  expect(model).not.toHaveProperty("requesterName")
})

test("those whom Slack shows as guests or deactivated are not named as those who must agree", async () => {
  const { card } = aWorldOf()

  expect((await card())?.rules.map(({ approvers }) => approvers)).toEqual([["U1", "UNOBODY"]])
})

test("while Slack is silent the card is posted with what the platform and the rules say", async () => {
  const { card } = aWorldOf({ slack: "silent" })

  const model = await card()

  expect(model).not.toHaveProperty("requesterName")
  expect(model?.rules[0]?.approvers).toEqual(listed.map(({ id }) => id))
})
