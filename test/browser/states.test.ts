// Every state of a card, Details and Home, as people see them on a desktop and on a phone. `STATES=folder` keeps the pictures to look at.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Locator } from "playwright-core"
import { expect, it } from "vitest"
import { api, CAST, DESKTOP, limitMs, openTheatre, openWindow, PHONE } from "./browser.ts"

const golden = new URL("../slack/golden/", import.meta.url).pathname
const names = globSync("{state,pause,kind,details,home,masked}*.json", { cwd: golden }).toSorted()

interface Look {
  readonly name: string
  readonly content: { readonly text?: string; readonly type?: string; readonly blocks: object[] }
}

/** What a golden file holds: one look, or one for each state of a kind. */
function looksIn(file: string): readonly Look[] {
  const read = JSON.parse(readFileSync(golden + file, "utf8")) as Look["content"] | Record<string, Look["content"]>
  const name = basename(file, ".json")
  if (Array.isArray(read.blocks)) return [{ name, content: read as Look["content"] }]
  return Object.entries(read).map(([state, content]) => ({ name: `${name}-${state}`, content }))
}

/** Keeps the picture if `STATES` names a folder for it. */
async function keep(shown: Locator, name: string): Promise<void> {
  const folder = process.env["STATES"]
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.png`), await shown.screenshot())
}

it.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)(
  "on a %s every state of every kind is drawn, none wider than the screen",
  { timeout: 240_000 },
  async (device, size) => {
    const theatre = await openTheatre()
    const { page, troubles } = await openWindow(theatre, { person: CAST.alice, at: CAST.general, size })
    const articles = page.getByRole("log").getByRole("article")
    const looks = names.flatMap(looksIn).filter(({ content }) => content.type !== "home")

    for (const { name, content } of looks) {
      const { text = name, blocks } = content
      await api(theatre, "chat.postMessage", { channel: CAST.general, text, blocks })
    }
    await expect.poll(() => articles.count(), { timeout: 4 * limitMs }).toBe(looks.length)
    for (const [index, { name }] of looks.entries()) await keep(articles.nth(index), `${name}-${device}`)

    expect(looks.length).toBeGreaterThan(100)
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
    expect(troubles).toEqual([])
  },
)

it.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)("on a %s Home shows what waits first, and why a case is not shown elsewhere", async (device, size) => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: CAST.alice, at: CAST.general, size })
  const [home] = looksIn("home.json")
  await page.goto(page.url().replace(`at=${CAST.general}`, "at=home"))
  await page.getByText("Nothing waits for you.").waitFor()

  await api(theatre, "views.publish", { user_id: CAST.alice, view: home?.content })
  await page.getByText("the channel is archived").waitFor()
  await keep(page.getByRole("main"), `home-${device}`)

  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
  expect(troubles).toEqual([])
})
