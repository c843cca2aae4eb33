// Expiry in the steps, with a clock moved by hand: no more votes, and at most a rejection (R13).

import { describe, expect, test } from "vitest"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import { list } from "../../../src/flow/query/list.ts"
import { reconcile, sweep } from "../../../src/flow/resolve/reconcile.ts"
import { formFor } from "../../../src/flow/vote/forms.ts"
import { anApproval, aPolicy, aRule, aTiming, team } from "../../support/builders.ts"
import { asksInput, paused } from "../resuming.ts"
import {
  announcedWorld,
  answering,
  caseOf,
  ledgerKinds,
  lines,
  minute,
  pass,
  pressed,
  statusOn,
  timed,
  waiting,
} from "../support.ts"

const leaving = timed({ expireAfter: 30 * minute })
const rejecting = timed({ expireAfter: 30 * minute, onExpiry: "reject" })
const person = (user: string) => ({ team, user })

describe("R13 expiry", () => {
  test("expiry by default leaves the record, takes no more votes, and says so on the card and in the thread", async () => {
    const world = await waiting(leaving)

    await pass(world, 30 * minute)

    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: false })
    expect(lines(world)).toEqual(["expired"])
    expect(world.platform.row("a-1").status).toBe("pending")
    for (const verb of ["approve", "reject"] as const) {
      const { answers } = await pressed(world, { verb, user: verb === "approve" ? "U1" : "U2" })
      expect(answers).toEqual([{ kind: "expired", rejected: false }])
    }
    expect(caseOf(world)).toMatchObject({ state: "open", votes: [], decision: null })
    expect(world.platform.bodies).toEqual([])
    expect(world.queue.waiting).toEqual([])
  })

  test("R12 the rejection of an expiry is held where the platform would run what asks for input all the same", async () => {
    const world = await paused({ conduct: { resume: "off" }, execution: asksInput, policy: rejecting })

    await pass(world, 30 * minute)

    expect(world.platform.bodies).toEqual([])
    expect(world.platform.row("a-1").status).toBe("pending")
    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: false })
    expect(lines(world).slice(-2)).toEqual(["expired", "held"])
    expect(world.queue.waiting).toEqual([])
  })

  test("counts from its moment, whether or not anybody noted it", async () => {
    const world = await waiting(timed({ expireAfter: 30 * minute }, { quorum: 2 }))
    await pressed(world, { user: "U1" })
    world.clock.forward(30 * minute)

    const { answers } = await pressed(world, { user: "U2" })
    expect(answers).toEqual([{ kind: "expired", rejected: false }])
    expect(
      await formFor(world.ports, { caseId: caseOf(world).id, route: "channel:C1" }, { verb: "approve" }),
    ).toBeNull()
    const waits = await list(world.ports, person("U2"), { mine: true, filter: {}, offset: 0, limit: 5 })

    expect(waits.total).toBe(0)
    expect(caseOf(world)).toMatchObject({ decision: null, time: { expired: null } })
  })

  test("lets no vote be withdrawn", async () => {
    const world = await waiting(timed({ expireAfter: 30 * minute }, { quorum: 2 }))
    await pressed(world, { user: "U1" })
    await pass(world, 30 * minute)

    const { answers } = await pressed(world, { user: "U1", verb: "withdraw" })

    expect(answers).toEqual([{ kind: "expired", rejected: false }])
    expect(caseOf(world).votes).toHaveLength(1)
  })

  test("expiry that comes while a vote is being judged wins", async () => {
    const world = await waiting(leaving)
    const { platform } = world
    const slow = {
      ...platform,
      get: async (id: string) => {
        world.clock.forward(30 * minute)
        return platform.get(id)
      },
    }

    const { answers } = await pressed(world, {}, { ...world.ports, platforms: new Map([["main", slow]]) })

    expect(answers).toEqual([{ kind: "expired", rejected: false }])
    expect(platform.bodies).toEqual([])
  })

  test("still settles by what is decided elsewhere", async () => {
    const world = await waiting(leaving)
    await pass(world, 30 * minute)
    world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })

    await reconcile(world.ports, caseOf(world).id)
    await world.queue.runDue(world.ports)

    expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "elsewhere" } })
  })

  test("expiry with reject sends one rejection in nobody's name, recognised as ours", async () => {
    const world = await waiting(timed({ expireAfter: 30 * minute, onExpiry: "reject" }, { quorum: 2 }))
    await pressed(world, { user: "U1" })

    await pass(world, 30 * minute)

    expect(world.platform.row("a-1")).toMatchObject({
      status: "rejected",
      resolvedBy: "countersign:expiry",
      resolutionData: {
        countersign: { approvers: [], reason: "nobody decided in time", decision_id: expect.any(String) },
      },
    })
    expect(world.platform.bodies).toHaveLength(1)
    expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours", verb: "reject" } })
    // What is placed at the end is the requester's own card.
    expect(ledgerKinds(world).slice(-5)).toEqual(["expired", "decided", "resolved", "placed", "closed"])
    expect(world.alarmCodes()).toEqual([])
    const { answers } = await pressed(world, { user: "U2" })
    expect(answers).toEqual([{ kind: "expired", rejected: true }])
  })

  test("leaves the record as long as one rule that expires wants that, and is the earliest of several", async () => {
    const rule = (name: string, expireAfter: number, onExpiry: "leave" | "reject") =>
      aRule({ name, timing: aTiming({ expireAfter, onExpiry }), match: name === "possible" ? { team: ["ops"] } : {} })
    const world = await waiting(aPolicy([rule("possible", 60 * minute, "leave"), rule("all", 30 * minute, "reject")]))

    await pass(world, 30 * minute)
    await pass(world, 60 * minute)

    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: false })
    expect(world.platform.bodies).toEqual([])
  })

  test("rejects nothing where a call has no rule", async () => {
    const requirements = ["delete_table", "pay"].map((tool, index) => ({
      id: `r-${index}`,
      tool_execution: {
        tool_call_id: `c-${index}`,
        tool_name: tool,
        tool_args: {},
        approval_type: "required",
        requires_confirmation: true,
        confirmed: null,
      },
    }))
    const policy = timed({ expireAfter: minute, onExpiry: "reject" }, { match: { tool: ["delete_*"] } })
    const world = await announcedWorld({ policy }, anApproval({ requirements }))

    await pass(world, minute)

    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: false })
    expect(world.platform.bodies).toEqual([])
  })

  test("changes nothing on a verdict that is being sent", async () => {
    const world = await waiting(rejecting)
    world.platform.failResolve({ kind: "unheard", applied: false })
    world.platform.beforeResolve(() => world.platform.failGet("timeout"))
    await pressed(world)
    expect(caseOf(world).state).toBe("sending")
    world.queue.forget()

    world.clock.forward(60 * minute)
    await carryOutDeadlines(world.ports)
    await sweep(world.ports)
    await world.queue.runAll(world.ports)

    expect(world.platform.row("a-1")).toMatchObject({ status: "approved", resolvedBy: "u1@example.com" })
    expect(ledgerKinds(world)).not.toContain("expired")
  })

  test("expiry with reject waits for the platform to answer, and sends nothing unread (R9)", async () => {
    const world = await waiting(rejecting)
    world.platform.failGet("timeout")

    await pass(world, 30 * minute)
    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: true })
    expect(world.platform.bodies).toEqual([])
    await pass(world, minute)

    expect(world.platform.row("a-1").status).toBe("rejected")
  })

  test("expiry with reject is tried again after the platform refused, with a decision of its own each time", async () => {
    const world = await waiting(rejecting)
    world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "Insufficient permissions" }))

    await pass(world, 30 * minute)
    expect(caseOf(world)).toMatchObject({ state: "open", decision: null })
    expect(statusOn(world)).toMatchObject({ kind: "expired", rejecting: true })
    await pass(world, minute)

    expect(world.platform.row("a-1").status).toBe("rejected")
    const decisions = world.server.ledger.flatMap((entry) => (entry.kind === "decided" ? [entry.decision] : []))
    expect(new Set(decisions).size).toBe(2)
    expect(world.alarmCodes()).toEqual(["resolve-refused"])
  })

  test("expiry with reject settles by what another decided first", async () => {
    const world = await waiting(rejecting)
    world.platform.beforeResolve(() => world.platform.change("a-1", { status: "approved", resolvedBy: "boss" }))

    await pass(world, 30 * minute)

    expect(caseOf(world)).toMatchObject({ outcome: { kind: "elsewhere", status: "approved", resolvedBy: "boss" } })
  })

  test("is not put off by new content, which is rejected as it is then", async () => {
    const world = await waiting(rejecting)
    world.clock.forward(20 * minute)
    world.platform.change("a-1", { toolArgs: { table: "orders" } })
    await reconcile(world.ports, caseOf(world).id)
    await pass(world, 0)
    expect(caseOf(world).revision.number).toBe(2)

    await pass(world, 10 * minute)

    expect(world.platform.row("a-1")).toMatchObject({ status: "rejected", toolArgs: { table: "orders" } })
  })

  test("stays, whatever the content becomes", async () => {
    const world = await waiting(leaving)
    await pass(world, 30 * minute)
    world.platform.change("a-1", { toolArgs: { table: "orders" } })

    await reconcile(world.ports, caseOf(world).id)
    await world.queue.runDue(world.ports)

    expect(caseOf(world)).toMatchObject({ revision: { number: 2 }, time: { expired: { rejectAt: null } } })
    expect(statusOn(world)).toMatchObject({ kind: "expired" })
    const { answers } = await pressed(world)
    expect(answers).toEqual([{ kind: "expired", rejected: false }])
  })

  test("a rejection without votes that the case does not owe is never sent: the case freezes (R14)", async () => {
    const world = await waiting(rejecting)
    world.platform.failResolve({ kind: "unheard", applied: false })
    world.platform.beforeResolve(() => world.platform.failGet("timeout"))
    await pass(world, 30 * minute)
    const sending = caseOf(world)
    expect(sending.state).toBe("sending")
    const forged = { ...sending, time: { ...sending.time, expired: null } }
    world.server.overwrite(forged)

    await world.queue.runAll(world.ports)

    expect(caseOf(world).state).toBe("frozen")
    expect(world.platform.bodies).toHaveLength(1)
  })
})
