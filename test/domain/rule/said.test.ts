// What a value says: a key that says nothing is as if it were not there.
import { expect, test } from "vitest"
import { type Rule, ruleHash } from "../../../src/domain/rule/rule.ts"
import { whatIsSaid } from "../../../src/domain/rule/said.ts"
import { aRule } from "../../support/builders.ts"

const nothing = [undefined, null, false, [], {}, { below: [], deeper: { off: false } }]

test.each(nothing)("%j says nothing, at any depth", (value) => {
  expect(whatIsSaid({ a: 1, b: value, c: [{ d: value, e: "text" }] })).toEqual({ a: 1, c: [{ e: "text" }] })
})

test.each([0, "", true, [0], { a: 0 }])("%j says something", (value) => {
  expect(whatIsSaid({ a: value })).toEqual({ a: value })
})

test.each(nothing)("R16 a key that a later version brings, set to %j, leaves the hash of a rule as it was", (value) => {
  const withKey = (one: unknown): Rule => Object.assign(aRule(), { broughtLater: one })

  expect(ruleHash(withKey(value))).toBe(ruleHash(aRule()))
  expect(ruleHash(withKey("text"))).not.toBe(ruleHash(aRule()))
})
