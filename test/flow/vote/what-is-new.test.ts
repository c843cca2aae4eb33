// What is new: decisions teach what is approved of a tool and agent, and cards say how a call differs from it.
import { describe, expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { createForgetting } from "../../../src/flow/deadline/retain.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, type PressChanges } from "../../support/presses.ts"
import { announced, carried, caseOf, takeUp } from "../support.ts"

const day = 86_400_000

function aNewsWorld(...rules: readonly Rule[]): World {
  const policy = rules.length === 0 ? aPolicy() : aPolicy(rules)
  return createWorld({ policy, retainArgumentsMs: 90 * day })
}

function pays(id: string, args: JsonObject = {}, more: Partial<Approval> = {}): Approval {
  const toolArgs = { iban: "DE1", amount: 10, ...args }
  return anApproval({ id, runId: `run-${id}`, toolName: "pay", toolArgs, ...more })
}

/** An approval that is asked for and decided. */
async function decided(world: World, approval: Approval, press: PressChanges = {}): Promise<void> {
  await announced(world, approval)
  await carried(world, aPress(world, caseOf(world, approval.id), { interaction: `press ${approval.id}`, ...press }))
  await takeUp(world)
}

/** What the card of a new approval says is new, by field. */
async function newsOn(world: World, approval: Approval) {
  const { news } = (await announced(world, approval)).revision
  return { ...news, items: Object.fromEntries((news?.items ?? []).map(({ path, kind }) => [path, kind])) }
}

describe("what is new of a call", () => {
  test("is said against what was approved, of the same tool and agent alone", async () => {
    const world = aNewsWorld()
    await decided(world, pays("a-1"))

    const other = await newsOn(world, pays("a-2", { iban: "EVE", amount: 900 }))

    expect(other.items).toEqual({ iban: "new", amount: "more" })
    expect((await newsOn(world, pays("a-3"))).items).toEqual({})
    expect((await newsOn(world, pays("a-4", { iban: "EVE" }, { agentId: "agent-2" }))).items).toEqual({})
    expect((await newsOn(world, pays("a-5", { iban: "EVE" }, { toolName: "move" }))).items).toEqual({})
  })

  test("names a call that was rejected before, by whom and why, and no longer once one like it is approved", async () => {
    const world = aNewsWorld()
    await decided(world, pays("a-1"))
    await decided(world, pays("a-2", { iban: "EVE" }), { verb: "reject", reason: "unknown account" })

    const alike = await newsOn(world, pays("a-3", { iban: "EVE", amount: 9 }))
    await decided(world, pays("a-4", { iban: "EVE" }))

    expect(alike.rejected).toEqual({
      at: world.clock.now(),
      times: 1,
      routes: ["channel:C1", "person:UASK"],
      by: "Name of U1",
      reason: "unknown account",
    })
    expect(await newsOn(world, pays("a-5", { iban: "EVE", amount: 9 }))).not.toHaveProperty("rejected")
  })

  test("compares each call of an approval with its own tool, and learns each", async () => {
    const world = aNewsWorld()
    const two = (id: string, to: string, host: string) => {
      const calls = [aRequirement("pay", { tool_args: { to } }), aRequirement("drop", { tool_args: { host } })]
      return anApproval({ id, runId: `run-${id}`, toolName: "pay", toolArgs: { to }, requirements: calls })
    }
    await decided(world, two("a-1", "bob", "db-1"))

    const { news } = (await announced(world, two("a-2", "bob", "db-2"))).revision

    expect(news?.items).toEqual([{ call: 1, path: "host", kind: "new", place: ["host"] }])
  })

  test("is worked out anew with new content, and stays as it was while only others decide", async () => {
    const world = aNewsWorld()
    await decided(world, pays("a-1"))
    await announced(world, pays("a-2", { iban: "EVE" }))
    await decided(world, pays("a-3", { iban: "EVE" }))
    const before = caseOf(world, "a-2").revision.news

    await announced(world, pays("a-2", { iban: "EVE", amount: 11 }))
    await takeUp(world)

    expect(before?.items.map(({ path }) => path)).toEqual(["iban"])
    expect(caseOf(world, "a-2").revision).toMatchObject({
      number: 2,
      news: { items: [{ path: "amount", kind: "more" }] },
    })
  })

  test("is no part of what is decided: digest, votes and receipts are those of a call without it", async () => {
    const [told, silent] = [aNewsWorld(), aNewsWorld(aRule({ withoutNews: true }))]
    for (const world of [told, silent]) await decided(world, pays("a-1"))
    for (const world of [told, silent]) await announced(world, pays("a-2", { iban: "EVE" }))
    const [one, other] = [caseOf(told, "a-2"), caseOf(silent, "a-2")]

    expect(one.revision.news?.items).toHaveLength(1)
    expect(other.revision).not.toHaveProperty("news")
    expect(one.revision.digest).toBe(other.revision.digest)
  })

  test("is neither said nor remembered where a rule does not want it, or arguments are not kept", async () => {
    const off = aNewsWorld(aRule({ withoutNews: true }))
    const unkept = createWorld()
    for (const world of [off, unkept]) await decided(world, pays("a-1"))

    expect([off, unkept].map((world) => world.server.fingerprints.all())).toEqual([[], []])
  })

  test("is taught by what people decided here: no expiry, and nothing that was decided elsewhere", async () => {
    const world = aNewsWorld()
    await announced(world, pays("a-1"))
    world.platform.put({ ...pays("a-1"), status: "approved", resolvedBy: "somebody" })
    await takeUp(world)

    expect(world.server.fingerprints.all()).toEqual([])
  })

  test("goes as its case closes, and from fingerprints once arguments are kept no longer", async () => {
    const world = aNewsWorld()
    await decided(world, pays("a-1"))
    await decided(world, pays("a-2", { iban: "EVE" }))
    const kept = world.server.fingerprints.all()[0]?.fields.length

    world.clock.forward(91 * day)
    await createForgetting()(world.ports)

    expect(caseOf(world, "a-2").state).toBe("closed")
    expect(caseOf(world, "a-2").revision).not.toHaveProperty("news")
    expect(kept).toBe(2)
    expect(world.server.fingerprints.all()).toMatchObject([{ fields: [] }])
  })
})

describe("R14 in Redis", () => {
  test("a fingerprint that is not ours is told on the card, with an alarm, and the next decision begins it anew", async () => {
    const world = aNewsWorld()
    await decided(world, pays("a-1"))
    world.server.fingerprints.tamper()

    const unread = await newsOn(world, pays("a-2", { iban: "EVE" }))
    await decided(world, pays("a-3"))
    const after = await newsOn(world, pays("a-4", { iban: "EVE" }))

    expect(unread).toEqual({ items: {}, more: 0, unread: true })
    expect(world.alarmCodes()).toContain("fingerprint-behind")
    expect(world.platform.row("a-3").status).toBe("approved")
    expect(after.items).toEqual({ iban: "new" })
  })

  test("a fingerprint that is another each time keeps no decision from its end", async () => {
    const world = aNewsWorld()
    world.server.fingerprints.race()

    await decided(world, pays("a-1"))

    expect(caseOf(world, "a-1").state).toBe("closed")
    expect(world.server.fingerprints.all()).toEqual([])
  })
})
