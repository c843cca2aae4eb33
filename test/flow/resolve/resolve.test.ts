// Resolve: the frozen verdict on its way to the platform (R9).

import { expect, test } from "vitest"
import { cardModelOf } from "../../../src/domain/case/card-model.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import {
  announced,
  announcedWorld,
  answering,
  caseOf,
  decideOn,
  ledgerKinds,
  pressed,
  statusOn,
  unheard,
} from "../support.ts"

test("R9: the verdict is committed with its exact body before anything is sent", async () => {
  const world = await announcedWorld()
  let committed: unknown
  world.platform.beforeResolve(() => {
    const { state, sending, decision } = caseOf(world)
    committed = { state, body: sending?.body, verb: decision?.verb }
  })

  await pressed(world)

  expect(committed).toEqual({ state: "sending", body: world.platform.bodies[0], verb: "approve" })
})

test("R9: after a time-out the card says that the outcome is not known yet, and the person too", async () => {
  const world = await unheard()
  const { answer } = await decideOn(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  await world.queue.runDue(world.ports)

  expect(world.chat.messages[0]?.model.status).toEqual({ kind: "sending", verb: "approve" })
  expect(answer).toEqual({ kind: "already", verb: "approve", users: ["U1"], pending: true })
})

test("R9: after a time-out the same body is sent again, and only after a read", async () => {
  const world = await unheard()
  const reads = world.platform.reads

  await world.queue.runAll(world.ports)

  const [first, second] = world.platform.bodies
  expect(second).toBe(first)
  expect(world.platform.bodies).toHaveLength(2)
  expect(world.platform.reads).toBe(reads + 1)
  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours" } })
})

test("R9: after a time-out of a resolve that took effect nothing is sent again", async () => {
  const world = await unheard(true)

  await world.queue.runAll(world.ports)

  expect(world.platform.bodies).toHaveLength(1)
  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", resolvedBy: "u1@example.com" })
})

test("R9: a time-out whose effect the read right after shows settles at once", async () => {
  const world = await announcedWorld()
  world.platform.failResolve({ kind: "unheard", applied: true })

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test.for([403, 404, 422] as const)(
  "R9: a refusal with %i ends the verdict where every attempt is accounted for",
  async (status) => {
    const world = await announcedWorld()
    world.platform.failResolve(answering({ kind: "refused", status, detail: "no" }))

    const { answers, case: after } = await pressed(world)

    const why = expect.stringContaining(`the platform refused: ${status} no`) as string
    expect(answers.at(-1)).toEqual({ kind: "reopened", why })
    expect(after).toMatchObject({ state: "open", votes: [], decision: null, sending: null })
    expect(ledgerKinds(world)).toEqual(["opened", "placed", "voted", "decided", "attempted", "reopened"])
    expect(world.alarmCodes()).toContain("resolve-refused")
  },
)

test("R9: a refusal is accounted for though another config is active by then, so that the next one ends the verdict", async () => {
  const world = await announcedWorld()
  const refusal = answering({ kind: "refused", status: 403, detail: "no" })
  world.platform.failResolve(refusal, refusal)
  const other = aPolicy([aRule(), aRule({ name: "other" })])
  world.platform.beforeResolve(() => world.server.activate(other.revision))
  await pressed(world).catch(() => undefined) // the end of the verdict rests on the rules that are active then

  await resolve(world.process(other), caseOf(world).id)

  expect(caseOf(world)).toMatchObject({ state: "open", decision: null, sending: null })
})

test("R9: each of two POSTs under way at once accounts for itself, so that two refusals end the verdict", async () => {
  const world = createWorld()
  const { id } = await announced(world)
  const refusal = answering({ kind: "refused", status: 403, detail: "no" })
  world.platform.failResolve(refusal, refusal)
  let posts = 0
  // While the first POST is under way, a sweep takes the case up and sends the second.
  const slow = async (...args: Parameters<typeof world.platform.resolve>) => {
    posts += 1
    if (posts === 1) await resolve(ports, id)
    return world.platform.resolve(...args)
  }
  const ports = { ...world.ports, platforms: new Map([["main", { ...world.platform, resolve: slow }]]) }

  const { case: after } = await pressed(world, {}, ports)

  expect(posts).toBe(2)
  expect(after).toMatchObject({ state: "open", decision: null, sending: null })
})

test("R9: after such a refusal people can decide anew", async () => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "no" }))
  await pressed(world)
  await world.queue.runAll(world.ports)
  world.clock.forward(1_000)

  const { case: after } = await pressed(world, { user: "U2", verb: "reject" })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R9: a refusal does not end the verdict while an earlier attempt is unaccounted for", async () => {
  const world = await unheard()
  world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "no" }))

  await resolve(world.ports, caseOf(world).id)

  expect(caseOf(world).state).toBe("sending")
  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["unheard", "refused"])
})

test("R9: other content ends the verdict only where every attempt is accounted for", async () => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "later", status: 401, detail: "token expired", barred: true }))
  await pressed(world)
  expect(caseOf(world).state).toBe("sending")
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ state: "open", revision: { number: 2 }, votes: [] })
  expect(world.platform.bodies).toHaveLength(1)
  expect(world.chat.messages[0]?.model).toMatchObject({ revision: 2, status: { kind: "open" } })
})

test("R9: other content while an attempt is unaccounted for sends nothing and waits for the record", async () => {
  const world = await unheard()
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  await resolve(world.ports, caseOf(world).id)

  expect(caseOf(world).state).toBe("sending")
  expect(world.platform.bodies).toHaveLength(1)
  expect(world.alarmCodes()).toContain("content-changed-while-sending")
})

test("R9: while a verdict is on its way, votes change nothing", async () => {
  const world = await unheard()

  await pressed(world, { user: "U2", verb: "reject" })

  expect(caseOf(world).decision).toMatchObject({ verb: "approve", votes: [{ person: { user: "U1" } }] })
  expect(ledgerKinds(world).filter((kind) => kind === "voted")).toHaveLength(1)
})

test("while our own credential is refused, card and answers say so, until an attempt comes to something else", async () => {
  const world = await announcedWorld()
  const refused = answering({ kind: "later", status: 401, detail: "token expired", barred: true })
  world.platform.failResolve(refused, refused, answering({ kind: "later", status: 429, detail: "wait", barred: false }))
  const barred = { kind: "sending", verb: "approve", barred: true }
  const shown = () => cardModelOf(caseOf(world), "channel:C1").status

  expect((await pressed(world)).answers).toEqual([{ kind: "unknown-outcome", verb: "approve", barred: true }])
  expect(statusOn(world)).toEqual(barred)
  const underWay: unknown[] = []
  world.platform.beforeResolve(() => underWay.push(shown()))
  await resolve(world.ports, caseOf(world).id)
  expect([...underWay, shown()]).toEqual([barred, barred])
  await resolve(world.ports, caseOf(world).id)
  expect(shown()).toEqual({ kind: "sending", verb: "approve" })
  await world.queue.runAll(world.ports)

  expect(caseOf(world).outcome?.kind).toBe("ours")
})

test.for([401, 429])("an answer of %i had no effect, and the verdict is sent again later", async (status) => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "later", status, detail: "wait", barred: status === 401 }))
  const { answers } = await pressed(world)

  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["refused"])
  await world.queue.runAll(world.ports)

  expect(answers.map(({ kind }) => kind)).toEqual(status === 401 ? ["unknown-outcome"] : [])
  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.alarmCodes()).toContain("resolve-refused-for-now")
})

test("R9: a job of an older verdict does not send, or account for, a newer one", async () => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "later", status: 429, detail: "wait", barred: false }))
  await pressed(world)
  const slow = {
    ...world.platform,
    get: async (id: string) => {
      const record = await world.platform.get(id)
      world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "no" }))
      await resolve(world.ports, caseOf(world).id)
      world.clock.forward(1_000)
      world.platform.failResolve({ kind: "unheard", applied: false })
      await pressed(world, { user: "U2", verb: "reject" })
      return record
    },
  }

  await resolve({ ...world.ports, platforms: new Map([["main", slow]]) }, caseOf(world).id)

  expect(caseOf(world)).toMatchObject({ state: "sending", decision: { verb: "reject" } })
  expect(caseOf(world).sending?.attempts).toHaveLength(1)
  expect(world.platform.bodies).toHaveLength(3)
})

test("R9: other content does not end a verdict that another process sent again meanwhile", async () => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "later", status: 429, detail: "wait", barred: false }))
  await pressed(world)
  const slow = {
    ...world.platform,
    get: async () => {
      world.platform.failResolve({ kind: "unheard", applied: false })
      await resolve(world.ports, caseOf(world).id)
      return { ...world.platform.row("a-1"), toolArgs: { table: "orders" } }
    },
  }

  await resolve({ ...world.ports, platforms: new Map([["main", slow]]) }, caseOf(world).id)

  expect(caseOf(world).state).toBe("sending")
  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["refused", "unheard"])
})

test("a record that was deleted while its verdict was sent is believed gone after ten minutes only", async () => {
  const world = await unheard()
  world.platform.delete("a-1")

  await world.queue.runAll(world.ports, 3_600_000)

  const { outcome } = caseOf(world)
  expect(outcome?.kind).toBe("vanished")
  expect((outcome?.at ?? 0) - noon).toBeGreaterThanOrEqual(600_000)
  expect(world.platform.bodies).toHaveLength(1)
})

test("misses of a record that comes back count no more", async () => {
  const world = await unheard()
  world.platform.failGet("missing", "missing")

  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ missing: null, outcome: { kind: "ours" } })
})
