// Comparing two lists of rules: each change has a call that shows it, and no loosening is missed.
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Demand, demandOf } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { compareRules, type DemandChange } from "../../../src/domain/trying/compare-rules.ts"
import { aRule, aStep, aTiming } from "../../support/builders.ts"
import { runsOf } from "../../support/runs.ts"
import { anyCall, anyRules, demandedBy, plainRules, rulesOf, texts } from "./arbitrary-rules.ts"
import { startOracle } from "./z3-oracle.ts"

const runs = runsOf(30)
const patience = 60_000 + 3_000 * runs

const compared = (before: readonly Rule[], now: readonly Rule[]) => compareRules(before, now, ["main"])

describe("a solver agrees on conditions over single values", () => {
  let oracle: Awaited<ReturnType<typeof startOracle>>
  beforeAll(async () => {
    oracle = await startOracle(texts)
  })
  afterAll(() => oracle.close())

  test(
    "a list of rules is looser than another just where the solver says so",
    async () => {
      const seen = { true: 0, false: 0 }

      await fc.assert(
        fc.asyncProperty(plainRules, plainRules, async (before, now) => {
          const { changes, untold } = compared(rulesOf(before), rulesOf(now))
          const looser = changes.some((one) => one.looser.length > 0)
          seen[`${looser}`] += 1
          expect(untold).toEqual([])
          expect(looser).toBe(await oracle.isLooser(before, now))
        }),
        { numRuns: runs },
      )

      expect(Math.min(seen.true, seen.false)).toBeGreaterThan(runs / 50 - 1)
    },
    patience,
  )
})

test(
  "no generated call is decided otherwise in a way that is not listed",
  () => {
    let looked = 0

    fc.assert(
      fc.property(anyRules, anyRules, fc.array(anyCall, { minLength: 20, maxLength: 20 }), (before, now, calls) => {
        const { changes, untold } = compared(before, now)
        if (untold.length > 0) return
        const listed = new Set(changes.map((one) => namesOf(one.before, one.now)))
        for (const call of calls) {
          const [old, fresh] = [demandOf(call, before), demandOf(call, now)]
          looked += 1
          if (!listed.has(namesOf(old, fresh))) expect(needs(old)).toBe(needs(fresh))
        }
      }),
      { numRuns: runs },
    )

    expect(looked).toBeGreaterThan(runs - 20)
  },
  patience,
)

test(
  "the matching of both lists confirms every change",
  () => {
    fc.assert(
      fc.property(anyRules, anyRules, (before, now) => {
        for (const change of compared(before, now).changes)
          expect([demandedBy(change.example, before), demandedBy(change.example, now)]).toEqual([
            change.before,
            change.now,
          ])
      }),
      { numRuns: runs },
    )
  },
  patience,
)

function namesOf(...demands: readonly Demand[]): string {
  return JSON.stringify(demands.map(({ covered, rules }) => [covered, ...rules.map((rule) => rule.name)]))
}

function needs({ covered, rules }: Demand): string {
  return `${covered} ${Math.max(0, ...rules.map(({ quorum }) => quorum))}`
}

/** What changes of each kind, and because of which rules it is looser. */
function told(changes: readonly DemandChange[]) {
  return changes.map(({ aspects, looser }) => ({ aspects, looser }))
}

const user = (id: string) => ({ kind: "user", id }) as const
const large = aRule({ name: "large", when: "args.amount > 500", quorum: 2 })
const rest = aRule({ name: "rest" })

/** The rule for all calls as it is, and as it becomes. */
function changed(before: Partial<Rule>, now: Partial<Rule>) {
  return told(compared([aRule(before)], [aRule(now)]).changes)
}

describe("one rule for all calls", () => {
  const self = { forbidSelfApproval: true, unknownRequester: "refuse" } as const
  const hours = { timeZone: "UTC", days: [1], from: 540, to: 1_020, holidays: [] }

  test.each<[string, Partial<Rule>, Partial<Rule>, string]>([
    ["one more approver", { approvers: [user("U1")] }, { approvers: [user("U1"), user("U2")] }, "approvers"],
    ["another approver", { approvers: [user("U1")] }, { approvers: [user("U2")] }, "approvers"],
    ["a group for a person", { approvers: [user("U1")] }, { approvers: [{ kind: "group", id: "S1" }] }, "approvers"],
    ["fewer have to agree", { quorum: 2 }, { quorum: 1 }, "quorum"],
    ["whoever asked may approve", self, {}, "self-approval"],
    ["anybody may where nobody knows who asked", self, { ...self, unknownRequester: "allow" }, "self-approval"],
    ["somebody may stand in", {}, { standIns: [user("U9")] }, "stand-ins"],
    ["guests may decide", {}, { allowGuests: true }, "guests"],
    ["people of other workspaces may decide", {}, { allowExternal: true }, "guests"],
    ["it expires later", { timing: aTiming({ expireAfter: 5 }) }, { timing: aTiming({ expireAfter: 6 }) }, "expiry"],
    ["it expires no more", { timing: aTiming({ expireAfter: 5 }) }, {}, "expiry"],
    [
      "its time counts in other hours",
      { timing: aTiming({ expireAfter: 5 }) },
      { timing: aTiming({ expireAfter: 5, workingHours: hours }) },
      "expiry",
    ],
    [
      "an escalation adds somebody",
      {},
      { timing: aTiming({ escalate: [aStep(5, { approvers: [user("U3")] })] }) },
      "approvers",
    ],
  ])("a rule is looser: %s", (_, before, now, aspect) => {
    expect(changed(before, now)).toEqual([{ aspects: [aspect], looser: ["all"] }])
  })

  test("what is taken away again is none", () => {
    const two = { approvers: [user("U1"), user("U2")] }

    expect(changed(two, { approvers: [user("U1")] })).toEqual([{ aspects: ["approvers"], looser: [] }])
    expect(changed({ standIns: [user("U9")] }, {})).toEqual([{ aspects: ["stand-ins"], looser: [] }])
    expect(changed({}, { quorum: 2 })).toEqual([{ aspects: ["quorum"], looser: [] }])
    expect(changed({}, { timing: aTiming({ expireAfter: 5 }) })).toEqual([{ aspects: ["expiry"], looser: [] }])
  })
})

describe("what is no loosening", () => {
  test("a card that is shown elsewhere is a change of routes", () => {
    expect(changed({}, { routes: [{ kind: "channel", id: "C9" }] })).toEqual([{ aspects: ["routes"], looser: [] }])
  })

  test("other names, words and masks change nothing", () => {
    expect(changed({}, { name: "other", mask: ["x"], risk: "high", reviewBy: "2027-01-01" })).toEqual([])
  })

  test("a call that nobody may approve any more is a change of coverage", () => {
    const { changes } = compared([rest], [large])

    expect(changes.map(({ example, aspects }) => [example.args, aspects.includes("coverage")])).toEqual([
      [{}, true],
      [{ amount: 501 }, false],
      [{ amount: 500 }, true],
    ])
    expect(changes.flatMap(({ looser }) => looser)).toEqual([])
  })
})

describe("conditions", () => {
  test("a higher bound is looser just for the amounts between", () => {
    const now = [{ ...large, when: "args.amount > 1000" }, rest]

    const { changes, untold } = compared([large, rest], now)

    expect(changes.map(({ example }) => example.args)).toEqual([{ amount: 501 }])
    expect(told(changes)).toEqual([{ aspects: ["quorum"], looser: ["large"] }])
    expect(untold).toEqual([])
  })

  test("a rule that is gone is looser, under its name; a new one before the others is not", () => {
    expect(told(compared([large, rest], [rest]).changes)).toEqual([
      { aspects: ["quorum"], looser: ["large"] },
      { aspects: ["quorum"], looser: ["large"] },
    ])
    expect(compared([rest], [large, rest]).changes.every(({ looser }) => looser.length === 0)).toBe(true)
  })

  test("a call that gets a rule where it had none is looser, under the name of that rule", () => {
    const { changes } = compared([large], [large, rest])

    expect(changes.every(({ looser }) => looser.includes("rest"))).toBe(true)
  })

  test("rules that only add are compared with who asked and when", () => {
    const guests = aRule({ name: "guests", when: "requester.guest == true", quorum: 3 })
    const night = aRule({ name: "night", when: "time.hour >= 18", timeZone: "Europe/Berlin", quorum: 3 })
    const later = { ...night, when: "time.hour >= 20" }

    const gone = compared([guests, rest], [rest]).changes
    const shorter = compared([night, rest], [later, rest]).changes

    expect(gone.map(({ looser, example }) => [looser, example.circumstances.requester?.guest])).toContainEqual([
      ["guests"],
      true,
    ])
    expect(shorter.map(({ looser }) => looser)).toEqual([["night"]])
    expect(new Date(shorter[0]?.example.circumstances.at ?? 0).toISOString()).toMatch(/T1[78]:/)
  })

  test("calls that cannot all be tried are told, with the rules that cause it", () => {
    const odd = aRule({ name: "odd", when: 'args.name > "m"', quorum: 2 })

    expect(compared([odd, rest], [{ ...odd, quorum: 3 }, rest]).untold).toEqual([
      { why: "args.name is compared by the order of texts", rules: ["odd"] },
    ])
    expect(compared([odd, rest], [odd, rest]).untold).toEqual([])
  })
})

test("what cannot be made up is told: other classes of data", () => {
  const iban = (atLeast: number) => [{ name: "iban", find: { kind: "checksum", checksum: "iban" }, atLeast } as const]
  const bank = (atLeast: number) =>
    aRule({ name: "bank", when: '"iban" in call.classes', classes: iban(atLeast), quorum: 2 })
  const rest = aRule({ name: "rest" })

  expect(compared([bank(1), rest], [bank(50), rest]).untold).toMatchObject([{ rules: ["bank"] }])
})

describe("a rule that stands in both, with the same rules before it,", () => {
  const iban = [{ name: "iban", find: { kind: "checksum", checksum: "iban" }, atLeast: 1 } as const]
  const bank = aRule({ name: "bank", when: '"iban" in call.classes', classes: iban, match: { tool: ["send_*"] } })
  const odd = aRule({ name: "odd", when: 'args.name > "m"' })
  const deploy = (expireAfter: number) =>
    aRule({ name: "deploy", match: { tool: ["deploy_*"] }, timing: aTiming({ expireAfter }) })
  const rest = aRule({ name: "rest" })

  test.each([
    ["before it, for other tools", [bank, deploy(72), rest], [bank, deploy(48), rest]],
    ["before it, for the same calls", [odd, deploy(72), rest], [odd, deploy(48), rest]],
    ["after it, for other tools", [deploy(72), bank, rest], [deploy(48), bank, rest]],
    ["of another name now", [bank, deploy(72), rest], [{ ...bank, name: "banks" }, deploy(48), rest]],
  ])("changes nothing, so no doubt about it counts: %s", (_where, before, now) => {
    const { changes, untold } = compared(before, now)

    expect(untold).toEqual([])
    expect(changes.every(({ looser }) => looser.length === 0)).toBe(true)
    expect(changes.flatMap(({ aspects }) => aspects)).toContain("expiry")
  })

  test("is in doubt all the same behind a rule that came", () => {
    const { untold } = compared([odd, rest], [deploy(48), odd, rest])

    expect(untold.map(({ rules }) => rules)).toEqual([["odd"]])
  })
})

describe("limits", () => {
  const asks = { quorum: 2, approvers: [{ kind: "group", id: "S1" } as const], routes: [] }
  const sum = { sum: "args.amount", windowMs: 7_200_000, above: "500", asks }
  const pay = (more: Partial<typeof sum> = {}, quorum = 1) => aRule({ name: "pay", quorum, limit: { ...sum, ...more } })

  test.each([
    ["that rises", pay(), pay({ above: "5000" })],
    ["over a shorter while", pay(), pay({ windowMs: 3_600_000 })],
    ["of another sum", pay(), pay({ sum: "args.total" })],
    ["that asks fewer", pay(), pay({ asks: { ...asks, quorum: 1 } })],
    ["that goes", pay(), aRule({ name: "pay" })],
  ])("a limit %s is looser above it, by the name of its rule", (_how, before, now) => {
    const { changes, untold } = compared([before], [now])

    expect(untold).toEqual([])
    expect(changes.filter(({ looser }) => looser.length > 0)).toMatchObject([
      { looser: ["pay"], above: { above: "500" } },
    ])
  })

  test.each([
    ["that falls", pay(), pay({ above: "100" })],
    ["over a longer while", pay(), pay({ windowMs: 9_000_000 })],
    ["that comes", aRule({ name: "pay" }), pay()],
  ])("a limit %s is a change, and not looser", (_how, before, now) => {
    const { changes, untold } = compared([before], [now])

    expect(untold).toEqual([])
    expect(changes.flatMap(({ looser }) => looser)).toEqual([])
    expect(changes.at(-1)?.above).not.toBeNull()
  })

  test("a limit that stays changes nothing", () => {
    expect(compared([pay()], [pay()])).toEqual({ changes: [], untold: [] })
  })

  test("what a limit asks hides no rule that asks fewer below it", () => {
    const { changes } = compared([pay({}, 2)], [pay({}, 1)])

    expect(changes.map(({ looser, above }) => [looser, above])).toContainEqual([["pay"], null])
  })
})

test("a call that is in every class shows a rule that asks for one", () => {
  const rest = aRule({ name: "rest" })
  const classes = [{ name: "iban", find: { kind: "checksum", checksum: "iban" }, atLeast: 1 } as const]
  const bank = aRule({ name: "bank", when: '"iban" in call.classes', classes, quorum: 2 })

  expect(compared([rest], [bank, rest]).changes).toMatchObject([{ aspects: ["quorum"], looser: [] }])
})
