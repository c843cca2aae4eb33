// Cases found by their arguments: by what is kept and may be seen of them, and by nothing else.
import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { readFilter, truthOfFilter, truthsOf } from "../../../src/domain/simulation/kept-filter.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { aPast } from "./past.ts"

function filterOf(text: string) {
  const read = readFilter(text)
  if (!read.ok) throw new Error(read.why)
  return read.filter
}

function whyNot(text: string): string {
  const read = readFilter(text)
  return read.ok ? "" : read.why
}

const masking = aPolicy([aRule({ mask: ["card", "/acct_\\w+/"] })])

function open(toolArgs: JsonObject, policy = aPolicy()): Case {
  return aCase({ approval: anApproval({ toolArgs, requirements: null }), policy })
}

function closed(toolArgs: JsonObject, keptMs: number): Case {
  const approval = anApproval({ toolArgs, requirements: null })
  return aPast({ approval, policy: masking, presses: [{ user: "U1", ms: 1 }], keptMs })
}

describe("a filter", () => {
  test("finds a case by its arguments, while it waits and once it is closed", () => {
    const more = filterOf("args.amount > 1000")

    expect(truthOfFilter(more, open({ amount: 1_001 }))).toBe("true")
    expect(truthOfFilter(more, open({ amount: 1_000 }))).toBe("false")
    expect(truthOfFilter(more, closed({ amount: 2_000 }, 1_000_000))).toBe("true")
  })

  test("is unknown where the arguments are erased", () => {
    const more = filterOf("args.amount > 1000")

    expect(truthOfFilter(more, closed({ amount: 2_000 }, 0))).toBe("unknown")
    expect(truthOfFilter(filterOf('call.tool == "nothing"'), closed({ amount: 2_000 }, 0))).toBe("false")
  })

  test.each([
    "args.amount > 1000",
    "args.amount <= 1000",
    "!(args.amount > 1000)",
    'args.amount > 1000 && args.card == "4111"',
    "args.amount in [5, 6]",
    "args.of.sum.cents > 5",
    "args.tags.exists(t, t == 5)",
    "args.tags.all(t, t == 5)",
    "!args.tags.exists(t, t == 5)",
    "size(args.tags) == 0",
    'args.to.contains("x")',
    "args.list.all(i, i.sum > 1)",
    "!args.list.exists(i, i.sum > 1)",
  ])("%s holds for no case whose arguments lack what it looks at, and nobody is in doubt", (text) => {
    const args = { name: "x", of: { other: 1 }, card: "4111", list: [{ sum: 0 }, { other: 1 }] }

    for (const found of [open(args), open(args, masking), closed(args, 1_000_000)])
      expect(truthOfFilter(filterOf(text), found)).toBe("false")
  })

  test("asks by has whether an argument is there, and finds by or what another part finds", () => {
    const [found, card] = [open({ sum: 2_000 }), open({ card: "4111" }, masking)]

    expect(truthOfFilter(filterOf("!has(args.amount)"), found)).toBe("true")
    expect(truthOfFilter(filterOf("!has(args.of.amount)"), found)).toBe("true")
    expect(truthOfFilter(filterOf("has(args.of.amount)"), found)).toBe("false")
    expect(truthOfFilter(filterOf("args.amount > 5 || args.sum > 5"), found)).toBe("true")
    expect(truthOfFilter(filterOf('args.amount > 5 || args.card == "4111"'), card)).toBe("unknown")
  })

  test.each([
    ["null", { amount: null }],
    ["of another kind", { amount: "2000" }],
    ["a text where a name is asked of it", { amount: { of: "x" } }],
  ])("is unknown where an argument is there, but %s", (_what, args) => {
    const text = typeof args.amount === "object" && args.amount !== null ? "args.amount.of.sum > 5" : "args.amount > 5"

    expect(truthOfFilter(filterOf(text), open(args))).toBe("unknown")
  })

  test("is unknown for a field that somebody still fills in, and where nobody can read the arguments", () => {
    const form = aRequirement("refund", {
      requires_user_input: true,
      requires_confirmation: false,
      tool_args: { note: "x" },
      user_input_schema: [{ name: "amount", field_type: "int", description: null, value: null }],
    })
    const unread = aRequirement("refund", { tool_args: "amount: 2000" })
    const of = (requirement: typeof form) =>
      aCase({ approval: anApproval({ toolName: "refund", requirements: [requirement] }) })

    for (const found of [of(form), of(unread)])
      expect(truthOfFilter(filterOf("args.amount > 1000"), found)).toBe("unknown")
  })

  test("R15: tells nothing of what the rules mask, also while the case is open", () => {
    for (const text of ['args.card == "4111"', 'args.card.startsWith("4")', 'args.note.contains("acct_1")'])
      for (const found of [
        open({ card: "4111", note: "to acct_1" }, masking),
        closed({ card: "4111", note: "to acct_1" }, 1_000_000),
      ])
        expect(truthOfFilter(filterOf(text), found)).toBe("unknown")
  })

  test("R15: tells nothing of a tool's name that the rules mask", () => {
    const approval = anApproval({ toolName: "pay_acct_1", requirements: null })
    const found = aCase({ approval, policy: masking })

    expect(truthOfFilter(filterOf('call.tool == "pay_acct_1"'), found)).toBe("unknown")
    expect(truthOfFilter(filterOf('call.tool.contains("acct_2")'), found)).toBe("unknown")
  })

  test("looks at each call of a case by itself", () => {
    const requirements = [500, 2_000].map((amount, index) =>
      aRequirement("refund", { tool_call_id: `c${index}`, tool_args: { amount } }),
    )
    const found = aCase({ approval: anApproval({ toolName: "refund", requirements }) })

    expect(truthsOf(filterOf("args.amount > 1000"), found)).toEqual(["false", "true"])
    expect(truthOfFilter(filterOf("args.amount > 1000"), found)).toBe("true")
  })
})

describe("a bad filter", () => {
  test.each([
    ["args.amount", "at column 1 (args.amount) is a value and no condition: compare it, as in … == true"],
    ["amount > 5", "at column 1 (amount > 5) begins with amount: write args.amount,"],
    ["args.amount >\n\n >", "at line 3, column 2 (>)"],
    ['"S1" in requester.groups', "looks at requester, which is not kept: a filter looks at args, and at call"],
    ["time.hour > 5", "looks at time, which is not kept"],
    ['"iban" in call.classes', "looks at call.classes, which is not kept"],
  ])("%j says what is wrong", (text, words) => {
    expect(whyNot(text)).toContain(words)
  })
})
