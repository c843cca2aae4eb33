// The tour by itself: what each try starts, where it leads, and whom it refuses. test/browser plays each to its end.
import { expect, onTestFinished, test } from "vitest"
import { type DemoStage, openStage } from "../../../src/cli/demo/stage.ts"
import type { Lead, Try } from "../../../src/sandbox/user-actions/tour.ts"
import { judgeAnswersAt } from "../../service/described/start-described.ts"
import { limitMs } from "../../support/limits.ts"

type Row = Readonly<Record<"id" | "status" | "run_status", string>> & {
  readonly tool_args: { readonly service?: string }
}

async function aTour() {
  const stage = await openStage({ terminal: { out: () => undefined, err: () => undefined }, port: 0 })
  onTestFinished(() => stage.close())
  onTestFinished(judgeAnswersAt(Number(new URL(stage.serviceUrl).port), {}))
  const { sandbox, serviceUrl } = stage
  const headers = { authorization: `Bearer ${sandbox.controlToken}`, "content-type": "application/json" }
  const tryOut = async (id: string) => {
    const asked = { method: "POST", headers, body: JSON.stringify({ try: id }) }
    const answer = await fetch(`${sandbox.url}/control/try`, asked)
    return { status: answer.status, body: (await answer.json()) as { readonly lead: Lead; readonly message: string } }
  }
  const tries = async () => {
    const answer = await fetch(`${sandbox.url}/control/state?person=U0ALICE`, { headers })
    return ((await answer.json()) as { readonly tour: { readonly tries: readonly Try[] } }).tour.tries
  }
  const token = stage.mint("reader", ["approvals:read"])
  const rows = async () => {
    const answer = await fetch(`${serviceUrl}/approvals?limit=100`, { headers: { authorization: `Bearer ${token}` } })
    return ((await answer.json()) as { data: readonly Row[] }).data
  }
  const shown = ({ channel, ts }: Lead["place"]) =>
    JSON.stringify(sandbox.messages(channel).find((message) => message.ts === ts)?.blocks)
  return { stage, tryOut, tries, rows, shown }
}

/** Alice decides the oldest case of a summary in its review. */
async function approveOne({ sandbox }: DemoStage, place: Lead["place"]): Promise<void> {
  const words = () => JSON.stringify(sandbox.openView("U0ALICE")?.definition.blocks ?? [])
  await sandbox.click("U0ALICE", place, "countersign_review")
  await sandbox.waitFor(() => words().includes("countersign_approve") || undefined, { limitMs, what: "the review" })
  await sandbox.click("U0ALICE", sandbox.openView("U0ALICE")?.id ?? "", "countersign_approve")
  await sandbox.waitFor(() => words().includes("Thank you") || undefined, { limitMs, what: "the thanks" })
  await sandbox.closeView("U0ALICE", sandbox.openView("U0ALICE")?.id ?? "")
}

test("every try but the one of other rules is a run that waits, also when all are pressed at once", async () => {
  const { tryOut, tries, rows } = await aTour()
  const ids = (await tries()).map(({ id }) => id)

  const answers = await Promise.all(ids.map(tryOut))

  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
  const asked = await rows()
  // A limit is two runs, a flood twelve; other rules are a proposal, and no run.
  expect(asked).toHaveLength(ids.length + 1 + 11 - 1)
  const states = asked.map(({ status, run_status }) => `${status}, run ${run_status}`)
  expect([...new Set(states)]).toEqual(["pending, run PAUSED"])
})

test("one summary names all calls of a flood, and none of them gets a card of its own", async () => {
  const { stage, tryOut, shown } = await aTour()

  const { place } = (await tryOut("flood")).body.lead

  expect(shown(place)).toContain("12 approvals wait for a decision.")
  expect(shown(place)).toContain("Review One by One")
  expect(stage.sandbox.messages(place.channel).map(({ ts }) => ts)).toEqual([place.ts])
})

test("a flood that is pressed again goes on with what waits, and is made full by new calls", async () => {
  const { stage, tryOut, tries, rows, shown } = await aTour()
  const ended = async () => (await tries()).find(({ id }) => id === "flood")?.ended
  const first = (await tryOut("flood")).body.lead
  await approveOne(stage, first.place)
  expect(await ended()).toEqual([])
  await approveOne(stage, first.place)
  await expect.poll(ended).toEqual([first.round])
  const before = (await rows()).map(({ id }) => id)

  const second = (await tryOut("flood")).body.lead

  const asked = (await rows()).filter(({ id }) => !before.includes(id))
  expect(second.place).toEqual(first.place)
  expect(asked).toHaveLength(2)
  const isShown = ({ tool_args }: Row) => shown(second.place).includes(tool_args.service ?? "no service")
  await stage.sandbox.waitFor(() => asked.every(isShown) || undefined, { limitMs, what: "the new calls" })
  expect(shown(second.place)).toContain("12 approvals wait")
})

test("a try ends once all that it started is decided, and each round of it by itself", async () => {
  const { stage, tryOut, tries } = await aTour()
  const ended = async () => (await tries()).find(({ id }) => id === "team")?.ended
  const first = (await tryOut("team")).body.lead
  const second = (await tryOut("team")).body.lead
  expect(await ended()).toEqual([])

  await stage.sandbox.click("U0ALICE", second.place, "countersign_approve")

  await expect.poll(ended).toEqual([second.round])
  expect(first.round).not.toBe(second.round)
})

test("a try about a second step does not end before that step", async () => {
  const { stage, tryOut, tries } = await aTour()
  const ended = async () => (await tries()).find(({ id }) => id === "news")?.ended
  const { round, place, next } = (await tryOut("news")).body.lead
  await stage.sandbox.click("U0ALICE", place, "countersign_approve")
  await stage.sandbox.waitFor(
    () => JSON.stringify(stage.sandbox.messages(place.channel)).includes("Approved") || undefined,
    { limitMs, what: "the settled card" },
  )
  expect(await ended()).toEqual([])

  const again = (await tryOut(next?.id ?? "")).body.lead
  expect(await ended()).toEqual([])
  await stage.sandbox.click("U0ALICE", again.place, "countersign_approve")

  await expect.poll(ended).toEqual([round])
})

test("a step that changes a payout changes what waits, and leads to the same card", async () => {
  const { stage, tryOut, shown } = await aTour()

  const first = await tryOut("change")
  const second = await tryOut(first.body.lead.next?.id ?? "")

  const { place } = first.body.lead
  expect(second.body.lead).toMatchObject({ place, next: null })
  await stage.sandbox.waitFor(() => shown(place).includes("LT60 1010") || undefined, {
    limitMs,
    what: "the new account on the card",
  })
})

test("of two credits, the step to another person leads to the one that still waits", async () => {
  const { stage, tryOut, rows } = await aTour()
  const { place, next } = (await tryOut("limit")).body.lead
  const cards = () =>
    stage.sandbox.messages(place.channel).filter(({ blocks }) => JSON.stringify(blocks).includes("credit"))
  await expect.poll(() => cards().length).toBe(2)
  const other = cards().find(({ ts }) => ts !== place.ts)
  await stage.sandbox.click("U0ALICE", place, "countersign_approve")
  await expect.poll(async () => (await rows()).map(({ status }) => status).toSorted()).toEqual(["approved", "pending"])

  const second = await tryOut(next?.id ?? "")

  expect(second.body.lead.place).toEqual({ channel: place.channel, ts: other?.ts })
})

test("a step that would change a decided payout changes nothing, and says so", async () => {
  const { stage, tryOut, rows, shown } = await aTour()
  const { place, next } = (await tryOut("change")).body.lead
  await stage.sandbox.click("U0ALICE", place, "countersign_approve")
  await stage.sandbox.click("U0BOB", place, "countersign_approve")
  await expect.poll(async () => (await rows()).map(({ status }) => status)).toEqual(["approved"])

  const late = await tryOut(next?.id ?? "")

  expect(late.body.lead).toMatchObject({ place, next, hint: expect.stringContaining("changes no more") })
  expect(shown(place)).not.toContain("LT60")
  expect(JSON.stringify(await rows())).not.toContain("LT60")
})

test("a step that needs a payment approved says so until it is, and then leads to the new card", async () => {
  const { stage, tryOut, rows, shown } = await aTour()
  const first = await tryOut("news")
  const { place, next } = first.body.lead

  const early = await tryOut(next?.id ?? "")
  await stage.sandbox.click("U0ALICE", place, "countersign_approve")
  await expect.poll(async () => (await rows()).map(({ status }) => status)).toEqual(["approved"])
  const second = await tryOut(early.body.lead.next?.id ?? "")

  expect(early.body.lead).toMatchObject({ place, next, hint: expect.stringContaining("First approve") })
  expect(second.body.lead).toMatchObject({ next: null, place: { channel: place.channel } })
  expect(second.body.lead.place.ts).not.toBe(place.ts)
  expect(shown(second.body.lead.place)).toContain("LT60 1010 0123 4567 8901")
})

test("a try that is none is refused with those that there are", async () => {
  const { tryOut } = await aTour()

  const { status, body } = await tryOut("nonsense")

  expect(status).toBe(400)
  expect(body.message).toMatch(/no try nonsense.*form.*sql/)
})

test("R16 other rules count once two people approved them, and the next press proposes the way back", async () => {
  const { stage, tryOut, tries, shown } = await aTour()
  const { sandbox } = stage
  const rules = async () => (await tries()).find(({ id }) => id === "rules")?.ended
  const says = (place: Lead["place"], words: string) =>
    sandbox.waitFor(() => shown(place).includes(words) || undefined, { limitMs, what: `the card to say ${words}` })
  const first = (await tryOut("rules")).body.lead
  const same = (await tryOut("rules")).body.lead
  expect(same.place).toEqual(first.place)
  await says(first.place, "rules[gifts].quorum")
  await sandbox.click("U0ALICE", first.place, "countersign_approve")
  await says(first.place, "1 has")
  expect(await rules()).toEqual([])

  await sandbox.click("U0BOB", first.place, "countersign_approve")
  await says(first.place, "These rules count now.")

  await expect.poll(rules).toEqual([first.round, same.round])
  const back = (await tryOut("rules")).body.lead
  expect(back.place).not.toEqual(first.place)
  await says(back.place, "rules[gifts].quorum")
})
