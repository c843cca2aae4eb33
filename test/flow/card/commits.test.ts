// How often a case is committed: each commit is a round trip, and what belongs together is one.
import { expect, test } from "vitest"
import { cardOn } from "../../../src/domain/case/case.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import type { Commit, Ports } from "../../../src/flow/ports.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announcedWorld, carried, caseOf } from "../support.ts"

const twoChannels = aPolicy([aRule({ routes: ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const) })])

/** The ports, and what was committed through them: the state after it, and the routes that are leased then. */
function counted(ports: Ports): { readonly ports: Ports; readonly commits: readonly string[] } {
  const commits: string[] = []
  const commit = async (order: Commit) => {
    const done = await ports.store.commit(order)
    if (done.kind === "committed") {
      const leased = done.case.cards.flatMap(({ route, lease }) => (lease === null ? [] : [route]))
      commits.push([done.case.state, ...leased].join(" "))
    }
    return done
  }
  return { ports: { ...ports, store: { ...ports.store, commit }, underAny: { commit } }, commits }
}

test("a click that decides takes four commits, whoever asked is told by one of them", async () => {
  const world = await announcedWorld()
  const { ports, commits } = counted(world.ports)

  await carried(world, aPress(world, caseOf(world)), ports)

  expect(commits).toEqual(["sending", "settled", "settled channel:C1 person:UASK", "closed"])
  expect(world.chat.messages.map(({ place }) => place.channel)).toEqual(["C1", "DUASK"])
})

test("a new approval takes two commits: opened with the leases of its cards, and where they hang", async () => {
  const world = createWorld({ policy: twoChannels })
  world.platform.put(anApproval())
  const { ports, commits } = counted(world.ports)

  await poll(ports, "main")
  await world.queue.runDue(ports)

  // Where a card hangs is remembered before its thread is told.
  expect(commits).toEqual(["open channel:C1 channel:C2", "open", "open channel:C1 channel:C2", "open"])
  expect(world.chat.messages).toHaveLength(2)
})

test("only cards that may be posted now are leased; the others are posted in their turn", async () => {
  const world = createWorld({ policy: twoChannels, paceMs: 1_000 })
  await world.ports.pace.reserve({ buckets: ["channel:C2"], key: "somebody", rank: "card" })
  world.platform.put(anApproval())
  const { ports, commits } = counted(world.ports)

  await poll(ports, "main")
  await world.queue.runAll(ports)

  expect(commits[0]).toBe("open channel:C1")
  expect(world.chat.messages.map(({ place }) => place.channel)).toEqual(["C1", "C2"])
})

test("only the first of a backlog is leased as it is opened: the others wait in line as before", async () => {
  const world = createWorld({ policy: aPolicy(), paceMs: 1_000 })
  for (const id of ["a-1", "a-2", "a-3"]) world.platform.put(anApproval({ id, runId: id }))
  const { ports, commits } = counted(world.ports)

  await poll(ports, "main")

  expect(commits).toEqual(["open channel:C1", "open", "open"])
  await world.queue.runAll(ports)
  expect(world.chat.messages).toHaveLength(3)
})

test("a process that has too much to do leases nothing, and another one posts the cards", async () => {
  const world = createWorld()
  world.platform.put(anApproval())
  const { ports, commits } = counted({ ...world.ports, jobs: { ...world.ports.jobs, isFree: () => false } })

  await poll(ports, "main")

  expect(commits).toEqual(["open"])
  await present(world.ports, caseOf(world).id)
  expect(world.chat.messages).toHaveLength(1)
})

test("a process that dies after it opened a case leaves leases: another posts the cards when they are over", async () => {
  const world = createWorld()
  world.platform.put(anApproval())
  await poll(world.ports, "main")
  world.queue.forget()

  expect(await present(world.ports, caseOf(world).id)).toBe(15_000)
  world.clock.forward(15_000)
  await present(world.ports, caseOf(world).id)

  expect(world.chat.messages).toHaveLength(1)
  expect(cardOn(caseOf(world), "channel:C1")?.place).toEqual(world.chat.messages[0]?.place)
})

test("what was done on one route does not wait long for another: where the card hangs is known meanwhile", async () => {
  const world = createWorld({ policy: twoChannels })
  world.platform.put(anApproval())
  await poll(world.ports, "main")
  const answered = Promise.withResolvers<void>()
  const postCard: World["ports"]["chat"]["postCard"] = async (model) => {
    if (model.route === "channel:C2") await answered.promise
    return world.ports.chat.postCard(model)
  }
  const posting = world.queue.runDue({ ...world.ports, chat: { ...world.ports.chat, postCard } })
  await expect.poll(() => world.chat.messages.length).toBe(1)

  world.timePasses()
  await expect.poll(() => cardOn(caseOf(world), "channel:C1")?.place).toEqual(world.chat.messages[0]?.place)
  expect(cardOn(caseOf(world), "channel:C2")?.place).toBeNull()

  answered.resolve()
  await posting
  expect(cardOn(caseOf(world), "channel:C2")?.place).toEqual(world.chat.messages[1]?.place)
})

test("R21 what was posted is remembered although something was ordered meanwhile, so nobody posts it a second time", async () => {
  const world = createWorld()
  const { ports, chat } = world
  world.platform.put(anApproval())
  const commit = async (order: Commit) =>
    chat.messages.length > 0 ? ({ kind: "config" } as const) : ports.store.commit(order)
  const ordered = { ...ports, store: { ...ports.store, commit } }

  await poll(ordered, "main")
  await world.queue.runDue(ordered).catch(() => undefined)

  const [card] = caseOf(world).cards
  expect(chat.messages).toHaveLength(1)
  expect(card).toMatchObject({ place: chat.messages[0]?.place, lease: null })
})

test("R15 a case closes only under what is ordered as it closes; what its cards show is remembered all the same", async () => {
  const world = await announcedWorld()
  const { ports } = world
  const commit = async (order: Commit) =>
    order.next.state === "closed" ? ({ kind: "config" } as const) : ports.store.commit(order)
  const ordered = { ...ports, store: { ...ports.store, commit } }

  await carried(world, aPress(world, caseOf(world)), ordered).catch(() => undefined)

  const { state, cards } = caseOf(world)
  expect(state).toBe("settled")
  expect(cards.map(({ lease }) => lease)).toEqual([null, null])
  await present(ports, caseOf(world).id)
  expect(caseOf(world).state).toBe("closed")
  expect(world.chat.messages).toHaveLength(2)
})
