// The tour by itself: what it offers, and whom it refuses. What each try shows is played in test/browser.
import { expect, onTestFinished, test } from "vitest"
import { openStage } from "../../../src/cli/demo/stage.ts"
import type { Lead } from "../../../src/sandbox/user-actions/tour.ts"

async function aTour() {
  const stage = await openStage({ terminal: { out: () => undefined, err: () => undefined }, port: 0 })
  onTestFinished(() => stage.close())
  const { url, controlToken } = stage.sandbox
  const tryOut = async (id: string) => {
    const headers = { authorization: `Bearer ${controlToken}`, "content-type": "application/json" }
    const answer = await fetch(`${url}/control/try`, { method: "POST", headers, body: JSON.stringify({ try: id }) })
    return { status: answer.status, body: (await answer.json()) as { readonly lead: Lead; readonly message: string } }
  }
  return { stage, tryOut }
}

test("a step that changes a payout changes what waits, and leads to the same card", async () => {
  const { stage, tryOut } = await aTour()

  const first = await tryOut("change")
  const second = await tryOut(first.body.lead.next?.id ?? "")

  const { place } = first.body.lead
  expect(second.body.lead).toMatchObject({ place, next: null })
  const shown = () => stage.sandbox.messages(place.channel).find(({ ts }) => ts === place.ts)
  await stage.sandbox.waitFor(() => JSON.stringify(shown()?.blocks).includes("LT60 1010") || undefined, {
    limitMs: 10_000,
    what: "the new account on the card",
  })
})

test("a step in which the agent asks again leads to the new card, in the same channel", async () => {
  const { stage, tryOut } = await aTour()

  const first = await tryOut("news")
  const second = await tryOut(first.body.lead.next?.id ?? "")

  const { channel, ts } = second.body.lead.place
  expect(channel).toBe(first.body.lead.place.channel)
  expect(ts).not.toBe(first.body.lead.place.ts)
  const shown = stage.sandbox.messages(channel).find((message) => message.ts === ts)
  expect(JSON.stringify(shown?.blocks)).toContain("LT60 1010 0123 4567 8901")
})

test("a try that is none is refused with those that there are", async () => {
  const { tryOut } = await aTour()

  const { status, body } = await tryOut("nonsense")

  expect(status).toBe(400)
  expect(body.message).toMatch(/no try nonsense.*form.*sql/)
})
