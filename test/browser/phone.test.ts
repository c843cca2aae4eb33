// The demo on a phone: what somebody presses stays in sight, what answers them comes into sight, and links lead there.
import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import type { Tour } from "../../src/sandbox/user-actions/tour.ts"
import {
  ask,
  become,
  button,
  card,
  limitMs,
  openFirst,
  openTheatre,
  PHONE,
  press,
  sandboxCast,
  says,
  tryOut,
} from "./browser.ts"

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

async function boxOf(found: Locator): Promise<Box> {
  return (await found.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** True if all of it stands between the head of the channel and the message box. */
async function isWholeInSight(page: Page, found: Locator): Promise<boolean> {
  const [one, around] = [await boxOf(found), await boxOf(page.getByRole("log"))]
  return one.height > 0 && one.y >= around.y - 1 && one.y + one.height <= around.y + around.height + 1
}

/** Where the top of the message is, once two looks found it at the same place. */
async function restingTop(found: Locator): Promise<number> {
  let before = Number.NaN
  const rests = async () => {
    const { y } = await boxOf(found)
    const same = y === before
    before = y
    return same
  }
  await expect.poll(rests).toBe(true)
  return before
}

it("a card that is higher than the window stays where it is when somebody presses it, and while its thread grows", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await theatre.stage.operator.start({
    agent: "billing-agent",
    message: "refund INV-2041",
    user: "rita@sandbox.example",
  })
  const led = await tryOut(page, "Two people")
  const top = await restingTop(led)
  expect((await boxOf(led)).height).toBeGreaterThan((await boxOf(page.getByRole("log"))).height)

  await press(led, "Approve")
  await says(led, /1 has/)

  expect(await restingTop(led)).toBe(top)
})

it("a card that somebody pressed stays in sight when another one arrives below it", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await page.goto(`${theatre.stage.sandbox.pageUrl}&at=${sandboxCast.approvals}`)
  const long = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`note_${at}`, `line ${at}`]))
  await ask(theatre, { tool_args: { user_id: "U-pressed", ...long } })
  await press(card(page, "U-pressed"), "Approve")
  await says(card(page, "U-pressed"), /Approved by/)

  for (const id of ["U-1", "U-2", "U-3"]) {
    await ask(theatre, { tool_args: { user_id: id, ...long } })
    await card(page, id).waitFor()
  }

  await restingTop(card(page, "U-pressed"))
  expect(await isWholeInSight(page, card(page, "U-pressed"))).toBe(true)
})

it("a refusal that only the person sees comes into sight, also below the card to which a try leads", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await (await tryOut(page, "An amount")).waitFor()

  await press(await tryOut(page, "Four eyes"), "Approve")
  const refusal = page.getByRole("article", { name: /only visible to you/ })
  await refusal.waitFor()

  await expect.poll(() => isWholeInSight(page, refusal)).toBe(true)
})

it("a refusal comes into sight for somebody who has scrolled up, too, and then they may scroll up again", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await tryOut(page, "Four eyes")
  await tryOut(page, "SQL")
  await tryOut(page, "An amount")
  await press(card(page, "INV-2102"), "Approve")
  const refusal = page.getByRole("article", { name: /only visible to you/ })
  await refusal.waitFor()
  await expect.poll(() => isWholeInSight(page, refusal)).toBe(true)

  await page.evaluate(`document.querySelector("[role=log]").scrollTo(0, 0)`)
  await expect.poll(() => isWholeInSight(page, refusal)).toBe(false)
  await page.setViewportSize({ ...PHONE, height: PHONE.height - 60 })
  await restingTop(refusal)

  expect(await isWholeInSight(page, refusal)).toBe(false)
})

it("every pane says who you are", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  const head = (words: string) => page.locator("header").getByText(words).filter({ visible: true })

  await head("You are Alice").waitFor()
  const led = await tryOut(page, "A team")
  await head("You are Alice").waitFor()
  await page.getByRole("button", { name: "Channels and people" }).click()
  await become(page, sandboxCast.bob)
  await page.keyboard.press("Escape")
  await head("You are Bob").waitFor()
  await led.getByRole("button", { name: /repl/ }).click()

  await page.getByRole("complementary").getByText("You are Bob").waitFor()
})

it("a link in a thread goes to its message in the channel, which the thread has covered", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await tryOut(page, "A team")
  await page.locator("article.led").getByRole("button", { name: /repl/ }).click()
  const thread = page.getByRole("complementary")

  await thread.getByRole("link", { name: "card" }).first().click()

  await thread.waitFor({ state: "detached" })
  const pointed = page.locator("article.pointed")
  await says(pointed, "Close the account of customer")
  expect(await isWholeInSight(page, pointed)).toBe(true)
})

it("a link from elsewhere opens the page at the message, or at the reply, for whoever used it last", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  const { sandbox } = theatre.stage
  const led = await tryOut(page, "A team")
  const channel = sandbox.messages("C0SUPPORT")
  const ts = String(await led.getAttribute("data-ts"))
  await page.getByRole("button", { name: "Channels and people" }).click()
  await become(page, sandboxCast.bob)
  await sandbox.waitFor(() => sandbox.thread("C0SUPPORT", ts)[0], { limitMs, what: "the thread" })
  const reply = String(sandbox.thread("C0SUPPORT", ts)[0]?.ts)
  const address = (of: string) => `${sandbox.url}/archives/C0SUPPORT/p${of.replace(".", "")}`
  const other = await page.context().newPage()

  await other.goto(address(ts))
  await says(other.locator("article.pointed"), "Close the account of customer")
  await other.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await other.goto(`${address(reply)}?thread_ts=${ts}&cid=C0SUPPORT`)
  await says(other.getByRole("complementary").locator("article.pointed"), /Asked/)

  expect(channel).toHaveLength(1)
})

it("the cross of a question stands at the end of its line, and the words below a finished card take one line", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)

  await press(await tryOut(page, "Danger"), "Approve")
  const cross = await boxOf(page.getByRole("dialog").getByRole("button", { name: /^Close/ }))
  await page.keyboard.press("Escape")
  const led = await tryOut(page, "A team")
  await press(led, "Approve")
  await says(led, /repl/)

  expect([Math.round(cross.width), cross.x + cross.width > PHONE.width - 20]).toEqual([44, true])
  expect((await boxOf(button(led, "Show approval"))).y).toBe((await boxOf(led.getByRole("button", { name: /repl/ }))).y)
})

it("code on a card stays within the card", async () => {
  const theatre = await openTheatre()
  const { page } = await openFirst(theatre, PHONE)
  await tryOut(page, "Two people")

  const [pieces, outside] = await page.evaluate<readonly number[]>(`(() => {
    const end = document.querySelector(".led .body").getBoundingClientRect().right
    const pieces = [...document.querySelectorAll(".led code")].flatMap((code) => [...code.getClientRects()])
    return [pieces.length, pieces.filter(({ right }) => right > end + 0.5).length]
  })()`)

  expect(pieces).toBeGreaterThan(5)
  expect(outside).toBe(0)
})

/** A tour of twenty tries, the first of them done. */
function aTour(done: number): Tour {
  const tries = Array.from({ length: 20 }, (_, at) => ({
    id: `${at + 1}`,
    label: `Try ${at + 1}`,
    about: "What it shows",
    was: "what it showed",
    ended: at < done ? ["round"] : [],
  }))
  return {
    welcome: "This is a demo.",
    first: "Press this first.",
    last: "All is done. See",
    tries: () => tries,
    run: () => Promise.reject(new Error("nobody runs it")),
    auditDoor: () => Promise.reject(new Error("nobody goes there")),
  }
}

it("the list says what to press first while nothing was tried, then shows the next one, and leads on at the end", async () => {
  const theatre = await openTheatre()
  const { sandbox } = theatre.stage
  const { page } = await openFirst(theatre, PHONE)
  const list = page.getByRole("main", { name: "Start here" })
  const shown = async (done: number) => {
    sandbox.offerTour(aTour(done))
    await page.goto(sandbox.pageUrl)
    await says(list, `${done} of 20 tried`)
    return list.locator("p").innerText()
  }
  const inSight = async (label: string) => {
    const { y, height } = await boxOf(list.getByRole("button", { name: new RegExp(`^${label} `) }))
    return height > 0 && y >= 0 && y + height <= PHONE.height
  }

  expect([await shown(0), await inSight("Try 1")]).toEqual(["This is a demo. Press this first.", true])
  expect([await shown(12), await inSight("Try 1"), await inSight("Try 13")]).toEqual(["This is a demo.", false, true])
  expect(await shown(20)).toBe("This is a demo. All is done. See the auditor's page.")
  expect(await list.getByRole("link").getAttribute("href")).toBe(`/audit?token=${sandbox.controlToken}`)
})
