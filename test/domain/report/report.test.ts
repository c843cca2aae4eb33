// A report against histories that are made by the domain's own steps: every figure is counted a second time, from the
// cases' records, and has to be the same.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { type End, ends } from "../../../src/domain/report/course.ts"
import { createReport, type LedgerReport, type TimeRange } from "../../../src/domain/report/report.ts"
import { type Entering, totalAtEnd, totalIn } from "../../../src/domain/report/tally.ts"
import { noon } from "../../support/clock.ts"
import {
  type Asking,
  type AuditScript,
  aScript,
  type CaseHistory,
  played,
  type Standing,
  someAudits,
} from "./history.ts"

const hour = 3_600_000

interface Told {
  readonly chain: string
  readonly at: number
  readonly event: Readonly<Record<string, Json>>
  readonly sandbox?: boolean
}

/** The report on these entries, in this order. */
function reportOn(span: TimeRange, told: readonly Told[]): LedgerReport {
  const report = createReport(span)
  const counts = new Map<string, number>()
  for (const [index, { chain, event, sandbox = false }] of told.entries()) {
    const n = (counts.get(chain) ?? 0) + 1
    counts.set(chain, n)
    report.take({ number: index + 1, chain, n, event, sandbox })
  }
  return report.report()
}

/** An asking that counts in a range: how it came in, and how it stood at the end. */
interface Expected {
  readonly entering: Entering
  readonly last: Standing
  readonly asking: Asking
}

function expectedOf({ from, to }: TimeRange, asking: Asking): Expected | null {
  if (asking.openedAt >= to) return null
  const before = asking.standings.filter(({ at }) => at < from).at(-1)
  const inside = asking.standings.filter(({ at }) => at >= from && at < to)
  const last = inside.at(-1) ?? before
  if (last === undefined) return null
  if (before === undefined) return { entering: "asked", last, asking }
  if (before.is === "open") return { entering: "carried", last, asking }
  const course = [before, ...inside].map(({ is }) => is)
  return course.some((is) => is !== before.is) ? { entering: "again", last, asking } : null
}

function countsOf(found: readonly Expected[]) {
  const count = (is: (one: Expected) => boolean) => found.filter(is).length
  const byEntering = (entering: Entering) => count((one) => one.entering === entering)
  const byEnd = (end: End | "open") => count(({ last }) => last.is === end)
  return {
    carried: byEntering("carried"),
    asked: byEntering("asked"),
    again: byEntering("again"),
    open: byEnd("open"),
    ...Object.fromEntries(ends.map((end) => [end, byEnd(end)])),
    time: ranksOf(
      found.flatMap(({ last, asking }) => (last.decidedAt === null ? [] : [last.decidedAt - asking.openedAt])),
    ),
  }
}

/** By counting: the smallest time that at least so many percent of all do not exceed. */
function ranksOf(times: readonly number[]) {
  const rank = (percent: number) => {
    const enough = times.filter((time) => 100 * times.filter((other) => other <= time).length >= percent * times.length)
    return enough.length === 0 ? null : Math.min(...enough)
  }
  return { count: times.length, median: rank(50), p95: rank(95) }
}

function groupsOf(found: readonly Expected[], namesOf: (last: Standing) => readonly (string | null)[]) {
  const names = new Set(found.flatMap(({ last }) => namesOf(last)))
  return new Map([...names].map((name) => [name, countsOf(found.filter(({ last }) => namesOf(last).includes(name)))]))
}

function byName<Group extends { readonly name: string | null }>(groups: readonly Group[]) {
  return new Map(groups.map(({ name, ...counts }) => [name, counts]))
}

const ruled = ({ rules }: Standing) => (rules.length === 0 ? [null] : rules)

describe("a report on any history", () => {
  const history = fc.record({
    scripts: fc.array(aScript(noon, 10 * hour), { maxLength: 12 }),
    audits: someAudits(noon, 12 * hour),
    from: fc.integer({ min: noon - hour, max: noon + 12 * hour }),
    ms: fc.integer({ min: 1, max: 12 * hour }),
  })

  test("counts exactly what the cases' records came to, in all its figures", () => {
    fc.assert(
      fc.property(history, ({ scripts, audits, from, ms }) => {
        const span = { from, to: from + ms }
        const cases = scripts.map(played)
        const report = reportOn(span, mergedOf(cases, audits))
        const found = cases.flatMap(({ askings }) => askings.flatMap((asking) => expectedOf(span, asking) ?? []))

        const { held, onTheirWay, ...counted } = report.cases
        expect(counted).toEqual(countsOf(found))
        expect(held).toBe(found.filter(({ last }) => last.held).length)
        expect(onTheirWay).toBe(found.filter(({ last }) => last.onItsWay).length)
        expect(byName(report.byRule)).toEqual(groupsOf(found, ruled))
        expect(report.furtherRules).toBe(found.reduce((sum, { last }) => sum + ruled(last).length - 1, 0))
        expect(byName(report.byTool)).toEqual(groupsOf(found, ({ tool }) => [tool]))
        expect(byName(report.byTeam)).toEqual(groupsOf(found, ({ team }) => [team]))
        expect(report.erased).toEqual(erasedOf(found))
        expect(report.entries).toMatchObject(entriesOf(span, mergedOf(cases, audits)))
        expectVoters(report, span, cases)
        expectBesides(report, span, cases, audits)
      }),
      { numRuns: 300 },
    )
  })

  test("meets every way in and every way out, held verdicts and verdicts on their way", () => {
    const met = fc.sample(history, { numRuns: 200, seed: 1 }).map(({ scripts, from, ms }) => {
      return reportOn({ from, to: from + ms }, mergedOf(scripts.map(played), [])).cases
    })

    const ways = ["carried", "asked", "again", "open", "held", "onTheirWay", ...ends] as const
    expect(ways.filter((way) => met.every((cases) => cases[way] === 0))).toEqual([])
  })

  test("adds up: what came into the range is what ended in it or is still open, in every row", () => {
    fc.assert(
      fc.property(history, ({ scripts, audits, from, ms }) => {
        const { cases, byRule, byTool, byTeam, furtherRules } = reportOn(
          { from, to: from + ms },
          mergedOf(scripts.map(played), audits),
        )

        for (const row of [cases, ...byRule, ...byTool, ...byTeam]) expect(totalAtEnd(row)).toBe(totalIn(row))
        const sumOf = (rows: readonly (typeof cases | (typeof byRule)[number])[]) =>
          rows.reduce((sum, row) => sum + totalIn(row), 0)
        expect([sumOf(byRule) - furtherRules, sumOf(byTool), sumOf(byTeam)]).toEqual(Array(3).fill(totalIn(cases)))
      }),
      { numRuns: 100 },
    )
  })
})

/** All entries in the order of their time; those of one case keep theirs. */
function mergedOf(cases: readonly CaseHistory[], audits: readonly AuditScript[]): readonly Told[] {
  const told = cases.flatMap(({ chain, events }) => events.map((one) => ({ chain, ...one })))
  const rows = audits.map(({ at, ...row }): Told => {
    return { chain: "audits:main", at, event: { kind: "audited", at, instance: "main", ...named(row) } }
  })
  return [...told, ...rows].toSorted((a, b) => a.at - b.at)
}

function named({ tool, team, status }: Omit<AuditScript, "at">) {
  return { status, tool, team, approval: "a", run: "r", agent: null }
}

function entriesOf({ from, to }: TimeRange, told: readonly Told[]) {
  const numbers = told.flatMap(({ at }, index) => (at >= from && at < to ? [index + 1] : []))
  return { first: numbers[0] ?? null, last: numbers.at(-1) ?? null, count: numbers.length, sandbox: 0 }
}

function erasedOf(found: readonly Expected[]) {
  const sum = (of: (asking: Asking) => number) => found.reduce((total, { asking }) => total + of(asking), 0)
  return {
    removed: sum(({ removed }) => (removed ? 1 : 0)),
    cases: sum(({ texts }) => (texts > 0 ? 1 : 0)),
    texts: sum(({ texts }) => texts),
    receipts: sum(({ receipts }) => receipts),
  }
}

function expectVoters({ voters }: LedgerReport, { from, to }: TimeRange, cases: readonly CaseHistory[]): void {
  const acts = cases.flatMap((one) => one.acts).filter(({ at }) => at >= from && at < to)
  const found = new Map(
    voters.map(({ person, approved, rejected, calledBack, withdrawn, time }) => [
      person,
      { approved, rejected, calledBack, withdrawn, time },
    ]),
  )
  const people = new Set(acts.map(({ person }) => person))
  const expected = [...people].map((person) => {
    const own = acts.filter((act) => act.person === person)
    const count = (what: string) => own.filter((act) => act.what === what).length
    const votes = own.filter(({ what }) => what !== "withdrawn")
    const kinds = { approved: count("approved"), rejected: count("rejected"), calledBack: count("calledBack") }
    const time = ranksOf(votes.map(({ at, since }) => at - since))
    return [person, { ...kinds, withdrawn: count("withdrawn"), time }] as const
  })
  expect(found).toEqual(new Map(expected))
}

function expectBesides(
  { besides }: LedgerReport,
  { from, to }: TimeRange,
  cases: readonly CaseHistory[],
  audits: readonly AuditScript[],
): void {
  const inside = (at: number) => at >= from && at < to
  const having = (of: (asking: Asking) => readonly number[]) =>
    cases.filter(({ askings }) => askings.some((asking) => of(asking).some(inside))).length
  const rows = audits.filter(({ at }) => inside(at))
  const grouped = (of: (row: AuditScript) => string | null) =>
    new Map([...Map.groupBy(rows, of)].map(([name, all]) => [name, all.length]))
  expect(besides.ranOtherwise).toBe(having(({ ranOtherwise }) => ranOtherwise))
  expect(besides.outsideRules).toBe(having(({ outsideRules }) => outsideRules))
  expect(besides.glass).toEqual({
    broken: having(({ broken }) => broken),
    notRight: having(({ notRight }) => notRight),
    left: having(({ left }) => left),
  })
  expect(besides.stoodIn).toBe(having(({ stoodIn }) => stoodIn))
  expect(besides.counterproposals).toEqual({
    sentBack: having(({ sentBack }) => sentBack),
    taken: having(({ taken }) => taken),
  })
  expect(besides.unasked).toEqual({
    approved: rows.filter(({ status }) => status === "approved").length,
    rejected: rows.filter(({ status }) => status === "rejected").length,
    other: rows.filter(({ status }) => status === "cancelled").length,
  })
  expect(new Map(besides.unaskedByTool.map(({ name, calls }) => [name, calls]))).toEqual(grouped(({ tool }) => tool))
  expect(new Map(besides.unaskedByTeam.map(({ name, calls }) => [name, calls]))).toEqual(grouped(({ team }) => team))
}

/** Entries of one case, each so many ms after noon. */
function toldOf(chain: string, ...events: readonly (readonly [ms: number, event: Record<string, Json>])[]) {
  return events.map(([ms, event]): Told => ({ chain, at: noon + ms, event: { ...event, at: noon + ms } }))
}

const opened = { kind: "opened", rules: ["all"], tool: "pay" }
const span = { from: noon, to: noon + hour }

describe("a report", () => {
  test("counts changes of the rules, and by what right they became active; the first rules are none", () => {
    const activated = { kind: "activated", before: "r1" }
    const told = toldOf(
      "config",
      [1, { ...activated, before: null }],
      [2, activated],
      [3, { kind: "proposed" }],
      [4, { ...activated, proposal: "p-1", decision: "d-1" }],
      [5, { kind: "proposed" }],
      [6, { kind: "proposal-ended", how: "rejected" }],
      [7, { kind: "proposal-ended", how: "replaced" }],
      [8, { ...activated, proposal: "p-2", unapproved: true }],
      [2 * hour, activated],
    )

    expect(reportOn(span, told).besides.ruleChanges).toEqual({
      activated: 3,
      approved: 1,
      unapproved: 1,
      proposed: 2,
      rejected: 1,
    })
  })

  test("counts a case under a rule that a limit raised later, too", () => {
    const raised = { kind: "raised", asked: [{ rule: "all above 5000", quorum: 2, approvers: ["U1"] }] }

    const { byRule, furtherRules } = reportOn(span, toldOf("case:1", [1, opened], [2, raised]))

    expect(byRule.map(({ name, asked }) => [name, asked])).toEqual([
      ["all", 1],
      ["all above 5000", 1],
    ])
    expect(furtherRules).toBe(1)
  })

  test("keeps the order of a case's entries, if the clock of one replica is behind", () => {
    const decided = { kind: "decided", verb: "approve" }

    const late = reportOn(span, toldOf("case:1", [hour - 1, opened], [hour, { kind: "placed" }], [hour - 1, decided]))
    const early = reportOn(span, toldOf("case:1", [-1, opened], [0, { kind: "placed" }], [-1, decided]))

    expect(late).toMatchObject({ cases: { asked: 1, open: 1, approved: 0 }, entries: { first: 1, last: 1, count: 1 } })
    expect(early).toMatchObject({
      cases: { carried: 1, open: 0, approved: 1 },
      entries: { first: 2, last: 3, count: 2 },
    })
    expect(early.cases.time).toEqual({ count: 1, median: 0, p95: 0 })
  })

  test("knows a voter by their newest vote of the whole ledger, and counts votes of the range alone", () => {
    const by = (person: string) => ({ kind: "voted", person, verb: "approve" })
    const first = toldOf("case:1", [1, opened], [3, by("T1:U1")])
    const later = toldOf("case:2", [hour, opened], [hour, by("T1:U2")], [hour, by("T1:U1")])

    const { voters } = reportOn(span, [...first, ...later])

    const none = { rejected: 0, calledBack: 0, withdrawn: 0 }
    const time = { count: 1, median: 2, p95: 2 }
    expect(voters).toEqual([{ person: "T1:U1", approved: 1, ...none, time, newest: { chain: "case:2", n: 3 } }])
  })

  test("tells since when each instance's audit rows are known, as far as it had begun when the range ended", () => {
    const begun = (instance: string) => ({ kind: "audits-begun", instance })

    const { besides } = reportOn(span, [
      ...toldOf("audits:a", [-hour, begun("a")], [1, begun("a")]),
      ...toldOf("audits:b", [hour, begun("b")]),
    ])

    expect(besides.auditedSince).toEqual([{ instance: "a", at: noon - hour }])
  })

  test("counts what was made in a sandbox, and only in the range", () => {
    const { entries } = reportOn(
      span,
      toldOf("case:1", [-1, opened], [0, { kind: "placed" }], [1, { kind: "placed" }], [hour, { kind: "closed" }]).map(
        (one, index) => ({ ...one, sandbox: index !== 2 }),
      ),
    )

    expect(entries).toEqual({ first: 2, last: 3, count: 2, sandbox: 1 })
  })

  test("takes what an entry of a stranger form says for nothing, and still adds up", () => {
    const strange = { kind: "opened", rules: "all", tool: 5, asked: null }

    const { cases, byTool } = reportOn(span, toldOf("case:1", [1, strange], [2, { kind: 7 }], [3, { kind: "erased" }]))

    expect(cases).toMatchObject({ asked: 1, open: 1 })
    expect(byTool.map(({ name }) => name)).toEqual([null])
  })
})
