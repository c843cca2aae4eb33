// Origin: the thread in which a run began is linked, and told two lines at most, each once, whatever fails.
import { describe, expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import { checkCards } from "../../../src/flow/card/check.ts"
import { maySee } from "../../../src/flow/people/visibility.ts"
import { anApproval, aPerson } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, announcedWorld, caseOf, pressed, takeUp } from "../support.ts"

const place = { channel: "C7", ts: "1700000000.000100" }
const fromSlack = anApproval({ sessionId: `billing-agent:${place.channel}:${place.ts}` })
const route = `thread:${place.channel}:${place.ts}`
const said = (world: World) => world.chat.threads.map(({ first, due, status }) => ({ first, due, status }))
const asked = { first: 0, due: 1, status: "open" }
const ended = { first: 1, due: 2, status: "settled" }

test("the thread in which a run began is on its card, and told that people are asked and how it ended", async () => {
  const world = await announcedWorld({}, fromSlack)
  await world.queue.runAll(world.ports)
  const open = said(world)

  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(open).toEqual([asked])
  expect(said(world)).toEqual([asked, ended])
  expect(world.chat.threads[0]?.place).toEqual(place)
  const link = `https://slack.example/${place.channel}/${place.ts}`
  expect(world.chat.messages[0]?.model.origin).toEqual({ place, link })
  expect(caseOf(world).state).toBe("closed")
})

test("a vote that decides nothing, and a case that is shown again, say nothing more there", async () => {
  const world = await announcedWorld({}, fromSlack)
  await world.queue.runAll(world.ports)

  await world.ports.jobs.present(caseOf(world).id)
  await takeUp(world)

  expect(said(world)).toEqual([asked])
})

test.each([
  ["a session of ours", "sess-1"],
  ["an older one that names no channel", "billing-agent:1700000000.000100"],
  ["one that only looks so", "billing-agent:C7:yesterday"],
])("%s names no thread", async (_, sessionId) => {
  const world = await announcedWorld({}, anApproval({ sessionId }))
  await world.queue.runAll(world.ports)

  expect(caseOf(world).origin).toBeUndefined()
  expect(world.chat.threads).toEqual([])
})

test("where the app is no member, or another company reads along, the thread is linked and told nothing", async () => {
  for (const shut of ["leave", "share"] as const) {
    const world = createWorld()
    if (shut === "leave") world.chat.leave(place.channel)
    else world.chat.share(place.channel, true)
    await announced(world, fromSlack)
    await pressed(world)
    await world.queue.runAll(world.ports)

    expect(world.chat.threads).toEqual([])
    expect(caseOf(world)).toMatchObject({ state: "closed", origin: { place } })
  }
})

test("a case that ended before its thread heard of it says only how it ended", async () => {
  const world = createWorld()
  world.chat.fail(place.channel, { kind: "limited", retryAfterMs: 60_000 })
  await announced(world, fromSlack)
  await world.queue.runDue(world.ports)
  await pressed(world)
  world.clock.forward(61_000)
  await world.queue.runAll(world.ports)

  expect(said(world)).toEqual([{ ...ended, first: 0 }])
})

describe("never twice", () => {
  test.each([true, false])("after a post that nobody heard of, carried out or not (%s)", async (accepted) => {
    const world = createWorld()
    world.chat.fail(place.channel, { kind: "unheard", accepted })
    await announced(world, fromSlack)
    await world.queue.runAll(world.ports)
    await takeUp(world)

    expect(said(world)).toEqual([asked])
  })

  test("where Slack does not let us look, rather not at all", async () => {
    const world = createWorld()
    world.chat.blind()
    world.chat.fail(place.channel, { kind: "unheard", accepted: true })
    await announced(world, fromSlack)
    await world.queue.runAll(world.ports)
    await takeUp(world)

    expect(said(world)).toEqual([asked])
    expect(cardOn(caseOf(world), route)).toMatchObject({ lease: null, told: 1 })
  })
})

test("a thread that takes no message holds nothing up and raises no alarm", async () => {
  const world = createWorld()
  world.chat.fail(place.channel, { kind: "refused", slackCode: "not_in_channel" })
  await announced(world, fromSlack)
  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe("closed")
  expect(world.alarmCodes()).not.toContain("route-in-trouble")
})

test("a thread is told once Slack takes our token again", async () => {
  const world = createWorld()
  world.chat.fail(place.channel, { kind: "refused", slackCode: "invalid_auth" })
  await announced(world, fromSlack)
  await world.queue.runAll(world.ports)

  expect(said(world)).toEqual([asked])
  expect(world.alarmCodes()).toEqual([])
})

test("R8 who is in the channel of the thread sees no more of the case for that", async () => {
  const world = createWorld()
  const stranger = aPerson({ user: "U9" })
  const people = { ...world.people, inChannel: async (channel: string) => channel === place.channel }
  await announced(world, fromSlack)
  await world.queue.runAll(world.ports)

  expect(cardOn(caseOf(world), route)).toMatchObject({ told: 1 })
  expect(await maySee({ ...world.ports, people }, caseOf(world), stranger)).toBe(false)
})

test("its message is not ours: nobody looks whether it still hangs there", async () => {
  const world = await announcedWorld({}, fromSlack)
  await world.queue.runAll(world.ports)

  await checkCards(world.ports)
  await world.queue.runAll(world.ports)

  expect(cardOn(caseOf(world), route)).toMatchObject({ told: 1, modelHash: null, reposts: 0 })
  expect(world.chat.messages).toHaveLength(1)
})
