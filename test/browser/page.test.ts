// The page on cases and ledger in a real browser: signed in by a token, read on a desktop, on a phone and on paper.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import {
  ask,
  card,
  DESKTOP,
  limitMs,
  openTheatre,
  openWindow,
  PHONE,
  press,
  sandboxCast,
  says,
  type Theatre,
} from "./browser.ts"

const hostile = "<img src=x onerror=alert(1)>\u202Egnp.exe *bold* <@U0BOB>"

/** A workspace in which something was approved, something rejected, and something hostile waits. */
async function aHistory(): Promise<Theatre> {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  await ask(theatre, { tool_args: { user_id: "U-100" }, user_id: "rita@sandbox.example" })
  await press(card(page, "U-100"), "Approve")
  await says(card(page, "U-100"), /Approved by/)
  await ask(theatre, { tool_name: "drop_table", tool_args: { table: "customers" } })
  await press(card(page, "customers"), "Reject")
  const form = page.getByRole("dialog", { name: "Reject" })
  await form.getByLabel("Why do you reject this?").fill("not on a Saturday")
  await press(form, "Reject")
  await says(card(page, "customers"), /Rejected by/)
  await ask(theatre, { tool_name: hostile, tool_args: { note: hostile }, agent_id: "evil" })
  await card(page, "onerror").waitFor()
  await page.context().close()
  return theatre
}

async function signedIn({ stage, browser }: Theatre, viewport = DESKTOP): Promise<{ page: Page; troubles: string[] }> {
  const context = await browser.newContext({ viewport, locale: "en-GB" })
  const page = await context.newPage()
  page.setDefaultTimeout(limitMs)
  const troubles: string[] = []
  await page.goto(`${stage.botUrl}/page`)
  await page.getByLabel("Read token").fill(await stage.readToken())
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { name: "Cases" }).waitFor()
  page.on("console", (line) => troubles.push(line.text()))
  page.on("request", (request) => {
    if (!request.url().startsWith(stage.botUrl)) troubles.push(`a request to ${request.url()}`)
  })
  return { page, troubles }
}

/** Writes a picture into the folder that PAGE_PICTURES names, if it names one: for whoever wants to look. */
async function keep(page: Page, name: string): Promise<Buffer> {
  const picture = await page.screenshot({ fullPage: true })
  const folder = process.env["PAGE_PICTURES"]
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), picture)
  }
  return picture
}

/** True if nothing sticks out to the side. */
function fits(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
}

it("the cookie is out of reach of scripts, and without it there is nothing to see", async () => {
  const theatre = await openTheatre()
  const { page } = await signedIn(theatre)

  const [cookie] = await page.context().cookies()
  const script = await page.evaluate("document.cookie")
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.goto(`${theatre.stage.botUrl}/page`)

  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/page" })
  expect((cookie?.expires ?? 0) - Date.now() / 1_000).toBeLessThanOrEqual(8 * 3_600)
  expect(script).toBe("")
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
})

it("list, search and one case tell who decided, with a verified receipt; agents' text stays text", async () => {
  const theatre = await aHistory()
  const { page, troubles } = await signedIn(theatre)

  await page
    .getByText(/onerror=alert/)
    .first()
    .waitFor()
  expect(await page.locator("img").count()).toBe(0)
  expect(await page.getByText("⟨U+202E⟩").count()).toBe(3)
  expect(await page.locator("tbody tr").count()).toBe(3)
  expect(await fits(page)).toBe(true)
  await keep(page, "list-desktop.png")

  await page.getByLabel("Search").fill("saturday")
  await page.getByRole("button", { name: "Show" }).click()
  await page.getByRole("link", { name: /customers/ }).waitFor()
  expect(await page.locator("tbody tr").count()).toBe(1)

  await page.getByRole("link", { name: /customers/ }).click()
  await page.getByText("Verified").waitFor()
  await page.getByText("not on a Saturday").first().waitFor()
  await page.getByText("Decided: rejected by").waitFor()
  await page.getByText("The platform has it: rejected, resolved by Alice", { exact: true }).waitFor()
  expect(await fits(page)).toBe(true)
  await keep(page, "case-desktop.png")
  await page.emulateMedia({ media: "print" })
  expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0)
  await keep(page, "case-print.png")
  expect(troubles).toEqual([])
})

it("on a phone everything fits, and a case that waits shows what would run", async () => {
  const theatre = await aHistory()
  const { page, troubles } = await signedIn(theatre, PHONE)

  await page
    .getByText(/onerror=alert/)
    .first()
    .waitFor()
  expect(await fits(page)).toBe(true)
  await keep(page, "list-phone.png")
  await page.getByRole("link", { name: /onerror/ }).click()
  await page.getByRole("heading", { name: "What was asked" }).waitFor()

  expect(await page.locator("img").count()).toBe(0)
  expect(await fits(page)).toBe(true)
  await keep(page, "case-phone.png")
  await page.goto(`${theatre.stage.botUrl}/page?text=U-100&state=over`)
  await page.getByRole("heading", { name: "Cases" }).waitFor()
  expect(troubles).toEqual([])
})
