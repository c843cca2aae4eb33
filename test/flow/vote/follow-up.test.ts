// What a press leads to on cards and in threads: shown at once by the process that carried it out, by a job only where
// it has to wait.

import { expect, test } from "vitest"
import { present } from "../../../src/flow/card/deliver.ts"
import { createInbound } from "../../../src/flow/vote/interactions.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { PortFailure } from "../../support/port-failure.ts"
import { aPress, aView } from "../../support/presses.ts"
import { announced, announcedWorld, carried, caseOf, lines, pressed, statusOn, takeUp, twoOfThree } from "../support.ts"

const twoChannels = aPolicy([
  aRule({
    routes: [
      { kind: "channel", id: "C1" },
      { kind: "channel", id: "C2" },
    ],
  }),
])

test("all cards and threads say how a press ended, without a job", async () => {
  const world = await announcedWorld({ policy: twoChannels })

  await pressed(world)

  expect([statusOn(world), statusOn(world, "C2")]).toMatchObject([{ kind: "settled" }, { kind: "settled" }])
  expect(lines(world, "C2")).toEqual(["voted", "decided", "resolved"])
  expect(caseOf(world).state).toBe("closed")
  expect([world.queue.waiting, world.tickets.waiting]).toEqual([[], []])
})

test("what could not be shown at once is left to a job, and the press is done", async () => {
  const world = await announcedWorld({ policy: twoChannels })
  world.chat.fail("C2", { kind: "unheard", accepted: false })

  const { answers } = await pressed(world)

  expect(answers).toEqual([])
  expect(world.tickets.waiting).toEqual([])
  expect(world.queue.waiting).toMatchObject([{ kind: "present", caseId: caseOf(world).id }])
  await world.queue.runAll(world.ports)
  expect(statusOn(world, "C2")).toMatchObject({ kind: "settled" })
})

test("while a platform takes its time, the cards say that a verdict is on its way", async () => {
  const world = await announcedWorld({ policy: twoChannels })
  const seen: unknown[] = []
  world.platform.beforeResolve(() => {
    world.timePasses()
    seen.push(...world.queue.waiting.map(({ kind }) => kind))
  })

  await pressed(world)

  expect(seen).toEqual(["present"])
  world.queue.forget()
  world.timePasses()
  expect(world.queue.waiting).toEqual([])
})

test("the cards say so too where the verdict was made late: whoever waits is looked after until the end", async () => {
  const world = await announcedWorld({ policy: twoChannels })
  const { people } = world.ports
  const seen: string[] = []
  const slowly: typeof people = {
    ...people,
    look: (...asked) => {
      world.timePasses()
      world.queue.forget()
      return people.look(...asked)
    },
  }
  world.platform.beforeResolve(() => {
    world.timePasses()
    seen.push(...world.queue.waiting.map(({ kind }) => kind))
  })

  await pressed(world, {}, { ...world.ports, people: slowly })

  expect(seen).toEqual(["present"])
})

test("who was answered is not answered again, however long the threads take: the ticket is gone before them", async () => {
  const world = await announcedWorld({ policy: twoChannels })
  const left: number[] = []
  const chat: typeof world.ports.chat = {
    ...world.ports.chat,
    tell: (...lines) => {
      left.push(world.tickets.waiting.length)
      return world.ports.chat.tell(...lines)
    },
  }

  await pressed(world, {}, { ...world.ports, chat })

  expect(new Set(left)).toEqual(new Set([0]))
  expect(world.chat.told).toEqual([])
})

test("who was answered is not told the opposite because the threads fail, and no job is taken", async () => {
  const world = await announcedWorld({ policy: twoChannels })
  const down = () => Promise.reject(new PortFailure({ name: "QueueError", code: "queue-unreachable", retryable: true }))
  const ports = {
    ...world.ports,
    pace: { ...world.ports.pace, reserve: down },
    jobs: { ...world.ports.jobs, present: down },
  }
  const inbound = createInbound(() => ports)

  await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))

  expect(world.chat.told).toEqual([])
  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", verb: "approve" })
  expect(world.tickets.waiting).toEqual([])
})

test("the card says what the platform's record says, though Redis does not take it, and the ticket stays", async () => {
  const world = await announcedWorld()
  const { store } = world.ports
  let away = false
  world.platform.beforeResolve(() => {
    away = true
  })
  const down = new PortFailure({ name: "StoreError", code: "unreachable", retryable: true })
  const commit: typeof store.commit = (next) => (away ? Promise.reject(down) : store.commit(next))
  const ports = { ...world.ports, store: { ...store, commit } }

  await expect(pressed(world, {}, ports)).rejects.toThrow("unreachable")

  expect(statusOn(world)).toMatchObject({ kind: "settled" })
  expect(caseOf(world).state).toBe("sending")
  expect(world.tickets.waiting).toHaveLength(1)
})

async function withdrawn(world: World): Promise<void> {
  await world.ports.views.remember(aView(caseOf(world)))
  const place = { on: { kind: "view", viewId: "V1" }, replyTo: { kind: "view", viewId: "V1", user: "U1" } } as const
  await carried(world, aPress(world, caseOf(world), { verb: "withdraw", interaction: "withdrawal", ...place }))
}

test("a vote on a card that a dead process was at work on, and taken back, leaves the card as it is then", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  const current = await announced(world)
  const lease = { by: "a dead process", until: world.clock.now() + 15_000 }
  world.server.overwrite({ ...current, cards: current.cards.map((card) => ({ ...card, lease })) })

  await pressed(world)
  expect(world.chat.messages[0]?.model.votes).toHaveLength(1)
  await withdrawn(world)
  world.clock.forward(15_000)
  await takeUp(world)

  expect(caseOf(world).votes).toEqual([])
  expect(world.chat.messages[0]?.model.votes).toEqual([])
})

test("a vote on a card that is just being drawn, and taken back, leaves the card as it is then", async () => {
  const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
  world.platform.change("a-1", { toolArgs: { table: "orders" } })
  await pressed(world)
  const [drawn, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const updateCard: typeof world.ports.chat.updateCard = async (place, model) => {
    const done = await world.ports.chat.updateCard(place, model)
    drawn.resolve()
    await over.promise
    return done
  }
  const current = caseOf(world)
  world.server.overwrite({ ...current, cards: current.cards.map((card) => ({ ...card, modelHash: "as it was" })) })

  const drawing = present({ ...world.ports, chat: { ...world.ports.chat, updateCard } }, current.id)
  await drawn.promise
  world.clock.forward(1_000)
  await pressed(world)
  await withdrawn(world)
  over.resolve()
  await drawing
  await takeUp(world)

  expect(caseOf(world).votes).toEqual([])
  expect(world.chat.messages[0]?.model).toMatchObject({ votes: [], revision: 2 })
})
