// The workspace's page around its cards: the strip "Try", places, colours, and a lost connection.
import { expect, it } from "vitest"
import {
  ask,
  button,
  card,
  openTheatre,
  openWindow,
  PHONE,
  press,
  records,
  sandboxCast,
  says,
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

it("on a phone the strip is there, scrolls by itself, and the page is not wider than the screen", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, size: PHONE })

  await tryOut(page, "SQL")

  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
  expect(troubles).toEqual([])
})

it("of two tries pressed right after each other both begin, and the page leads to the later one", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const strip = page.getByRole("region", { name: "Try" })

  await button(strip, "A form").click()
  const led = await tryOut(page, "Danger")

  await says(led, /drop_database/)
  await says(page.getByRole("status"), /asked once more/)
  const asked = (await records(theatre)).map(({ tool_name }) => tool_name)
  expect(asked.toSorted()).toEqual(["drop_database", "pay_supplier"])
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
