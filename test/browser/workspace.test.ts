// The workspace's page around its cards: the list of tries, places, colours, and a lost connection.
import type { Locator } from "playwright-core"
import { expect, it } from "vitest"
import { scenes } from "../../src/cli/demo/scenes.ts"
import {
  ask,
  button,
  card,
  openFirst,
  openTheatre,
  openWindow,
  PHONE,
  press,
  records,
  sandboxCast,
  says,
  showTries,
  tryOut,
} from "./browser.ts"

it("a lost connection is said at once, and an act then is answered on the page", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })
  await ask(theatre, { tool_args: { user_id: "U-lost" } })
  const open = card(page, "U-lost")
  await open.waitFor()

  await theatre.stage.close()
  await says(page.getByRole("alert"), /connection is lost/)
  await press(open, "Approve")
  await says(page.getByRole("alert"), /could not be reached/)

  expect(await button(open, "Approve").isVisible()).toBe(true)
})

it("the first page says what this is and what to press, on a phone, and marks what was done", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openFirst(theatre, PHONE)
  const list = page.getByRole("main", { name: "Start here" })
  const wider = () => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")

  await says(list, /^This is a demo of Countersign: .* Press “Two people” first\./)
  const [first] = await list.getByRole("listitem").allInnerTexts()
  expect(first).toMatch(/^Two people\s+A payout waits until two people said yes$/)
  expect(await list.getByRole("button", { name: /^Two people/ }).isVisible()).toBe(true)
  expect(await wider()).toBe(0)
  const led = await tryOut(page, "A team")
  expect(await wider()).toBe(0)
  await press(led, "Approve")
  await says(page.getByRole("status"), "That was: a team's own rule, and its own channel.")
  await showTries(page)

  const done = list.getByRole("listitem").filter({ hasText: "Done" })
  expect(await done.allInnerTexts()).toEqual([expect.stringContaining("That was: a team's own rule")])
  await says(list, `1 of ${scenes.length} tried`)
  expect(troubles).toEqual([])
})

it("a try begins whoever you are, and says who you are then", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.gus })

  const led = await tryOut(page, "Two people")
  await says(page.getByRole("status"), /^You are Alice now\. Two payouts/)
  await press(led, "Approve")
  await says(led, /must approve; 1 has/)

  expect(troubles).toEqual([])
})

it("once a try has ended, the bar offers the next one", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.bob })

  await press(await tryOut(page, "A team"), "Approve")
  await press(page.getByRole("region", { name: "Try" }), "Next")

  await says(page.getByRole("status"), /^Two payouts/)
})

it("of two tries pressed right after each other both begin, and the page leads to the later one", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const list = await showTries(page)

  await list.waitFor()
  const pressBoth = `["A form", "Danger"].forEach((label) =>
    [...document.querySelectorAll("main button")].find((one) => one.textContent.startsWith(label)).click())`
  await page.evaluate(pressBoth)

  await says(page.getByRole("status"), /asked once more/)
  await says(page.locator("article.led"), /drop_database/)
  const asked = (await records(theatre)).map(({ tool_name }) => tool_name)
  expect(asked.toSorted()).toEqual(["drop_database", "pay_supplier"])
  expect(troubles).toEqual([])
})

it("a card that is higher than the window is shown from its top when it arrives", async () => {
  const theatre = await openTheatre()
  const size = { width: 390, height: 420 }
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, size })
  const box = async (found: Locator) => (await found.boundingBox()) ?? { y: 0, height: 0 }
  const hidden = async (words: string) => {
    const [shown, around] = [await box(card(page, words)), await box(page.getByRole("log"))]
    expect(shown.height).toBeGreaterThan(around.height)
    return Math.abs(Math.round(shown.y - around.y))
  }
  const long = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`note_${at}`, `line ${at}`]))

  await ask(theatre, { tool_args: { user_id: "U-high-1", ...long } })
  await card(page, "U-high-1").waitFor()
  await expect.poll(() => hidden("U-high-1")).toBe(0)
  await ask(theatre, { tool_args: { user_id: "U-high-2", ...long } })
  await card(page, "U-high-2").waitFor()
  await expect.poll(() => hidden("U-high-2")).toBe(0)
  await tryOut(page, "SQL")

  await expect.poll(() => hidden("Run an SQL statement")).toBe(0)
})

it("Enter in the search field of Home searches", async () => {
  const theatre = await openTheatre()
  await ask(theatre, { tool_args: { user_id: "U-found" } })
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  await card(page, "U-found").waitFor()
  await page.getByRole("button", { name: "Countersign Home" }).click()
  const field = page.getByLabel("Search")

  await field.fill("delete")
  await field.press("Enter")
  await says(page.getByRole("main"), "Found for")

  expect(await field.inputValue()).toBe("delete")
  expect(troubles).toEqual([])
})

it("the first Tab leads to a link that skips the list of places", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice })

  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")

  expect(await page.evaluate("document.activeElement.tagName")).toBe("MAIN")
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
