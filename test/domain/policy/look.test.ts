// The look of a case: what all demanded rules say about how it is shown.

import { expect, test } from "vitest"
import { lookOf, plainLook } from "../../../src/domain/policy/look.ts"
import { aRule } from "../../support/builders.ts"

test("without anything special a case looks plain", () => {
  expect(lookOf([aRule()])).toEqual({ mask: [], risk: null, danger: false, reasons: [] })
  expect(lookOf([])).toEqual(plainLook)
})

test("what one rule masks or offers counts, each once, in the rules' order", () => {
  const rules = [
    aRule({ mask: ["b", "a"], reasons: ["y"] }),
    aRule({ mask: ["a", "c"], reasons: ["x", "y"], danger: true }),
  ]

  expect(lookOf(rules)).toEqual({ mask: ["b", "a", "c"], risk: null, danger: true, reasons: ["y", "x"] })
})

test("the highest risk counts", () => {
  const risks = [["low", "high", "medium"], ["low", "medium"], ["low"], [null]] as const

  expect(risks.map((all) => lookOf(all.map((risk) => aRule({ risk }))).risk)).toEqual(["high", "medium", "low", null])
})
