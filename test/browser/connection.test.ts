// The page when the sandbox goes away: it says that what it shows may be old.
import { expect, it } from "vitest"
import { ask, button, card, openTheatre, openWindow, press, sandboxCast, says } from "./browser.ts"

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
