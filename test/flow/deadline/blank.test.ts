// Cards of closed cases lose arguments and names: after a time, or since a person is erased. The ledger stays.

import { expect, test } from "vitest"
import { eraseFrom } from "../../../src/domain/case/erasure.ts"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import type { World } from "../../support/memory-ports.ts"
import { anAnswerSent, aQuestionSent } from "../questions.ts"
import { announcedWorld, carried, caseOf, ledgerKinds, pressed, takeUp } from "../support.ts"

const day = 86_400_000
/** Of the card in the channel, and of the one that told the requester. */
const blank = ({ chat }: World) => chat.messages.map(({ model }) => model.blank === true)

/** Time goes by, and a sweep notices what is due. */
async function pass(world: World, ms: number): Promise<void> {
  world.clock.forward(ms)
  await takeUp(world)
}

async function closed(blankAfterMs?: number): Promise<World> {
  const world = await announcedWorld(blankAfterMs === undefined ? {} : { blankAfterMs })
  await pressed(world)
  await world.queue.runDue(world.ports)
  expect(caseOf(world).state).toBe("closed")
  return world
}

test("a card is rewritten once its time is over, once, and the ledger stays as it was", async () => {
  const world = await closed(30 * day)
  const kinds = ledgerKinds(world)
  await pass(world, 30 * day - 1)
  expect(blank(world)).toEqual([false, false])

  await pass(world, 1)
  const { edits } = world.chat
  await pass(world, day)

  expect(blank(world)).toEqual([true, true])
  expect(world.chat.edits).toBe(edits)
  expect(ledgerKinds(world)).toEqual(kinds)
  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours" } })
})

test("without the key a card stays as it is", async () => {
  const world = await closed()

  await pass(world, 400 * day)

  expect(blank(world)).toEqual([false, false])
})

test("what Slack has no time for now is rewritten later", async () => {
  const world = await closed(day)
  world.chat.fail("C1", { kind: "limited", retryAfterMs: 1_000, method: "chat.update" })

  world.clock.forward(day)
  expect(await carryOutDeadlines(world.ports)).toBeGreaterThan(0)
  expect(blank(world)).toEqual([false, false])
  await pass(world, 10_000)

  expect(blank(world)).toEqual([true, true])
})

test("what Slack does not take because it refuses our token is rewritten later", async () => {
  const world = await closed(day)
  world.chat.fail("C1", { kind: "refused", slackCode: "invalid_auth" })

  world.clock.forward(day)
  expect(await carryOutDeadlines(world.ports)).toBeGreaterThan(0)
  expect(blank(world)).toEqual([false, false])
  await pass(world, 10_000)

  expect(blank(world)).toEqual([true, true])
})

test("what Slack refuses for good is not tried again", async () => {
  const world = await closed(day)
  world.chat.fail("C1", { kind: "refused", slackCode: "is_archived" })

  await pass(world, day)

  expect(caseOf(world).time.blankAt).toBeUndefined()
  expect(await carryOutDeadlines(world.ports)).toBeNull()
})

test("the cards of a person who is erased are rewritten at once, without any key", async () => {
  const world = await closed()
  const current = caseOf(world)
  const next = eraseFrom(current, { person: "T1:U1", names: new Set() })
  await world.ports.store.commit({ next, expectedVersion: current.version, events: [] })

  await carryOutDeadlines(world.ports)

  expect(blank(world)).toEqual([true, true])
  expect(eraseFrom(caseOf(world), { person: "T1:U1", names: new Set() })).toEqual(caseOf(world))
})

test("the messages of questions are rewritten with the cards", async () => {
  const world = await announcedWorld({ blankAfterMs: day })
  await carried(world, await aQuestionSent(world))
  await carried(world, await anAnswerSent(world))
  await pressed(world)
  await world.queue.runDue(world.ports)
  expect(world.chat.questions[0]?.model).not.toHaveProperty("blank")

  await pass(world, day)

  expect(world.chat.questions[0]?.model).toMatchObject({ blank: true })
  expect(caseOf(world).questions).toHaveLength(1)
})
