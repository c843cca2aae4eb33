// Check: cards that nobody touches are looked at in turn; what is deleted comes back once, what is shut is said.

import { expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import { cardDeleted, checkCards } from "../../../src/flow/card/check.ts"
import { list } from "../../../src/flow/query/list.ts"
import { anApproval, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const route = "channel:C1"
const hanging = (world: World) => world.chat.messages.filter((one) => !one.deleted)
const placeOf = (world: World) => cardOn(caseOf(world), route)?.place ?? { channel: "", ts: "" }

async function checked(world: World): Promise<void> {
  await checkCards(world.ports)
  await world.queue.runAll(world.ports)
}

test("a deleted card is posted again before the case changes, with all its lines; deleted twice, it stays away", async () => {
  const world = await announcedWorld()
  const first = placeOf(world)

  world.chat.delete(first)
  await checked(world)
  const second = placeOf(world)
  world.chat.delete(second)
  await checkCards(world.ports)
  await world.queue.runDue(world.ports)

  expect(second).not.toEqual(first)
  expect(world.chat.messages[1]?.lines.map((line) => line.event.kind)).toEqual(["opened"])
  expect(hanging(world)).toEqual([])
  expect(world.alarms).toContainEqual(expect.objectContaining({ code: "route-in-trouble", route }))
})

test("idle cards on many routes cost so many looks a minute over all replicas, and each has its turn", async () => {
  const routes = ["C1", "C2", "C3", "C4"].map((id) => ({ kind: "channel", id }) as const)
  const world = createWorld({ paceMs: 1, policy: aPolicy([aRule({ routes })]) })
  for (let index = 0; index < 9; index += 1) await announced(world, anApproval({ id: `a-${index}` }))
  await world.queue.runAll(world.ports)
  const seen: string[] = []
  const look: typeof world.ports.chat.look = async (place) => {
    seen.push(`${place.channel} ${place.ts}`)
    return { kind: "there" }
  }
  const [first, second] = [0, 1].map(() => ({ ...world.ports, chat: { ...world.ports.chat, look } }))

  for (let turn = 0; turn < 24; turn += 1) {
    await checkCards((turn % 2 === 0 ? first : second) ?? world.ports)
    world.clock.forward(5_000)
  }

  expect(seen.length).toBeLessThanOrEqual(2 * 30 + 3)
  expect(seen.length).toBeGreaterThan(36)
  expect(new Set(seen.slice(0, 36)).size).toBe(36)
})

test("a card that hangs costs no update", async () => {
  const world = await announcedWorld()
  const { version } = caseOf(world)

  await checked(world)

  expect(caseOf(world).version).toBe(version)
})

test("R17: a card that shows what Redis forgot is drawn as the case is, without anybody's press", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const before = world.server.snapshot()
  await pressed(world)
  await world.queue.runAll(world.ports)
  expect(world.chat.messages[0]?.model.votes).toHaveLength(1)

  world.server.restart(before)
  world.queue.forget()
  await checked(world)

  expect(caseOf(world).votes).toEqual([])
  expect(world.chat.messages[0]?.model.votes).toEqual([])
})

test("where we may not look, nothing happens until the case changes", async () => {
  const world = await announcedWorld()
  world.chat.blind()
  world.chat.delete(placeOf(world))

  await checked(world)

  expect(hanging(world)).toEqual([])
  expect(world.alarms).toEqual([])
})

test("a channel that was shut is told to the operator once and stands in lists, until it is open again", async () => {
  const world = await announcedWorld()
  const troubles = async () => {
    const ask = { mine: true, filter: {}, offset: 0, limit: 5 }
    return (await list(world.ports, { team, user: "U1" }, ask)).models.map((model) => model.troubles)
  }
  world.chat.shut("C1", "is_archived")

  await checked(world)
  await checked(world)
  expect(await troubles()).toEqual([[{ route, why: "is_archived" }]])
  expect(world.alarms).toEqual([{ code: "route-in-trouble", caseId: caseOf(world).id, route, why: "is_archived" }])
  world.chat.shut("C1", null)
  await checked(world)

  expect(await troubles()).toEqual([[]])
})

test("each turn looks at three cases, the next turn at the next three", async () => {
  const world = createWorld()
  for (const at of [1, 2, 3, 4, 5]) await announced(world, anApproval({ id: `a-${at}`, createdAt: at * 1_000 }))
  const gone = ["a-1", "a-2", "a-3", "a-4", "a-5"].map((id) => cardOn(caseOf(world, id), route)?.place)
  for (const place of gone) world.chat.delete(place ?? { channel: "", ts: "" })
  world.clock.forward(5_000 - (world.clock.now() % 5_000))

  const back: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await checkCards(world.ports)
    await world.queue.runDue(world.ports)
    back.push(hanging(world).length)
    world.clock.forward(5_000)
  }

  expect(Math.max(...back.map((count, at) => count - (back[at - 1] ?? 0)))).toBeLessThanOrEqual(3)
  expect(back.at(-1)).toBe(5)
})

test("what Slack says about a deleted message is believed only for cards on record", async () => {
  const world = await announcedWorld()
  const { version } = caseOf(world)

  await cardDeleted(world.ports, caseOf(world).id, { channel: "C1", ts: "1.1" })
  await cardDeleted(world.ports, "0".repeat(20), placeOf(world))
  expect(caseOf(world).version).toBe(version)
  world.chat.delete(placeOf(world))
  await cardDeleted(world.ports, caseOf(world).id, placeOf(world))
  await world.queue.runAll(world.ports)

  expect(hanging(world)).toHaveLength(1)
})

test("one card that cannot be looked at keeps no other from it", async () => {
  const world = await announcedWorld()
  const other = anApproval({ id: "a-2", createdAt: world.clock.now() + 1 })
  await announced(world, other)
  world.chat.delete(cardOn(caseOf(world, "a-2"), route)?.place ?? { channel: "", ts: "" })
  world.chat.failSearch(1)

  await checked(world)

  expect(hanging(world)).toHaveLength(2)
})
