// Summaries: while many new cards wait in a channel, one message names their cases, and they are decided one by one
// from there.

import { expect, test } from "vitest"
import { type Case, cardOn } from "../../../src/domain/case/case.ts"
import { channelChanged, checkCards, createRouteCheck } from "../../../src/flow/card/check.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import { summarise } from "../../../src/flow/card/summary.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { sweep } from "../../../src/flow/resolve/reconcile.ts"
import { createInbound } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { aPress, aView } from "../../support/presses.ts"
import { carried, caseOf } from "../support.ts"

const route = "channel:C1"
const u1 = { team, user: "U1" }

/**
 * A channel at Slack's pace into which this many new approvals come at once; the first has its card, the others hang on
 * a summary.
 */
async function burst(count: number, options: WorldOptions = {}): Promise<World> {
  const world = createWorld({ paceMs: 1_000, summaryAbove: 2, ...options })
  for (let index = 0; index < count; index += 1) {
    world.platform.put(anApproval({ id: `a-${index}`, toolArgs: { table: `t${index}` } }))
    await poll(world.ports, "main")
    world.clock.forward(1)
  }
  await world.queue.runDue(world.ports)
  return world
}

/** Lets this many ms go by, with everything that is due meanwhile. */
async function goBy(world: World, ms: number): Promise<void> {
  const end = world.clock.now() + ms
  for (let due = next(world, end); due !== undefined; due = next(world, end)) {
    world.clock.forward(Math.max(0, due - world.clock.now()))
    await world.queue.runDue(world.ports)
  }
  world.clock.forward(end - world.clock.now())
}

function next(world: World, until: number): number | undefined {
  return world.queue.waiting
    .map((job) => job.dueAt)
    .toSorted((a, b) => a - b)
    .filter((at) => at <= until)[0]
}

const approvals = (models: readonly { readonly approvalId: string }[]) => models.map((model) => model.approvalId)
const shownOn = (world: World) => approvals(world.chat.summaries.at(-1)?.model.waiting ?? [])
const cardsOf = (world: World, channel = "C1") =>
  world.chat.messages.filter(({ place }) => place.channel === channel).map((one) => one.model.approvalId)
const hangs = (current: Case) => cardOn(current, route)?.summary

/** A vote in the modal of the walk. */
async function voteOnWalk(world: World, current: Case, verb: "approve" | "reject" = "approve") {
  const viewId = `V of ${current.approvalId}`
  await world.ports.views.remember(aView(current, { viewId, reviewed: true }))
  const walk = { route, at: current.id }
  const interaction = `click on ${current.approvalId}`
  const replyTo = { kind: "view", viewId, user: "U1", walk } as const
  const act = { verb, interaction, on: { kind: "view", viewId }, surface: "summary", replyTo } as const
  return carried(world, aPress(world, current, act))
}

test("more new cards than the limit become one summary; up to it they wait in the queue", async () => {
  const few = await burst(3)
  await goBy(few, 1_500)
  const many = await burst(6)
  await goBy(many, 1_500)

  expect(few.chat.summaries).toEqual([])
  expect(many.chat.summaries).toHaveLength(1)
  expect(shownOn(many)).toEqual(["a-1", "a-2", "a-3", "a-4", "a-5"])
  expect(hangs(caseOf(many, "a-5"))).toBe(true)
})

test("without the setting there is no summary, however many wait", async () => {
  const world = await burst(8, { summaryAbove: 0 })

  await goBy(world, 4_000)

  expect(world.chat.summaries).toEqual([])
})

test("each case gets a card of its own when the pace allows, and then leaves the summary: it has one live place at any time", async () => {
  const world = await burst(6)

  for (let second = 0; second < 12; second += 1) {
    await goBy(world, 1_000)
    for (const one of world.server.cases()) {
      const card = cardOn(one, route)
      const own = world.chat.messages.find((message) => message.model.caseId === one.id)
      if (card?.place !== null && card?.summary === false) expect(card.place).toEqual(own?.place)
      if (card?.summary === true) expect(card.place).toEqual(world.chat.summaries[0]?.place)
    }
  }

  expect(cardsOf(world)).toEqual(["a-0", "a-1", "a-2", "a-3", "a-4", "a-5"])
  expect(world.server.cases().some(hangs)).toBe(false)
  expect(world.chat.summaries).toHaveLength(1)
  expect(world.chat.summaries[0]?.model).toMatchObject({ waiting: [], ended: [], moved: 5 })
  expect(await world.ports.summaries.routes()).toEqual([])
})

test("a case that was decided on the summary settles there: its line and thread say so, it gets no card, and it is closed", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)

  const { answers } = await voteOnWalk(world, caseOf(world, "a-5"))
  await goBy(world, 20_000)

  expect(answers).toMatchObject([{ kind: "resolved", verb: "approve" }])
  expect(caseOf(world, "a-5")).toMatchObject({ state: "closed", decision: { votes: [{ surface: "summary" }] } })
  expect(cardsOf(world)).toEqual(["a-0", "a-1", "a-2", "a-3", "a-4"])
  const [summary] = world.chat.summaries
  expect(approvals(summary?.model.ended ?? [])).toEqual(["a-5"])
  expect(summary?.lines.map((line) => line.event.kind)).toEqual(["opened", "voted", "decided", "resolved"])
})

test("R17 what was told on the summary in a second that Redis lost is not told again", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  await voteOnWalk(world, caseOf(world, "a-5"))
  const { approval, lines } = caseOf(world, "a-5")
  await goBy(world, 20_000)
  const told = caseOf(world, "a-5")
  const cards = told.cards.map((card) => ({ ...card, told: 0 }))
  world.server.overwrite({ ...told, state: "settled", approval, lines, cards })
  const justBack = { ...world.ports, store: { ...world.ports.store, upForMs: async () => 16_000 } }

  await present(justBack, told.id)

  const hanging = world.chat.summaries[0]?.lines.map((line) => line.event.kind)
  expect(hanging).toEqual(["opened", "voted", "decided", "resolved"])
  expect(cardOn(caseOf(world, "a-5"), route)).toMatchObject({ told: 4, lookedIn: await world.ports.store.epoch() })
})

test("what happens in quick succession is one edit of the summary", async () => {
  const world = await burst(12, { paceMs: 60_000 })
  await goBy(world, 60_500)
  await goBy(world, 4_000)
  const before = world.chat.summaries[0]?.edits ?? 0

  for (const index of [4, 5, 6, 7, 8]) await voteOnWalk(world, caseOf(world, `a-${index}`))
  await goBy(world, 3_500)

  expect((world.chat.summaries[0]?.edits ?? 0) - before).toBeLessThanOrEqual(2)
  expect(world.chat.summaries[0]?.model.ended).toHaveLength(5)
})

test("review walks through the cases one by one, in order, and ends", async () => {
  const world = await burst(5)
  await goBy(world, 1_100)
  const inbound = createInbound(() => world.ports)

  const seen: string[] = []
  for (let at: string | null = null; ; ) {
    const walked: Awaited<ReturnType<typeof inbound.review>> = await inbound.review(route, u1, at)
    if (walked === null) break
    seen.push(`${walked.details.model.approvalId}, ${walked.left} left`)
    at = walked.details.model.caseId
  }

  expect(seen).toEqual(["a-1, 3 left", "a-2, 2 left", "a-3, 1 left", "a-4, 0 left"])
})

test("R8 whoever may not see or decide the cases of a summary is walked past them", async () => {
  const mine = aRule({ name: "mine", match: { tool: ["drop_*"] }, approvers: [{ kind: "user", id: "U3" }] })
  const world = createWorld({ paceMs: 1_000, summaryAbove: 2, policy: aPolicy([mine, aRule()]) })
  const tools = ["delete_table", "delete_table", "drop_table", "delete_table", "drop_table"]
  for (const [index, toolName] of tools.entries()) world.platform.put(anApproval({ id: `a-${index}`, toolName }))
  world.people.set(aPerson({ user: "UGUEST", guest: true }))
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)
  await goBy(world, 1_100)
  const inbound = createInbound(() => world.ports)

  const walked = await inbound.review(route, { team, user: "U3" }, null)

  expect(walked?.details.model.summary.tool).toBe("drop_table")
  expect(walked?.details.approve.ok).toBe(true)
  expect(await inbound.review(route, { team, user: "UGUEST" }, null)).toBeNull()
  expect(await inbound.review("channel:C9", { team, user: "U3" }, null)).toBeNull()
})

test("a case that somebody opens gets its own card before the others", async () => {
  const world = await burst(8)
  await goBy(world, 1_100)
  const inbound = createInbound(() => world.ports)

  await inbound.review(route, u1, caseOf(world, "a-6").id)
  await goBy(world, 2_000)

  expect(cardsOf(world).slice(0, 3)).toContain("a-7")
})

test("R18 a press that names the summary's message as its card is none", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  const current = caseOf(world, "a-5")
  const place = cardOn(current, route)?.place ?? { channel: "", ts: "" }

  const { answers } = await carried(world, aPress(world, current, { on: { kind: "card", place } }))

  expect(answers).toEqual([{ kind: "replaced" }])
  expect(caseOf(world, "a-5").votes).toEqual([])
})

test("R11 a late press on the walk approves nothing, and one that came twice counts once", async () => {
  const world = await burst(6, { policy: aPolicy([aRule({ quorum: 2 })]) })
  await goBy(world, 1_100)
  const current = caseOf(world, "a-5")
  await world.ports.views.remember(aView(current, { viewId: "V5", reviewed: true }))
  const act = { on: { kind: "view", viewId: "V5" }, surface: "summary" } as const
  const replyTo = { kind: "view", viewId: "V5", user: "U1" } as const
  const late = aPress(world, current, { ...act, replyTo, interaction: "late", at: world.clock.now() - 121_000 })
  const press = aPress(world, current, { ...act, replyTo, interaction: "once" })

  const told = [await carried(world, late), await carried(world, press), await carried(world, press)]

  expect(told.flatMap(({ answers }) => answers.map((one) => one.kind))).toEqual(["late", "counted", "counted"])
  expect(caseOf(world, "a-5").votes).toHaveLength(1)
})

test("a summary that was posted by a process that died is found again, not posted twice", async () => {
  const world = await burst(6)
  world.chat.fail("C1", { kind: "unheard", accepted: true })

  await goBy(world, 30_000)

  expect(world.chat.summaries).toHaveLength(1)
  expect(cardsOf(world)).toHaveLength(6)
})

test("a summary that was posted is found again, though looking is refused for Slack's limit first", async () => {
  const world = await burst(6)
  world.chat.fail("C1", { kind: "unheard", accepted: true })
  const limit = Object.assign(chatFailure("ratelimited", { retryAfterMs: 3_000 }), { method: "conversations.history" })
  world.chat.failSearch(2, limit)

  await goBy(world, 40_000)

  expect(world.chat.summaries).toHaveLength(1)
  expect(cardsOf(world)).toHaveLength(6)
})

test("a summary that a process left behind is found and drawn once more, though no case hangs on it any more", async () => {
  const world = await burst(6)
  world.clock.forward(1_000)
  const { chat } = world.ports
  const postSummary: typeof chat.postSummary = async (model) => {
    await chat.postSummary(model)
    throw new Error("the process died")
  }
  await expect(summarise({ ...world.ports, chat: { ...chat, postSummary } }, route)).rejects.toThrow("died")
  expect(shownOn(world)).toHaveLength(5)
  await goBy(world, 30_000)
  expect(cardsOf(world)).toHaveLength(6)

  await sweep(world.ports)
  await goBy(world, 30_000)

  expect(world.chat.summaries).toHaveLength(1)
  expect(shownOn(world)).toEqual([])
  expect(await world.ports.summaries.routes()).toEqual([])
})

test("a summary that somebody deleted leaves its cases to wait for cards of their own", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  const place = world.chat.summaries[0]?.place ?? { channel: "", ts: "" }
  world.chat.delete(place)

  await voteOnWalk(world, caseOf(world, "a-5"))
  await goBy(world, 30_000)

  expect(cardsOf(world)).toHaveLength(5)
  expect(caseOf(world, "a-5").state).toBe("closed")
  expect(await world.ports.summaries.routes()).toEqual([])
})

test("a channel that takes no summary keeps nobody from deciding, and 429 on it delays no other", async () => {
  const both = aPolicy([aRule({ routes: ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const) })])
  const world = createWorld({ paceMs: 1_000, summaryAbove: 2, policy: both })
  world.chat.fail("C1", { kind: "limited", retryAfterMs: 30_000 })
  world.platform.put(...Array.from({ length: 6 }, (_, index) => anApproval({ id: `a-${index}` })))
  await poll(world.ports, "main")

  await world.queue.runDue(world.ports)
  await goBy(world, 8_000)

  const inC2 = world.chat.messages.filter((one) => one.place.channel === "C2")
  expect(inC2).toHaveLength(6)
  expect(world.chat.messages.filter((one) => one.place.channel === "C1")).toHaveLength(0)
})

test("a summary is brought up to date by the sweep if its job was lost", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  await voteOnWalk(world, caseOf(world, "a-5"))
  world.queue.forget()

  await sweep(world.ports)
  await goBy(world, 5_000)

  expect(approvals(world.chat.summaries[0]?.model.ended ?? [])).toEqual(["a-5"])
})

test("a case that goes on while its summary is gone from Redis ends all the same", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  const known = await world.ports.summaries.read(route)
  if (known !== null) await world.ports.summaries.end(known)

  await voteOnWalk(world, caseOf(world, "a-5"))
  await goBy(world, 60_000)

  expect(caseOf(world, "a-5").state).toBe("closed")
  expect(world.server.cases().filter((one) => one.state === "open" && hangs(one))).toEqual([])
})

test.each(["cant_update_message", "edit_window_closed", "is_archived", "channel_not_found"])(
  "a summary that Slack does not let us edit leaves its cases, and its thread says how one ended: %s",
  async (word) => {
    const world = await burst(6)
    await goBy(world, 1_100)
    world.chat.freeze(world.chat.summaries[0]?.place ?? { channel: "", ts: "" }, word)

    await voteOnWalk(world, caseOf(world, "a-5"))
    await goBy(world, 30_000)

    expect(cardsOf(world)).toHaveLength(5)
    expect(caseOf(world, "a-5").state).toBe("closed")
    expect(world.chat.summaries[0]?.lines.map(({ event }) => event.kind)).toContain("resolved")
    expect(await world.ports.summaries.routes()).toEqual([])
  },
)

test("R9 a verdict from the summary whose fate stays unknown stands in its line, and nothing else is done about it", async () => {
  const world = await burst(6)
  await goBy(world, 1_100)
  world.platform.failResolve({ kind: "unheard", applied: false })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await voteOnWalk(world, caseOf(world, "a-5"))
  world.platform.change("a-5", { toolArgs: { table: "orders" } })

  await goBy(world, 60_000)

  const { id } = caseOf(world, "a-5")
  expect(caseOf(world, "a-5").state).toBe("sending")
  expect(world.chat.summaries[0]?.model.waiting).toMatchObject([{ caseId: id, status: { kind: "sending" } }])
  expect(world.queue.waiting.filter(({ caseId }) => caseId === id).map(({ kind }) => kind)).toEqual(["resolve"])
})

test.each([
  { how: "decided", unheard: false, kind: "settled" },
  { how: "decided, and whether the platform has it is not known", unheard: true, kind: "sending" },
])("a card that a process posted before it died is found when its case was $how on the summary", async (given) => {
  const world = await burst(6)
  await goBy(world, 1_100)
  const { chat } = world.ports
  const { id } = caseOf(world, "a-5")
  world.clock.forward(20_000)
  const postCard: typeof chat.postCard = async (model) => {
    await chat.postCard(model)
    throw new Error("the process died")
  }
  await expect(present({ ...world.ports, chat: { ...chat, postCard } }, id)).rejects.toThrow("died")
  if (given.unheard) world.platform.failResolve({ kind: "unheard", applied: false })
  if (given.unheard) world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await voteOnWalk(world, caseOf(world, "a-5"))
  if (given.unheard) world.platform.change("a-5", { toolArgs: { table: "orders" } })

  await goBy(world, 60_000)

  const own = world.chat.messages.filter(({ model, place }) => model.caseId === id && place.channel === "C1")
  expect(own.map(({ model }) => model.status.kind)).toEqual([given.kind])
  expect(cardOn(caseOf(world, "a-5"), route)).toMatchObject({ summary: false, place: own[0]?.place, lease: null })
  expect(world.chat.summaries[0]?.model.waiting).toEqual([])
})

test("nothing is summed up twice by two processes at once", async () => {
  const world = await burst(6)

  await Promise.all([summarise(world.ports, route), summarise(world.ports, route)])
  await goBy(world, 1_100)

  expect(world.chat.summaries).toHaveLength(1)
  expect(await present(world.ports, "nobody")).toBeNull()
})

/** A burst whose summary hangs when its channel becomes shared; and minutes of checks, sweeps and jobs. */
async function sharedLater(): Promise<{ readonly world: World; readonly minutes: (count: number) => Promise<void> }> {
  const world = await burst(6)
  await goBy(world, 1_100)
  expect(world.chat.summaries).toHaveLength(1)
  world.chat.share("C1", true)
  const check = createRouteCheck()
  const minutes = async (count: number) => {
    for (let step = 0; step < count * 6; step += 1) {
      await check(world.ports)
      await checkCards(world.ports)
      await sweep(world.ports)
      await goBy(world, 10_000)
    }
  }
  return { world, minutes }
}

const coversOfSummary = (world: World) => world.chat.summaries.map(({ place }) => world.chat.coversOf(place))

test("a summary that hangs when its channel becomes shared is covered, once however long that lasts", async () => {
  const { world, minutes } = await sharedLater()

  await minutes(1)
  const covered = coversOfSummary(world)
  await minutes(5)

  expect([covered, coversOfSummary(world)]).toEqual([[1], [1]])
  expect((await world.ports.summaries.read(route))?.lease).toBeNull()
})

test("Slack's word that a channel is shared covers its summary at once", async () => {
  const { world } = await sharedLater()

  await channelChanged(world.ports, "C1")
  await goBy(world, 1_000)

  expect(coversOfSummary(world)).toEqual([1])
})

test("a covered summary shows its cases again, as they are then, once the channel is our own again", async () => {
  const { world, minutes } = await sharedLater()
  await minutes(1)
  const before = world.chat.summaries[0]?.edits ?? 0
  await voteOnWalk(world, caseOf(world, "a-2"))
  await minutes(1)
  expect(world.chat.summaries[0]?.edits).toBe(before)

  world.chat.share("C1", false)
  await minutes(1)

  expect(world.chat.summaries[0]?.edits).toBeGreaterThan(before)
  expect(world.chat.summaries[0]?.model.ended.map((model) => model.approvalId)).toEqual(["a-2"])
  expect(coversOfSummary(world)).toEqual([1])
})

test("a covered summary goes on being covered while Slack does not say whether the channel is our own again", async () => {
  const { world, minutes } = await sharedLater()
  await minutes(1)
  const exposed = () => Promise.reject(chatFailure("internal_error"))

  const again = await summarise({ ...world.ports, chat: { ...world.chat, exposed } }, route)

  expect([again, coversOfSummary(world)]).toEqual([null, [1]])
})
