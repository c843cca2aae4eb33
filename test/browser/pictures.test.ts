// The pictures of the README, made from the demo: `npm run test:browser -- --pictures` renews them. Without it they are
// made and measured only.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import {
  ask,
  card,
  limitMs,
  openTheatre,
  openWindow,
  PHONE,
  press,
  sandboxCast,
  says,
  type Theatre,
} from "./browser.ts"
import { shrunk } from "./shrink.ts"

/** The largest picture, in bytes. */
const LARGEST = 200_000

const payment = { agent_id: "billing-agent", source_name: "Billing Agent", user_id: "rita@sandbox.example" }

/** Writes the picture into the folder that PICTURES names, if it names one. */
function keep(name: string, picture: Buffer): void {
  const folder = process.env["PICTURES"]
  if (folder !== undefined) writeFileSync(join(folder, name), picture)
}

async function askForRefund(theatre: Theatre): Promise<void> {
  const tool_args = { invoice: "INV-2041", amount: 129.9, currency: "EUR", reason: "charged twice" }
  await ask(theatre, { ...payment, tool_name: "refund_payment", tool_args })
}

it("on a desktop: one of two votes on a payout, with its thread", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.payments })
  const payout = card(page, "send_payout")
  const tool_args = { iban: "DE89 3704 0044 0532 0130 00", amount: 1200, currency: "EUR" }
  await ask(theatre, { ...payment, tool_name: "send_payout", tool_args })
  await press(payout, "Approve")
  await says(payout, /must approve, 1 has/)
  await askForRefund(theatre)
  await press(card(page, "refund_payment"), "Approve")
  await says(card(page, "refund_payment"), /Approved by/)
  await theatre.stage.sandbox.waitFor(() => lines(theatre, "INV-2041") >= 4, { limitMs, what: "the thread" })
  await card(page, "refund_payment").getByRole("button", { name: /repl/ }).click()
  await page.getByRole("complementary").getByText("resolved by").last().waitFor()
  await page.mouse.move(0, 0)

  const picture = shrunk(await page.screenshot())
  keep("demo-desktop.png", picture)

  expect(picture.length).toBeLessThan(LARGEST)
  expect(troubles).toEqual([])
})

it("on a phone: a payment that waits", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, {
    person: sandboxCast.alice,
    at: sandboxCast.payments,
    size: PHONE,
  })
  await askForRefund(theatre)
  await card(page, "refund_payment").getByRole("button", { name: "Approve" }).waitFor()

  const picture = shrunk(await page.screenshot())
  keep("demo-phone.png", picture)

  expect(picture.length).toBeLessThan(LARGEST)
  expect(troubles).toEqual([])
})

function lines({ stage }: Theatre, words: string): number {
  const found = stage.sandbox.messages(sandboxCast.payments).find(({ text }) => text.includes(words))
  const thread = found ? stage.sandbox.thread(sandboxCast.payments, found.ts) : []
  return thread.flatMap(({ text }) => text.split("\n")).length
}
