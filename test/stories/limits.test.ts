// Limits over many calls, from the rule to the platform's record: fifty times 999 is not under 1,000.
import { expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, cards, decided, ledgerOf, press, record, threadSays, told, until } from "./acts.ts"
import { cardLike, decidedUnder, payment } from "./payments.ts"
import { plainRule, sandboxCast } from "./world.ts"

const { alice, bob } = sandboxCast

const rules = `${plainRule.replace("everything", "payments")}
    limit: { sum: args.amount, per: args.to, window: 24h, above: 1000, then: { quorum: 2 } }`

it("one person decides within the limit, two above it, and the card says what the sum is and whose", async () => {
  const here = await aWorld({ rules })
  const first = await ask(here, payment(999))
  const within = await cardLike(
    here,
    /Within the limit of rule payments \(1,000 in 24 hours\) ?: 0 approved for ann as of .*, this adds 999/,
  )
  await press(here, alice, within, "approve")
  await decided(here, first.id)
  await until("what it teaches", async () => {
    const kinds = (await ledgerOf(here)).map(({ kind }) => kind)
    return kinds.includes("fingerprint-begun") || undefined
  })
  const second = await ask(here, payment(999, " ANN"))
  const above = await cardLike(here, /Above the limit of rule payments \(1,000 in 24 hours\) ?: 999 approved for ANN/)

  await press(here, alice, above, "approve")
  await cardSaying(here, "1 has")
  const between = await record(here, second.id)
  await press(here, bob, await cardLike(here, /Above the limit/), "approve")

  expect(within.words).not.toContain("Never approved so far")
  expect(above.words.replaceAll(/\s+/g, " ")).toMatch(/Never approved so far: to ANN/)
  expect(between.status).toBe("pending")
  expect(decidedUnder(await decided(here, second.id))).toEqual(["payments", "payments, above its limit"])
})

it("a limit that others pass while an approval waits is found by the vote, and the thread says so", async () => {
  const here = await aWorld({ rules })
  const [first, second] = [await ask(here, payment(600)), await ask(here, payment(600.5))]
  const open = await until("both cards", () => {
    const both = cards(here, "send_money").filter(({ words }) => /this adds 600/.test(words))
    return both.length === 2 ? both : undefined
  })
  const [one, other] = [
    open.find(({ words }) => !words.includes("600.5")),
    open.find(({ words }) => words.includes("600.5")),
  ]
  if (one === undefined || other === undefined) throw new Error("the cards are not told apart")

  await press(here, alice, one, "approve")
  await decided(here, first.id)
  await press(here, alice, other, "approve")
  await threadSays(here, other, "A limit is exceeded by now")
  await here.sandbox.command(alice, sandboxCast.general, `/approvals why ${second.id}`)
  await told(here, alice, "Above the limit of rule")
  await here.sandbox.command(alice, sandboxCast.general, "/approvals list limit")
  await told(here, alice, "1 waiting")

  expect((await record(here, second.id)).status).toBe("pending")
  await press(here, bob, await cardLike(here, /Above the limit/), "approve")
  expect((await decided(here, second.id)).status).toBe("approved")
})

it("an amount that is no number asks two people and says so, without a value that is masked", async () => {
  const here = await aWorld({ rules: `${rules}\n    mask: [to]` })
  await ask(here, payment("999"))
  const odd = await cardLike(
    here,
    /Above the limit of rule payments \(1,000 in 24 hours\) ?: +amount +of a call is no amount/,
  )
  await ask(here, { tool_name: "send_more", tool_args: { amount: 5, to: "ann" } })
  const masked = await card(here, "send_more")

  expect(odd.words).toContain("2 of")
  expect(masked.words).toContain("this adds 5")
  expect(masked.words).not.toContain("ann")
})
