// Every state of a card, Details and Home, as people see them on a desktop and on a phone. `STATES=folder` keeps the
// pictures to look at.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator } from "playwright-core"
import { expect, it } from "vitest"
import { argumentLooks, kindLooks, type Look, type Looks, pauseLooks, stateLooks, viewLooks } from "../slack/looks.ts"
import { api, DESKTOP, limitMs, openTheatre, openWindow, PHONE, sandboxCast } from "./browser.ts"

/** Every look by its name: the plain confirmation's states, those of the other kinds, pauses, and views. */
const looks: readonly (readonly [string, Look])[] = [
  ...named("state", stateLooks()),
  ...Object.entries(kindLooks()).flatMap(([kind, kindly]) => named(`kind-${kind}`, kindly)),
  ...named("pause", pauseLooks()),
  ...named("arguments", argumentLooks()),
  ...named("view", viewLooks()),
]

function named(group: string, found: Looks): readonly (readonly [string, Look])[] {
  return Object.entries(found).map(([name, look]) => [`${group}-${name}`, look])
}

/** Home is drawn elsewhere, and Slack takes alerts and inputs in no message. */
function isMessage({ type, blocks }: Look): boolean {
  return type !== "home" && !/"type":"(?:alert|input)"/.test(JSON.stringify(blocks))
}

/** Keeps the pictures, light and dark, if `STATES` names a folder for them. */
async function keep(shown: Locator, name: string): Promise<void> {
  const folder = process.env["STATES"]
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ["light", "dark"] as const) {
    await shown.page().emulateMedia({ colorScheme, reducedMotion: "reduce" })
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), await shown.screenshot())
  }
}

it.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)(
  "on a %s every state of every kind is drawn, none wider than the screen",
  { timeout: 900_000 },
  async (device, size) => {
    const theatre = await openTheatre()
    // Tall enough that a picture shows the longest message whole.
    const tall = { ...size, height: 3_000 }
    const { page, troubles } = await openWindow(theatre, {
      person: sandboxCast.alice,
      at: sandboxCast.general,
      size: tall,
    })
    const articles = page.getByRole("log").getByRole("article")
    const drawn = looks.filter(([, look]) => isMessage(look))

    for (const [name, content] of drawn) {
      const { text = name, blocks } = content
      await api(theatre, "chat.postMessage", { channel: sandboxCast.general, text, blocks })
    }
    await expect.poll(() => articles.count(), { timeout: 4 * limitMs }).toBe(drawn.length)
    for (const [index, [name]] of drawn.entries()) await keep(articles.nth(index), `${name}-${device}`)

    expect(drawn.length).toBeGreaterThan(100)
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
    expect(troubles).toEqual([])
  },
)

it.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)("on a %s Home shows what waits first, and why a case is not shown elsewhere", async (device, size) => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general, size })
  await page.goto(page.url().replace(`at=${sandboxCast.general}`, "at=home"))
  await page.getByText("Nothing waits for you.").waitFor()

  await api(theatre, "views.publish", { user_id: sandboxCast.alice, view: viewLooks()["home"] })
  await page.getByText("the channel is archived").waitFor()
  await keep(page.getByRole("main"), `home-${device}`)

  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
  expect(troubles).toEqual([])
})
