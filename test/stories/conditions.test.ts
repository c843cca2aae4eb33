// Conditions on arguments, from the rule to the platform's record: above 1,000 two people.
import { expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, decided, formOf, press, record, told, viewSays, wordsOf } from "./acts.ts"
import { cardLike, decidedUnder, formFor, payment } from "./payments.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const { alice, bob } = sandboxCast

const rules = `${plainRule.replace("everything", "large")}
    when: args.amount > 1000
    quorum: 2
${plainRule}`

it("above 1,000 two people have to agree, and the card says why", async () => {
  const here = await aWorld({ rules })
  const asked = await ask(here, payment(1_500))
  const open = await cardLike(here, /because amount is above 1000/)

  await press(here, alice, open, "approve")
  await cardSaying(here, "1 has")
  const between = await record(here, asked.id)
  await press(here, bob, await card(here, "send_money"), "approve")

  expect(between.status).toBe("pending")
  expect(decidedUnder(await decided(here, asked.id))).toEqual(["large"])
})

it("up to 1,000 one person is enough, and no condition is mentioned", async () => {
  const here = await aWorld({ rules })
  const asked = await ask(here, payment(1_000))
  const open = await card(here, "send_money")

  await press(here, alice, open, "approve")

  expect(open.words).not.toContain("because")
  expect(decidedUnder(await decided(here, asked.id))).toEqual(["everything"])
})

it("an amount that is a text asks under both rules, and card and why say so", async () => {
  const here = await aWorld({ rules })
  const asked = await ask(here, payment("1500"))
  const open = await cardLike(here, /because amount may be above 1000/)

  await here.sandbox.command(alice, sandboxCast.general, `/approvals why ${asked.id}`)
  await told(here, alice, "amount may be above 1000")
  await press(here, alice, open, "approve")
  await cardSaying(here, "1 has")
  await press(here, bob, await card(here, "send_money"), "approve")

  expect(decidedUnder(await decided(here, asked.id))).toEqual(["large", "everything"])
})

const form = formFor([{ name: "amount", field_type: "float", description: "How much.", value: 50 }])

/** The form that opens for somebody who approves. */
async function opened(here: World, person: string) {
  await press(here, person, await card(here, "send_money"), "approve")
  return formOf(here, person)
}

it("what is filled in decides which rules count, and the form says so before it is sent", async () => {
  const here = await aWorld({ rules })
  const large = await ask(here, form)
  const first = await opened(here, alice)
  expect(wordsOf(first.definition.blocks)).toMatch(/If\s+amount\s+is above\s+1000\s+in what you fill in/)

  await here.sandbox.submit(alice, first.id, { field_0: "1500" })
  await cardSaying(here, "filled in amount: 1500")
  const between = await record(here, large.id)
  const second = await opened(here, bob)
  await here.sandbox.submit(bob, second.id, { field_0: "1500" })

  expect(between.status).toBe("pending")
  expect(decidedUnder(await decided(here, large.id))).toEqual(["large"])
})

it("what is filled in may leave one person to decide", async () => {
  const here = await aWorld({ rules })
  const small = await ask(here, form)
  const view = await opened(here, alice)

  await here.sandbox.submit(alice, view.id, { field_0: "50" })

  expect(decidedUnder(await decided(here, small.id))).toEqual(["everything"])
})

it("Details say which condition applied, with the rule's name", async () => {
  const here = await aWorld({ rules })
  await ask(here, payment(1_500))
  const open = await card(here, "send_money")

  await here.sandbox.click(alice, open, "countersign_details")

  expect(await viewSays(here, alice, "because")).toMatch(/because\s+amount\s+is above\s+1000/)
})
