// The look of a case: what all demanded rules say about how it is shown.

import { expect, test } from "vitest"
import { lookOf, plainLook } from "../../../src/domain/policy/look.ts"
import { anApproval, aRequirement, aRule } from "../../support/builders.ts"

test("without anything special a case looks plain", () => {
  expect(lookOf(anApproval(), [aRule()])).toEqual({ mask: [], risk: null, danger: false, reasons: [] })
  expect(lookOf(anApproval(), [])).toEqual(plainLook)
})

test("what one rule masks or offers counts, each once, in the rules' order", () => {
  const rules = [
    aRule({ mask: ["b", "a"], reasons: ["y"] }),
    aRule({ mask: ["a", "c"], reasons: ["x", "y"], danger: true }),
  ]

  expect(lookOf(anApproval(), rules)).toEqual({ mask: ["b", "a", "c"], risk: null, danger: true, reasons: ["y", "x"] })
})

test("the highest risk counts", () => {
  const risks = [["low", "high", "medium"], ["low", "medium"], ["low"], [null]] as const

  expect(
    risks.map(
      (all) =>
        lookOf(
          anApproval(),
          all.map((risk) => aRule({ risk })),
        ).risk,
    ),
  ).toEqual(["high", "medium", "low", null])
})

test("what one rule shows first or keeps off the card counts, and nothing of it is there where no rule says so", () => {
  const kept = { argumentsInDetails: true, requestInDetails: true, resultToRequester: true } as const
  const rules = [aRule({ showFirst: ["amount"] }), aRule({ showFirst: ["to", "amount"], ...kept })]

  expect(lookOf(anApproval(), rules)).toEqual({ ...plainLook, showFirst: ["amount", "to"], ...kept })
})

test("each call is said by the rule that is for it", () => {
  const rules = [
    aRule({ name: "a", match: { tool: ["pay"] }, say: "Pay {amount}" }),
    aRule({ name: "b", match: { tool: ["mail"] } }),
    aRule({ name: "c", match: {}, say: "Something else" }),
  ]
  const requirements = ["mail", "pay", "other"].map((tool) => aRequirement(tool))

  expect(lookOf(anApproval({ requirements }), rules).say).toEqual([null, "Pay {amount}", "Something else"])
  expect(lookOf(anApproval({ requirements: [aRequirement("mail")] }), rules)).toEqual(plainLook)
})
