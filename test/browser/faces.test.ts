// What people see besides the plain approval: forms, pages, masks, Home, commands, shortcuts, and what becomes of lost
// cards.
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import {
  ask,
  become,
  button,
  card,
  limitMs,
  openTheatre,
  openWindow,
  press,
  record,
  sandboxCast,
  says,
  type Theatre,
} from "./browser.ts"

/** The message that only this person sees, the newest. */
const whisper = (page: Page) => page.getByRole("article", { name: /only visible to you/ }).last()
const dialog = (page: Page) => page.getByRole("dialog").last()

async function type(page: Page, words: string): Promise<void> {
  const box = page.getByRole("combobox", { name: /^Command in/ })
  await box.fill(words)
  await box.press("Enter")
}

async function hanging({ stage }: Theatre, words: string): Promise<{ channel: string; ts: string }> {
  const look = () => stage.sandbox.messages(sandboxCast.approvals).find(({ text }) => text.includes(words))
  const { ts } = await stage.sandbox.waitFor(look, { limitMs, what: `the card with ${words}` })
  return { channel: sandboxCast.approvals, ts }
}

const schema = [
  { name: "amount", field_type: "float", description: "How much.", value: 50 },
  { name: "recipient", field_type: "str", description: "Who gets it.", value: null },
]
const execution = {
  tool_call_id: "call_1",
  tool_name: "send_money",
  tool_args: { amount: 50 },
  approval_type: "required",
}

it("a form asks for input: a wrong value is told at its field, the right ones reach the platform", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const waits = { ...execution, requires_user_input: true, user_input_schema: schema }
  const requirements = [{ id: "r1", tool_execution: waits, user_input_schema: schema }]
  const id = await ask(theatre, { tool_name: "send_money", pause_type: "user_input", requirements })

  await press(card(page, "send_money"), "Fill In…")
  const form = page.getByRole("dialog", { name: "Fill In and Approve" })
  await form.getByLabel(/^amount/).fill("much")
  await form.getByLabel(/^recipient/).fill("Bob")
  await press(form, "Approve")
  await says(form, /number/i)
  await form.getByLabel(/^amount/).fill("12.5")
  await press(form, "Approve")
  await says(card(page, "send_money"), /Approved by/)

  expect(await record(theatre, id)).toMatchObject({ resolution_data: { values: { amount: 12.5, recipient: "Bob" } } })
  expect(troubles).toEqual([])
})

it("an execution outside takes its result", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const requirements = [{ id: "r1", tool_execution: { ...execution, external_execution_required: true } }]
  const id = await ask(theatre, { tool_name: "send_money", pause_type: "external_execution", requirements })

  await press(card(page, "asks a person to run"), "Enter Result…")
  await dialog(page).getByRole("textbox", { name: "Result" }).fill("done by hand")
  await press(dialog(page), "Send Result")
  await says(card(page, "send_money"), /Done by/)

  expect(await record(theatre, id)).toMatchObject({ resolution_data: { result: "done by hand" } })
  expect(troubles).toEqual([])
})

it("R4 what a card cannot show is reviewed page by page, and the last page carries the button", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const id = await ask(theatre, { tool_args: { user_id: "U-long", note: "x".repeat(80_000) } })

  await press(card(page, "U-long"), "Review Details")
  await says(dialog(page), "Open every page to approve this.")
  expect(await button(dialog(page), "Approve").count()).toBe(0)
  await press(dialog(page), "Next")
  await press(dialog(page), "Approve")
  await says(card(page, "U-long"), /Approved by/)

  expect((await record(theatre, id))["status"]).toBe("approved")
  expect(troubles).toEqual([])
})

it("a vote is withdrawn in Details, which stays to vote again", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.payments })
  await ask(theatre, { agent_id: "billing-agent", tool_name: "send_payout", tool_args: { to: "U-back" } })
  const open = card(page, "U-back")
  await press(open, "Approve")
  await says(open, /must approve; 1 has/)

  await press(open, "Details")
  await press(dialog(page), "Withdraw My Vote")
  await says(dialog(page), "Your vote is withdrawn")
  await says(open, /must approve, nobody has yet/)
  await press(dialog(page), "Approve")
  await says(open, /must approve; 1 has/)

  expect(troubles).toEqual([])
})

it("Home shows what waits, Review decides it, Reject asks for its reason", async () => {
  const theatre = await openTheatre()
  const [first, second] = [
    await ask(theatre, { tool_args: { user_id: "U-home-1" } }),
    await ask(theatre, { tool_args: { user_id: "U-home-2" } }),
  ]
  await hanging(theatre, "U-home-2")
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: "home" })
  const home = page.getByRole("main")
  await says(home, "U-home-1")

  await home.getByRole("button", { name: "Review" }).first().click()
  await press(dialog(page), "Approve")
  await says(dialog(page), /Thank you/)
  await page.keyboard.press("Escape")
  await expect.poll(() => home.getByRole("button", { name: "Reject" }).count(), { timeout: limitMs }).toBe(1)
  await home.getByRole("button", { name: "Reject" }).click()
  await dialog(page).getByLabel("Why do you reject this?").fill("not needed")
  await press(dialog(page), "Reject")
  await says(home, "Nothing waits for you.")

  const states = [(await record(theatre, first))["status"], (await record(theatre, second))["status"]]
  expect(new Set(states)).toEqual(new Set(["approved", "rejected"]))
  expect(troubles).toEqual([])
})

it("every command answers its asker alone; a guest and a stranger are told of nothing", async () => {
  const theatre = await openTheatre()
  const id = await ask(theatre, { tool_args: { user_id: "U-words" } })
  await hanging(theatre, "U-words")
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })

  for (const [words, answer] of [
    ["/approvals help", /who may decide it/],
    ["/approvals count", /1 waiting/],
    ["/approvals list mine", /U-words/],
    ["/approvals list agent:nobody", /Nothing like that waits/],
    [`/approvals why ${id}`, /You may approve this/],
    ["/approvals history today", /Nothing like that was decided/],
    ["/approvals lsit", /Did you mean/],
  ] as const) {
    await type(page, words)
    await says(whisper(page), answer)
  }
  await type(page, `/approvals show ${id}`)
  await says(dialog(page), "U-words")
  await page.keyboard.press("Escape")
  for (const person of [sandboxCast.gus, sandboxCast.sam]) {
    await become(page, person)
    await type(page, `/approvals why ${id}`)
    await says(whisper(page), /no approval with that id/)
  }

  expect(troubles).toEqual([])
})

it("the shortcut shows the approval of a card, and a line's link leads to that card", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  await ask(theatre, { tool_args: { user_id: "U-thread" } })
  const thread = page.getByRole("complementary")

  await press(card(page, "U-thread"), "Show approval")
  await says(dialog(page), "U-thread")
  await page.keyboard.press("Escape")
  await card(page, "U-thread").getByRole("button", { name: /repl/ }).click()
  await says(thread, /Asked/)
  await thread.getByRole("link", { name: "card" }).last().click()
  await says(page.locator(".pointed"), "U-thread")

  expect(page.context().pages()).toHaveLength(1)
  expect(troubles).toEqual([])
})

it("a deleted card comes back once, and who asked is told the outcome in a direct message", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  await ask(theatre, { tool_args: { user_id: "U-gone" }, user_id: "rita@sandbox.example" })

  // Its thread is begun once the bot has noted where the card hangs.
  await card(page, "U-gone").getByRole("button", { name: /repl/ }).waitFor()
  await theatre.stage.sandbox.deleteMessage(await hanging(theatre, "U-gone"), "subscribed")
  await press(card(page, "U-gone"), "Approve")
  await says(card(page, "U-gone"), /Approved by/)
  await become(page, sandboxCast.rita)
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /Countersign(?! Home)/ })
    .click()

  await says(card(page, "U-gone"), /Approved by/)
  expect(troubles).toEqual([])
})
