// Each try on one stage, played to its end: the hint says what happens and what it was, and the run of the agent ends.
// All were pressed once before, and nobody decides what waits since then. `TRIES=folder` keeps pictures.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { scenes } from "../../src/cli/demo/scenes.ts"
import { floodSize } from "../../src/cli/demo/script.ts"
import { voucherSeconds } from "../../src/cli/demo/setting.ts"
import { caseIdOf } from "../../src/domain/case/case.ts"
import {
  become,
  button,
  limitMs,
  openTheatre,
  openWindow,
  press,
  records,
  sandboxCast,
  says,
  type Theatre,
  tryOut,
} from "./browser.ts"

const closers: (() => Promise<void>)[] = []
const labels = scenes.map(({ label }) => label)
const played: string[] = []
let theatre: Theatre
let waiting: readonly string[] = []

beforeAll(async () => {
  theatre = await openTheatre((close) => closers.push(close))
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  for (const label of labels) await tryOut(page, label)
  await page.context().close()
  waiting = (await records(theatre)).map(({ id }) => id)
})

afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

/** What every try begins with: Alice in #general, who presses the button, reads the hint and is led to a card. */
async function tried(label: string, hint: string | RegExp) {
  const before = (await records(theatre)).map(({ id }) => id)
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  onTestFinished(() => page.context().close())
  const led = await tryOut(page, label)
  await hinted(page, hint)
  await keep(page, `${label}-1`)
  played.push(label)
  const asked = async () => (await records(theatre)).filter(({ id }) => !before.includes(id))
  const ended = async (...ends: readonly string[]): Promise<void> => {
    const seen = async () => (await asked()).map(({ status, run_status }) => `${status}, run ${run_status}`)
    await expect.poll(seen).toEqual(ends.map((end) => `${end}, run COMPLETED`))
    await hinted(page, `That was: ${scenes.find((scene) => scene.label === label)?.was}.`)
    await keep(page, `${label}-end`)
    expect(troubles).toEqual([])
    expect(warnings()).toEqual([])
  }
  return { page, led, asked, ended }
}

function hinted(page: Page, words: string | RegExp): Promise<void> {
  return says(page.getByRole("status"), words)
}

/** Presses what the hint offers as the next step, and reads what it says then. */
async function next(page: Page, label: string, hint: string | RegExp): Promise<void> {
  await press(page.getByRole("region", { name: "Try" }), label)
  await hinted(page, hint)
}

async function approveAsBob(page: Page, on: Locator): Promise<void> {
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(on, "Approve")
  await says(on, /Approved by/)
}

/** Approves in a modal, which stays until its person closes it. */
async function approveIn(page: Page, modal: Locator): Promise<void> {
  await press(modal, "Approve")
  await says(modal, /Thank you/)
  await page.keyboard.press("Escape")
  await modal.waitFor({ state: "detached" })
}

/** Closes the modal of this title. */
async function closeModal(page: Page, title: string): Promise<void> {
  const modal = page.getByRole("dialog", { name: title, exact: true })
  await press(modal, "Close")
  await modal.waitFor({ state: "detached" })
}

/** What the terminal was told besides the alarms about the stop that a try makes and ends. */
function warnings(): readonly string[] {
  return theatre.warnings.filter((line) => !isAboutStop(line))
}

function isAboutStop(line: string): boolean {
  return /"event":"alarm","code":"stop(ped|-ended)"/.test(line)
}

/** The arguments with which the tool of a run ran in the end. */
async function ranWith(asked: () => ReturnType<typeof records>): Promise<unknown> {
  const [row] = await asked()
  const token = theatre.stage.mint("reader", ["agents:read", "agents:run"])
  const path = `/agents/${row?.agent_id}/runs/${row?.run_id}?session_id=${row?.session_id}`
  const answer = await fetch(theatre.stage.serviceUrl + path, { headers: { authorization: `Bearer ${token}` } })
  const { tools } = (await answer.json()) as { tools: readonly { tool_args: unknown }[] }
  return tools.at(-1)?.tool_args
}

/** What the ledger says happened to the case of a try. */
async function entries(asked: () => ReturnType<typeof records>): Promise<readonly string[]> {
  const [row] = await asked()
  const { stage } = theatre
  const caseId = caseIdOf("demo", "default", row?.id ?? "")
  const headers = { authorization: `Bearer ${await stage.readToken()}` }
  const answer = await fetch(`${stage.botUrl}/cases/${caseId}/entries`, { headers })
  const told = (await answer.json()) as { entries: readonly { kind: string }[] }
  return told.entries.map(({ kind }) => kind)
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
  await form.locator("footer button.btn-success, footer button.btn-danger").click()
}

it("Try Two people: Alice's vote is one of two, and Bob's lets the payouts go", async () => {
  const { page, led, ended } = await tried(
    "Two people",
    "Two payouts in one request. Press Approve: one more person is needed. Then press Be Bob, and approve, too.",
  )

  await press(led, "Approve")
  await says(led, /must approve; 1 has/)
  await next(page, "Be Bob", "You are Bob now. Approve: with two votes both payouts go out.")
  await approveAsBob(page, led)

  await ended("approved")
})

it("Try A form: what Alice fills in is what the agent pays with", async () => {
  const { page, led, asked, ended } = await tried(
    "A form",
    "Press Fill In… and give an account, an amount and a choice: anything will do. The agent pays with that.",
  )

  await press(led, "Fill In…")
  await submit(page, async (form) => {
    await form.getByLabel(/iban/).fill("DE89 3704 0044 0532 0130 00")
    await form.getByLabel(/amount/).fill("780.40")
    await form.getByLabel(/pay_at_once/).selectOption({ index: 1 })
  })
  await says(led, /Approved by/)

  await ended("approved")
  expect(await ranWith(asked)).toMatchObject({ iban: "DE89 3704 0044 0532 0130 00", amount: 780.4 })
})

it("Try A result: what Alice did is the tool's result", async () => {
  const { page, led, ended } = await tried(
    "A result",
    "Do as if you had renewed the certificate: press Enter Result… and say how it went. The agent goes on with that.",
  )

  await press(led, "Enter Result…")
  await submit(page, (form) => form.getByRole("textbox").first().fill("done, valid until May"))
  await says(led, /Done by/)

  await ended("approved")
})

it("Try An amount: the card says which condition asks for two, and both are asked", async () => {
  const { page, led, ended } = await tried(
    "An amount",
    "Above 1,000 EUR two people must approve; the card says so. Press Approve, then Be Bob.",
  )

  await says(led, /must approve, because\s+amount\s+is above\s+1000\s+and\s+currency\s+is\s+EUR/)
  await press(led, "Approve")
  await says(led, /1 has/)
  await next(page, "Be Bob", "You are Bob now. Approve: with two votes the refund goes out.")
  await approveAsBob(page, led)

  await ended("approved")
})

it("Try Bank details: a mail that holds an account number asks two people, and one rejection stops it", async () => {
  const { page, led, ended } = await tried(
    "Bank details",
    "The mail holds an account number, so two people must approve. One rejection is enough: press Reject, and give a reason.",
  )

  await says(led, /must approve, because the call holds\s+iban\s+data/)
  expect(await button(page.getByRole("region", { name: "Try" }), "Be Bob").count()).toBe(0)
  await press(led, "Reject")
  await submit(page, (form) => form.getByRole("textbox").first().fill("not by mail"))
  await says(led, /Rejected by/)

  await ended("rejected")
})

it("Try A limit: Alice approves one credit alone, and the other one needs Bob, too", async () => {
  const { page, led, asked, ended } = await tried(
    "A limit",
    /^Approve one of the two credits, then the other\. .* one more person is needed\. Then press Be Bob\.$/,
  )
  const customer = String((await asked())[0]?.tool_args["customer"])

  await press(led, "Approve")
  await says(led, /Approved by/)
  const open = page.getByRole("article").filter({ has: page.getByRole("button", { name: /^Approve/ }) })
  const second = open.filter({ hasText: customer })
  await press(second, "Approve")
  await says(second, /Above the limit.*60 approved/)
  await says(second, /must approve.*1 has/)
  await next(page, "Be Bob", "You are Bob now. Approve the credit that is above the limit: with two votes it is given.")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(second, "Approve")

  await ended("approved", "approved")
})

it("Try It changes: Alice's vote is void, and what runs is what the card shows in the end", async () => {
  const { page, led, asked, ended } = await tried(
    "It changes",
    "Press Approve. Then press Change It: the agent asks for another account, after you looked.",
  )
  const step = /^The card shows another account now.* Press Reject, and give a reason: one rejection is enough\.$/

  await press(led, "Approve")
  await says(led, /must approve; 1 has/)
  await next(page, "Change It", step)
  await says(led, /LT60 1010/)
  await says(led, /must approve, nobody has yet/)
  expect(await led.getByText(/DE02 1203/).count()).toBe(0)
  await press(led, "Approve")
  await says(led, /must approve; 1 has/)
  await become(page, sandboxCast.bob)
  await approveAsBob(page, led)

  await ended("approved")
  expect(await ranWith(asked)).toMatchObject({ iban: expect.stringMatching(/^LT60 1010/) })
})

it("Try What is new: after one payment the next card says that account and amount are new", async () => {
  const { page, led, ended } = await tried(
    "What is new",
    "Approve this payment. Then press Ask Again: the agent wants to pay the same supplier once more.",
  )

  await next(page, "Ask Again", "First approve the payment. Then press Ask Again.")
  await press(led, "Approve")
  await says(led, /Approved by/)
  await next(
    page,
    "Ask Again",
    "The card says what is new: this account and this amount were never approved. Approve it, or reject it with a reason.",
  )
  await says(led, "Never approved so far")
  await says(led, /LT60 1010 0123 4567/)
  await says(led, /the highest yet/)
  await press(led, "Approve")
  await says(led, /Approved by/)

  await ended("approved", "approved")
})

it("Try Four eyes: Alice asked and is refused, Bob approves", async () => {
  const { page, led, ended } = await tried(
    "Four eyes",
    "You, Alice, asked for this refund yourself. Press Approve: you are told why you may not. Then press Be Bob.",
  )

  await press(led, "Approve")
  await says(page.getByRole("article", { name: /only visible to you/ }), /you asked for/i)
  await next(page, "Be Bob", "You are Bob now. Bob did not ask for it. Approve: the refund goes out.")
  await approveAsBob(page, led)

  await ended("approved")
})

it("Try An expiry: the thread reminds, nobody decides, and it is rejected", async () => {
  const { page, led, ended } = await tried(
    "An expiry",
    /^Press nothing, and wait\. After 15 s a reminder stands in the thread: press the replies below the card/,
  )

  await led.getByText(/nobody decided/i).waitFor({ timeout: voucherSeconds * 1_000 + limitMs })
  await led.getByRole("button", { name: /repl/ }).click()
  await says(page.getByRole("complementary"), /Still waiting for a decision/)

  expect(await button(led, "Approve").count()).toBe(0)
  await ended("rejected")
})

it("Try Secrets: the key is masked, whoever reveals it is in the ledger, and Details approves", async () => {
  const { page, led, asked, ended } = await tried(
    "Secrets",
    /^Key and password are masked\. Press Details, then Reveal Masked Values: it shows both/,
  )
  const secret = "demo-8f2b6c1d90aa47e3"

  expect(await page.getByText(secret).count()).toBe(0)
  await press(led, "Details")
  const details = page.getByRole("dialog")
  await press(details, "Reveal Masked Values")
  await says(details, secret)
  await says(details, "correct horse battery")
  await keep(page, "Secrets-2")
  await approveIn(page, details)
  await says(led, /Approved by/)

  await ended("approved")
  expect(await entries(asked)).toContain("revealed")
})

it("Try Danger: approving asks once more and names what will be gone", async () => {
  const { page, led, ended } = await tried(
    "Danger",
    "Press Approve. You are asked once more, and read what will be gone: confirm in that dialog.",
  )

  await press(led, "Approve")
  const dialog = page.getByRole("dialog")
  await says(dialog, /orders_2019/)
  await keep(page, "Danger-2")
  await dialog.locator("footer button").last().click()
  await says(led, /Approved by/)

  await ended("approved")
})

it("Try Breaking glass: Alice decides alone in an emergency, and Bob says whether that was right", async () => {
  const { page, led, ended } = await tried(
    "Breaking glass",
    "Two people must approve, but nobody answers. Press Details, then Break Glass…: give a reason, and type the " +
      "tool's name. Then press Be Bob.",
  )

  await press(led, "Details")
  const modal = page.getByRole("dialog")
  await press(modal, "Break Glass…")
  await says(modal, /You approve this alone/)
  const fields = modal.locator("textarea, input[type=text]")
  await fields.nth(0).fill("the shop is down")
  await fields.nth(1).fill("switch_region")
  await keep(page, "Breaking glass-2")
  await modal.locator("footer button").last().click()
  await says(led, /Approved by breaking glass/)
  await page.keyboard.press("Escape")
  await next(
    page,
    "Be Bob",
    "You are Bob now. You were passed over, and are asked now: press It Was Right, or It Was Not… with a reason.",
  )
  await press(led, "It Was Right")
  await says(led, /says that breaking the glass was right/)

  await ended("approved")
})

it("Try A stop: Alice stops the agent from Details, ends that, and only then approves", async () => {
  const { page, led, ended } = await tried(
    "A stop",
    "This agent runs wild. Press Details, then Stop This Agent…, and say why: the card has no Approve any more. Then " +
      "press End It.",
  )

  await press(led, "Details")
  const modal = page.getByRole("dialog")
  await press(modal, "Stop This Agent…")
  await modal.locator("textarea, input[type=text]").nth(1).fill("too many letters")
  await modal.locator("footer button").last().click()
  await says(modal, /agent:letter-agent/)
  await keep(page, "A stop-2")
  await closeModal(page, "Stop")
  await closeModal(page, "“send newsletter”")
  await says(led, /Stopped by/)
  expect(await button(led, "Approve").count()).toBe(0)
  const alarms = () => theatre.warnings.filter(isAboutStop).map((line) => JSON.parse(line).code)
  await expect.poll(alarms, { timeout: limitMs }).toEqual(["stopped"])
  await next(
    page,
    "End It",
    "Until you end it, a request that names no agent, as a team's, is held, too. Type /approvals stops, press End…, " +
      "and confirm. Approve is back on the card: approve it, or reject it.",
  )
  const box = page.getByRole("combobox", { name: /^Command in/ })
  await box.fill("/approvals stops")
  await box.press("Enter")
  await press(page.getByRole("article", { name: /only visible to you/ }).last(), "End…")
  await press(modal, "End This Stop")
  await says(modal, /is not stopped any more/)
  await closeModal(page, "End a Stop")
  await press(led, "Approve")
  await says(led, /Approved by/)

  await ended("approved")
  await expect.poll(alarms, { timeout: limitMs }).toEqual(["stopped", "stop-ended"])
})

it("Try Standing in: Alice goes away, Bob votes for her, and the card says so", async () => {
  const { page, led, ended } = await tried(
    "Standing in",
    "You, Alice, are the only one who may approve this. Type /approvals away into the box below: you are back " +
      "tomorrow, and Bob may vote for you. Then press Be Bob.",
  )

  const box = page.getByRole("combobox", { name: /^Command in/ })
  await box.fill("/approvals away")
  await box.press("Enter")
  const form = page.getByRole("dialog")
  await form.getByLabel(/Back when this day begins/).fill("tomorrow")
  await form.getByLabel(/Who may vote for you/).selectOption(`T0SANDBOX:${sandboxCast.bob}`)
  await keep(page, "Standing in-2")
  await form.locator("footer button").last().click()
  await says(page.getByRole("article", { name: /only visible to you/ }), /You are away until/)
  await says(led, /who is away/)
  await next(page, "Be Bob", "You are Bob now. The card says that you may vote for Alice. Press Approve.")
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  await press(led, "Approve")
  await says(led, /Approved by.*Bob.*for.*Alice/)

  await ended("approved")
})

it("Try A flood: one summary names them all, and two are decided in its review while the others wait on it", async () => {
  const { page, led, ended } = await tried(
    "A flood",
    "One message names them all. Press Review One by One, and decide two of them; the others may wait.",
  )
  const flood = async () => (await records(theatre)).filter(({ tool_name }) => tool_name === "restart_worker")
  const ends = async () => (await flood()).map(({ status, run_status }) => `${status}, run ${run_status}`).toSorted()
  const review = page.getByRole("dialog")

  // Those that wait since it was pressed first are this flood: a second press starts no others.
  expect(await flood()).toHaveLength(floodSize)
  await says(led, `${floodSize} approvals wait for a decision.`)
  await press(led, "Review One by One")
  await press(review, "Approve")
  await says(review, /Thank you/)
  await press(review, "Next Case")
  await approveIn(page, review)

  await ended()
  await says(led, `${floodSize - 2} approvals wait for a decision.`)
  expect(await button(led, "Review One by One").count()).toBe(1)
  await expect
    .poll(ends)
    .toEqual([...Array(2).fill("approved, run COMPLETED"), ...Array(floodSize - 2).fill("pending, run PAUSED")])
})

it("Try A team: the card hangs in the team's own channel alone, and no other rule decides it", async () => {
  const { page, led, ended } = await tried(
    "A team",
    /^A team of agents asks, and its rule sends the card to a channel of its own\. Approve it, or reject it/,
  )

  await says(led, /Support Team/)
  await press(led, "Approve")
  await says(led, /Approved by/)
  await led.getByRole("button", { name: /repl/ }).click()
  await says(page.getByRole("complementary"), /Asked: .*under rule support/)

  await ended("approved")
})

it("Try SQL: the card says how many lines are left, Details shows them all and approves", async () => {
  const { page, led, ended } = await tried(
    "SQL",
    "The card shows the first lines, and how many are left. Press Review Details to read all, and approve there.",
  )

  await says(led, /more lines/)
  await press(led, "Review Details")
  const details = page.getByRole("dialog")
  await says(details, /COMMIT;/)
  await keep(page, "SQL-2")
  await approveIn(page, details)
  await says(led, /Approved by/)

  await ended("approved")
})

it("Try Other rules: the card shows each key that changes, and they count once Bob approved them, too", async () => {
  const { page, led, ended } = await tried(
    "Other rules",
    /^Somebody proposed another file, by countersign activate\. .* Press Approve, then Be Bob\.$/,
  )

  await says(led, /rules\[gifts\]\.quorum/)
  await press(led, "Approve")
  await says(led, /must approve; 1 has/)
  await next(page, "Be Bob", "You are Bob now. Approve: with your vote the other rules count at once.")
  await approveAsBob(page, led)
  await says(led, "These rules count now.")

  await ended()
})

it("Try Send it back: the agent asks anew as Alice proposed, and Bob approves that", async () => {
  const { page, led, ended } = await tried(
    "Send it back",
    "The amount is ten times too high. Press Details, then Send Back…, and write 54 as the amount. The agent reads it " +
      "and asks anew. Then press Be Bob.",
  )

  await press(led, "Details")
  const modal = page.getByRole("dialog")
  await press(modal, "Send Back…")
  await says(modal, /This rejects what was asked/)
  await modal.getByLabel(/^amount/).fill("54")
  await modal.locator("textarea, input[type=text]").last().fill("one tenth of that")
  await keep(page, "Send it back-2")
  await modal.locator("footer button").last().click()
  await says(led, /Sent back by/)
  await modal.getByText(/This rejects what was asked/).waitFor({ state: "detached" })
  await page.keyboard.press("Escape")
  await modal.waitFor({ state: "detached" })
  await next(page, "Be Bob", /The new card says that Alice proposed its arguments/)
  await page.locator(`[data-person="${sandboxCast.bob}"]`).waitFor()
  const anew = page.getByRole("article").filter({ hasText: "proposed these arguments" })
  await press(anew, "Approve")
  await says(page.getByRole("article").filter({ hasText: "Refund 54 EUR" }), /Approved by/)

  await ended("approved", "rejected")
})

it("Try A question: Rita answers in her direct message, and Details have both", async () => {
  const { page, led, ended } = await tried(
    "A question",
    "Why is this refunded? Press Details, then Ask…, and write what you want to know: Rita asked for it. Then press Be " +
      "Rita.",
  )

  await press(led, "Details")
  const modal = page.getByRole("dialog")
  await press(modal, "Ask…")
  await modal.getByLabel(/Your question/).fill("Which order was this?")
  await keep(page, "A question-2")
  await modal.locator("footer button").last().click()
  await says(modal, /Your question is sent/)
  await page.keyboard.press("Escape")
  await modal.waitFor({ state: "detached" })
  await next(page, "Be Rita", /Open the direct messages of Countersign, press Answer…/)
  await page.locator(`[data-person="${sandboxCast.rita}"]`).waitFor()
  const navigation = page.getByRole("navigation")
  await navigation.getByRole("button", { name: /Countersign(?! Home)/ }).click()
  const question = page.getByRole("article").filter({ hasText: "Which order was this?" })
  await press(question, "Answer…")
  await modal.getByLabel(/Your answer/).fill("Order 77")
  await modal.locator("footer button").last().click()
  await modal.waitFor({ state: "detached" })
  await says(page.getByRole("article").filter({ hasText: "Order 77" }), /Order 77/)
  await keep(page, "A question-3")
  await become(page, sandboxCast.bob)
  await navigation.getByRole("button", { name: /payments/ }).click()
  await press(led, "Details")
  await says(modal, /Asked and answered.*Order 77/s)
  await approveIn(page, modal)

  await ended("approved")
})

it("Try Not again: one rejection counts for the same call, and its card says how often", async () => {
  const { page, led, ended } = await tried(
    "Not again",
    "Press Reject, give a reason, and tick the box for the same call. The agent tries twice more: both are rejected by " +
      "themselves, and this card says so.",
  )

  await press(led, "Reject")
  await submit(page, async (form) => {
    await form.locator("textarea, input[type=text]").last().fill("not in office hours")
    await form.getByRole("checkbox").check()
    await keep(page, "Not again-2")
  })
  await says(led, /Asked again 2 times, rejected as before/)

  await ended("rejected", "rejected", "rejected")
})

it("no try is left out, and what nobody decided still waits, but for the one that expired", async () => {
  const decided = ["restart_worker: approved, run COMPLETED", "restart_worker: approved, run COMPLETED"]
  const left = (await records(theatre)).filter(({ id }) => waiting.includes(id))
  const ends = left.map(({ tool_name, status, run_status }) => `${tool_name}: ${status}, run ${run_status}`)

  expect(played).toEqual(labels)
  expect(ends.filter((end) => !end.endsWith(": pending, run PAUSED")).toSorted()).toEqual([
    "issue_voucher: rejected, run COMPLETED",
    ...decided,
  ])
})

it("for a minute after all that, bot and platform warn of nothing", async () => {
  const { sandbox } = theatre.stage

  const warned = sandbox.waitFor(() => warnings().length > 0, { limitMs: 60_000, what: "a warning" })

  await expect(warned).rejects.toThrow("Waited 60000 ms for a warning")
  expect(warnings()).toEqual([])
})
