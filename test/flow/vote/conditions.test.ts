// Conditions at a vote: the rules are chosen again for what was filled in, for all votes with the same values (R1).
import { expect, test } from "vitest"
import { cardStatusOf } from "../../../src/domain/case/card-model.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { formFor } from "../../../src/flow/vote/forms.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { announcedWorld, caseOf, pressed } from "../support.ts"

const users = (...ids: readonly string[]): Rule["approvers"] => ids.map((id) => ({ kind: "user", id }))

const large = aRule({ name: "large", when: "args.amount > 1000", quorum: 2, approvers: users("U1", "U2") })
const rest = aRule({ name: "rest", approvers: users("U1", "U3"), routes: [{ kind: "channel", id: "C2" }] })

const fields = [{ name: "amount", field_type: "float", value: 5 }]
const asksAmount = anApproval({
  toolName: "send_money",
  pauseType: "user_input",
  requirements: [
    aRequirement("send_money", {
      tool_args: { amount: 5 },
      requires_confirmation: false,
      requires_user_input: true,
      user_input_schema: fields,
    }),
  ],
})

/** A form of one field, on the cards of both rules. */
async function asked(rules: readonly Rule[] = [large, rest]): Promise<World> {
  const world = await announcedWorld({ policy: aPolicy(rules) }, asksAmount)
  return world
}

function amountOf(amount: number): { readonly values: JsonObject } {
  return { values: { values: { amount } } }
}

function decidedUnder(world: World): unknown {
  const { status, resolutionData } = world.platform.row("a-1")
  const { countersign } = (resolutionData ?? {}) as { countersign?: { rules: readonly { name: string }[] } }
  return { status, rules: countersign?.rules.map(({ name }) => name) }
}

test("every rule that the form could make apply is asked from the start, and the case says why", async () => {
  const { revision, cards } = caseOf(await asked())

  expect(revision.quotas.map(({ name, quorum }) => ({ name, quorum }))).toEqual([
    { name: "large", quorum: 2 },
    { name: "rest", quorum: 1 },
  ])
  expect(revision.quotas[0]?.when).toEqual({ text: "args.amount > 1000", truth: "unknown", doubts: ["args.amount"] })
  expect(cards.map(({ route }) => route)).toEqual(["channel:C1", "channel:C2"])
  expect(revision).not.toHaveProperty("circumstances")
})

test("values that take a rule away are decided without it", async () => {
  const world = await asked()

  const { case: after } = await pressed(world, amountOf(50))
  await world.queue.runAll(world.ports)

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
  expect(decidedUnder(world)).toEqual({ status: "approved", rules: ["rest"] })
  expect(caseOf(world).state).toBe("closed")
})

test("values under which a rule applies need its quorum, of people who agree on them", async () => {
  const world = await asked()

  const { case: first } = await pressed(world, amountOf(1_500))
  await pressed(world, { user: "U2", ...amountOf(2_000) })
  const between = caseOf(world)
  await pressed(world, { user: "U2", interaction: "press-3", ...amountOf(1_500) })

  expect(cardStatusOf(first)).toEqual({ kind: "open", progress: [{ rule: "large", have: 1, need: 2 }] })
  expect(between.state).toBe("open")
  expect(decidedUnder(world)).toEqual({ status: "approved", rules: ["large"] })
})

test("quorums are counted for each group of equal values under the rules of these values", async () => {
  const world = await asked()
  await pressed(world, amountOf(1_500))

  await pressed(world, { user: "U3", ...amountOf(50) })

  expect(decidedUnder(world)).toEqual({ status: "approved", rules: ["rest"] })
  expect(world.platform.row("a-1").resolutionData).toMatchObject({ values: { amount: 50 } })
})

test("who changes what they filled in is judged anew under the rules that it leaves", async () => {
  const world = await asked()
  await pressed(world, amountOf(1_500))

  await pressed(world, { interaction: "press-2", ...amountOf(50) })

  expect(decidedUnder(world)).toEqual({ status: "approved", rules: ["rest"] })
})

test("who is listed by a rule that their values take away cannot approve with them, and may reject", async () => {
  const world = await asked()

  const { answers } = await pressed(world, { user: "U3", ...amountOf(1_500) })
  const before = caseOf(world).votes
  await pressed(world, { user: "U3", interaction: "press-2", verb: "reject", reason: "too much" })

  expect(answers).toEqual([{ kind: "refused", refusal: { code: "not-approver" } }])
  expect(before).toEqual([])
  expect(caseOf(world).votes.concat(caseOf(world).decision?.votes ?? [])).toMatchObject([{ verb: "reject" }])
})

test("a rule that values leave in doubt is still needed", async () => {
  const doubtful = aRule({ ...large, when: 'args.amount > 1000 || args.currency != "EUR"' })
  const world = await asked([doubtful, rest])

  await pressed(world, amountOf(50))

  expect(caseOf(world).state).toBe("open")
  expect(caseOf(world).revision).not.toHaveProperty("byValues")
})

test("the form says before it is sent which condition asks others too", async () => {
  const world = await asked()

  const form = await formFor(world.ports, { caseId: caseOf(world).id, route: "channel:C1" }, { verb: "approve" })

  expect(form?.model.rules.map(({ name, when }) => ({ name, truth: when?.truth }))).toEqual([
    { name: "large", truth: "unknown" },
    { name: "rest", truth: undefined },
  ])
})
