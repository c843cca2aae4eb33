// Each button under "Try" leads to its card, and what its hint says comes true. `TRIES=folder` keeps pictures.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { voucherSeconds } from "../../src/cli/demo/setting.ts"
import {
  ask,
  button,
  card,
  limitMs,
  openTheatre,
  openWindow,
  PHONE,
  press,
  sandboxCast,
  says,
  tryOut,
} from "./browser.ts"

/** What every try begins with: Alice in #general, who presses the button and is led to a card. */
async function tried(label: string, more: Partial<Parameters<typeof openWindow>[1]> = {}) {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, {
    person: sandboxCast.alice,
    at: sandboxCast.general,
    ...more,
  })
  const led = await tryOut(page, label)
  await keep(page, `${label}-1`)
  return { theatre, page, troubles, led }
}

/** Presses what the hint offers as the next step. */
async function next(page: Page, label: string): Promise<void> {
  await page.getByRole("status").getByRole("button", { name: label }).click()
}

async function keep(page: Page, name: string): Promise<void> {
  const folder = process.env["TRIES"]
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    writeFileSync(join(folder, `${name.replaceAll(" ", "-")}-${colorScheme}.png`), await page.screenshot())
  }
}

async function submit(page: Page, fill: (form: Locator) => Promise<void>): Promise<void> {
  const form = page.getByRole("dialog")
  await form.waitFor()
  await fill(form)
  await keep(page, `form-${await form.locator("label, legend").first().innerText()}`)
  await form.locator("footer button.btn-success, footer button.btn-danger").click()
}

it("Try A form: what Alice fills in is what the agent pays with", async () => {
  const { page, troubles, led } = await tried("A form")

  await press(led, "Fill In…")
  await submit(page, async (form) => {
    await form.getByLabel(/iban/).fill("DE89 3704 0044 0532 0130 00")
    await form.getByLabel(/amount/).fill("780.40")
    await form.getByLabel(/pay_at_once/).selectOption({ index: 1 })
  })
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try A result: what Alice did is the tool's result", async () => {
  const { page, troubles, led } = await tried("A result")

  await press(led, "Enter Result…")
  await submit(page, (form) => form.getByRole("textbox").first().fill("done, valid until May"))
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try Two people: Alice's vote is one of two, and Bob's lets the payouts go", async () => {
  const { page, troubles, led } = await tried("Two people")

  await press(led, "Approve")
  await says(led, /must approve, 1 has/)
  await next(page, "Be Bob")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(led, "Approve")
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try An amount: the card says which condition asks for two, and both are asked", async () => {
  const { page, troubles, led } = await tried("An amount")

  await says(led, /must approve, because *amount is above 1000 and *currency is *EUR/)
  await press(led, "Approve")
  await says(led, /1 has/)
  await next(page, "Be Bob")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(led, "Approve")
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try Bank details: a mail that holds an account number asks two people", async () => {
  const { troubles, led } = await tried("Bank details")

  await says(led, /must approve, by its condition/)
  await press(led, "Reject")

  expect(troubles).toEqual([])
})

it("Try What is new: after one payment the next card says that account and amount are new", async () => {
  const { page, troubles, led } = await tried("What is new")
  await press(led, "Approve")
  await page
    .getByText(/Approved by/)
    .first()
    .waitFor()

  await next(page, "Ask Again")
  const again = card(page, "New here")
  await says(again, /LT60 1010 0123 4567 8901/)
  await says(again, /more than before/)
  await keep(page, "What-is-new-2")

  expect(troubles).toEqual([])
})

it("Try A limit: Alice approves one credit alone, and the other one needs Bob, too", async () => {
  const { page, troubles, led } = await tried("A limit")
  const above = card(page, "Above the limit")

  await press(led, "Approve")
  await page
    .getByText(/Approved by/)
    .first()
    .waitFor()
  await press(card(page, "Within the limit"), "Approve")
  await says(above, /must approve, 1 has/)
  await says(above, /60 approved so far/)
  await keep(page, "A-limit-2")
  await next(page, "Be Bob")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(above, "Approve")

  await expect.poll(() => page.getByText(/Approved by/).count(), { timeout: limitMs }).toBeGreaterThan(1)
  expect(troubles).toEqual([])
})

it("Try It changes: Alice's vote is void, and the card shows the new account", async () => {
  const { page, troubles, led } = await tried("It changes")

  await press(led, "Approve")
  await says(led, /must approve, 1 has/)
  await next(page, "Change It")
  await says(led, /LT60 1010/)
  await says(led, /must approve, nobody has yet/)
  await keep(page, "It-changes-2")

  expect(await led.getByText(/DE02 1203/).count()).toBe(0)
  expect(troubles).toEqual([])
})

it("Try Four eyes: Alice asked and is refused, Bob approves", async () => {
  const { page, troubles, led } = await tried("Four eyes")

  await press(led, "Approve")
  await says(page.getByRole("article", { name: /only visible to you/ }), /you asked for/i)
  await keep(page, "Four-eyes-2")
  await next(page, "Be Bob")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(led, "Approve")
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try An expiry: nobody decides, and the card says so", async () => {
  const { page, troubles, led } = await tried("An expiry")

  await led.getByText(/nobody decided/i).waitFor({ timeout: voucherSeconds * 1_000 + limitMs })
  await keep(page, "An-expiry-2")

  expect(await button(led, "Approve").count()).toBe(0)
  expect(troubles).toEqual([])
})

it("Try Secrets: the key is masked on the card, and shown to whoever reveals it", async () => {
  const { page, troubles, led } = await tried("Secrets")
  const secret = "demo-8f2b6c1d90aa47e3"

  expect(await page.getByText(secret).count()).toBe(0)
  await press(led, "Review Details")
  const details = page.getByRole("dialog")
  await details.waitFor()
  await keep(page, "Secrets-2")
  await details
    .getByRole("button", { name: /Reveal/ })
    .first()
    .click()
  await says(details, secret)

  expect(troubles).toEqual([])
})

it("Try Danger: approving asks once more and names what will be gone", async () => {
  const { page, troubles, led } = await tried("Danger")

  await press(led, "Approve")
  const dialog = page.getByRole("dialog")
  await says(dialog, /drop_database/)
  await keep(page, "Danger-2")
  await dialog.locator("footer button").last().click()
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try A flood: one summary, reviewed case by case", async () => {
  const { page, troubles, led } = await tried("A flood", { size: PHONE })

  await press(led, "Review One by One")
  await page.getByRole("dialog").waitFor()
  await keep(page, "A-flood-2")

  expect(troubles).toEqual([])
})

it("Try A team: the card names the team", async () => {
  const { troubles, led } = await tried("A team")

  await says(led, /Support Team/)
  await press(led, "Approve")
  await says(led, /Approved by/)

  expect(troubles).toEqual([])
})

it("Try SQL: the card says how many lines are left, Details shows them all", async () => {
  const { page, troubles, led } = await tried("SQL")

  await says(led, /more lines/)
  await press(led, "Review Details")
  const details = page.getByRole("dialog")
  await says(details, /COMMIT;/)
  await keep(page, "SQL-2")

  expect(troubles).toEqual([])
})

it("on a phone the strip is there, scrolls by itself, and the page is not wider than the screen", async () => {
  const { page, troubles, led } = await tried("SQL", { size: PHONE })
  await led.waitFor()

  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
  expect(troubles).toEqual([])
})

it("the auditor's page is linked, and whoever follows the link is signed in", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })

  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("link", { name: "Auditor's page" }).click(),
  ])
  await opened.getByRole("heading", { name: "Cases" }).waitFor()

  expect(opened.url()).toBe(`${theatre.stage.botUrl}/page`)
})

it("colours follow the system until somebody chooses, and the choice is kept", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  const drawn = () => page.evaluate<string>("document.documentElement.dataset.bsTheme")

  expect(await drawn()).toBe("light")
  await page.emulateMedia({ colorScheme: "dark" })
  await expect.poll(drawn).toBe("dark")
  await page.getByLabel("Colours").selectOption("light")
  await expect.poll(drawn).toBe("light")
  await page.reload()
  await page.getByLabel("Colours").waitFor()

  expect(await page.getByLabel("Colours").inputValue()).toBe("light")
  expect(await drawn()).toBe("light")
})

it("a channel that somebody has not looked at says how much is new there", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  const place = page.getByRole("navigation").getByRole("button", { name: /approvals/ })

  await ask(theatre)
  await ask(theatre)
  await says(place, "2")
  await place.click()
  await card(page, "delete_user_data").waitFor()

  expect(await place.getByText("new").count()).toBe(0)
})
