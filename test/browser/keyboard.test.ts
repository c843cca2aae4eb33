// Without a mouse, without wide screens, and when things go wrong.
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { ask, card, openTheatre, openWindow, PHONE, press, record, sandboxCast, says } from "./browser.ts"

/** The controls that have neither words nor a label, as the browser sees them. */
const NAMELESS = `[...document.querySelectorAll("button, input, select, textarea, a")]
  .filter((node) => !node.textContent.trim() && !node.ariaLabel && !node.labels?.length).map((node) => node.outerHTML)`

/** What has the focus: its name as it is read out, or its text. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>("(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()")
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press("Tab")
    if ((await focused(page)).split(":")[0] === name) return
  }
  throw new Error(`Tab never reached ${name}`)
}

it("an approval is rejected and another approved with the keyboard alone, and the focus is never lost", async () => {
  const theatre = await openTheatre()
  const rejected = await ask(theatre, { tool_args: { user_id: "U-keys-1" } })
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  await card(page, "U-keys-1").waitFor()

  await tabTo(page, "Reject")
  await page.keyboard.press("Enter")
  const form = page.getByRole("dialog", { name: "Reject" })
  await form.waitFor()
  expect(await form.locator("textarea:focus").count()).toBe(1)
  await page.keyboard.press("Escape")
  await form.waitFor({ state: "detached" })
  expect(await focused(page)).toBe("Reject: delete_user_data by ops-agent")
  await page.keyboard.press("Enter")
  await form.waitFor()
  await page.keyboard.type("not today")
  await tabTo(page, "Reject")
  await page.keyboard.press("Enter")
  await says(card(page, "U-keys-1"), /Rejected by/)
  await page.keyboard.press("Escape")
  await expect.poll(() => focused(page)).toMatch(/^Countersign at/)

  const approved = await ask(theatre, { tool_args: { user_id: "U-keys-2" } })
  await card(page, "U-keys-2").waitFor()
  await tabTo(page, "Approve")
  await page.keyboard.press("Space")
  await says(card(page, "U-keys-2"), /Approved by/)
  await expect.poll(() => focused(page)).toMatch(/^Countersign at/)

  expect((await record(theatre, rejected))["status"]).toBe("rejected")
  expect((await record(theatre, approved))["status"]).toBe("approved")
  expect(troubles).toEqual([])
})

it("Escape closes the thread, and everything that can be pressed has a name", async () => {
  const theatre = await openTheatre()
  await ask(theatre, { tool_args: { user_id: "U-names" } })
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  await press(card(page, "U-names"), "Approve")
  await card(page, "U-names").getByRole("button", { name: /repl/ }).click()
  const thread = page.getByRole("complementary")
  await thread.waitFor()

  const nameless = await page.evaluate(NAMELESS)
  const ids = await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map((node) => node.id)")
  await page.keyboard.press("Escape")
  await thread.waitFor({ state: "detached" })

  expect(nameless).toEqual([])
  expect(ids.length).toBe(new Set(ids).size)
})

it("on a phone nothing is wider than the screen: channel, places, thread, modal", async () => {
  const theatre = await openTheatre()
  const long = "x".repeat(400)
  await ask(theatre, { tool_args: { user_id: "U-phone", token_of_the_invoice: long, note: `${long} ${long}` } })
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, size: PHONE })
  const wider = () => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
  const open = card(page, "U-phone")
  await open.waitFor()

  const widths = [await wider()]
  await page.getByRole("button", { name: "Channels and people" }).click()
  await page.getByLabel("You are").waitFor()
  widths.push(await wider())
  await page.getByRole("button", { name: /approvals/ }).click()
  await press(open, "Details")
  await page.getByRole("dialog").waitFor()
  widths.push(await wider())
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await press(open, "Reject")
  await page.getByLabel("Why do you reject this?").fill(long)
  await press(page.getByRole("dialog"), "Reject")
  await says(open, /Rejected by/)
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await open.getByRole("button", { name: /repl/ }).click()
  await page.getByRole("complementary").waitFor()
  widths.push(await wider())

  expect(widths).toEqual([0, 0, 0, 0])
  expect(troubles).toEqual([])
})

it("words that are no command stay in the box, and the page says why", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  const box = page.getByRole("combobox", { name: "Command in #general" })

  await box.fill("hello")
  await box.press("Enter")
  await says(page.getByRole("alert"), /must begin with/)

  expect(await box.inputValue()).toBe("hello")
})

it("Home opens, and says so while the app has published nothing", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })

  await page.getByRole("button", { name: "Countersign Home" }).click()
  await page.getByRole("main", { name: "Countersign Home" }).waitFor()

  expect(await page.getByRole("heading", { name: "Countersign" }).count()).toBe(1)
  expect(troubles).toEqual([])
})
