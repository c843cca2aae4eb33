// The stories of an approval, played in a real browser against the demo's own wiring.
import { expect, it } from "vitest"
import {
  ask,
  become,
  card,
  decideElsewhere,
  limitMs,
  openTheatre,
  openWindow,
  press,
  record,
  sandboxCast,
  says,
} from "./browser.ts"

const user = "U-100"

it("Alice approves: the card settles, its thread tells it, the platform's record names her", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const id = await ask(theatre, { tool_args: { user_id: user } })
  const open = card(page, user)

  await press(open, "Approve")
  await says(open, /Approved by/)
  await open.getByRole("button", { name: /repl/ }).click()
  const thread = page.getByRole("complementary", { name: "Thread in #approvals" })
  await says(thread, "alice@sandbox.example")

  expect(await open.getByRole("button", { name: "Approve" }).count()).toBe(0)
  expect(await record(theatre, id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  expect(troubles).toEqual([])
})

it("Bob rejects: an empty reason is refused in the form, a given one stands in the thread and the record", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.bob })
  const id = await ask(theatre, { tool_args: { user_id: user } })
  const open = card(page, user)

  await press(open, "Reject")
  const form = page.getByRole("dialog", { name: "Reject" })
  await press(form, "Reject")
  await says(form, "This is a required field")
  await form.getByLabel("Why do you reject this?").fill("the user came back")
  await press(form, "Reject")
  await says(open, /Rejected by/)
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await open.getByRole("button", { name: /repl/ }).click()
  await says(page.getByRole("complementary"), /the user came back/)

  expect(await record(theatre, id)).toMatchObject({
    status: "rejected",
    resolution_data: { countersign: { reason: "the user came back" } },
  })
  expect(troubles).toEqual([])
})

it("a payout needs two: Alice votes, the window becomes Bob's, Bob completes it", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.payments })
  const payout = { agent_id: "billing-agent", tool_name: "send_payout", tool_args: { to: user } }
  const id = await ask(theatre, payout)
  const open = card(page, user)

  await press(open, "Approve")
  await says(open, /must approve; 1 has/)
  const half = await record(theatre, id)
  await become(page, sandboxCast.bob)
  await press(open, "Approve")
  await says(open, /Approved by/)

  expect(half["status"]).toBe("pending")
  expect(await record(theatre, id)).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
  expect(troubles).toEqual([])
})

it("who asked, a colleague, a guest and a stranger are refused, each told why where nobody else sees it", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const id = await ask(theatre, { tool_args: { user_id: user }, user_id: "alice@sandbox.example" })
  const whispers = page.getByRole("article", { name: /only visible to you/ })

  await press(card(page, user), "Approve")
  await says(whispers, /you asked for/i)
  for (const [person, why] of [
    [sandboxCast.rita, "You are not one of the approvers"],
    [sandboxCast.gus, "Guests may not decide"],
    [sandboxCast.sam, "People of other workspaces may not decide"],
  ] as const) {
    await become(page, person)
    expect(await whispers.count()).toBe(0)
    await press(card(page, user), "Approve")
    await says(whispers, why)
  }

  expect((await record(theatre, id))["status"]).toBe("pending")
  expect(troubles).toEqual([])
})

it("Details shows everything in a modal, and its button decides", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const id = await ask(theatre, {
    tool_args: { user_id: user, note: "*bold* <@U0BOB> <https://x.example|link> :tada:" },
  })

  await press(card(page, user), "Details")
  const details = page.getByRole("dialog")
  await says(details, /Digest|digest/)
  await says(details, "*bold* <@U0BOB> <https://x.example|link> :tada:")
  await details.getByRole("button", { name: /^Approve/ }).click()
  await says(card(page, user), /Approved by/)

  expect((await record(theatre, id))["status"]).toBe("approved")
  expect(troubles).toEqual([])
})

it("a click decides once: the card of somebody who is late already says who was first", async () => {
  const theatre = await openTheatre()
  const alice = await openWindow(theatre, { person: sandboxCast.alice })
  const bob = await openWindow(theatre, { person: sandboxCast.bob })
  await ask(theatre, { tool_args: { user_id: user } })
  await card(bob.page, user).waitFor()

  await press(card(alice.page, user), "Approve")
  await says(card(bob.page, user), /Approved by/)

  expect(await card(bob.page, user).getByText("@Alice").count()).toBeGreaterThan(0)
  expect([...alice.troubles, ...bob.troubles]).toEqual([])
})

it("what was decided elsewhere loses its buttons and says so", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice })
  const id = await ask(theatre, { tool_args: { user_id: user } })
  const open = card(page, user)
  await open.waitFor()

  await decideElsewhere(theatre, id)
  await says(open, /outside Countersign|elsewhere/i)

  expect(await open.getByRole("button", { name: "Approve" }).count()).toBe(0)
  expect(troubles).toEqual([])
})

it("/approvals is proposed while it is typed, and lists what waits where only the person sees it", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.bob, at: sandboxCast.general })
  await ask(theatre, { tool_args: { user_id: user } })
  await theatre.stage.sandbox.waitFor(
    () => theatre.stage.sandbox.messages(sandboxCast.approvals).some(({ text }) => text.includes(user)),
    { limitMs, what: "the card" },
  )
  const box = page.getByRole("combobox", { name: "Command in #general" })

  await box.pressSequentially("/app")
  await page.getByRole("option", { name: "/approvals list" }).waitFor()
  await box.press("ArrowDown")
  await box.press("ArrowDown")
  await box.press("Enter")
  expect(await box.inputValue()).toBe("/approvals list")
  await box.press("Enter")
  await says(page.getByRole("article", { name: /only visible to you/ }), new RegExp(user))

  expect(troubles).toEqual([])
})
