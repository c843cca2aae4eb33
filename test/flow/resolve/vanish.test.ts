// Vanish: what is believed gone, what an outage only hides, and what comes back with its votes (R12).

import { describe, expect, test } from "vitest"
import { poll } from "../../../src/flow/poll/poll.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { asksInput, paused, pressedOn } from "../resuming.ts"
import {
  announced,
  announcedWorld,
  beside,
  caseOf,
  ledgerKinds,
  minute,
  pressed,
  twoOfThree,
  unheard,
} from "../support.ts"

const second = 1_000
const twoNeeded = { policy: aPolicy([twoOfThree]) }

/** Each replica polls each second for this long, and does what is due. */
async function polledFor(world: World, ms: number): Promise<void> {
  const polls = async () => {
    await poll(world.ports, "main")
    await world.queue.runDue(world.ports)
  }
  // Of a long time only its beginning and its end are polled as often.
  for (let left = ms; left > 0; left -= step(left, ms)) {
    await polls()
    world.clock.forward(step(left, ms))
  }
  await polls()
}

function step(left: number, of: number): number {
  return of - left < minute || left <= minute ? second : 5 * second
}

/** An approval with one vote of two that are needed, beside another approval. */
async function halfApproved(): Promise<World> {
  const world = createWorld(twoNeeded)
  await beside(world)
  await announced(world)
  await pressed(world)
  return world
}

describe("while its database is away the platform knows no approval", () => {
  test.each([
    ["quietly", 30 * second],
    ["quietly", 15 * minute],
    ["openly", 15 * minute],
  ] as const)(
    "nothing is believed gone where the lists of a platform without its database fail %s, for %i ms",
    async (how, ms) => {
      const world = await halfApproved()
      const before = caseOf(world)
      world.platform.loses(how)

      for (let passed = 0; passed < ms; passed += 5 * second) {
        await reconcile(world.ports, before.id)
        world.clock.forward(5 * second)
      }
      world.platform.loses(null)
      await reconcile(world.ports, before.id)

      expect(caseOf(world)).toMatchObject({
        state: "open",
        missing: null,
        revision: { number: 1 },
        votes: before.votes,
      })
      expect(world.alarmCodes()).toEqual([])
      const { case: after } = await pressed(world, { user: "U2" })
      expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
    },
  )

  test("misses from before the platform's database was away count no more after it", async () => {
    const world = await halfApproved()
    const { id } = caseOf(world)
    world.platform.failGet("missing", "missing")
    await reconcile(world.ports, id)
    await reconcile(world.ports, id)
    expect(caseOf(world).missing?.times).toBe(2)
    world.clock.forward(6 * second)
    world.platform.loses("quietly")

    await reconcile(world.ports, id)

    expect(caseOf(world).missing).toBeNull()
  })

  test("a vote that completes a decision while the database is away is no refused verdict: it is sent again once the platform is back", async () => {
    const world = await halfApproved()
    world.platform.beforeResolve(() => world.platform.loses("quietly"))

    const { case: during } = await pressed(world, { user: "U2" })
    expect(during).toMatchObject({ state: "sending", sending: { attempts: [{ result: "refused" }] } })
    await polledFor(world, 20 * second)
    world.platform.loses(null)
    await polledFor(world, 2 * minute)

    expect(caseOf(world)).toMatchObject({ outcome: { kind: "ours", verb: "approve" } })
    expect(new Set(world.platform.bodies).size).toBe(1)
    expect(ledgerKinds(world)).not.toContain("reopened")
  })

  test("a rejection stays held while the database is away, and no other vote counts beside it", async () => {
    const world = await paused({ conduct: { resume: "off" }, execution: asksInput })
    await beside(world)
    await pressed(world, { verb: "reject", reason: "no" })
    world.platform.loses("quietly")
    await polledFor(world, 15 * minute)
    world.platform.loses(null)
    await polledFor(world, 10 * second)

    const { answers } = await pressedOn(world, "a-1", { user: "U2", values: { values: { recipient: "Ann" } } })

    expect(answers).toEqual([{ kind: "already", verb: "reject", users: ["U1"], pending: false }])
    expect(world.platform.row("a-1").status).toBe("pending")
  })
})

describe("what the list bears out", () => {
  test("is asked for once in five seconds, whatever the number of cases and replicas", async () => {
    const world = createWorld()
    await beside(world)
    for (const id of ["a-1", "a-2", "a-3"]) await announced(world, anApproval({ id }))
    for (const id of ["a-1", "a-2", "a-3"]) world.platform.delete(id)
    const other = world.process(world.ports.policy)

    for (const ports of [world.ports, other]) {
      for (const id of ["a-1", "a-2", "a-3"]) await reconcile(ports, caseOf(world, id).id)
    }

    expect(world.platform.lists).toBe(1)
    world.clock.forward(5 * second)
    await reconcile(other, caseOf(world).id)
    expect(world.platform.lists).toBe(2)
  })

  test("is nothing while it names only approvals that we do not know", async () => {
    const world = await halfApproved()
    world.platform.delete("a-1")
    world.platform.delete("a-other")
    world.platform.put(anApproval({ id: "a-foreign" }))

    for (let asked = 0; asked < 4; asked += 1) {
      await reconcile(world.ports, caseOf(world).id)
      world.clock.forward(5 * second)
    }

    expect(caseOf(world)).toMatchObject({ state: "open", missing: null })
  })

  test.each([
    [23, "vanished", 15 * second],
    [25, undefined, 15 * second],
    [25, "vanished", 10 * minute],
  ] as const)(
    "what an approval that was settled %i hours ago bears out comes to %s after %i ms",
    async (hours, kind, ms) => {
      const world = createWorld()
      const other = await beside(world)
      world.platform.change("a-other", { status: "rejected", resolvedAt: world.clock.now() })
      await reconcile(world.ports, other.id)
      await announced(world)
      world.clock.forward(hours * 60 * minute)
      world.platform.delete("a-1")

      for (let passed = 0; passed <= ms; passed += 5 * second) {
        await reconcile(world.ports, caseOf(world).id)
        world.clock.forward(5 * second)
      }

      expect(caseOf(world).outcome?.kind).toBe(kind)
    },
  )

  test("nothing is gone where a settled approval should be listed and none is", async () => {
    const world = createWorld()
    const other = await beside(world)
    world.platform.change("a-other", { status: "rejected", resolvedAt: world.clock.now() })
    await reconcile(world.ports, other.id)
    await announced(world)
    world.platform.loses("quietly")

    for (let passed = 0; passed <= 15 * minute; passed += 5 * second) {
      await reconcile(world.ports, caseOf(world).id)
      world.clock.forward(5 * second)
    }

    expect(caseOf(world)).toMatchObject({ state: "open", missing: null })
  })

  test("about the only approval that we know is believed after ten minutes", async () => {
    const world = await announcedWorld()
    world.platform.delete("a-1")

    await polledFor(world, 9 * minute)
    expect(caseOf(world).state).toBe("open")
    expect(ledgerKinds(world).filter((kind) => kind === "missed")).toHaveLength(3)
    await polledFor(world, 2 * minute)

    expect(caseOf(world).outcome?.kind).toBe("vanished")
  })
})

describe("an approval that was believed gone and is pending again", () => {
  /** It vanishes, its cards say so, and its row is there again. */
  async function back(world: World, change: Parameters<typeof anApproval>[0] = {}): Promise<void> {
    const row = world.platform.row("a-1")
    world.platform.delete("a-1")
    await polledFor(world, 20 * second)
    expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "vanished" } })
    world.platform.put({ ...row, ...change })
    await polledFor(world, 5 * second)
  }

  test("goes on with its votes, at the same revision and on the same card, and its thread says so in one line", async () => {
    const world = await halfApproved()
    const before = caseOf(world)

    await back(world)

    const { revision, votes } = before
    expect(caseOf(world)).toMatchObject({ state: "open", outcome: null, revision, votes, approval: before.approval })
    const cards = world.chat.messages.filter(({ model }) => model.route === "channel:C1" && model.approvalId === "a-1")
    expect(cards).toHaveLength(1)
    expect(cards[0]?.model.status).toMatchObject({ kind: "open", progress: [{ have: 1, need: 2 }] })
    expect(cards[0]?.lines.map(({ event }) => event.kind)).toEqual(["opened", "voted", "vanished", "returned"])
    expect(world.alarmCodes()).toContain("pending-again")
    const { case: after } = await pressed(world, { user: "U2" })
    expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
  })

  test("R12 an approval that was believed gone and is pending again stays held", async () => {
    const world = await paused({ conduct: { resume: "off" }, execution: asksInput })
    await beside(world)
    await pressed(world, { verb: "reject", reason: "no" })
    const { revision, votes } = caseOf(world)

    await back(world)

    expect(caseOf(world)).toMatchObject({ state: "open", revision, votes })
    const { answers } = await pressedOn(world, "a-1", { user: "U2", values: { values: { recipient: "Ann" } } })
    expect(answers).toEqual([{ kind: "already", verb: "reject", users: ["U1"], pending: false }])
    expect(world.platform.bodies).toEqual([])
  })

  test("R17 stays held where a lost second touched it meanwhile, and loses its approvals otherwise", async () => {
    const held = await paused({ conduct: { resume: "off" }, execution: asksInput })
    const half = await halfApproved()
    await beside(held)
    await pressed(held, { verb: "reject", reason: "no" })

    for (const world of [held, half]) {
      const row = world.platform.row("a-1")
      world.platform.delete("a-1")
      await polledFor(world, 20 * second)
      world.server.touch(caseOf(world).id)
      world.platform.put(row)
      await polledFor(world, 5 * second)
    }

    expect(caseOf(held)).toMatchObject({ state: "open", revision: { number: 1 }, votes: [{ verb: "reject" }] })
    expect(caseOf(half)).toMatchObject({ state: "open", revision: { number: 2 }, votes: [] })
  })

  test("keeps what was filled in", async () => {
    const world = await paused({ execution: asksInput, ...twoNeeded })
    await beside(world)
    const filled = { values: { values: { recipient: "Ann" } } }
    await pressed(world, filled)

    await back(world)
    await pressedOn(world, "a-1", { user: "U2", ...filled })

    expect(world.platform.row("a-1").status).toBe("approved")
  })

  test("is a new revision without votes if its content is another one", async () => {
    const world = await halfApproved()

    await back(world, { toolArgs: { table: "orders" } })

    expect(caseOf(world)).toMatchObject({ state: "open", revision: { number: 2 }, votes: [] })
    expect(world.chat.messages.at(-1)?.model.status.kind).toBe("open")
  })

  test("is a new revision without votes under another rule", async () => {
    const world = await halfApproved()
    const row = world.platform.row("a-1")
    world.platform.delete("a-1")
    await polledFor(world, 20 * second)
    const stricter = aPolicy([aRule({ ...twoOfThree, quorum: 3 })])
    world.server.activate(stricter.revision)
    world.platform.put(row)

    await reconcile(world.process(stricter), caseOf(world).id)

    expect(caseOf(world)).toMatchObject({ state: "open", revision: { number: 2 }, votes: [] })
  })

  test("R9 goes on with the verdict that was on its way", async () => {
    const world = await unheard()
    const row = world.platform.row("a-1")
    world.platform.delete("a-1")
    await world.queue.runAll(world.ports, 3_600_000)
    expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "vanished" } })
    world.platform.put(row)

    await poll(world.ports, "main")
    await world.queue.runAll(world.ports)

    expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours", verb: "approve" } })
    expect(new Set(world.platform.bodies).size).toBe(1)
    expect(ledgerKinds(world)).toContain("returned")
  })

  test("R14 keeps no vote that is not sound", async () => {
    const world = await halfApproved()
    const row = world.platform.row("a-1")
    world.platform.delete("a-1")
    await polledFor(world, 20 * second)
    const { id, votes, version } = caseOf(world)
    const next = { ...caseOf(world), votes: votes.map((vote) => ({ ...vote, mac: "" })) }
    await world.ports.store.commit({ next, expectedVersion: version, events: [] })
    world.platform.put(row)

    await reconcile(world.ports, id)

    expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "returned", voided: ["T1:U1"] })
  })
})
