// A burst on a phone: one summary, reviewed case by case.
import { expect, it } from "vitest"
import { ask, card, openTheatre, openWindow, PHONE, press, record, sandboxCast, says } from "./browser.ts"

it("ten approvals at once: Alice reviews them one by one from the summary, and each is decided by itself", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, size: PHONE })
  const asked = Array.from({ length: 10 }, (_, index) => ask(theatre, { tool_args: { user_id: `U-${index}` } }))
  const ids = await Promise.all(asked)
  const summary = card(page, "wait for a decision")

  await press(summary, "Review One by One")
  const modal = page.getByRole("dialog")
  await says(modal, /of the summary after this one/)
  await press(modal, "Approve")
  await says(modal, /Thank you/)
  await modal.getByRole("button", { name: "Next Case" }).click()
  await says(modal, /You may approve this/)

  const decided = await Promise.all(ids.map(async (id) => (await record(theatre, id))["status"]))
  expect(decided.filter((status) => status === "approved")).toHaveLength(1)
  expect(decided.filter((status) => status === "pending")).toHaveLength(9)
  expect(troubles).toEqual([])
})
