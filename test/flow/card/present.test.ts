// Present: one card per route, each thread line once, whatever Slack does, and no channel waits for another.

import { describe, expect, test } from "vitest"
import { doubtCard } from "../../../src/domain/case/card-steps.ts"
import { cardOn } from "../../../src/domain/case/case.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import { advanceCase } from "../../../src/flow/case/commit.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { aPress } from "../../support/presses.ts"
import { announced, announcedWorld, carried, caseOf, decideOn, pressed, twoOfThree } from "../support.ts"

const twoChannels = aPolicy([aRule({ routes: ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const) })])

/** A case that is open and not on any card yet. */
async function unposted(options: Parameters<typeof createWorld>[0] = { policy: twoChannels }): Promise<World> {
  const world = createWorld(options)
  world.platform.put(anApproval())
  // Where the process has too much to do, others post the cards.
  await poll({ ...world.ports, jobs: { ...world.ports.jobs, isFree: () => false } }, "main")
  return world
}

function hanging(world: World, channel: string) {
  return world.chat.messages.filter((one) => one.place.channel === channel && !one.deleted)
}

test("a card hangs on each route once, and the case knows where", async () => {
  const world = await unposted()

  await world.queue.runAll(world.ports)

  for (const channel of ["C1", "C2"]) {
    expect(hanging(world, channel)).toHaveLength(1)
    expect(cardOn(caseOf(world), `channel:${channel}`)?.place).toEqual(hanging(world, channel)[0]?.place)
  }
})

test("a channel on 429 delays no other, and is served when Slack said so", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "limited", retryAfterMs: 30_000 })

  await world.queue.runDue(world.ports)
  expect([hanging(world, "C1"), hanging(world, "C2")].map((all) => all.length)).toEqual([0, 1])
  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")).toHaveLength(1)
  const [one, two] = ["C1", "C2"].map((channel) => hanging(world, channel)[0]?.postedAt ?? 0)
  expect((one ?? 0) - (two ?? 0)).toBe(30_000)
})

test("a channel on 429 does not keep the other from being settled", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "limited", retryAfterMs: 30_000 })
  await world.queue.runDue(world.ports)

  await pressed(world, { route: "channel:C2" })
  await world.queue.runDue(world.ports)

  expect(hanging(world, "C2")[0]?.model.status.kind).toBe("settled")
  expect(hanging(world, "C2")[0]?.lines.map((line) => line.event.kind)).toEqual([
    "opened",
    "voted",
    "decided",
    "resolved",
  ])
})

test("a post that timed out after Slack took it is found again, not posted twice", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "unheard", accepted: true })

  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")).toHaveLength(1)
  expect(cardOn(caseOf(world), "channel:C1")?.place).toEqual(hanging(world, "C1")[0]?.place)
})

test("a post that timed out is found again, even when looking fails for longer than a lease lasts", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "unheard", accepted: true })
  world.chat.failSearch(40)

  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")).toHaveLength(1)
})

const limitedSearch = () =>
  Object.assign(chatFailure("ratelimited", { retryAfterMs: 3_000 }), { method: "conversations.history" })

test.for([1, 40])(
  "a post that timed out is found again, though %i look-ups are refused for Slack's limit first",
  async (times) => {
    const world = await unposted()
    world.chat.fail("C1", { kind: "unheard", accepted: true })
    world.chat.failSearch(times, limitedSearch())

    await world.queue.runAll(world.ports)

    expect(hanging(world, "C1")).toHaveLength(1)
    expect(hanging(world, "C1")[0]?.lines).toHaveLength(caseOf(world).lines.length)
  },
)

test("R17 what a lost second forgot is looked for until Slack answers, also when that takes longer than Redis counts as new", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  const forgotten = caseOf(world)
  const cards = forgotten.cards.map((card) => ({ ...card, place: null, modelHash: null, told: 0, revision: 0 }))
  world.server.overwrite({ ...forgotten, cards })
  const justBack = { ...world.ports, store: { ...world.ports.store, upForMs: async () => 1_000 } }
  world.clock.forward(2_000)
  world.chat.failSearch(1, limitedSearch())

  await present(justBack, forgotten.id)
  await present(world.ports, forgotten.id)

  expect(hanging(world, "C1")).toHaveLength(1)
})

test("R17 what may be forgotten is looked up once in a run of Redis, as soon as nothing can be under way from the run before", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  let [upForMs, epoch, counted] = [1_000, "second", 0]
  const store = { ...world.ports.store, upForMs: async () => upForMs, epoch: async () => epoch }
  const countLines: typeof world.ports.chat.countLines = (...asked) => {
    counted += 1
    return world.ports.chat.countLines(...asked)
  }
  const justBack = { ...world.ports, store, chat: { ...world.ports.chat, countLines } }
  const drawn = async () => {
    await advanceCase(justBack, caseOf(world), (now) => doubtCard(now, now.cards[0]?.route ?? ""))
    await present(justBack, caseOf(world).id)
    return counted
  }
  world.clock.forward(30_000)

  expect([await drawn(), await drawn()]).toEqual([1, 2])
  upForMs = 20_000
  expect([await drawn(), await drawn(), await drawn()]).toEqual([3, 3, 3])
  epoch = "third"
  expect([await drawn(), await drawn()]).toEqual([4, 4])
})

test("a thread whose lines could not be counted is counted before more are told", async () => {
  const world = await unposted({ policy: aPolicy([twoOfThree]) })
  await world.queue.runAll(world.ports)
  await decideOn(world.ports, aPress(world, caseOf(world)))
  const tell: typeof world.ports.chat.tell = async (...told) => {
    await world.ports.chat.tell(...told)
    throw chatFailure("timeout")
  }
  const unheard = { ...world.ports, chat: { ...world.ports.chat, tell } }
  await expect(present(unheard, caseOf(world).id)).rejects.toThrow("timeout")
  world.chat.failSearch(1, limitedSearch())

  await present(world.ports, caseOf(world).id)
  await present(world.ports, caseOf(world).id)

  expect(caseOf(world).lines.length).toBeGreaterThan(0)
  expect(hanging(world, "C1")[0]?.lines).toHaveLength(caseOf(world).lines.length)
})

test("a post that timed out before Slack took it is posted", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "unheard", accepted: false })

  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")).toHaveLength(1)
})

test.for([20_000, -20_000])("a replica whose clock is off by %i ms works nowhere beside another", async (offMs) => {
  const world = await unposted({ policy: aPolicy() })
  const [posting, posted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const postCard: typeof world.ports.chat.postCard = async (model) => {
    posting.resolve()
    await posted.promise
    return world.ports.chat.postCard(model)
  }
  const { id } = caseOf(world)
  const off = { ...world.ports, clock: () => world.clock.now() + offMs }

  const first = present({ ...off, chat: { ...world.ports.chat, postCard } }, id)
  await posting.promise
  const again = await present(world.ports, id)
  const beside = await present({ ...world.ports, clock: () => world.clock.now() - offMs }, id)
  posted.resolve()
  await first

  expect([again, beside]).toEqual([15_000, 15_000])
  expect(hanging(world, "C1").map(({ lines }) => lines.map(({ number }) => number))).toEqual([[0]])
})

test("a thread line that timed out after Slack took it stands there once", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  await pressed(world)
  world.chat.fail("C2", { kind: "unheard", accepted: true }, { kind: "unheard", accepted: true })

  await world.queue.runAll(world.ports)

  expect(hanging(world, "C2")[0]?.lines.map((line) => line.number)).toEqual([0, 1, 2, 3])
})

test("a card that was deleted is posted again once while it is open, with all its lines", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  world.platform.change("a-1", { toolArgs: { table: "orders" } })
  world.chat.delete(hanging(world, "C2")[0]?.place ?? { channel: "", ts: "" })

  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)

  expect(hanging(world, "C2")).toHaveLength(1)
  expect(hanging(world, "C2")[0]?.lines.map((line) => line.number)).toEqual([0, 1])
})

test("a route that takes no message raises an alarm and keeps neither the other card nor the end of the case", async () => {
  const world = await unposted()
  world.chat.fail("C1", ...Array.from({ length: 50 }, () => ({ kind: "refused", slackCode: "is_archived" }) as const))

  await world.queue.runDue(world.ports)
  await pressed(world, { route: "channel:C2" })
  await world.queue.runAll(world.ports)

  expect(world.alarms).toContainEqual(expect.objectContaining({ code: "route-in-trouble", route: "channel:C1" }))
  expect(hanging(world, "C2")[0]?.model.status.kind).toBe("settled")
  expect(caseOf(world).state).toBe("closed")
})

test("a token that Slack refuses for a moment is no trouble of a route: its card hangs seconds after it is taken again", async () => {
  const world = await unposted()
  const began = world.clock.now()
  const refused = { kind: "refused", slackCode: "invalid_auth" } as const
  for (const channel of ["C1", "C2"]) world.chat.fail(channel, refused, refused)

  await world.queue.runAll(world.ports)

  const late = ["C1", "C2"].map((channel) => (hanging(world, channel)[0]?.postedAt ?? 0) - began)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(6_000)
  expect(Math.max(...late)).toBeLessThan(10_000)
  expect(world.alarms).toEqual([])
  expect(caseOf(world).cards.map(({ trouble, lease }) => [trouble, lease])).toEqual([
    [null, null],
    [null, null],
  ])
})

test("a card whose last edit Slack refused is settled when its route works again, and the case waits for that", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  world.chat.fail("C1", ...Array.from({ length: 3 }, () => ({ kind: "refused", slackCode: "is_archived" }) as const))

  await pressed(world, { route: "channel:C2" })
  await world.queue.runDue(world.ports)
  expect(caseOf(world).state).toBe("settled")
  expect(hanging(world, "C1")[0]?.model.status.kind).toBe("open")
  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")[0]?.model.status.kind).toBe("settled")
  expect(caseOf(world).state).toBe("closed")
})

test("after a day the case waits no more, and a late press settles the card by its own response_url", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  const shown = caseOf(world)
  world.chat.fail("C1", ...Array.from({ length: 500 }, () => ({ kind: "refused", slackCode: "is_archived" }) as const))

  await pressed(world, { route: "channel:C2" })
  for (let tenMinutes = 0; tenMinutes < 26 * 6; tenMinutes += 1) {
    await world.queue.runDue(world.ports)
    world.clock.forward(600_000)
  }
  expect(caseOf(world).state).toBe("closed")
  expect(hanging(world, "C1")[0]?.model.status.kind).toBe("open")
  const { answers } = await carried(world, aPress(world, shown, { interaction: "late", user: "U2" }))

  expect(answers).toMatchObject([{ kind: "already" }])
  expect(hanging(world, "C1")[0]?.model.status.kind).toBe("settled")
})

test("a settled case does not wait for a card that somebody deleted", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  world.chat.delete(hanging(world, "C1")[0]?.place ?? { channel: "", ts: "" })

  await pressed(world, { route: "channel:C2" })
  await world.queue.runDue(world.ports)

  expect(caseOf(world).state).toBe("closed")
})

test("a route that takes messages again after a while gets its card", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "refused", slackCode: "not_in_channel" })

  await world.queue.runAll(world.ports)

  expect(hanging(world, "C1")).toHaveLength(1)
  expect(cardOn(caseOf(world), "channel:C1")?.trouble).toBeNull()
})

test("what a process drew before it died is drawn over, also where the case is again as its card was before", async () => {
  const world = createWorld({ policy: aPolicy([twoOfThree]) })
  const { id } = await announced(world)
  await decideOn(world.ports, aPress(world, caseOf(world)))
  const updateCard: typeof world.ports.chat.updateCard = async (...card) => {
    await world.ports.chat.updateCard(...card)
    throw new Error("died")
  }
  const dying = { ...world.ports, chat: { ...world.ports.chat, updateCard } }
  await expect(present(dying, id)).rejects.toThrow("died")
  expect(hanging(world, "C1")[0]?.model.votes).toHaveLength(1)
  await decideOn(world.ports, aPress(world, caseOf(world), { verb: "withdraw", interaction: "withdrawal" }))

  world.queue.forget()
  world.clock.forward(15_000)
  await present(world.ports, id)

  expect(hanging(world, "C1")[0]?.model.votes).toEqual([])
})

test("while one presenter works on a route, another leaves it alone", async () => {
  const world = await unposted()
  let again: number | null = null
  const ports = {
    ...world.ports,
    chat: {
      ...world.chat,
      postCard: async (model: Parameters<typeof world.chat.postCard>[0]) => {
        again = await present(world.ports, caseOf(world).id)
        return world.chat.postCard(model)
      },
    },
  }

  await present(ports, caseOf(world).id)

  expect(again).toBeGreaterThan(0)
  expect(world.chat.messages).toHaveLength(2)
})

test("429 on a method holds that method only: cards are posted, and other channels edited when it is over", async () => {
  const world = await unposted()
  await world.queue.runAll(world.ports)
  world.chat.fail("C2", { kind: "limited", retryAfterMs: 30_000, method: "chat.update" })
  await pressed(world)
  await world.queue.runDue(world.ports)

  await announced(world, anApproval({ id: "a-2" }))

  expect(world.chat.messages.filter((one) => one.model.approvalId === "a-2")).toHaveLength(2)
  expect(hanging(world, "C2")[0]?.model.status.kind).toBe("open")
  await world.queue.runAll(world.ports)
  expect(hanging(world, "C2")[0]?.model.status.kind).toBe("settled")
})

test("a card that changes again before its edit could go out is edited once, to what it is then", async () => {
  const world = await unposted({ policy: aPolicy([aRule({ quorum: 3, approvers: users("U1", "U2", "U3") })]) })
  await world.queue.runAll(world.ports)
  await world.ports.pace.hold("chat.update", 20_000)
  for (const user of ["U1", "U2"]) {
    const press = aPress(world, caseOf(world), { user })
    if (press.replyTo.kind === "response") world.chat.expire(press.replyTo.responseUrl)
    await carried(world, press)
    await world.queue.runDue(world.ports)
  }

  await world.queue.runAll(world.ports)

  expect(world.chat.edits).toBe(1)
  expect(hanging(world, "C1")[0]?.model.votes).toHaveLength(2)
})

test("the lines of a decision go before new cards that came first", async () => {
  const world = await announcedWorld({ paceMs: 1_000 })
  await world.queue.runAll(world.ports)
  world.clock.forward(1_000)
  world.platform.put(...Array.from({ length: 5 }, (_, at) => anApproval({ id: `b-${at}` })))
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)

  await pressed(world)
  await world.queue.runDue(world.ports)
  world.clock.forward(1_000)
  await world.queue.runDue(world.ports)

  const told = hanging(world, "C1")[0]?.lines.map((line) => line.event.kind)
  expect(told).toEqual(["opened", "voted", "decided", "resolved"])
  expect(hanging(world, "C1")).toHaveLength(2)
})

test("what a thread lacks is told in one message, ten lines at most, each line once", async () => {
  const world = createWorld()
  const current = await announced(world)
  const reminders = Array.from({ length: 23 }, (_, at) => ({
    kind: "reminded" as const,
    at,
    people: [],
    more: 0,
    by: null,
  }))
  world.server.overwrite({ ...current, lines: [...current.lines, ...reminders] })
  const messages: number[] = []
  const tell: typeof world.ports.chat.tell = (place, model, lines) => {
    messages.push(lines.events.length)
    return world.ports.chat.tell(place, model, lines)
  }

  await present({ ...world.ports, chat: { ...world.ports.chat, tell } }, current.id)

  expect(messages).toEqual([10, 10, 3])
  expect(hanging(world, "C1")[0]?.lines.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, at) => at))
})

test("what one message does not hold goes into the next, and what Slack finds too long is told shorter, each line once", async () => {
  const world = createWorld()
  const current = await announced(world)
  const reminded = { kind: "reminded", at: 0, people: [], more: 0, by: null } as const
  world.server.overwrite({ ...current, lines: [...current.lines, ...Array.from({ length: 7 }, () => reminded)] })
  world.chat.narrow({ lines: 3, shorter: 2 })

  await present(world.ports, current.id)

  expect(hanging(world, "C1")[0]?.lines.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(caseOf(world).cards[0]).toMatchObject({ told: 8, lease: null, trouble: null })
})

describe("who is asked by e-mail", () => {
  const approvers = ["u1@example.com", "nobody@example.com"].map((email) => ({ kind: "email", email }) as const)
  const policy = aPolicy([aRule({ approvers: [...approvers, ...users("U1", "U2")] })])
  const askedIn = (world: World) =>
    hanging(world, "C1")[0]?.lines.flatMap(({ event }) => (event.kind === "opened" ? event.asked : []))[0]

  test("is told once, and not at all where it means nobody", async () => {
    const world = createWorld({ policy })

    const current = await announced(world)

    expect(askedIn(world)).toMatchObject({ names: ["Name of U1"], approvers: ["U2"] })
    expect(current.lines[0]).toMatchObject({
      asked: [{ approvers: ["u1@example.com", "nobody@example.com", "U1", "U2"] }],
    })
  })

  test("is mentioned by the id that it is pinned to, since the card cannot", async () => {
    const world = createWorld({ policy: aPolicy([aRule({ approvers })]) })

    await announced(world)

    expect(askedIn(world)).toMatchObject({ names: [], approvers: ["U1"] })
  })

  test("R7 is not mentioned while the address is contested", async () => {
    const world = createWorld({ policy: aPolicy([aRule({ approvers })]) })
    await world.ports.identityLinks.pin("u1@example.com", { team: "T1", user: "U1" }, world.clock.now())
    await world.ports.identityLinks.contest("u1@example.com", { team: "T1", user: "U3" }, world.clock.now())

    await announced(world)

    expect(askedIn(world)).toMatchObject({ names: [], approvers: [] })
  })

  test("is not mentioned, and is asked all the same, while Slack does not say who it is", async () => {
    const world = createWorld({ policy })
    world.people.fail(chatFailure("timeout"))

    await announced(world)

    expect(askedIn(world)).toMatchObject({ names: [], approvers: [] })
  })
})

describe("who may not decide", () => {
  const listed = aRule({ approvers: users("U1", "UGUEST", "U2", "UGONE", "U3", "UFAR", "UNOBODY") })
  const strangers = [
    aPerson({ user: "UGUEST", guest: true }),
    aPerson({ user: "UGONE", deactivated: true }),
    aPerson({ user: "UFAR", external: true }),
  ]

  test("is not told among those who were asked; whom the card mentions is named, who comes after them mentioned", async () => {
    const world = createWorld({ policy: aPolicy([listed]) })
    world.people.set(...strangers)

    await announced(world)

    const [line] = hanging(world, "C1")[0]?.lines ?? []
    expect(line?.event).toMatchObject({ asked: [{ names: ["Name of U1", "Name of U2"], approvers: ["U3"] }] })
  })

  test("is named where the rule lets guests and people of other workspaces decide", async () => {
    const world = createWorld({ policy: aPolicy([{ ...listed, allowGuests: true, allowExternal: true }]) })
    world.people.set(...strangers)

    await announced(world)

    const [line] = hanging(world, "C1")[0]?.lines ?? []
    const names = ["U1", "UGUEST", "U2"].map((user) => `Name of ${user}`)
    expect(line?.event).toMatchObject({ asked: [{ names, approvers: ["U3", "UFAR"] }] })
  })

  test("is not mentioned either, where other rules ask others", async () => {
    const world = createWorld()
    world.people.set(...strangers)
    world.people.group("S1", "U1")
    await announced(world)
    const group = { kind: "group", id: "S1" } as const
    const changed = aPolicy([{ ...listed, approvers: [...listed.approvers, group] }])
    world.server.activate(changed.revision)
    const others = world.process(changed)

    await poll(others, "main")
    await world.queue.runAll(others)

    const lines = hanging(world, "C1")[0]?.lines ?? []
    expect(lines.at(-1)?.event).toMatchObject({
      kind: "revised",
      asked: [{ names: [], approvers: ["U1", "U2", "U3", "S1"] }],
    })
  })
})

test("the line that says who was asked waits until the new cards hang", async () => {
  const world = createWorld({ paceMs: 1_000 })
  world.platform.put(...Array.from({ length: 3 }, (_, at) => anApproval({ id: `a-${at}` })))
  await poll(world.ports, "main")
  const told = () => hanging(world, "C1").map(({ lines }) => lines.map(({ event }) => event.kind))

  for (const ms of [0, 1_000, 1_000]) {
    world.clock.forward(ms)
    await world.queue.runDue(world.ports)
  }

  expect(told()).toEqual([[], [], []])
  await world.queue.runAll(world.ports)
  expect(told()).toEqual([["opened"], ["opened"], ["opened"]])
})

function users(...ids: readonly string[]) {
  return ids.map((id) => ({ kind: "user", id }) as const)
}

test("posts keep Slack's pace: one message a second and channel", async () => {
  const world = createWorld({ paceMs: 1_000 })
  world.platform.put(...Array.from({ length: 5 }, (_, at) => anApproval({ id: `a-${at}` })))
  await poll(world.ports, "main")

  await world.queue.runAll(world.ports)

  const times = world.chat.messages.map((one) => one.postedAt)
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  expect(gaps).toHaveLength(4)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000)
})

test("a case that shows all there is makes no more calls", async () => {
  const world = await announcedWorld()
  const { version } = caseOf(world)

  await present(world.ports, caseOf(world).id)

  expect(caseOf(world).version).toBe(version)
})

test("the card that was clicked shows the end at once, by the click itself", async () => {
  const world = await announcedWorld()

  await pressed(world)

  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "settled", outcome: { kind: "ours" } })
})

test("a click whose response_url expired is answered, and the card follows by its job", async () => {
  const world = await announcedWorld()

  const press = aPress(world, caseOf(world))
  if (press.replyTo.kind === "response") world.chat.expire(press.replyTo.responseUrl)

  const { answers } = await carried(world, press)
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([{ kind: "resolved", verb: "approve", resolvedBy: "u1@example.com" }])
  expect(world.chat.messages[0]?.model.status.kind).toBe("settled")
})

test("a route that fails ends only when the others have done their work", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "unheard", accepted: false })

  await expect(present(world.ports, caseOf(world).id)).rejects.toMatchObject({ code: "timeout" })

  expect(cardOn(caseOf(world), "channel:C2")?.place).toEqual(hanging(world, "C2")[0]?.place)
  expect(cardOn(caseOf(world), "channel:C2")?.lease).toBeNull()
})

test("a card that is posted again where nobody may look says that it replaces the first", async () => {
  const world = await unposted()
  world.chat.blind()
  world.chat.fail("C1", { kind: "unheard", accepted: true })
  await expect(present(world.ports, caseOf(world).id)).rejects.toMatchObject({ code: "timeout" })

  await present(world.ports, caseOf(world).id)

  expect(hanging(world, "C1").map(({ model }) => model.replaces)).toEqual([false, true])
  expect(hanging(world, "C2").map(({ model }) => model.replaces)).toEqual([false])
})

test("a card that is posted again where we may look replaces none: the first is found", async () => {
  const world = await unposted()
  world.chat.fail("C1", { kind: "unheard", accepted: true })
  await expect(present(world.ports, caseOf(world).id)).rejects.toMatchObject({ code: "timeout" })

  await present(world.ports, caseOf(world).id)

  expect(hanging(world, "C1").map(({ model }) => model.replaces)).toEqual([false])
})

test.for([
  ["the card", 0],
  ["the case", 0],
  ["the card", -20_000],
] as const)(
  "R17: %s that Redis forgot is found where it hangs, with its lines, by a replica whose clock is %d ms ahead",
  async ([what, aheadMs]) => {
    const world = createWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
    const empty = world.server.snapshot()
    world.platform.put(anApproval({ createdAt: world.clock.now() - 10_000 }))
    await poll(world.ports, "main")
    const opened = world.server.snapshot()
    await world.queue.runAll(world.ports)
    await pressed(world, {})
    await world.queue.runAll(world.ports)
    const lines = world.chat.messages[0]?.lines.map(({ number }) => number)

    world.clock.forward(2_000)
    world.server.restart(what === "the card" ? opened : empty)
    world.queue.forget()
    const ports = { ...world.ports, clock: () => world.clock.now() + aheadMs }
    await poll(ports, "main")
    await present(ports, caseOf(world).id)

    expect(world.chat.messages).toHaveLength(1)
    expect(world.chat.messages[0]?.lines.map(({ number }) => number)).toEqual(lines)
  },
)
