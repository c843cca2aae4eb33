// Exposed: a channel that another company reads gets no card and no line; what hangs there is covered, and comes back.

import { expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import { channelChanged, checkCards, createRouteCheck } from "../../../src/flow/card/check.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { list } from "../../../src/flow/query/list.ts"
import { anApproval, aPolicy, aRule, aStep, aTiming, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const route = "channel:C1"
const isTroubled = (world: World) => (cardOn(caseOf(world), route)?.trouble ?? null) !== null

test("in a channel that is shared no card is posted, the operator hears of it, and the case waits in lists", async () => {
  const world = createWorld()
  world.chat.share("C1", true)

  await announced(world)

  expect(world.chat.messages).toEqual([])
  expect(world.alarms).toEqual([expect.objectContaining({ code: "route-in-trouble", route })])
  const ask = { mine: true, filter: {}, offset: 0, limit: 5 }
  const { models } = await list(world.ports, { team, user: "U1" }, ask)
  expect(models.map(({ troubles }) => troubles.map((one) => one.route))).toEqual([[route]])
})

test("the card comes by itself within a minute once the channel is our own again", async () => {
  const world = createWorld()
  world.chat.share("C1", true)
  await announced(world)

  world.chat.share("C1", false)
  world.clock.forward(60_000)
  await world.queue.runAll(world.ports)

  expect(world.chat.messages).toHaveLength(1)
  expect(isTroubled(world)).toBe(false)
})

test("a card that hangs where the channel becomes shared is covered by looking, once", async () => {
  const world = await announcedWorld()
  world.chat.share("C1", true)

  await checkCards(world.ports)
  await world.queue.runDue(world.ports)
  await checkCards(world.ports)
  await world.queue.runDue(world.ports)

  expect(world.chat.covers).toBe(1)
  expect(isTroubled(world)).toBe(true)
})

test("a covered card shows the case again as soon as it is known that the channel is our own", async () => {
  const world = await announcedWorld()
  world.chat.share("C1", true)
  await channelChanged(world.ports, "C1")
  await world.queue.runDue(world.ports)
  const before = world.chat.edits

  world.chat.share("C1", false)
  await channelChanged(world.ports, "C1")
  await world.queue.runDue(world.ports)

  expect(world.chat.covers).toBe(1)
  expect(world.chat.edits).toBe(before + 1)
  expect(isTroubled(world)).toBe(false)
})

test("a card is covered too where the channel becomes shared between the post and the first line", async () => {
  const world = createWorld()
  const postCard: typeof world.chat.postCard = async (model) => {
    const place = await world.chat.postCard(model)
    world.chat.share("C1", true)
    return place
  }
  world.platform.put(anApproval())
  await poll(world.ports, "main")
  await world.queue.runDue({ ...world.ports, chat: { ...world.chat, postCard } })

  expect(world.chat.covers).toBe(1)
  world.chat.share("C1", false)
  await channelChanged(world.ports, "C1")
  await world.queue.runAll(world.ports)
  expect(world.chat.edits).toBe(1)
  expect(world.chat.messages[0]?.lines).toHaveLength(1)
})

test("a press on a card that another company reads counts nothing, is told so, and has the card covered", async () => {
  const world = await announcedWorld()
  world.chat.share("C1", true)

  const { answers, case: after } = await pressed(world)
  await world.queue.runDue(world.ports)

  expect(answers).toEqual([{ kind: "shared-channel" }])
  expect(after).toMatchObject({ state: "open", votes: [] })
  expect(world.chat.covers).toBe(1)
})

test("where Slack does not say whether a channel is shared, who pressed is judged as always", async () => {
  const world = await announcedWorld()
  const exposed = () => Promise.reject(chatFailure("internal_error"))

  const { case: after } = await pressed(world, {}, { ...world.ports, chat: { ...world.chat, exposed } })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

test("each channel of the rules is looked at, those of escalations too, before anything is asked there", async () => {
  const escalate = [aStep(1, { routes: [{ kind: "channel", id: "C2" }] })]
  const rules = [aRule({ name: "a", timing: aTiming({ escalate }) }), aRule({ name: "b" })]
  const world = createWorld({ policy: aPolicy(rules) })
  world.chat.share("C1", true)
  world.chat.share("C2", true)

  await createRouteCheck()(world.ports)

  expect(world.alarms).toEqual([
    { code: "channel-shared", channel: "C1", rules: ["a", "b"] },
    { code: "channel-shared", channel: "C2", rules: ["a"] },
  ])
})

test("the check has cards drawn anew when a channel becomes shared, and when it is our own again", async () => {
  const world = await announcedWorld()
  await announced(world, anApproval({ id: "a-2" }))
  const checkRoutes = createRouteCheck()
  const checked = () => checkRoutes(world.ports).then(() => world.queue.runDue(world.ports))

  world.chat.share("C1", true)
  await checked()
  await checked()
  expect(world.chat.covers).toBe(2)
  world.chat.share("C1", false)
  await checked()

  expect([isTroubled(world), cardOn(caseOf(world, "a-2"), route)?.trouble]).toEqual([false, null])
})

test("while Slack does not answer, nothing is said about channels; nothing is asked about one of no rule", async () => {
  const world = createWorld()
  const asked: string[] = []
  const exposed = (one: string) => {
    asked.push(one)
    return Promise.reject(chatFailure("internal_error"))
  }
  const ports = { ...world.ports, chat: { ...world.chat, exposed } }

  await createRouteCheck()(ports)
  await channelChanged(ports, "C-OTHER")

  expect(world.alarms).toEqual([])
  expect(asked).toEqual([route])
})
