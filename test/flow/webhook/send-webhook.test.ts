// What a webhook sends: each entry at least once, in order within a case, whatever the receiver does.
import fc from "fast-check"
import { expect, test } from "vitest"
import type { DeliveryResult } from "../../../src/flow/ports.ts"
import { beginOutbox, keepTryingMs, maxWaiting } from "../../../src/flow/webhook/outbox.ts"
import { goOnAt, putOn, sendAgain, standingOf } from "../../../src/flow/webhook/standing.ts"
import { anEntry, aWebhookWorld } from "./support.ts"

const failed: DeliveryResult = { kind: "failed", why: "answered 500", retryAfterMs: null }
const minuteMs = 60_000

test("a new webhook begins with what is entered after it was configured", async () => {
  const world = await aWebhookWorld({ begun: false })
  world.enter("case:a", "case:b")

  await world.run()
  world.enter("case:a")
  await world.run()

  expect(world.accepted()).toEqual([3])
  expect(world.logged).toContainEqual(["webhook-begun", { webhook: "siem", cursor: 2 }])
})

test("a webhook that was forgotten begins with what is entered after its next start", async () => {
  const world = await aWebhookWorld()
  world.enter("case:a", "case:b")
  await world.run()
  await world.ports.outboxes.forget("siem")
  world.enter("case:a")

  await world.run()
  world.enter("case:b")
  await world.run()

  expect(world.accepted()).toEqual([1, 2, 4])
})

test("an event says as a CloudEvent what was entered, about which case, and when", async () => {
  const world = await aWebhookWorld()
  world.enter("case:a", "config")

  await world.run()

  const [ofCase, ofConfig] = [1, 2].map((number) => world.arrived.find((one) => one.number === number)?.event ?? {})
  expect(ofCase).toMatchObject({
    specversion: "1.0",
    id: "test:1:mac-of-1-and",
    source: "/countersign/test",
    type: "countersign.voted",
    subject: "a",
    time: "1970-01-01T00:00:01.001Z",
    datacontenttype: "application/json",
    data: { entry: { number: 1 }, case: null },
  })
  expect(ofConfig).not.toHaveProperty("subject")
})

test("an entry under the number of one that Redis lost has another id", async () => {
  const world = await aWebhookWorld()
  world.ledger.push({ ...anEntry(1, "case:a"), mac: "another-mac-than-before" })

  await world.run()

  expect(world.arrived[0]?.event["id"]).toBe("test:1:another-mac-")
})

test("an entry that is not ours is sent as unreadable, and not to who asks for kinds", async () => {
  const [all, some] = [await aWebhookWorld(), await aWebhookWorld({ events: new Set(["voted"]) })]
  for (const { ledger } of [all, some]) ledger.push({ number: 1, mac: "m", said: null }, anEntry(2, "case:a"))

  await all.run()
  await some.run()

  expect(all.arrived.map(({ event }) => event["type"])).toEqual(["countersign.unreadable", "countersign.voted"])
  expect(some.accepted()).toEqual([2])
})

test.each([
  { kind: "run-ended", detail: "cannot pay 70 to Ann" },
  { kind: "attempted", result: "400: cannot pay 70 to Ann" },
  { kind: "reopened", why: "400: cannot pay 70 to Ann" },
  { kind: "not-resumed", why: "cannot pay 70 to Ann", who: "bob" },
])("the platform's own words in an entry $kind come only with the arguments", async (event) => {
  for (const withArguments of [true, false]) {
    const world = await aWebhookWorld({ withArguments })
    world.ledger.push(anEntry(1, "case:a", { ...event, at: 1 }))
    await world.run()
    expect(JSON.stringify(world.arrived).includes("Ann")).toBe(withArguments)
  }
})

test("why somebody did something in our own words comes without the arguments too", async () => {
  const world = await aWebhookWorld()
  world.ledger.push(anEntry(1, "case:a", { kind: "frozen", at: 1, why: "its record is an old one" }))

  await world.run()

  expect(JSON.stringify(world.arrived)).toContain("an old one")
})

test("a hash of what was filled in is never sent: whoever knows the form could guess what it stands for", async () => {
  for (const withArguments of [true, false])
    for (const kind of ["voted", "called-back"]) {
      const world = await aWebhookWorld({ withArguments })
      world.ledger.push(anEntry(1, "case:a", { kind, at: 1, reason: "as agreed", values: "a-hash-of-values" }))
      await world.run()
      expect(JSON.stringify(world.arrived)).toContain("as agreed")
      expect(JSON.stringify(world.arrived)).not.toContain("a-hash-of-values")
    }
})

test("a failed entry holds back its own case alone, and is tried again after longer and longer waits", async () => {
  const world = await aWebhookWorld()
  world.answer.now = (number) => (number === 1 ? failed : { kind: "accepted" })
  world.enter("case:a", "case:b", "case:a", "case:b")

  await world.run()
  expect(world.accepted()).toEqual([2, 4])
  await world.run()
  expect(world.arrived).toHaveLength(3)
  world.clock.forward(5_000)
  await world.run()
  expect(world.arrived.filter(({ number }) => number === 1)).toHaveLength(2)
  world.clock.forward(5_000)
  await world.run()
  expect(world.arrived.filter(({ number }) => number === 1)).toHaveLength(2)
  world.answer.now = () => ({ kind: "accepted" })
  world.clock.forward(5_000)
  await world.run()

  expect(world.accepted()).toEqual([2, 4, 1, 3])
})

test("a receiver that is away for hours gets everything, in order, within a quarter of an hour after it is back", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  const chains = Array.from({ length: 40 }, (_, at) => `case:${at % 10}`)
  world.enter(...chains)
  for (let hours = 0; hours < 10; hours += 1) {
    await world.run()
    world.clock.forward(60 * minuteMs)
  }
  const tries = world.arrived.length
  world.answer.now = () => ({ kind: "accepted" })
  for (let waited = 0; waited < 15 * minuteMs; waited += 1_000) {
    world.clock.forward(1_000)
    await world.run()
  }

  expect(tries).toBeLessThan(10 * 9)
  expect(world.accepted().toSorted((one, other) => one - other)).toEqual(chains.map((_, at) => at + 1))
  for (const chain of new Set(chains)) {
    const own = world.arrived.flatMap((one) => (one.chain === chain && one.accepted ? [one.number] : []))
    expect(own).toEqual(own.toSorted((one, other) => one - other))
  }
})

test("an entry that fails for a day becomes a dead letter, and its case goes on behind it", async () => {
  const world = await aWebhookWorld()
  world.answer.now = (number) => (number === 1 ? failed : { kind: "accepted" })
  world.enter("case:a", "case:a")
  await world.run()

  world.clock.forward(keepTryingMs)
  await world.run()
  world.clock.forward(2_000)
  await world.run()

  expect(world.accepted()).toEqual([2])
  expect(await world.ports.outboxes.deadLetters("siem")).toEqual([
    { number: 1, chain: "case:a", at: world.clock.now() - 2_000, why: "answered 500" },
  ])
  expect(world.logged).toContainEqual(["webhook-dead-letters", { webhook: "siem", entries: [1] }])
})

test("an entry that waited behind a failing one has a day of its own, from its own first attempt on", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  world.enter("case:a", "case:a")
  const triesOfSecond = () => world.arrived.filter(({ number }) => number === 2).length
  await world.run()
  world.clock.forward(keepTryingMs)
  await world.run()
  world.clock.forward(minuteMs)
  await world.run()
  expect(triesOfSecond()).toBe(1)

  world.clock.forward(keepTryingMs - minuteMs)
  await world.run()
  const deadBefore = (await world.ports.outboxes.deadLetters("siem")).map(({ number }) => number)
  world.clock.forward(minuteMs)
  await world.run()

  expect(deadBefore).toEqual([1])
  expect(triesOfSecond()).toBe(3)
  expect((await world.ports.outboxes.deadLetters("siem")).map(({ number }) => number)).toEqual([1, 2])
})

test("the time for which a webhook was off counts for no entry's day", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  world.enter("case:a")
  await world.run()
  world.answer.now = () => ({ kind: "gone" })
  world.clock.forward(minuteMs)
  await world.run()
  world.answer.now = () => failed
  world.clock.forward(2 * keepTryingMs)

  await putOn(world.ports, "siem")
  await world.run()

  expect(world.arrived).toHaveLength(3)
  expect(await world.ports.outboxes.deadLetters("siem")).toEqual([])
})

test("a dead letter is sent again on demand, before what waits of its case", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  world.enter("case:a", "case:a")
  await world.run()
  world.clock.forward(keepTryingMs)
  await world.run()
  const letters = await world.ports.outboxes.deadLetters("siem")
  world.answer.now = () => ({ kind: "accepted" })

  const ports = { ...world.ports }
  expect(await sendAgain(ports, "siem", { wanted: [2], letters })).toEqual({ kind: "none" })
  expect(await sendAgain(ports, "siem", { wanted: null, letters })).toEqual({ kind: "changed", entries: [1], left: 0 })
  await world.run()

  expect(world.accepted()).toEqual([1, 2])
  expect(await world.ports.outboxes.deadLetters("siem")).toEqual([])
})

test("a 410 switches a webhook off, loses nothing, and another address or an operator switches it on", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => ({ kind: "gone" })
  world.enter("case:a")
  await world.run()
  world.answer.now = () => ({ kind: "accepted" })
  world.enter("case:b")

  world.clock.forward(2 * keepTryingMs)
  await world.run()
  expect(world.accepted()).toEqual([])
  expect(world.alarms).toEqual([expect.objectContaining({ code: "webhook-off", webhook: "siem" })])
  await world.run({ address: "two" })
  expect(world.accepted()).toEqual([1, 2])

  world.answer.now = () => ({ kind: "gone" })
  world.enter("case:a")
  await world.run()
  world.answer.now = () => ({ kind: "accepted" })
  expect(await putOn(world.ports, "siem")).toMatchObject({ kind: "changed" })
  expect(await putOn(world.ports, "siem")).toEqual({ kind: "none" })
  await world.run()
  expect(world.accepted()).toEqual([1, 2, 3])
})

test("an end of Countersign in the middle of a delivery is no failure: nothing is counted, told or held back", async () => {
  const world = await aWebhookWorld()
  world.answer.now = (number) => (number === 1 ? { kind: "accepted" } : { kind: "unfinished" })
  world.enter("case:a", "case:a", "case:b")
  await world.run()
  const { waiting, ...left } = world.outbox() ?? beginOutbox(0)
  const told = world.logged.filter(([event]) => event === "webhook-failed")
  world.answer.now = () => ({ kind: "accepted" })
  await world.run()

  expect(left).toMatchObject({ failedRuns: 0, lastFailure: null })
  expect(waiting.map(({ failures }) => failures)).toEqual([0, 0])
  expect(told).toEqual([])
  expect(world.counted).toEqual(["accepted", "accepted", "accepted"])
  expect(new Set(world.accepted())).toEqual(new Set([1, 2, 3]))
})

test("Retry-After holds back the whole webhook, for an hour at most", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => ({ ...failed, retryAfterMs: keepTryingMs })
  world.enter("case:a", "case:b")
  await world.run()
  world.answer.now = () => ({ kind: "accepted" })

  world.clock.forward(60 * minuteMs - 1)
  await world.run()
  expect(world.accepted()).toEqual([])
  world.clock.forward(1)
  await world.run()

  expect(world.accepted()).toEqual([1, 2])
})

test("Retry-After for one entry while others are accepted holds back its case alone, and costs it no day", async () => {
  const world = await aWebhookWorld()
  world.answer.now = (number) => (number === 1 ? { ...failed, retryAfterMs: keepTryingMs } : { kind: "accepted" })
  world.enter("case:a", "case:b")
  await world.run()
  world.enter("case:c")
  await world.run()
  const atOnce = world.accepted()
  for (let hours = 1; hours < 24; hours += 1) {
    world.clock.forward(60 * minuteMs)
    await world.run()
  }

  expect(atOnce).toEqual([2, 3])
  expect(world.arrived.filter(({ number }) => number === 1)).toHaveLength(24)
})

test("no more than a thousand entries wait at once: the ledger keeps the rest, and all of them arrive", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  world.enter(...Array.from({ length: maxWaiting + 200 }, (_, at) => `case:${at % 50}`))
  for (let rounds = 0; rounds < 60; rounds += 1) {
    await world.run()
    world.clock.forward(minuteMs)
  }

  expect(world.outbox()?.cursor).toBe(maxWaiting)
  expect(await standingOf(world.ports, "siem")).toMatchObject({ state: "on", waiting: maxWaiting + 200 })
  world.answer.now = () => ({ kind: "accepted" })
  for (let rounds = 0; rounds < 30; rounds += 1) {
    await world.run()
    world.clock.forward(minuteMs)
  }
  expect(new Set(world.accepted()).size).toBe(maxWaiting + 200)
})

test("an outbox that somebody else wrote sends nothing, raises an alarm, and a replay begins it anew", async () => {
  const world = await aWebhookWorld()
  world.kept.set("siem", { mark: Uint8Array.of(200), outbox: null })
  world.enter("case:a", "case:b")

  await world.run()
  expect(world.arrived).toEqual([])
  expect(world.alarms).toEqual([expect.objectContaining({ code: "webhook-outbox-tampered" })])
  expect(await standingOf(world.ports, "siem")).toMatchObject({ state: "tampered" })
  expect(await putOn(world.ports, "siem")).toEqual({ kind: "unread" })
  const begin = { cursor: 1, waiting: [], restUntil: 0, failedRuns: 0, lastFailure: null, off: null }
  await goOnAt(world.ports, "siem", { from: 2, letters: [], begin })
  await world.run()

  expect(world.accepted()).toEqual([2])
})

test("a ledger that is shorter than what was sent is told, and goes on at its end", async () => {
  const world = await aWebhookWorld()
  world.enter("case:a", "case:a")
  await world.run()
  world.ledger.length = 1

  await world.run()
  world.enter("case:b")
  await world.run()

  expect(world.logged).toContainEqual(["webhook-rewound", { webhook: "siem", cursor: 2, end: 1 }])
  expect(world.accepted()).toEqual([1, 2, 2])
})

test("an entry that is gone from the ledger holds up nothing", async () => {
  const world = await aWebhookWorld()
  world.answer.now = () => failed
  world.enter("case:a", "case:a")
  await world.run()
  world.ledger.splice(0, 1)
  world.answer.now = () => ({ kind: "accepted" })
  world.clock.forward(minuteMs)

  await world.run()

  expect(world.accepted()).toEqual([2])
  expect(world.logged).toContainEqual(["webhook-entry-gone", { webhook: "siem", entry: 1 }])
})

test("if an operator changes an outbox during a run, the change counts, and the run's entries come twice", async () => {
  const world = await aWebhookWorld()
  world.enter("case:a", "case:b")
  await world.run()
  world.enter("case:c")
  const begin = { cursor: 0, waiting: [], restUntil: 0, failedRuns: 0, lastFailure: null, off: null }
  const send: typeof world.webhook.send = async (message) => {
    if (world.accepted().length === 2) await goOnAt(world.ports, "siem", { from: 1, letters: [], begin })
    return world.webhook.send(message)
  }

  await world.run({ send })
  await world.run()

  expect(world.accepted()).toEqual([1, 2, 3, 1, 2, 3])
})

const weather = fc.array(
  fc.record({ enter: fc.array(fc.nat(4), { maxLength: 6 }), down: fc.boolean(), bad: fc.nat(9) }),
  {
    minLength: 5,
    maxLength: 60,
  },
)

test("no later entry of a case ever arrives first before an earlier one was accepted or given up, and none is lost", async () => {
  await fc.assert(
    fc.asyncProperty(weather, fc.infiniteStream(fc.integer({ min: 0, max: 99 })), async (days, dice) => {
      const world = await aWebhookWorld()
      const draw = () => Number(dice.next().value) / 100
      const ports = { ...world.ports, random: draw }
      for (const { enter, down, bad } of days) {
        world.enter(...enter.map((one) => `case:${one}`))
        world.answer.now = (number) => {
          if (down || number % 10 === bad) return draw() < 0.1 ? { ...failed, retryAfterMs: 90_000 } : failed
          return { kind: "accepted" }
        }
        // A replica dies in the middle of its run now and then: what it sent is sent once more.
        const dies = draw() < 0.2
        await world
          .run({
            send: async (message) => {
              const delivery = await world.webhook.send(message)
              if (dies && draw() < 0.3) throw new Error("killed")
              return delivery
            },
          })
          .catch(() => undefined)
        await standingOf(ports, "siem")
        world.clock.forward(Math.round(draw() * 4 * 3_600_000))
      }
      world.answer.now = () => ({ kind: "accepted" })
      for (let rounds = 0; rounds < 5; rounds += 1) {
        await world.run()
        world.clock.forward(keepTryingMs)
      }

      const dead = new Set((await world.ports.outboxes.deadLetters("siem")).map(({ number }) => number))
      const accepted = new Set(world.accepted())
      expect(world.ledger.filter(({ number }) => !accepted.has(number) && !dead.has(number))).toEqual([])
      for (const chain of new Set(world.arrived.map((one) => one.chain))) {
        const firsts = [
          ...new Set(world.arrived.flatMap((one) => (one.chain === chain && one.accepted ? [one.number] : []))),
        ]
        expect(firsts).toEqual(firsts.toSorted((one, other) => one - other))
      }
    }),
    { numRuns: 200 },
  )
})
