// How findings are printed: what is alike together, and the count of errors.
import { expect, test } from "vitest"
import { type Finding, notesOn, report } from "../../../src/cli/doctor/finding.ts"

const gone = { why: "they can never decide", todo: "remove them" }

test("what is wrong in the same way stands together, and says once why and what to do", () => {
  const findings: readonly Finding[] = [
    notesOn("rule a").fail({ what: "approver U1 is deactivated", ...gone }),
    notesOn("redis").ok("it answers"),
    notesOn("rule b").fail({ what: "approver U1 is deactivated", ...gone }),
    notesOn("rule b").fail({ what: "approver U2 is a bot", ...gone }),
  ]

  expect(report(findings).split("\n")).toEqual([
    "error  rule a, rule b: approver U1 is deactivated",
    "error  rule b: approver U2 is a bot",
    "       why: they can never decide",
    "       do:  remove them",
    "ok     redis: it answers",
    "1 ok, 0 warnings, 3 errors",
  ])
})

test("what begins with it is said of each of several, and of one as it is", () => {
  const findings = ["rule a", "rule b"].map((area) => notesOn(area).ok("it takes calls"))

  expect(report([...findings, notesOn("rule c").ok("it waits")])).toMatch(
    /^ok {5}rule a, rule b: each takes calls\nok {5}rule c: it waits\n/,
  )
})

test("a warning never stands with an error, though both want the same", () => {
  const findings = [notesOn("rule a").warn({ what: "one", ...gone }), notesOn("rule b").fail({ what: "one", ...gone })]

  expect(report(findings)).toMatch(/^warn .*\n.*\n.*\nerror .*\n.*\n.*\n0 ok, 1 warning, 1 error$/)
})
