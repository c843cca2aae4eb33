// axe-core finds nothing on any view, light or dark: workspace, cards, threads, Home, modals, auditor's page.
import axe, { type AxeResults } from "axe-core"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import {
  ask,
  card,
  DESKTOP,
  limitMs,
  openFirst,
  openTheatre,
  openWindow,
  PHONE,
  press,
  sandboxCast,
  says,
  showTries,
  type Theatre,
  tryOut,
} from "./browser.ts"

/** What is wrong in what stands there, in words. Colours change without a transition: none is measured half-way. */
async function faults(page: Page, view: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    // A script that the debugger brings: the page's own policy lets none in from elsewhere.
    await page.evaluate(axe.source)
    const { violations, passes } = await page.evaluate<AxeResults>("axe.run(document)")
    if (passes.length < 5) found.push(`${view}: axe looked at nothing`)
    for (const { id, nodes } of violations)
      found.push(...nodes.map(({ html, failureSummary }) => `${view} ${colorScheme} ${id}: ${html} ${failureSummary}`))
  }
  return found
}

it("axe finds nothing on the list of tries, with one done, on a desktop and on a phone", async () => {
  const theatre = await openTheatre()
  const found: string[] = []
  for (const size of [DESKTOP, PHONE]) {
    const { page } = await openFirst(theatre, size)
    await press(await tryOut(page, "A team"), "Approve")
    await says(page.getByRole("status"), "That was")
    found.push(...(await faults(page, "the end of a try")))
    await says(await showTries(page), "Done")
    found.push(...(await faults(page, "the list of tries")))
  }

  expect(found).toEqual([])
})

it("axe finds nothing in a channel with cards, a whisper, a hint, a thread, and the list of commands", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  const found = [...(await faults(page, "an empty channel"))]

  await press(await tryOut(page, "Four eyes"), "Approve")
  await page.getByRole("article", { name: /only visible to you/ }).waitFor()
  found.push(...(await faults(page, "a card, a whisper and a hint")))
  const settled = await tryOut(page, "A team")
  await press(settled, "Approve")
  await says(settled, /Approved by/)
  await settled.getByRole("button", { name: /repl/ }).click()
  await page.getByRole("complementary").waitFor()
  found.push(...(await faults(page, "a settled card with its thread")))
  await page.getByRole("combobox", { name: /Command in/ }).pressSequentially("/app")
  await page.getByRole("option", { name: "/approvals list" }).waitFor()
  found.push(...(await faults(page, "the commands")))

  expect(found).toEqual([])
})

it("axe finds nothing in modals: Details, a form, a reason, a question before something dangerous", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  const found: string[] = []
  const look = async (label: string, pressed: string) => {
    await press(await tryOut(page, label), pressed)
    await page.getByRole("dialog").waitFor()
    found.push(...(await faults(page, `${label}, ${pressed}`)))
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  }

  await look("Secrets", "Details")
  await look("SQL", "Review Details")
  await look("A form", "Fill In…")
  await look("A result", "Enter Result…")
  await look("A team", "Reject")
  await look("Danger", "Approve")

  expect(found).toEqual([])
})

it("axe finds nothing on Home, on a phone, and in the list of places", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, size: PHONE })
  await ask(theatre)
  await card(page, "delete_user_data").waitFor()
  const found = [...(await faults(page, "a card on a phone"))]

  await page.getByRole("button", { name: "Channels and people" }).click()
  await page.getByLabel("You are").waitFor()
  found.push(...(await faults(page, "the list of places")))
  await page.getByRole("button", { name: "Countersign Home" }).click()
  await says(page.getByRole("main"), /Waiting for you/)
  found.push(...(await faults(page, "Home")))

  expect(found).toEqual([])
})

it("axe finds nothing on the auditor's page, wide or narrow: sign-in, list, case, a wrong search", async () => {
  const theatre = await openTheatre()
  const page = await aDecision(theatre)
  const { botUrl } = theatre.stage
  const found: string[] = []

  for (const [width, size] of Object.entries({ wide: DESKTOP, narrow: PHONE })) {
    await page.setViewportSize(size)
    await page.goto(`${botUrl}/page/sign-in`)
    found.push(...(await faults(page, `sign-in, ${width}`)))
    await page.goto(`${theatre.stage.sandbox.url}/audit?token=${theatre.stage.sandbox.controlToken}`)
    await page.getByRole("heading", { name: "Cases" }).waitFor()
    await page.getByText("More filters").click()
    found.push(...(await faults(page, `the list, ${width}`)), ...(await tooWide(page, `the list, ${width}`)))
    await page.getByRole("link", { name: /U-100/ }).click()
    await page.getByText("Verified").waitFor()
    found.push(...(await faults(page, `a case, ${width}`)), ...(await tooWide(page, `a case, ${width}`)))
    await page.goto(`${botUrl}/page?since=nonsense`)
    await page.locator(".problem").waitFor()
    found.push(...(await faults(page, `a wrong search, ${width}`)))
  }

  expect(found).toEqual([])
})

it("the auditor's list is sorted by state with one press, and a press again brings the latest first", async () => {
  const theatre = await openTheatre()
  const { sandbox } = theatre.stage
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  await ask(theatre, { tool_args: { user_id: "U-1" } })
  await card(page, "U-1").waitFor()
  await ask(theatre, { tool_args: { user_id: "U-2" } })
  await press(card(page, "U-2"), "Approve")
  await says(card(page, "U-2"), /Approved by/)
  const states = () => page.locator("tbody .state").allTextContents()

  await page.goto(`${sandbox.url}/audit?token=${sandbox.controlToken}`)
  await expect.poll(states).toEqual(["Approved", "Waiting"])
  await page.getByRole("link", { name: "State" }).click()
  await expect.poll(states).toEqual(["Waiting", "Approved"])
  await page.getByRole("link", { name: "State" }).click()
  await expect.poll(states).toEqual(["Approved", "Waiting"])
})

/** A fault if one has to scroll sideways. */
async function tooWide(page: Page, view: string): Promise<readonly string[]> {
  const over = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
  return over > 0 ? [`${view}: ${over} px wider than the screen`] : []
}

/** A window in whose workspace something was approved. */
async function aDecision(theatre: Theatre): Promise<Page> {
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  page.setDefaultTimeout(limitMs)
  await ask(theatre)
  await press(card(page, "delete_user_data"), "Approve")
  await says(card(page, "delete_user_data"), /Approved by/)
  return page
}
