// Why tells who may break the glass or why nobody may, who stands in, what is stopped, and which proposal locks out.
import { describe, expect, test } from "vitest"
import { builtInInstance } from "../../../src/domain/rule/rules-change.ts"
import type { Why } from "../../../src/flow/ports/inbound.ts"
import { why } from "../../../src/flow/query/why.ts"
import { whyMessage } from "../../../src/slack/lists/command-messages.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { anAbsence, aStop } from "../../support/orders.ts"
import { aGlassRule, aGlassWorld, breakGlass, glass, users } from "../glass.ts"
import { announced } from "../support.ts"

const me = { team, user: "U1" }

/** What U1 is told about the newest case of a world, and in which words. */
async function toldBy(
  { ports }: Pick<World, "ports">,
  id: string,
): Promise<{ readonly told: Why; readonly words: string }> {
  const told = await why(ports, id, me)
  if (told === null) throw new Error("nothing was told")
  return { told, words: whyMessage(told, 1, "/approvals").text }
}

describe("R1 why names who may break the glass", () => {
  test("and nobody who is not listed by each rule that asks, or who is gone", async () => {
    const other = aGlassRule({ name: "also", breakGlass: { ...glass, approvers: users("U7", "U5", "UGONE") } })
    const first = aGlassRule({ matchUnknown: true, match: { team: ["finance"] } })
    const world = aGlassWorld({ ...first, breakGlass: { ...glass, approvers: users("U5", "U6", "UGONE") } }, other)
    world.people.set(aPerson({ user: "UGONE", deactivated: true }))

    const { told, words } = await toldBy(world, (await announced(world)).id)

    expect(told.glass).toEqual({ kind: "people", users: ["U5"], more: 0 })
    expect(words).toContain("<@U5> may break the glass in Details: alone, with a reason")
  })

  test("R6 why names everybody who may break the glass but the requester", async () => {
    const world = aGlassWorld(aGlassRule({ breakGlass: { ...glass, approvers: users("U5", "U6") } }))

    const { told } = await toldBy(world, (await announced(world, anApproval({ userId: `slack:${team}:U5` }))).id)

    expect(told.glass).toEqual({ kind: "people", users: ["U6"], more: 0 })
  })

  test("of many it names twenty, and counts the others", async () => {
    const group = { kind: "group", id: "S1" } as const
    const world = aGlassWorld(aGlassRule({ breakGlass: { ...glass, approvers: [group] } }))
    const many = Array.from({ length: 23 }, (_, at) => `U1${at}`)
    world.people.set(...many.map((user) => aPerson({ user })))
    world.people.group("S1", ...many)

    const { told, words } = await toldBy(world, (await announced(world)).id)

    expect(told.glass).toEqual({ kind: "people", users: many.slice(0, 20), more: 3 })
    expect(words).toContain("<@U119> or perhaps 3 more may break the glass")
  })
})

describe("R1 why says that nobody may break the glass", () => {
  test("where a rule that asks does not have that", async () => {
    const also = aRule({ name: "also", match: { tool: ["*"] } })
    const world = aGlassWorld(aGlassRule({ match: { team: ["finance"] } }), also)

    const { told, words } = await toldBy(world, (await announced(world)).id)

    expect(told.glass).toEqual({ kind: "nobody", why: "no-glass", rule: "also" })
    expect(words).toContain("Nobody may break the glass: rule also does not have that.")
  })

  test("above a limit, since the rule that it demands never has the key", async () => {
    const asks = { quorum: 2, approvers: users("U1", "U5"), routes: [{ kind: "channel", id: "C2" } as const] }
    const limit = { sum: "args.amount", windowMs: 86_400_000, above: "1000", asks }
    const world = aGlassWorld(aGlassRule({ limit }))
    const pays = anApproval({ toolName: "pay", toolArgs: { amount: 1_001 } })

    const { told } = await toldBy(world, (await announced(world, pays)).id)

    expect(told.glass).toEqual({ kind: "nobody", why: "no-glass", rule: "payments, above its limit" })
  })

  test.each(["refuse", "two"] as const)("R6 where nobody knows who asked, and a rule says %s", async (unknown) => {
    const world = aGlassWorld(aGlassRule({ unknownRequester: unknown }))

    const { told, words } = await toldBy(world, (await announced(world, anApproval({ userId: null }))).id)

    expect(told.glass).toEqual({ kind: "nobody", why: "unknown-requester", rule: "payments" })
    expect(words).toContain("nobody knows who asked for this, and rule payments does not allow that")
  })

  test("while five reviews of a rule are open", async () => {
    const world = aGlassWorld()
    for (const id of ["a-1", "a-2", "a-3", "a-4", "a-5"]) {
      await announced(world, anApproval({ id, runId: `run-${id}`, toolArgs: { table: id } }))
      await breakGlass(world, {}, id)
    }

    const { told, words } = await toldBy(world, (await announced(world, anApproval({ id: "a-6" }))).id)

    expect(told.glass).toEqual({ kind: "nobody", why: "open-reviews", rule: "payments" })
    expect(words).toContain("of rule payments too much broken glass waits for its review")
  })

  test("where nobody is left whom each rule lists", async () => {
    const world = aGlassWorld(aGlassRule({ breakGlass: { ...glass, approvers: users("UNOBODY") } }))

    const { told, words } = await toldBy(world, (await announced(world)).id)

    expect(told.glass).toEqual({ kind: "nobody", why: "nobody-listed" })
    expect(words).toContain("nobody is left whom every rule that asks lists for that")
  })

  test("R21 while it is stopped, and who stopped it and why", async () => {
    const world = aGlassWorld()
    const { id } = await announced(world)
    world.order({ stops: [aStop({ reason: "runaway refunds" })] })

    const { told, words } = await toldBy(world, id)

    expect(told.glass).toEqual({ kind: "nobody", why: "stopped" })
    expect(words).toContain("Nobody may break the glass while this is stopped.")
    expect(words).toMatch(/Stopped by .*runaway refunds/s)
    expect(words).toContain("Nobody can approve this until that stop ends.")
    expect(words).not.toContain("You may approve this")
    expect(words).toContain("You may reject this")
  })
})

test("why says nothing of the glass where no rule has any, nor once the case is decided", async () => {
  const [plain, broken] = [createWorld(), aGlassWorld()]
  const { told } = await toldBy(plain, (await announced(plain)).id)
  const { id } = await announced(broken)
  await breakGlass(broken)

  expect(told).not.toHaveProperty("glass")
  expect((await toldBy(broken, id)).told).not.toHaveProperty("glass")
})

test("why names who stands in now, and for whom", async () => {
  const rule = aRule({ approvers: users("U1", "U2"), standIns: users("U8", "U9") })
  const world = createWorld({ policy: aPolicy([rule]) })
  world.people.set(aPerson({ user: "U9" }))
  const { id } = await announced(world)
  const from = world.ports.clock()
  const absence = anAbsence({ person: `${team}:U2`, standIn: `${team}:U9`, from, until: from + 60_000 })
  world.order({ stops: [], absences: [absence] })

  const { words } = await toldBy(world, id)
  world.clock.forward(60_000)

  expect(words).toContain("Rule all: <@U9> for <@U2>, who is away")
  expect((await toldBy(world, id)).words).not.toContain("<@U9>")
})

test("R16 why says which proposal nobody can approve, because nobody could change the rules after it", async () => {
  const change = { approvers: users("U1", "UNOBODY"), quorum: 2, route: { kind: "channel", id: "C1" } as const }
  const rulesChange = { ...change, expireAfterMs: 3_600_000 }
  const world = createWorld({ policy: aPolicy([aRule()]) })
  const { id, ...open } = await announced(world)
  const store = { ...world.ports.store, read: async () => ({ ...open, id, instance: builtInInstance }) }
  const ports = { ...world.ports, store, proposedConfigs: { read: async () => ({ identities: [], rulesChange }) } }

  const { told, words } = await toldBy({ ports }, id)

  expect(told.lockedOut).toEqual({ able: 1, quorum: 2 })
  expect(words).toContain("Nobody can approve this: it wants 2 people to approve the next change of the rules")
  expect(words).not.toContain("You may approve this")
})
