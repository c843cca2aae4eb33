// What a press is about: content, place and time must be what the person saw (R2, R11, R16, R18).

import { expect, test } from "vitest"
import { caseIdOf } from "../../../src/domain/case/case.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { carryOut, createInbound } from "../../../src/flow/vote/interactions.ts"
import { lateMs } from "../../../src/flow/vote/weigh.ts"
import { anApproval, aPolicy, aRule, installation } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aPress, aView } from "../../support/presses.ts"
import { announced, announcedWorld, carried, caseOf, decideOn, pressed } from "../support.ts"

test("R2: content that changed between card and click is refused, shown anew, and decided on its own", async () => {
  const world = await announcedWorld()
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  const { answers, case: after } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(answers).toMatchObject([{ kind: "changed" }])
  expect(after.revision.number).toBe(2)
  expect(world.platform.effects).toBe(0)
  expect(world.chat.messages[0]?.model).toMatchObject({ revision: 2, approval: { toolArgs: { table: "orders" } } })
  const again = await pressed(world, { interaction: "after looking again" })
  expect(again.case.outcome?.kind).toBe("ours")
})

test("R2: new content makes older votes void, and the thread says whose", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  await pressed(world)
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)

  expect(caseOf(world).votes).toEqual([])
  expect(world.chat.messages[0]?.lines.at(-1)?.event).toMatchObject({ kind: "revised", voided: ["T1:U1"] })
})

test("R2: a lone surrogate can be rejected but not approved", async () => {
  const world = await announcedWorld({}, anApproval({ toolArgs: { text: "\ud800" } }))

  const { answers } = await pressed(world)
  const { case: after } = await pressed(world, { verb: "reject", interaction: "another click" })

  expect(answers).toEqual([{ kind: "unapprovable" }])
  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})

test("R2: content that begins to name a member twice is a new revision, and cannot be approved", async () => {
  const world = await announcedWorld()
  world.platform.change("a-1", { ambiguous: true })

  const { answers } = await pressed(world)

  expect(answers).toMatchObject([{ kind: "changed" }])
  expect(caseOf(world)).toMatchObject({ outcome: null, revision: { number: 2, approvable: false } })
})

test("R2: what the platform changes by itself makes no new revision", async () => {
  const world = await announcedWorld()
  world.platform.change("a-1", { updatedAt: 1, runStatus: "RUNNING", expiresAt: 5 })

  const { case: after } = await pressed(world)

  expect(after).toMatchObject({ revision: { number: 1 }, outcome: { kind: "ours" } })
})

test("R11: a press that is older than 120 s approves nothing and asks to press again", async () => {
  const world = createWorld()
  const press = aPress(world, await announced(world))
  world.clock.forward(lateMs + 1)

  const { answers, case: after } = await carried(world, press)

  expect(answers).toEqual([{ kind: "late" }])
  expect(after.votes).toEqual([])
  expect(world.tickets.waiting).toEqual([])
})

test("R11: a press of exactly 120 s still counts", async () => {
  const world = createWorld()
  const press = aPress(world, await announced(world))
  world.clock.forward(lateMs)

  expect((await carried(world, press)).case.outcome?.kind).toBe("ours")
})

test("R11: a press that was counted before the crash is answered by what became of it, however late", async () => {
  const world = createWorld()
  const press = aPress(world, await announced(world))
  await carried(world, press)
  world.clock.forward(lateMs * 2)

  const { answer } = await decideOn(world.ports, press)

  expect(answer).toEqual({ kind: "resolved", verb: "approve", resolvedBy: "u1@example.com" })
})

test("R11: a delivery that comes twice counts once", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const press = aPress(world, await announced(world))

  await Promise.all([decideOn(world.ports, press), decideOn(world.ports, press)])
  const third = await decideOn(world.ports, press)

  expect(caseOf(world).votes).toHaveLength(1)
  expect(third.answer).toEqual({ kind: "counted", verb: "approve", progress: [{ rule: "all", have: 1, need: 2 }] })
  expect(world.server.ledger.filter((entry) => entry.kind === "voted")).toHaveLength(1)
})

test("R11: a delivery whose vote was voided since does not count again", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const press = aPress(world, caseOf(world))
  await carried(world, press)
  world.platform.change("a-1", { toolArgs: { table: "orders" } })
  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)
  const { revision } = caseOf(world)
  const target = { ...press.target, revision: revision.number, digest: revision.digest.slice(0, 16) }

  const { answer } = await decideOn(world.ports, { ...press, target })

  expect(answer).toMatchObject({ kind: "changed" })
  expect(caseOf(world).votes).toEqual([])
})

test("R16: under another config than the active one nothing is decided, and the press stays a ticket", async () => {
  const world = await announcedWorld()
  world.server.activate("another revision")
  const inbound = createInbound(() => world.ports)

  await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))

  expect(caseOf(world).votes).toEqual([])
  expect(world.tickets.waiting).toHaveLength(1)
  expect(world.chat.told.at(-1)?.answer).toEqual({ kind: "other-config" })
  expect(world.platform.bodies).toEqual([])
})

test("R16: the ticket is carried out by a replica that may", async () => {
  const world = await announcedWorld()
  const other = world.process(aPolicy([aRule({ quorum: 2 })]))
  const inbound = createInbound(() => other)
  const ticket = await inbound.take(aPress(world, caseOf(world)))
  await inbound.carryOut(ticket)
  expect(world.tickets.waiting).toHaveLength(1)

  await createInbound(() => world.ports).carryOut(ticket)

  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.tickets.waiting).toEqual([])
})

test("R16: a press under which another config became active is judged anew by that one, at once", async () => {
  const world = await announcedWorld()
  const stricter = aPolicy([aRule({ quorum: 2 })])
  const newer = world.process(stricter)
  let active = world.ports
  const store: Ports["store"] = {
    ...world.ports.store,
    commit: async (commit) => {
      const done = await world.ports.store.commit(commit)
      if (done.kind === "config") active = newer
      return done
    },
  }
  active = { ...world.ports, store }
  world.server.activate(stricter.revision)
  const inbound = createInbound(() => active)

  await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))

  expect(world.chat.told.at(-1)?.answer).toMatchObject({ kind: "changed" })
  expect(caseOf(world).revision.quotas).toEqual([expect.objectContaining({ quorum: 2 })])
  expect(world.tickets.waiting).toEqual([])
  expect(world.platform.bodies).toEqual([])
})

test.each([
  [4, 0],
  [5, 1],
])(
  "R21: a press under which the orders change %i times is judged anew each time, up to five times",
  async (changes, waits) => {
    const world = await announcedWorld()
    let left = changes
    const next = (): Ports => ({
      ...world.ports,
      store: {
        ...world.ports.store,
        commit: async (commit) => {
          if (commit.interaction === undefined || left === 0) return world.ports.store.commit(commit)
          left -= 1
          active = next()
          return { kind: "config" }
        },
      },
    })
    let active = next()
    const inbound = createInbound(() => active)

    await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))

    expect(world.tickets.waiting).toHaveLength(waits)
    expect(caseOf(world).outcome === null).toBe(waits === 1)
  },
)

test("R16: an instance that another replica has to reach is not asked for, and the press stays a ticket for that one", async () => {
  const world = await announcedWorld()
  const elsewhere = { ...world.ports, platforms: new Map() }
  const inbound = createInbound(() => elsewhere)
  const reads = world.platform.reads

  await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))

  expect(world.chat.told.at(-1)?.answer).toEqual({ kind: "other-config" })
  expect(world.tickets.waiting).toHaveLength(1)
  const left = { code: "instance-elsewhere", retryable: true }
  await expect(reconcile(elsewhere, caseOf(world).id)).rejects.toMatchObject(left)
  const unknown = { ...elsewhere, conduct: new Map() }
  await expect(reconcile(unknown, caseOf(world).id)).rejects.toThrow('no instance "main" in the config')
  expect(world.platform.reads).toBe(reads)
})

test("R16: a replica with another config opens no case", async () => {
  const world = createWorld()
  world.server.activate("another revision")
  world.platform.put(anApproval())

  await expect(poll(world.ports, "main")).rejects.toMatchObject({ code: "other-config", retryable: true })

  expect(world.server.cases()).toEqual([])
})

test.for([
  { what: "another channel", place: { channel: "C9", ts: "1795262400.0" } },
  { what: "another message", place: { channel: "C1", ts: "1.0" } },
])("R18: a button on $what than the one on record decides nothing", async ({ place }) => {
  const world = await announcedWorld()

  const { answer } = await decideOn(world.ports, aPress(world, caseOf(world), { on: { kind: "card", place } }))

  expect(answer).toEqual({ kind: "replaced" })
  expect(world.platform.effects).toBe(0)
})

test.for([
  { what: "an older revision", target: { revision: 0 }, kind: "changed" },
  { what: "another digest", target: { digest: "0".repeat(16) }, kind: "changed" },
  { what: "a digest cut short", target: { digest: "" }, kind: "changed" },
  { what: "another route", target: { route: "channel:C2" }, kind: "replaced" },
  { what: "another installation", target: { installation: "other" }, kind: "unknown-case" },
  { what: "an unknown case", target: { caseId: "0".repeat(20) }, kind: "unknown-case" },
])("R18: a button that names $what decides nothing", async ({ target, kind }) => {
  const world = await announcedWorld()
  const press = aPress(world, caseOf(world))

  const { answer } = await decideOn(world.ports, { ...press, target: { ...press.target, ...target } })

  expect(answer.kind).toBe(kind)
  expect(world.platform.effects).toBe(0)
})

test("R18: a view decides for the person it was opened for", async () => {
  const world = createWorld()
  const current = await announced(world)
  await world.ports.views.remember(aView(current))

  const on = { kind: "view", viewId: "V1" } as const
  const { answer } = await decideOn(world.ports, aPress(world, current, { on, surface: "details" }))

  expect(answer.kind).toBe("resolved")
})

test.for([
  { what: "that we did not open", view: { viewId: "V2" } },
  { what: "of another person", view: { user: "U2" } },
  { what: "of another case", view: { caseId: "0".repeat(20) } },
  { what: "of an older revision", view: { revision: 0 } },
  { what: "of other content", view: { digest: "0".repeat(64) } },
  { what: "of another route", view: { route: "channel:C2" } },
  {
    what: "that is a form, where it says that it is Details,",
    view: { purpose: "form" as const, verb: "approve" as const },
  },
])("R18: a view $what decides nothing", async ({ view }) => {
  const world = createWorld()
  const current = await announced(world)
  await world.ports.views.remember(aView(current, view))

  const on = { kind: "view", viewId: "V1" } as const
  const { answer } = await decideOn(world.ports, aPress(world, current, { on, surface: "details" }))

  expect(answer).toEqual({ kind: "replaced" })
  expect(world.platform.effects).toBe(0)
})

test.for([
  { what: "opened for Approve and sent as Reject", opened: { verb: "approve" }, sent: "reject" },
  { what: "opened for Reject and sent as Approve", opened: { verb: "reject" }, sent: "approve" },
  {
    what: "that stands where we opened Details, sent as Reject,",
    opened: { purpose: "details", verb: null },
    sent: "reject",
  },
  {
    what: "that stands where we opened Details, sent as Approve,",
    opened: { purpose: "details", verb: null },
    sent: "approve",
  },
] as const)("R3 R18: a form $what counts nothing", async ({ opened, sent }) => {
  const world = createWorld()
  const current = await announced(world)
  await world.ports.views.remember(aView(current, { purpose: "form", ...opened }))

  const on = { kind: "view", viewId: "V1" } as const
  const act = { on, surface: "form", verb: sent, reason: "because" } as const
  const { answer } = await decideOn(world.ports, aPress(world, current, act))

  expect(answer).toEqual({ kind: "replaced" })
  expect(caseOf(world).votes).toEqual([])
  expect(world.platform.effects).toBe(0)
})

test.for([
  { reviewed: true, says: "details", surface: "summary" },
  { reviewed: false, says: "summary", surface: "details" },
] as const)("R3: a vote in a view that says $says is sealed as one in what was opened: $surface", async (one) => {
  const world = createWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const current = await announced(world)
  await world.ports.views.remember(aView(current, { reviewed: one.reviewed }))

  const on = { kind: "view", viewId: "V1" } as const
  await decideOn(world.ports, aPress(world, current, { on, surface: one.says }))

  expect(caseOf(world).votes).toMatchObject([{ surface: one.surface }])
})

test("R18: a copy of the card that is not the one on record loses its buttons", async () => {
  const world = createWorld()
  const current = await announced(world)
  const copy = await world.chat.postCard({ ...(world.chat.messages[0]?.model ?? never()) })

  const press = aPress(world, current, { on: { kind: "card", place: copy } })
  const replyTo = { ...press.replyTo, responseUrl: world.chat.responseUrl(copy) } as typeof press.replyTo
  const { answers } = await carried(world, { ...press, replyTo })

  expect(answers).toEqual([{ kind: "replaced" }])
  expect(world.chat.messages[1]?.model.status).toEqual({ kind: "replaced", link: expect.stringMatching(/^https:/) })
  expect(world.chat.messages[0]?.model.status.kind).toBe("open")
})

test("R18: a copy of the card of a case that is closed loses its buttons too", async () => {
  const world = createWorld()
  const current = await announced(world)
  const copy = await world.chat.postCard({ ...(world.chat.messages[0]?.model ?? never()) })
  await pressed(world)
  await world.queue.runAll(world.ports)
  expect(caseOf(world).state).toBe("closed")

  const press = aPress(world, current, { user: "U2", on: { kind: "card", place: copy } })
  const replyTo = { ...press.replyTo, responseUrl: world.chat.responseUrl(copy) } as typeof press.replyTo
  const { answers } = await carried(world, { ...press, replyTo })

  expect(answers).toEqual([{ kind: "replaced" }])
  expect(world.chat.messages[1]?.model.status).toEqual({ kind: "replaced", link: expect.stringMatching(/^https:/) })
})

test("R18: a click that is faster than our note of where the card hangs is told so, and counts by its ticket", async () => {
  const world = createWorld()
  const warned: string[] = []
  const log = { ...world.ports.log, warn: (event: string) => void warned.push(event) }
  world.platform.put(anApproval())
  const ports = {
    ...world.ports,
    chat: {
      ...world.chat,
      postCard: async (model: Parameters<typeof world.chat.postCard>[0]) => {
        const place = await world.chat.postCard(model)
        const replyTo = {
          kind: "response",
          responseUrl: world.chat.responseUrl(place),
          channel: "C1",
          user: "U1",
        } as const
        const press = aPress(world, caseOf(world), { on: { kind: "card", place }, replyTo })
        const inbound = createInbound(() => ({ ...world.ports, log }))
        await inbound.carryOut(await inbound.take(press))
        return place
      },
    },
  }

  await poll(ports, "main")
  await world.queue.runAll(ports)

  expect(world.chat.messages[0]?.model.status.kind).toBe("open")
  expect(world.chat.told.map(({ answer }) => answer.kind)).toEqual(["early"])
  expect(warned).toEqual([])
  for (const ticket of world.tickets.waiting) await carryOut(world.ports, ticket)
  expect(caseOf(world).outcome?.kind).toBe("ours")
})

test("a press on a case that was closed long ago is told how it ended", async () => {
  const world = await announcedWorld()
  await pressed(world)
  await world.queue.runAll(world.ports)

  const { answers } = await pressed(world, { user: "U2" })

  expect(answers).toEqual([{ kind: "already", verb: "approve", users: ["U1"], pending: false }])
  expect(caseOf(world).id).toBe(caseIdOf(installation, "main", "a-1"))
})

function never(): never {
  throw new Error("no card hangs")
}
