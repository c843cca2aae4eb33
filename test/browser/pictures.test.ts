// The pictures of the README and of the guide, made from the demo: `npm run test:browser -- --pictures` renews them. Without it they are
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
  await says(payout, /must approve; 1 has/)
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

it("for the guide, on a phone: hidden parts, Details, a reason, one of two votes, Home", async () => {
  const theatre = await openTheatre()
  const alice = { person: sandboxCast.alice, size: PHONE }
  const { page, troubles } = await openWindow(theatre, { ...alice, at: sandboxCast.payments })
  const pictures = new Map<string, Buffer>()
  const take = async (name: string) => pictures.set(name, shrunk(await page.screenshot()))
  const closed = async () => {
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  }

  await begin(theatre, "refund INV-2041")
  const refund = card(page, "refund_payment")
  await press(refund, "Details")
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Approve/ })
    .waitFor()
  await take("approving-details.png")
  await closed()
  await press(refund, "Reject")
  await page
    .getByRole("dialog")
    .getByLabel("Why do you reject this?")
    .fill("Wrong invoice: this one was paid back in May")
  await take("approving-reason.png")
  await closed()
  await begin(theatre, "one payout")
  const payout = card(page, "send_payout")
  await press(payout, "Approve")
  await says(payout, /must approve; 1 has/)
  await payout.getByRole("button", { name: /^Details/ }).scrollIntoViewIfNeeded()
  await take("approving-vote.png")
  const tool_args = { to: "all-staff@example.com", body: "We move to the new office. ".repeat(200) }
  await ask(theatre, { source_name: "Mail Agent", tool_name: "send_mail", tool_args })
  const other = await openWindow(theatre, alice)
  const long = card(other.page, "send_mail")
  await long.getByRole("button", { name: /^Review Details/ }).scrollIntoViewIfNeeded()
  pictures.set("approving-hidden.png", shrunk(await other.page.screenshot()))
  const home = await openWindow(theatre, { ...alice, at: "home" })
  await home.page
    .getByRole("button", { name: /^Review/ })
    .first()
    .waitFor()
  pictures.set("approving-home.png", shrunk(await home.page.screenshot()))

  for (const [name, picture] of pictures) {
    keep(name, picture)
    expect(picture.length).toBeLessThan(LARGEST)
  }
  expect([...troubles, ...other.troubles, ...home.troubles]).toEqual([])
})
