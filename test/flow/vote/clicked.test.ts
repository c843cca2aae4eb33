// The clicked card, which the click itself brings up to date beside everybody else: whoever drew last, in the end it
// shows the case.

import { expect, test } from "vitest"
import { type CardModel, cardModelHash, cardModelOf } from "../../../src/domain/case/card-model.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import { startShowing } from "../../../src/flow/vote/clicked.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, aView } from "../../support/presses.ts"
import { announced, carried, caseOf, decideOn, pressed } from "../support.ts"

const threeOfFour = aRule({ quorum: 3, approvers: ["U1", "U2", "U3", "U4"].map((id) => ({ kind: "user", id })) })

function shown(world: World): string {
  const [message] = world.chat.messages
  return message === undefined ? "" : cardModelHash(message.model)
}

function wanted(world: World): string {
  return cardModelHash(cardModelOf(caseOf(world), "channel:C1"))
}

test("a click whose message arrives last is noticed by a presenter who began when nobody knew what the card shows", async () => {
  const world = createWorld({ policy: aPolicy([threeOfFour]) })
  const opened = await announced(world)
  world.server.overwrite({ ...opened, cards: opened.cards.map((card) => ({ ...card, modelHash: null })) })
  await world.ports.views.remember(aView(opened, { user: "U2", viewId: "V2" }))
  const [drawn, remembered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let presenting: Promise<unknown> = Promise.resolve()
  const chat: typeof world.ports.chat = {
    ...world.ports.chat,
    settleClicked: async (responseUrl, model) => {
      const other = { user: "U2", on: { kind: "view", viewId: "V2" }, surface: "details" } as const
      await decideOn(world.ports, aPress(world, caseOf(world), other))
      const slow: typeof chat = {
        ...world.ports.chat,
        updateCard: async (...drawing) => {
          const done = await world.ports.chat.updateCard(...drawing)
          drawn.resolve()
          await remembered.promise
          return done
        },
      }
      presenting = present({ ...world.ports, chat: slow }, opened.id)
      await drawn.promise
      return world.ports.chat.settleClicked(responseUrl, model)
    },
  }

  await pressed(world, {}, { ...world.ports, chat })
  remembered.resolve()
  await presenting
  await world.queue.runAll(world.ports)

  expect(caseOf(world).votes).toHaveLength(2)
  expect(shown(world)).toBe(wanted(world))
})

test("R17: a forgotten card beside the one on record is never drawn as the live one, whatever its click is answered", async () => {
  const world = createWorld()
  const opened = await announced(world)
  const press = aPress(world, opened, { on: { kind: "card", place: { channel: "C1", ts: "1.1" } } })
  const drawn: string[] = []
  const settleClicked = async (_url: string, model: CardModel) => {
    drawn.push(model.status.kind)
    return "taken" as const
  }
  const ports = { ...world.ports, chat: { ...world.ports.chat, settleClicked } }

  for (const answer of [{ kind: "asked-anew" }, { kind: "late" }, { kind: "replaced" }] as const)
    expect(await startShowing(ports, press).settle({ answer, case: opened })).toBe(false)

  expect(drawn).toEqual(["replaced", "replaced", "replaced"])
})

test.each([
  ["what the press did", false],
  ["what was foreseen", true],
])("if nobody hears whether Slack draws %s, the card is drawn once more", async (_, foreseen) => {
  const world = createWorld({ policy: aPolicy([threeOfFour]) })
  const opened = await announced(world)
  await carried(world, aPress(world, opened))
  const before = caseOf(world)
  let sent = 0
  const settleClicked = async (responseUrl: string, model: CardModel) => {
    sent += 1
    if (sent > 1) await world.ports.chat.settleClicked(responseUrl, model)
    // What was sent first arrives last, and shows how the case was before.
    if (sent > 1 || !foreseen) await world.ports.chat.settleClicked(responseUrl, cardModelOf(opened, "channel:C1"))
    return sent > 1 ? ("taken" as const) : ("unknown" as const)
  }
  const ports = { ...world.ports, chat: { ...world.ports.chat, settleClicked } }
  const showing = startShowing(ports, aPress(world, before, { user: "U2" }))

  if (foreseen) await showing.foresee(opened)
  await showing.settle({ answer: { kind: "late" }, case: { ...before, cards: opened.cards } })
  await showing.finish()
  await world.queue.runAll(world.ports)

  expect(sent).toBe(foreseen ? 2 : 1)
  expect(shown(world)).toBe(wanted(world))
})

test("if Slack took what was foreseen and refuses what came of it, the card is drawn once more", async () => {
  const world = createWorld({ policy: aPolicy([threeOfFour]) })
  const opened = await announced(world)
  await carried(world, aPress(world, opened))
  const before = caseOf(world)
  const answers = ["taken", "refused"] as const
  let sent = 0
  const settleClicked = async (responseUrl: string, model: CardModel) => {
    const answer = answers[sent] ?? "refused"
    sent += 1
    if (answer === "taken") await world.ports.chat.settleClicked(responseUrl, model)
    return answer
  }
  const ports = { ...world.ports, chat: { ...world.ports.chat, settleClicked } }
  const showing = startShowing(ports, aPress(world, before, { user: "U2" }))

  await showing.foresee(opened)
  await showing.settle({ answer: { kind: "late" }, case: before })
  await showing.finish()
  await world.queue.runAll(world.ports)

  expect(sent).toBe(2)
  expect(shown(world)).toBe(wanted(world))
})

test("what was foreseen and drawn over what others had shown meanwhile is drawn once more", async () => {
  const world = createWorld({ policy: aPolicy([threeOfFour]) })
  const opened = await announced(world)
  const press = aPress(world, opened)
  await carried(world, press)
  const before = caseOf(world)
  const showing = startShowing(world.ports, aPress(world, before))

  // An older model goes out just as somebody else has shown and remembered the newer one.
  await showing.foresee(opened)
  await showing.settle({ answer: { kind: "late" }, case: before })
  await world.queue.runAll(world.ports)

  expect(shown(world)).toBe(wanted(world))
})

test.each([
  ["still open", 3, "open"],
  ["closed", 2, "closed"],
] as const)("what was drawn over a newer card is drawn once more: the case is %s", async (_, quorum, state) => {
  const world = createWorld({ policy: aPolicy([aRule({ ...threeOfFour, quorum })]) })
  const opened = await announced(world)
  await carried(world, aPress(world, opened))
  const before = caseOf(world)
  const showing = startShowing(world.ports, aPress(world, before))
  await showing.foresee(opened)

  // Another process shows what came after, before our older model arrives.
  await carried(world, aPress(world, before, { user: "U2" }))
  await world.queue.runAll(world.ports)
  await showing.settle({ answer: { kind: "late" }, case: before })
  await showing.finish()
  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe(state)
  expect(shown(world)).toBe(wanted(world))
})
