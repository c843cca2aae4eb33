// Whose a decided record is, and what we tell the platform (R10).

import { expect, test } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import { isJsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { PortFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, answering, caseOf, pressed, takeUp, unheard } from "../support.ts"

test("R10: a 409 is read back, and a record with our decision is ours", async () => {
  const world = await unheard(true)
  world.platform.change("a-1", { status: "pending" })
  world.platform.beforeResolve(() => world.platform.change("a-1", { status: "approved" }))

  await world.queue.runAll(world.ports)

  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", decisionId: caseOf(world).decision?.id })
})

test("R10: a 409 on a record that somebody else decided is decided elsewhere, and says by whom", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => world.platform.change("a-1", { status: "rejected", resolvedBy: "u1@example.com" }))

  const { case: after } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(after.outcome).toMatchObject({ kind: "elsewhere", status: "rejected", resolvedBy: "u1@example.com" })
  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "settled", outcome: { kind: "elsewhere" } })
  expect(world.alarmCodes()).toEqual([])
})

test("R10: a 409 on a record that is still pending is tried again", async () => {
  const world = await announcedWorld()
  world.platform.failResolve(answering({ kind: "conflict", detail: "already 'pending'" }))

  const { answers } = await pressed(world)
  await world.queue.runAll(world.ports)

  expect(answers).toEqual([])
  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.platform.bodies).toHaveLength(2)
})

test("R10: an alarm outlives the process that settled the case, whatever Redis still answered it", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => world.platform.change("a-1", { toolArgs: { table: "orders" } }))
  const unheardOf = new PortFailure({ name: "StoreError", code: "unreachable", retryable: true })
  const commit: typeof world.ports.store.commit = async (next) => {
    const done = await world.ports.store.commit(next)
    return next.events.some(({ kind }) => kind === "elsewhere") ? Promise.reject(unheardOf) : done
  }

  await expect(pressed(world, {}, { ...world.ports, store: { ...world.ports.store, commit } })).rejects.toThrow()
  await takeUp(world)

  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "elsewhere" } })
  expect(world.alarmCodes()).toEqual(["forged-resolution"])
})

test("R10: a 200 whose row says something else is not ours", async () => {
  const world = await announcedWorld()
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
  const world = await announcedWorld()
  await announced(world, anApproval({ id: "a-2" }))
  await pressed(world)
  const { resolutionData } = world.platform.row("a-1")
  world.platform.change("a-2", { status: "approved", resolutionData })

  await reconcile(world.ports, caseOf(world, "a-2").id)

  expect(caseOf(world, "a-2").outcome?.kind).toBe("elsewhere")
  expect(world.alarmCodes()).toContain("forged-resolution")
})

test("the body names the verdict, the person, all approvers, the digest and the rules, and its numbers are exact", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ requireReason: "always" })]) })
  const values = parseJson('{"values": {"amount": 9007199254740993}}')
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

test("R10: our resolution on other content than was decided is not ours, and raises an alarm", async () => {
  const world = await announcedWorld()
  world.platform.beforeResolve(() => world.platform.change("a-1", { toolArgs: { table: "orders" } }))

  const { case: after } = await pressed(world)

  expect(after.outcome).toMatchObject({ kind: "elsewhere", status: "approved" })
  expect(world.alarmCodes()).toContain("forged-resolution")
})
