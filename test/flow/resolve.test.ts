// Resolve: the frozen verdict on its way to the platform, and what only the platform's record may say (R9, R10, R14).
import { expect, test } from "vitest"
import { canonicalJson } from "../../src/domain/canonical.ts"
import { isJsonObject, parseJson } from "../../src/domain/json.ts"
import { decide } from "../../src/flow/decide.ts"
import type { Resolved } from "../../src/flow/ports.ts"
import { reconcile } from "../../src/flow/reconcile.ts"
import { resolve } from "../../src/flow/resolve.ts"
import { anApproval, aPolicy, aRule } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { aPress } from "../support/presses.ts"
import { announced, caseOf, ledgerKinds, pressed, takeUp } from "./support.ts"

function answering(answer: Resolved) {
  return { kind: "answer", answer } as const
}

/** A case whose POST nobody knows the fate of: it did not arrive. */
async function unheard(applied = false): Promise<World> {
  const world = createWorld()
  await announced(world)
  world.platform.failResolve({ kind: "unheard", applied })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await pressed(world)
  return world
}

test("R9: the verdict is committed with its exact body before anything is sent", async () => {
  const world = createWorld()
  await announced(world)
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
  const { answer } = await decide(world.ports, aPress(world, caseOf(world), { user: "U2" }))

  await world.queue.runDue(world.ports)

  expect(world.chat.messages[0]?.face.status).toEqual({ kind: "sending", verb: "approve" })
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
  const world = createWorld()
  await announced(world)
  world.platform.failResolve({ kind: "unheard", applied: true })

  const { case: after } = await pressed(world)

  expect(after.outcome?.kind).toBe("ours")
})

test.for([403, 404, 422] as const)(
  "R9: a refusal with %i ends the verdict where every attempt is accounted for",
  async (status) => {
    const world = createWorld()
    await announced(world)
    world.platform.failResolve(answering({ kind: "refused", status, detail: "no" }))

    const { answers, case: after } = await pressed(world)

    expect(answers.at(-1)).toEqual({ kind: "reopened", why: `the platform refused: ${status} no` })
    expect(after).toMatchObject({ state: "open", votes: [], decision: null, sending: null })
    expect(ledgerKinds(world)).toEqual(["opened", "placed", "voted", "decided", "attempted", "reopened"])
    expect(world.alarmCodes()).toContain("resolve-refused")
  },
)

test("R9: after such a refusal people can decide anew", async () => {
  const world = createWorld()
  await announced(world)
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
  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["unaccounted", "refused"])
})

test("R9: other content ends the verdict only where every attempt is accounted for", async () => {
  const world = createWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "later", status: 401, detail: "token expired" }))
  await pressed(world)
  expect(caseOf(world).state).toBe("sending")
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ state: "open", revision: { number: 2 }, votes: [] })
  expect(world.platform.bodies).toHaveLength(1)
  expect(world.chat.messages[0]?.face).toMatchObject({ revision: 2, status: { kind: "open" } })
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

test.for([401, 429])("an answer of %i had no effect, and the verdict is sent again later", async (status) => {
  const world = createWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "later", status, detail: "wait" }))
  const { answers } = await pressed(world)

  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["refused"])
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([])
  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.alarmCodes()).toContain("resolve-refused-for-now")
})

test("R10: a 409 is read back, and a record with our decision is ours", async () => {
  const world = await unheard(true)
  world.platform.change("a-1", { status: "pending" })
  world.platform.beforeResolve(() => world.platform.change("a-1", { status: "approved" }))

  await world.queue.runAll(world.ports)

  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", decisionId: caseOf(world).decision?.id })
})

test("R10: a 409 on a record that somebody else decided is decided elsewhere, and says by whom", async () => {
  const world = createWorld()
  await announced(world)
  world.platform.beforeResolve(() =>
    world.platform.change("a-1", { status: "rejected", resolvedBy: "boss@example.com" }),
  )

  const { case: after } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(after.outcome).toMatchObject({ kind: "elsewhere", status: "rejected", resolvedBy: "boss@example.com" })
  expect(world.chat.messages[0]?.face.status).toMatchObject({ kind: "settled", outcome: { kind: "elsewhere" } })
  expect(world.alarmCodes()).toEqual([])
})

test("R10: a 409 on a record that is still pending is tried again", async () => {
  const world = createWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "conflict", detail: "already 'pending'" }))

  const { answers } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([])
  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.platform.bodies).toHaveLength(2)
})

test("R10: a 200 whose row says something else is not ours", async () => {
  const world = createWorld()
  await announced(world)
  const approval = anApproval({ status: "approved", resolvedBy: "boss@example.com" })
  world.platform.failResolve(answering({ kind: "row", approval }))

  const { case: after } = await pressed(world)

  expect(after.outcome).toMatchObject({ kind: "elsewhere", resolvedBy: "boss@example.com" })
})

test.for(["decision_id", "digest", "mac"])("R10: a record whose %s was changed is not ours", async (field) => {
  const world = await unheard(true)
  const data = world.platform.row("a-1").resolutionData
  const mark = isJsonObject(data?.["countersign"]) ? data["countersign"] : {}
  world.platform.change("a-1", { resolutionData: { countersign: { ...mark, [field]: "0".repeat(64) } } })

  await world.queue.runAll(world.ports)

  expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status: "approved" })
  expect(world.alarmCodes()).toContain("forged-resolution")
})

test("R10: an approval turned into a rejection is not ours, and raises an alarm", async () => {
  const world = await unheard(true)
  world.platform.change("a-1", { status: "rejected" })

  await world.queue.runAll(world.ports)

  expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status: "rejected" })
  expect(world.alarmCodes()).toContain("forged-resolution")
  expect(world.server.ledger.find((entry) => entry.kind === "elsewhere")).toMatchObject({ claimsToBeOurs: true })
})

test("R10: our resolution of another approval is not ours on this one", async () => {
  const world = createWorld()
  await announced(world)
  await announced(world, anApproval({ id: "a-2" }))
  await pressed(world)
  const { resolutionData } = world.platform.row("a-1")
  world.platform.change("a-2", { status: "approved", resolutionData })

  await reconcile(world.ports, caseOf(world, "a-2").id)

  expect(caseOf(world, "a-2").outcome?.kind).toBe("elsewhere")
  expect(world.alarmCodes()).toContain("forged-resolution")
})

test("the body names the verdict, the person, all approvers, the digest and the rules, and its numbers are exact", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ requireReason: "always" })]) })
  await announced(world)
  const values = parseJson('{"amount": 9007199254740993}')
  if (!isJsonObject(values)) throw new Error("no object")

  await pressed(world, { reason: "agreed", values })

  const { decision, revision } = caseOf(world)
  const { name, hash } = revision.quotas[0] ?? {}
  expect(parseJson(world.platform.bodies[0] ?? "")).toMatchObject({
    status: "approved",
    resolved_by: "u1@example.com",
    resolution_data: {
      countersign: { decision_id: decision?.id, reason: "agreed", digest: revision.digest, rules: [{ name, hash }] },
    },
  })
  expect(world.platform.bodies[0]).toContain('"values":{"amount":9007199254740993}')
  expect(canonicalJson(world.platform.row("a-1").resolutionData)).toContain('{"$number":"9007199254740993"}')
})

test("R14: a vote whose seal is broken freezes the case, and nothing is sent", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  await announced(world)
  await pressed(world)
  const current = caseOf(world)
  const votes = current.votes.map((vote) => ({ ...vote, mac: vote.mac.replace(/^./, (c) => (c === "A" ? "B" : "A")) }))
  world.server.overwrite({ ...current, votes })

  const { answers, case: after } = await pressed(world, { user: "U2" })
  await world.queue.runAll(world.ports)

  expect(after.state).toBe("frozen")
  expect(answers).toEqual([{ kind: "frozen" }])
  expect(world.platform.bodies).toEqual([])
  expect(world.alarmCodes()).toContain("frozen-case")
  expect(world.chat.messages[0]?.face.status).toEqual({ kind: "frozen" })
})

test.for([
  { what: "person", change: { person: { team: "T1", user: "U3" } } },
  { what: "revision", change: { revision: 0 } },
  { what: "values", change: { values: { amount: 7 } } },
  { what: "case", change: { caseId: "0".repeat(20) } },
])(
  "R14: the recount refuses a decision whose vote has another $what than the one that was sealed",
  async ({ change }) => {
    const world = await unheard()
    const current = caseOf(world)
    if (current.decision === null) throw new Error("no decision")
    const votes = current.decision.votes.map((vote) => ({ ...vote, ...change }))
    world.server.overwrite({ ...current, decision: { ...current.decision, votes } })

    await resolve(world.ports, current.id)

    expect(caseOf(world).state).toBe("frozen")
    expect(world.platform.bodies).toHaveLength(1)
  },
)

test("R14: the recount refuses a decision that its votes do not reach", async () => {
  const world = await unheard()
  const current = caseOf(world)
  const quotas = current.revision.quotas.map((quota) => ({ ...quota, quorum: 2 }))
  world.server.overwrite({ ...current, revision: { ...current.revision, quotas } })

  await resolve(world.ports, current.id)

  expect(caseOf(world).state).toBe("frozen")
})

test("R14: a case that was changed in Redis is frozen: no press counts, nothing is sent, an alarm is raised", async () => {
  const world = createWorld()
  const current = await announced(world)
  world.server.tamper(current.id)

  const { answer } = await decide(world.ports, aPress(world, current))
  await takeUp(world)

  expect(answer).toEqual({ kind: "frozen" })
  expect(world.platform.bodies).toEqual([])
  expect(world.alarmCodes()).toContain("tampered-case")
  expect(ledgerKinds(world).at(-1)).toBe("frozen")
})

test("R15: what a person filled in is erased once the case is closed", async () => {
  const world = createWorld()
  await announced(world)
  await pressed(world, { values: { secret: "hunter2" } })

  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe("closed")
  expect(JSON.stringify(caseOf(world))).not.toContain("hunter2")
  expect(JSON.stringify(caseOf(world))).not.toContain("customers")
})

test("R9: a job of an older verdict does not send, or account for, a newer one", async () => {
  const world = createWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "later", status: 429, detail: "wait" }))
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
  const world = createWorld()
  await announced(world)
  world.platform.failResolve(answering({ kind: "later", status: 429, detail: "wait" }))
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
  expect(caseOf(world).sending?.attempts.map((one) => one.result)).toEqual(["refused", "unaccounted"])
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
