// Limits at a vote: what was approved within a window is added up, and above an amount more people must agree.
import { describe, expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { amountAsText } from "../../../src/domain/limit/amount.ts"
import { whoseSum } from "../../../src/domain/limit/limit.ts"
import { totalOf } from "../../../src/domain/limit/sum.ts"
import type { Rule, RuleLimit } from "../../../src/domain/rule/rule.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, type PressChanges } from "../../support/presses.ts"
import { announced, announcedWorld, answering, carried, caseOf, ledgerKinds, takeUp } from "../support.ts"

const users = (...ids: readonly string[]): Rule["approvers"] => ids.map((id) => ({ kind: "user", id }))
const hour = 3_600_000
const sum = { instance: "main", sum: "args.amount", per: "args.recipient" }
const raised = "payments, above its limit"

function aLimit(changes: Partial<RuleLimit> = {}): RuleLimit {
  const asks = { quorum: 2, approvers: users("U1", "U2", "U3"), routes: [{ kind: "channel", id: "C2" } as const] }
  return { sum: "args.amount", per: "args.recipient", windowMs: 24 * hour, above: "1000", asks, ...changes }
}

function aLimitedWorld(changes: Partial<RuleLimit> = {}): World {
  const rule = aRule({ name: "payments", approvers: users("U1", "U2"), limit: aLimit(changes) })
  return createWorld({ policy: aPolicy([rule]) })
}

function pays(id: string, args: JsonObject = {}): Approval {
  const toolArgs = { amount: 999, recipient: "Bob", ...args }
  return anApproval({ id, runId: `run-${id}`, toolName: "pay", toolArgs })
}

/** A press on the card of an approval, carried out. */
function press(world: World, id: string, changes: PressChanges = {}, ports: Ports = world.ports) {
  const interaction = `${id} ${changes.user ?? "U1"} ${changes.verb ?? "approve"}`
  return carried(world, aPress(world, caseOf(world, id), { interaction, ...changes }), ports)
}

/** What stands in the sum of a recipient. */
function total(world: World, recipient: string | null = "Bob"): string {
  const { state } = world.server.sums.read(sum)
  return state === null ? "none" : amountAsText(totalOf(state, whoseSum(recipient ?? undefined), world.clock.now()))
}

function rulesOf(world: World, id: string): readonly string[] {
  return caseOf(world, id).revision.quotas.map(({ name }) => name)
}

describe("a limit over many calls", () => {
  test("is not passed by the first call, and counts it from its decision on", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    const before = rulesOf(world, "a-1")

    await press(world, "a-1")

    expect(before).toEqual(["payments"])
    expect(world.platform.row("a-1").status).toBe("approved")
    expect(total(world)).toBe("999")
    expect(world.server.sums.events.map(({ kind }) => kind)).toEqual(["sum-begun", "sum-added"])
  })

  test("lets nobody split an amount: fifty times 999 is not under 1,000", async () => {
    const world = aLimitedWorld()
    const ids = Array.from({ length: 50 }, (_, at) => `a-${at}`)

    for (const id of ids) {
      await announced(world, pays(id))
      await press(world, id)
    }

    expect(ids.filter((id) => world.platform.row(id).status === "approved")).toEqual(["a-0"])
    expect(rulesOf(world, "a-1")).toEqual(["payments", raised])
    expect(caseOf(world, "a-1").cards.map(({ route }) => route)).toEqual(["channel:C1", "channel:C2"])
  })

  test("is judged again by the vote that decides, and asks others then, without a new revision", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    await announced(world, pays("a-2"))
    await press(world, "a-1")

    const { case: between } = await press(world, "a-2")

    expect(between).toMatchObject({ state: "open", revision: { number: 1 }, votes: [{ person: { user: "U1" } }] })
    expect(rulesOf(world, "a-2")).toEqual(["payments", raised])
    expect(between.cards.map(({ route }) => route)).toEqual(["channel:C1", "channel:C2"])
    expect(ledgerKinds(world, "a-2")).toContain("raised")
    await press(world, "a-2", { user: "U3" })
    expect(world.platform.row("a-2")).toMatchObject({ status: "approved", resolvedBy: expect.any(String) })
    expect(total(world)).toBe("1998")
  })

  test("counts an earlier vote under what it asks only where that lists the voter", async () => {
    const asks = { quorum: 1, approvers: users("U3"), routes: [] }
    const world = aLimitedWorld({ asks })
    await announced(world, pays("a-1"))
    await announced(world, pays("a-2"))
    const { answers } = await press(world, "a-2", { user: "U3" })
    await press(world, "a-1")

    await press(world, "a-2")
    const between = caseOf(world, "a-2").state
    await press(world, "a-2", { user: "U3", interaction: "again" })

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "not-approver" } }])
    expect(between).toBe("open")
    expect(world.platform.row("a-2").status).toBe("approved")
  })

  test("names the rule that it demanded in what is sent and in the vote", async () => {
    const world = aLimitedWorld({ above: "100", asks: { quorum: 1, approvers: users("U1"), routes: [] } })
    await announced(world, pays("a-1"))

    await press(world, "a-1")

    const { countersign } = world.platform.row("a-1").resolutionData as { countersign: { rules: unknown } }
    expect(countersign.rules).toMatchObject([{ name: "payments" }, { name: raised }])
    expect(world.server.ledger.find(({ kind }) => kind === "voted")).toMatchObject({ rules: ["payments", raised] })
  })

  test("keeps owners apart, however their names are written", async () => {
    const world = aLimitedWorld()
    for (const [id, recipient] of [
      ["a-1", "Bob"],
      ["a-2", "Eve"],
      ["a-3", " ｂｏｂ"],
    ] as const) {
      await announced(world, pays(id, { recipient }))
      await press(world, id)
    }

    expect(["a-1", "a-2", "a-3"].map((id) => world.platform.row(id).status)).toEqual([
      "approved",
      "approved",
      "pending",
    ])
  })

  test("takes a sum of just the limit, digit by digit", async () => {
    const world = aLimitedWorld({ above: "0.3" })
    for (const id of ["a-1", "a-2", "a-3"]) {
      await announced(world, pays(id, { amount: 0.1 }))
      await press(world, id)
    }
    await announced(world, pays("a-4", { amount: 1e-15 }))

    expect(total(world)).toBe("0.3")
    expect(rulesOf(world, "a-4")).toContain(raised)
  })

  test("forgets what left its window", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    await press(world, "a-1")
    world.clock.forward(25 * hour)

    await announced(world, pays("a-2"))
    await press(world, "a-2")

    expect(world.platform.row("a-2").status).toBe("approved")
    expect(total(world)).toBe("999")
  })

  test("adds up all calls of a case", async () => {
    const world = aLimitedWorld()
    const call = (id: string) => aRequirement("pay", { tool_call_id: id, tool_args: { amount: 600, recipient: "Bob" } })
    const both = anApproval({ toolName: "pay", toolArgs: null, requirements: [call("c-1"), call("c-2")] })
    const { revision } = await announced(world, both)
    await press(world, "a-1")
    await press(world, "a-1", { user: "U2" })

    expect(revision.limits).toMatchObject([{ passed: true, sums: [{ before: "0", adds: "1200" }] }])
    expect(total(world)).toBe("1200")
  })
})

describe("a limit", () => {
  test.each([
    ["an amount below 0", { amount: -5 }],
    ["no amount", { amount: null }],
    ["an amount that is a text", { amount: "999" }],
    ["a list of amounts", { amount: [999] }],
    ["a number that nobody compares", parseJson(`{"amount": 1e9999}`) as JsonObject],
  ])("asks more people for %s, and adds nothing", async (_what, args) => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1", args))
    await press(world, "a-1")
    const between = world.platform.row("a-1").status
    await press(world, "a-1", { user: "U2" })

    expect(caseOf(world).revision.limits).toMatchObject([{ passed: true, doubt: "amount" }])
    expect([between, world.platform.row("a-1").status]).toEqual(["pending", "approved"])
    expect(total(world)).toBe("0")
  })
})

test("calls whose owner nobody can tell share one sum", async () => {
  const world = aLimitedWorld()
  await announced(world, pays("a-1", { recipient: null }))
  await press(world, "a-1")
  await announced(world, pays("a-2", { recipient: "bo\u200bb" }))

  expect(total(world, null)).toBe("999")
  expect(rulesOf(world, "a-2")).toContain(raised)
})

test("one sum counts for all calls where a limit names nobody", async () => {
  const { per: _per, ...limit } = aLimit()
  const world = await announcedWorld({ policy: aPolicy([aRule({ name: "payments", limit })]) }, pays("a-1"))
  await press(world, "a-1")
  await announced(world, pays("a-2", { recipient: "Eve" }))

  expect(rulesOf(world, "a-2")).toContain(raised)
})

describe("what was added", () => {
  test("is taken away, once, when the platform definitely refuses", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    world.platform.failResolve(answering({ kind: "refused", status: 403, detail: "no" }))
    await press(world, "a-1")
    const freed = total(world)
    await press(world, "a-1", { interaction: "again" })

    expect(freed).toBe("0")
    expect(world.platform.row("a-1").status).toBe("approved")
    expect(total(world)).toBe("999")
    expect(world.server.sums.events.map(({ kind }) => kind)).toEqual([
      "sum-begun",
      "sum-added",
      "sum-freed",
      "sum-added",
    ])
  })

  test("stays while nobody knows whether it was carried out, and when the approval vanishes", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    await announced(world, pays("a-other", { recipient: "Eve" }))
    world.platform.failResolve({ kind: "unheard", applied: false })
    world.platform.beforeResolve(() => world.platform.failGet("timeout"))
    await press(world, "a-1")
    const unheard = total(world)
    world.platform.delete("a-1")
    for (let tries = 0; tries < 4; tries += 1) {
      world.clock.forward(200_000)
      await takeUp(world)
    }

    expect(unheard).toBe("999")
    expect(caseOf(world).outcome).toMatchObject({ kind: "vanished" })
    expect(total(world)).toBe("999")
  })

  test("is taken away when somebody else rejected it first", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    world.platform.beforeResolve(() => world.platform.change("a-1", { status: "rejected" }))
    await press(world, "a-1")

    expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status: "rejected" })
    expect(total(world)).toBe("0")
    expect(caseOf(world)).not.toHaveProperty("reserved")
  })

  test("counts what was approved elsewhere, once", async () => {
    const world = aLimitedWorld()
    const { id } = await announced(world, pays("a-1"))
    world.platform.change("a-1", { status: "approved", resolvedBy: "ops" })
    await reconcile(world.ports, id)
    await reconcile(world.ports, id)

    expect(total(world)).toBe("999")
  })

  test("is nothing for a rejection", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    await press(world, "a-1", { verb: "reject", reason: "no" })

    expect(world.platform.row("a-1").status).toBe("rejected")
    expect(total(world)).toBe("0")
  })
})

describe("a limit whose sum", () => {
  test("lost its end asks more people until one window is over", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-0", { amount: 1 }))
    world.server.touchSum(sum)
    await announced(world, pays("a-1", { amount: 1 }))
    await press(world, "a-1")
    const between = world.platform.row("a-1").status
    await press(world, "a-1", { user: "U2" })
    await announced(world, pays("a-2", { amount: 1 }))
    world.clock.forward(25 * hour)
    await announced(world, pays("a-3", { amount: 1 }))

    expect([between, world.platform.row("a-1").status]).toEqual(["pending", "approved"])
    expect(caseOf(world, "a-2").revision.limits).toMatchObject([{ passed: true, doubt: "unknown" }])
    expect(rulesOf(world, "a-3")).toEqual(["payments"])
  })

  test("somebody changed asks more people, and raises an alarm", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-0", { amount: 1 }))
    world.server.sums.tamper(sum)
    await announced(world, pays("a-1", { amount: 1 }))
    await press(world, "a-1")
    await press(world, "a-1", { user: "U2" })

    expect(world.alarmCodes()).toContain("sum-behind")
    expect(rulesOf(world, "a-1")).toEqual(["payments", raised])
    expect(world.platform.row("a-1").status).toBe("approved")
    expect(world.server.sums.events.at(-2)).toMatchObject({ kind: "sum-begun", why: "behind" })
  })

  test("an era touched after its verdict was committed sends nothing more, and keeps what was added", async () => {
    const world = aLimitedWorld()
    await announced(world, pays("a-1"))
    const { store } = world.ports
    const lossy: Ports = {
      ...world.ports,
      store: {
        ...store,
        commit: async (commit) => {
          const done = await store.commit(commit)
          if (commit.next.state === "sending") world.server.touchSum(sum)
          return done
        },
      },
    }
    await press(world, "a-1", {}, lossy)
    await takeUp(world)
    world.clock.forward(61_000)
    await takeUp(world)

    expect(ledgerKinds(world)).toContain("doubtful")
    expect(ledgerKinds(world)).not.toContain("sent")
    expect(world.platform.row("a-1").status).toBe("pending")
    expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
    expect(world.server.sums.events.map(({ kind }) => kind)).not.toContain("sum-freed")
  })
})

describe("a sum that was never kept", () => {
  test("is filled with what was decided within the window", async () => {
    const world = await announcedWorld(
      { policy: aPolicy([aRule({ name: "payments" })]), retainArgumentsMs: 48 * hour },
      pays("a-1"),
    )
    await press(world, "a-1")
    await takeUp(world)
    const limited = aPolicy([aRule({ name: "payments", approvers: users("U1", "U2"), limit: aLimit() })])
    world.server.activate(limited.revision)
    const ports = world.process(limited)
    world.platform.put(pays("a-2"))
    await poll(ports, "main")

    expect(total(world)).toBe("999")
    expect(rulesOf(world, "a-2")).toEqual(["payments", raised])
    expect(caseOf(world, "a-2").revision.limits).toMatchObject([{ sums: [{ before: "999", adds: "999" }] }])
  })

  test("asks more people for one window where a decided call is not kept wholly", async () => {
    const world = await announcedWorld({ policy: aPolicy([aRule({ name: "payments" })]) }, pays("a-1", { amount: 1 }))
    await press(world, "a-1")
    await takeUp(world)
    const limited = aPolicy([aRule({ name: "payments", approvers: users("U1", "U2"), limit: aLimit() })])
    world.server.activate(limited.revision)
    world.platform.put(pays("a-2", { amount: 1 }))
    await poll(world.process(limited), "main")

    expect(caseOf(world, "a-2").revision.limits).toMatchObject([{ passed: true, doubt: "unknown" }])
  })
})

test("a vote that another process overtook is judged by the sum as it is then", async () => {
  const world = aLimitedWorld()
  await announced(world, pays("a-1"))
  await announced(world, pays("a-2"))
  const { store } = world.ports
  let first = true
  const slow: Ports = {
    ...world.ports,
    store: {
      ...store,
      commit: async (commit) => {
        if (first && commit.next.state === "sending") {
          first = false
          await press(world, "a-2", {}, world.process(world.ports.policy))
        }
        return store.commit(commit)
      },
    },
  }

  const { case: after } = await press(world, "a-1", {}, slow)

  expect(world.platform.row("a-2").status).toBe("approved")
  expect(after).toMatchObject({ state: "open", votes: [{ person: { user: "U1" } }] })
  expect(total(world)).toBe("999")
})

describe("a form that asks for the amount", () => {
  const asks = anApproval({
    toolName: "pay",
    pauseType: "user_input",
    requirements: [
      aRequirement("pay", {
        tool_args: { recipient: "Bob" },
        requires_confirmation: false,
        requires_user_input: true,
        user_input_schema: [{ name: "amount", field_type: "float", value: null }],
      }),
    ],
  })

  test("asks everybody from the start, and is judged with what was filled in", async () => {
    const world = aLimitedWorld()
    await announced(world, asks)
    const start = caseOf(world).revision

    await press(world, "a-1", { values: { values: { amount: 900 } } })

    expect(start.limits).toMatchObject([{ passed: true, doubt: "open" }])
    expect(start.quotas.map(({ name }) => name)).toEqual(["payments", raised])
    expect(world.platform.row("a-1").status).toBe("approved")
    expect(total(world)).toBe("900")
  })

  test("needs more people for what passes the limit", async () => {
    const world = aLimitedWorld()
    await announced(world, asks)

    await press(world, "a-1", { values: { values: { amount: 1_500 } } })
    const between = caseOf(world).state
    await press(world, "a-1", { user: "U2", values: { values: { amount: 1_500 } } })

    expect(between).toBe("open")
    expect(world.platform.row("a-1").status).toBe("approved")
    expect(total(world)).toBe("1500")
  })
})

test("where no rule has a limit, no sum is read or waited for", async () => {
  const world = createWorld()
  const { store } = world.ports
  const asked: string[] = []
  const watched: Ports = {
    ...world.ports,
    store: {
      ...store,
      sums: async (ids) => {
        asked.push("sums")
        return store.sums(ids)
      },
      inTurn: async (ids, work) => {
        asked.push("inTurn")
        return store.inTurn(ids, work)
      },
      decidedSince: async (at) => {
        asked.push("decidedSince")
        return store.decidedSince(at)
      },
    },
  }
  world.platform.put(pays("a-1"))
  await poll(watched, "main")
  await world.queue.runDue(watched)
  await press(world, "a-1", {}, watched)

  expect(world.platform.row("a-1").status).toBe("approved")
  expect(asked).toEqual([])
})
