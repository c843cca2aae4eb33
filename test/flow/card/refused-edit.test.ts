// An edit that Slack refuses for good: the thread says what it has to say, an open case gets a new card, and a press on
// the old one counts for nothing.

import { describe, expect, test } from "vitest"
import { cardModelOf } from "../../../src/domain/case/card-model.ts"
import { cardOn, type Place } from "../../../src/domain/case/case.ts"
import { notice } from "../../../src/domain/case/notice.ts"
import { checkCards } from "../../../src/flow/card/check.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import { advanceCase } from "../../../src/flow/case/commit.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announcedWorld, carried, caseOf, pressed, twoOfThree } from "../support.ts"

const routes = ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const)
const one = aPolicy([aRule({ routes })])
const two = aPolicy([{ ...twoOfThree, routes }])
const forGood = ["cant_update_message", "edit_window_closed", "block_mismatch"]
const ofTheChannel = ["is_inactive", "is_archived", "channel_not_found", "team_not_found", "a_word_of_tomorrow"]

/** A case on two channels, and the card of C1, which nobody can edit any more. */
async function frozen(word: string, policy = one): Promise<{ readonly world: World; readonly old: Place }> {
  const world = await announcedWorld({ policy })
  await world.queue.runAll(world.ports)
  const old = placeIn(world)
  world.chat.freeze(old, word)
  return { world, old }
}

function placeIn(world: World): Place {
  const place = cardOn(caseOf(world), "channel:C1")?.place
  if (place === null || place === undefined) throw new Error("no card hangs in C1")
  return place
}

const hanging = (world: World) => world.chat.messages.filter(({ place }) => place.channel === "C1")
const told = (world: World, at = 0) => hanging(world)[at]?.lines.map(({ event }) => event.kind)
const troubles = (world: World) => world.alarms.filter(({ code }) => code === "route-in-trouble")
const alarmSaying = (word: string) =>
  expect.objectContaining({ route: "channel:C1", why: expect.stringMatching(new RegExp(`edit.*\\b${word}\\b`)) })

describe.each([...forGood, ...ofTheChannel])("where Slack refuses to edit a card with %s", (word) => {
  test(`the thread says at once how a case was decided on another route, and the alarm says ${word}`, async () => {
    const { world } = await frozen(word)

    await pressed(world, { route: "channel:C2" })
    await world.queue.runDue(world.ports)

    expect(told(world)).toEqual(["opened", "voted", "decided", "resolved"])
    expect(troubles(world)).toEqual([alarmSaying(word)])
    expect(JSON.stringify(world.alarms)).not.toContain("deleted")
    expect(hanging(world)).toHaveLength(1)
  })

  test(`the thread says at once that a case was decided elsewhere: ${word}`, async () => {
    const { world } = await frozen(word)
    world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })

    await poll(world.ports, "main")
    await world.queue.runDue(world.ports)

    expect(told(world)).toEqual(["opened", "elsewhere", "decided-outside-rules"])
    expect(hanging(world)).toHaveLength(1)
  })

  test(`an open case gets a new card with its whole thread, and only that one counts: ${word}`, async () => {
    const { world, old } = await frozen(word, two)
    const before = caseOf(world)

    await pressed(world, { route: "channel:C2" })
    await world.queue.runAll(world.ports)
    const onOld = await carried(world, { ...aPress(world, before, { user: "U2" }), on: { kind: "card", place: old } })
    const [, card, ...others] = hanging(world)
    const after = await pressed(world, { user: "U2", interaction: "on the new card" })
    await world.queue.runAll(world.ports)

    expect(others).toEqual([])
    expect(card?.place).toEqual(placeIn(world))
    expect(onOld.answers).toEqual([{ kind: "replaced" }])
    expect(onOld.case.votes).toHaveLength(1)
    expect(troubles(world)).toEqual([])
    expect(after.case.outcome).toMatchObject({ kind: "ours", verb: "approve" })
    expect(card?.model).toMatchObject({ replaces: true, status: { kind: "settled" } })
    expect(told(world, 1)).toEqual(["opened", "voted", "voted", "decided", "resolved"])
  })

  test(`a late press on a card that kept its buttons is told how it ended: ${word}`, async () => {
    const { world } = await frozen(word)
    const before = caseOf(world)
    await pressed(world, { route: "channel:C2" })
    await world.queue.runDue(world.ports)

    const late = await carried(world, aPress(world, before, { user: "U2", verb: "reject", interaction: "late" }))

    expect(late.answers).toMatchObject([{ kind: "already", verb: "approve", users: ["U1"] }])
    expect(late.case.outcome).toMatchObject({ kind: "ours", verb: "approve" })
  })
})

test.each(forGood)("a case that ended waits for no card that nobody can edit: %s", async (word) => {
  const { world } = await frozen(word)

  await pressed(world, { route: "channel:C2" })
  await world.queue.runDue(world.ports)

  expect(caseOf(world).state).toBe("closed")
})

test.each(ofTheChannel)("a card is edited once its channel takes it, and the case waits for that: %s", async (word) => {
  const { world, old } = await frozen(word)
  await pressed(world, { route: "channel:C2" })
  await world.queue.runDue(world.ports)

  const before = [caseOf(world).state, hanging(world)[0]?.model.status.kind]
  world.chat.freeze(old, null)
  await world.queue.runAll(world.ports)

  expect(before).toEqual(["settled", "open"])
  expect([caseOf(world).state, hanging(world)[0]?.model.status.kind]).toEqual(["closed", "settled"])
  expect(told(world)).toHaveLength(4)
})

test.each(["is_archived", "cant_update_message"])(
  "what comes to light later is told in the thread at once, however rarely the edit is tried: %s",
  async (word) => {
    const { world } = await frozen(word)
    await pressed(world, { route: "channel:C2" })
    for (let hour = 0; hour < 6; hour += 1) {
      await world.queue.runDue(world.ports)
      world.clock.forward(3_600_000)
    }
    const at = world.clock.now()

    await advanceCase(world.ports, caseOf(world), (now) =>
      notice(now, { kind: "run-over", at, team: "team-1", status: "completed" }),
    )
    await present(world.ports, caseOf(world).id)

    expect(told(world)?.at(-1)).toBe("run-over")
    expect(troubles(world)).toHaveLength(1)
  },
)

test("a new card that Slack takes only later comes once, and no line is told twice", async () => {
  const { world } = await frozen("cant_update_message", two)
  world.chat.fail("C1", { kind: "refused", slackCode: "restricted_action" }, { kind: "limited", retryAfterMs: 5_000 })

  await pressed(world, { route: "channel:C2" })
  await world.queue.runAll(world.ports)

  expect(hanging(world)).toHaveLength(2)
  expect([told(world, 0), told(world, 1)]).toEqual([["opened"], ["opened", "voted"]])
  expect(cardOn(caseOf(world), "channel:C1")?.reposts).toBe(1)
})

test("a new card that a process posted before it died is found, not posted again", async () => {
  const { world } = await frozen("cant_update_message", two)
  world.chat.fail("C1", { kind: "unheard", accepted: true })

  await pressed(world, { route: "channel:C2" })
  await world.queue.runAll(world.ports)

  expect(hanging(world)).toHaveLength(2)
  expect(placeIn(world)).toEqual(hanging(world)[1]?.place)
  expect(told(world, 1)).toEqual(["opened", "voted"])
})

test("where no card of a channel can ever be edited, a case gets ten more cards there, then only lines", async () => {
  const { world } = await frozen("edit_window_closed", two)
  const freezeAll = () => hanging(world).forEach(({ place }) => world.chat.freeze(place, "edit_window_closed"))

  for (let change = 1; change <= 14; change += 1) {
    freezeAll()
    world.platform.change("a-1", { toolArgs: { table: `table-${change}` } })
    await poll(world.ports, "main")
    await world.queue.runDue(world.ports)
  }

  expect(hanging(world)).toHaveLength(11)
  expect(told(world, 10)?.filter((kind) => kind === "revised")).toHaveLength(14)
  expect(troubles(world)).toEqual([alarmSaying("edit_window_closed")])
})

test("a card that nobody can edit stays in trouble although a look finds its message", async () => {
  const { world } = await frozen("edit_window_closed", two)
  for (let change = 1; change <= 12; change += 1) {
    hanging(world).forEach(({ place }) => world.chat.freeze(place, "edit_window_closed"))
    world.platform.change("a-1", { toolArgs: { table: `table-${change}` } })
    await poll(world.ports, "main")
    await world.queue.runDue(world.ports)
  }

  for (let minute = 0; minute < 5; minute += 1) {
    await checkCards(world.ports)
    world.clock.forward(60_000)
    await world.queue.runDue(world.ports)
  }

  expect(troubles(world)).toHaveLength(1)
  expect(cardModelOf(caseOf(world), "channel:C1").troubles).toMatchObject([
    { why: expect.stringContaining("nobody edit") },
  ])
})

test("a deleted card whose successor Slack takes only later is posted again all the same", async () => {
  const world = await announcedWorld({ policy: two })
  await world.queue.runAll(world.ports)
  world.chat.delete(placeIn(world))
  world.chat.fail("C1", { kind: "limited", retryAfterMs: 5_000 })

  await pressed(world, { route: "channel:C2" })
  await world.queue.runAll(world.ports)

  expect(hanging(world).filter(({ deleted }) => !deleted)).toHaveLength(1)
  expect(troubles(world)).toEqual([])
})
