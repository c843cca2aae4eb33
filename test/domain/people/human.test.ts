// Names as they are compared, and the Slack ids that the config lists for one human (R6, R7).

import fc from "fast-check"
import { expect, test } from "vitest"
import { countHumans, humanKey, idsOf } from "../../../src/domain/people/human.ts"
import { cleanName, foldName } from "../../../src/domain/people/person.ts"

test.each([
  ["capitals", "Jane@Corp.Example", "jane@corp.example"],
  ["white space around it", "\u3000jane\u00A0\n", "jane"],
  ["what nobody sees", "ja\u200Bn\u00ADe\uFEFF\u2800\u3164\u202E", "jane"],
  ["what no font draws", "j\uFFFCa\u{13441}ne\u{13442}", "jane"],
  ["the colour of an emoji", "jane \u2764\uFE0F", "jane \u2764"],
  ["a line feed or tab within", "ja\nn\te", "jane"],
  ["compatible forms", "\uFF2A\uFF41\uFF4E\uFF45", "jane"],
  ["composed and decomposed letters", "Jose\u0301", "jos\u00E9"],
  ["a letter whose capital is two", "Stra\u00DFe", "STRASSE"],
  ["a capital that is no other's", "Stra\u1E9Ee", "strasse"],
  ["both forms of sigma", "\u03C3\u03C3", "\u03C3\u03C2"],
])("two names that differ in %s are one", (_, one, other) => {
  expect(foldName(one)).toBe(foldName(other))
})

test("names that people tell apart are two", () => {
  expect(new Set(["jane", "joan", "jane doe", "jane.doe", "j\u00E4ne", "sa:jane"].map(foldName)).size).toBe(6)
})

test("comparing twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(foldName(foldName(text))).toBe(foldName(text))
      expect(cleanName(cleanName(text))).toBe(cleanName(text))
    }),
    { numRuns: 2_000 },
  )
})

test("comparing any letter of Unicode twice changes nothing more", () => {
  const letters = Array.from({ length: 0x11_00_00 }, (_, code) => code).filter(
    (code) => code < 0xd8_00 || code > 0xdf_ff,
  )
  const moving = letters.map((code) => foldName(String.fromCodePoint(code))).filter((name) => foldName(name) !== name)
  expect(moving).toEqual([])
})

const jane = { team: "T1", user: "U1" }
const janeElsewhere = { team: "T2", user: "U2" }
const robot = { team: "T1", user: "U3" }

test("R7 the ids that are listed under one subject are one human, however the subject is spelled", () => {
  const identities = [
    { subject: "Jane@corp.example", ...jane },
    { subject: " jane@corp.example", ...janeElsewhere },
    { subject: "bob", ...robot },
  ]

  expect(idsOf(janeElsewhere, identities)).toEqual([jane, janeElsewhere])
  expect(humanKey(jane, identities)).toBe(humanKey(janeElsewhere, identities))
  expect(humanKey(robot, identities)).not.toBe(humanKey(jane, identities))
})

test("R7 ids that are joined by another id are one human too", () => {
  const identities = [
    { subject: "a", ...jane },
    { subject: "a", ...janeElsewhere },
    { subject: "b", ...janeElsewhere },
    { subject: "b", ...robot },
  ]

  expect(new Set([jane, janeElsewhere, robot].map((id) => humanKey(id, identities))).size).toBe(1)
})

test("R7 people are counted as humans, also where a rule leaves their workspace out", () => {
  const identities = [
    { subject: "a", ...jane },
    { subject: "a", ...janeElsewhere },
  ]

  expect(countHumans([{ user: "U1" }, { user: "U2" }, { user: "U3" }], identities)).toBe(2)
  expect(countHumans([jane, janeElsewhere, { user: "U2", team: "T9" }], identities)).toBe(2)
  expect(countHumans([{ user: "U1" }, { user: "U2" }], [])).toBe(2)
})

test("somebody who is not listed is themselves", () => {
  expect(idsOf(jane, [])).toEqual([jane])
  expect(humanKey(jane, [{ subject: "bob", ...robot }])).not.toBe(humanKey(robot, []))
})
