// Limits in a simulation: sums are replayed as they were, and what nobody knows of them is told.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { emptySum, type SumState, sumName, withAdded } from "../../../src/domain/limit/sum.ts"
import { chargesOf, readLimits, sumsFor, windowOf } from "../../../src/domain/policy/limit-reading.ts"
import { demandOf, type Policy, type PolicyNow } from "../../../src/domain/policy/policy.ts"
import type { RuleLimit } from "../../../src/domain/rule/rule.ts"
import { createSimulation, type PastCase } from "../../../src/domain/simulation/simulation.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { runsOf } from "../../support/runs.ts"
import { aPast, dayMs, limitsOf, past, peopleOf } from "./past.ts"

const minuteMs = 60_000

function aLimit(changes: Partial<RuleLimit> = {}): RuleLimit {
  const asks = { quorum: 2, approvers: [{ kind: "user", id: "U9" } as const], routes: [] }
  return { sum: "args.amount", per: "args.to", windowMs: 60 * minuteMs, above: "100", asks, ...changes }
}

interface Payment {
  readonly amount: number
  readonly to: string
  /** How long its decision took, in steps of ten minutes; null: it is open. */
  readonly steps: number | null
  readonly verb: "approve" | "reject"
}

const anyPayment = fc.record<Payment>({
  amount: fc.constantFrom(0, 1, 40, 60, 99, 150),
  to: fc.constantFrom("bob", "Bob ", "eve"),
  steps: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 6 }),
  verb: fc.constantFrom("approve", "approve", "approve", "reject"),
})

const anyLimited = fc
  .record({
    limit: fc.record({ above: fc.constantFrom("50", "100", "200"), windowMs: fc.constantFrom(60 * minuteMs, dayMs) }),
    per: fc.boolean(),
    when: fc.constantFrom(undefined, "args.amount > 50"),
  })
  .map(({ limit, per, when }) => {
    const { per: whose, ...all } = aLimit(limit)
    const limited = per && whose !== undefined ? { ...all, per: whose } : all
    return aPolicy([aRule({ name: "pay", limit: limited, ...(when && { when }) }), aRule({ name: "rest" })])
  })

/** An approval with its moments, none of which is near another. */
function placed({ amount, to, steps }: Payment, index: number) {
  const requirements = [aRequirement("pay", { tool_args: { amount, to, note: "secret" } })]
  const approval = anApproval({ id: `a-${index}`, toolName: "pay", requirements })
  const at = noon + 10 * minuteMs * index
  return { approval, at, decidedAt: steps === null ? null : at + (5 + 10 * steps) * minuteMs + 10_000 * index }
}

/** How limits stood at the last moment of each payment, kept as the bot keeps sums. */
function asItWent(policy: Policy, payments: readonly Payment[]): readonly PolicyNow[] {
  const sums = new Map<string, SumState>()
  const limits: PolicyNow[] = []
  const moments = payments.map((one, index) => ({ ...placed(one, index), index, verb: one.verb }))
  // Whoever rejects reads no limit.
  const readAt = ({ verb, decidedAt, at }: (typeof moments)[number]) => (verb === "reject" ? at : (decidedAt ?? at))
  for (const one of moments.toSorted((a, b) => readAt(a) - readAt(b))) {
    const { approval, decidedAt, index, verb } = one
    const now = readAt(one)
    for (const id of sumsFor(approval, policy.rules, {}))
      if (!sums.has(sumName(id))) sums.set(sumName(id), emptySum(windowOf(id, policy.rules), 0))
    limits[index] = { ...policy, limits: readLimits(approval, { rules: policy.rules, known: {}, sums, now }) }
    if (decidedAt === null || verb === "reject") continue
    for (const { sum, whose, amount } of chargesOf(approval, policy.rules, {})) {
      const before = sums.get(sumName(sum))
      if (before !== undefined && amount !== null)
        sums.set(sumName(sum), withAdded(before, [{ whose, amount }], now).state)
    }
  }
  return limits
}

function casesOf(policy: Policy, payments: readonly Payment[], keptMs = dayMs): readonly PastCase[] {
  return asItWent(policy, payments).map((known, index) => {
    const payment = payments[index]
    if (payment === undefined) throw new Error("no payment")
    const { approval, at, decidedAt } = placed(payment, index)
    const presses = decidedAt === null ? [] : [{ user: "U1", ms: decidedAt - at, verb: payment.verb }]
    return past(aPast({ approval, policy: known, at, presses, keptMs }), policy)
  })
}

function simulated(tried: Policy, inForce: Policy, cases: readonly PastCase[]) {
  const limits = limitsOf(tried, inForce, cases)
  const simulation = createSimulation({ tried, inForce, people: peopleOf(tried), limits, now: noon + 2 * dayMs })
  for (const one of cases) simulation.take(one)
  return simulation.report(() => 0.5)
}

const anyPayments = fc.array(anyPayment, { minLength: 1, maxLength: 12 })

test("the rules in force ask whom each case asked, the sums of their limits replayed", () => {
  const seen = { same: 0, untold: 0, raised: 0 }

  fc.assert(
    fc.property(anyLimited, anyPayments, (policy, payments) => {
      const cases = casesOf(policy, payments)

      const { reproduced, exact } = simulated(policy, policy, cases)

      const { same, different, notCompared } = reproduced
      expect({ different, total: same + notCompared.limit }).toEqual({ different: 0, total: payments.length })
      expect(exact).toBe(same)
      seen.same += same
      seen.untold += notCompared.limit
      seen.raised += cases.filter(({ current }) => current.revision.quotas.length > 1).length
    }),
    { numRuns: runsOf(100) },
  )

  // Only where an amount left within seconds of a judgement nobody can tell.
  expect(seen.untold).toBeLessThan(seen.same / 20)
  expect(seen.raised).toBeGreaterThan(seen.same / 10)
})

test("limits that are tried ask whom they would have asked, had they been in force", () => {
  fc.assert(
    fc.property(anyLimited, anyLimited, anyPayments, (tried, inForce, payments) => {
      const cases = casesOf(inForce, payments)
      const would = asItWent(tried, payments).map((known, index) => {
        const payment = payments[index]
        return payment === undefined ? [] : demandOf(placed(payment, index).approval, tried.rules, known).rules
      })

      const { asked, exact } = simulated(tried, inForce, cases)

      const found = asked.rules.find(({ rule }) => rule === "pay, above its limit") ?? { after: 0, atMost: 0 }
      const real = would.filter((rules) => rules.some(({ name }) => name === "pay, above its limit")).length
      expect(found.after).toBeLessThanOrEqual(real)
      expect(found.atMost).toBeGreaterThanOrEqual(real)
      if (exact === payments.length) expect(found).toMatchObject({ after: real, atMost: real })
    }),
    { numRuns: runsOf(100) },
  )
})

describe("nobody can tell what a limit asks", () => {
  const policy = aPolicy([aRule({ name: "pay", limit: aLimit() })])
  const paid = (amount: number, to = "bob"): Payment => ({ amount, to, steps: 0, verb: "approve" })
  const found = (cases: readonly PastCase[]) => simulated(policy, policy, cases)

  test("where content of the same window is not kept any more", () => {
    const [gone] = casesOf(policy, [paid(90)], 0)
    const [, later] = casesOf(policy, [paid(90), paid(5)])
    if (gone === undefined || later === undefined) throw new Error("no case")

    const { inexact, reproduced, asked } = found([gone, later])

    expect(inexact).toMatchObject({ limit: 1, notKept: 1 })
    expect(reproduced).toMatchObject({ same: 0, notCompared: { limit: 1, notKept: 1 } })
    expect(asked.rules.find(({ rule }) => rule.includes("above"))).toMatchObject({ after: 0, atMost: 2 })
  })

  test("of such a window, unless the rest alone passes it", () => {
    const [gone] = casesOf(policy, [paid(90)], 0)
    const [, large] = casesOf(policy, [paid(90), paid(500)])
    if (gone === undefined || large === undefined) throw new Error("no case")

    expect(found([gone, large]).asked.rules.find(({ rule }) => rule.includes("above"))).toMatchObject({
      after: 1,
      atMost: 2,
    })
  })

  test("of a masked amount, and it does where only other fields are masked", () => {
    const masking = (mask: readonly string[]): Policy => aPolicy([aRule({ name: "pay", limit: aLimit(), mask })])
    const [amount, note] = [masking(["amount"]), masking(["note"])].map((one) =>
      simulated(one, one, casesOf(one, [paid(60), paid(60)])),
    )

    expect(amount).toMatchObject({ exact: 0, inexact: { masked: 2, limit: 0 } })
    expect(note).toMatchObject({ exact: 2, reproduced: { notCompared: { masked: 2 } } })
    expect(note?.asked.rules).toContainEqual(expect.objectContaining({ rule: "pay, above its limit", after: 1 }))
  })

  test("within one window of what was judged by other rules, for the check alone", () => {
    const earlier = aPolicy([aRule({ name: "earlier" })])
    const cases = [...casesOf(earlier, [paid(60)]), ...casesOf(policy, [paid(60), paid(60)]).slice(1)]

    const { exact, reproduced } = found(cases)

    expect(exact).toBe(2)
    expect(reproduced.notCompared).toMatchObject({ otherRules: 1, limit: 1 })
  })

  test("of one that nobody knew then", () => {
    const [one] = casesOf(policy, [paid(60)])
    if (one === undefined) throw new Error("no case")
    const { revision } = one.current
    const limits = revision.limits?.map((reading) => ({ ...reading, passed: true, doubt: "unknown" as const })) ?? []
    const blind = { ...one, current: { ...one.current, revision: { ...revision, limits } } }

    expect(found([blind]).reproduced).toMatchObject({ same: 0, different: 0, notCompared: { limit: 1 } })
  })

  test("after a verdict without effect, and while the platform said otherwise", () => {
    const [first, second] = casesOf(policy, [paid(60), paid(60)])
    if (first === undefined || second === undefined) throw new Error("no case")
    const ended = { ...first, current: { ...first.current, ended: ["d-1"] } }
    const elsewhere = { kind: "elsewhere" as const, status: "rejected", resolvedBy: null, at: second.current.openedAt }
    const undone = { ...first, current: { ...first.current, outcome: elsewhere } }

    for (const before of [ended, undone]) expect(found([before, second]).inexact.limit).toBeGreaterThan(0)
  })
})

test("an approval and its limit are told by the approvals' order, whatever the order of the cases is", () => {
  const policy = aPolicy([aRule({ name: "pay", limit: aLimit() })])
  const payments = [60, 30, 20, 500].map((amount): Payment => ({ amount, to: "bob", steps: 0, verb: "approve" }))
  const cases = casesOf(policy, payments)

  const [one, other] = [cases, cases.toReversed()].map((some) => simulated(policy, policy, some))

  expect(one?.asked).toEqual(other?.asked)
  expect(one?.asked.rules).toContainEqual({ rule: "pay, above its limit", before: 2, after: 2, atMost: 2 })
})
