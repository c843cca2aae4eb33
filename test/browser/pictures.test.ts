// The pictures of the README, made from the demo: `npm run test:browser -- --pictures` renews them. Without it they are
// made and measured only.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { card, limitMs, openTheatre, openWindow, PHONE, press, sandboxCast, says, type Theatre } from "./browser.ts"
import { shrunk } from "./shrink.ts"

/** The largest picture, in bytes. */
const LARGEST = 200_000

/** Writes the picture into the folder that PICTURES names, if it names one. */
function keep(name: string, picture: Buffer): void {
  const folder = process.env["PICTURES"]
  if (folder !== undefined) writeFileSync(join(folder, name), picture)
}

/** A run of the demo's Billing Agent, which pauses at its call. */
async function begin({ stage }: Theatre, message: string): Promise<void> {
  await stage.operator.start({ agent: "billing-agent", message, user: "rita@sandbox.example" })
}

it("on a desktop: one of two votes on a payout, with its thread", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.payments })
  const payout = card(page, "send_payout")
  await begin(theatre, "one payout")
  await press(payout, "Approve")
  await says(payout, /must approve, 1 has/)
  await begin(theatre, "refund INV-2041")
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
  await begin(theatre, "refund INV-2041")
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
