// A report as Markdown: what each figure is called, sums that a reader can follow, and names that mark up nothing.
import { describe, expect, test } from "vitest"
import type { ReportTold } from "../../../src/cli/report/report.ts"
import { reportWords } from "../../../src/cli/report/report-words.ts"
import type { Counted, CountedGroup } from "../../../src/domain/report/tally.ts"

const none = { carried: 0, asked: 0, again: 0, open: 0, approved: 0, rejected: 0, calledBack: 0, byExpiry: 0 }
const nobody: Counted = {
  ...none,
  expired: 0,
  elsewhere: 0,
  replaced: 0,
  gone: 0,
  frozen: 0,
  time: { count: 0, median: null, p95: null },
}

function aGroup(name: string | null, changes: Partial<Counted> = {}): CountedGroup {
  return { name, ...nobody, ...changes }
}

function aReport(changes: Partial<ReportTold> = {}): ReportTold {
  return {
    installation: "ours",
    madeAt: "2026-11-21T12:00:00.000Z",
    zone: "UTC",
    range: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z", over: true },
    ledger: {
      first: 4,
      last: 9,
      count: 6,
      sandbox: 0,
      entries: 12,
      root: "ab",
      begins: "2026-09-01T00:00:00.000Z",
      checkpoint: { size: 12, root: "cd", signedAt: "2026-11-02T00:00:00.000Z", covers: true },
    },
    cases: { ...nobody, held: 0, onTheirWay: 0 },
    byRule: [],
    furtherRules: 0,
    byTool: [],
    byTeam: [],
    besides: {
      ranOtherwise: 0,
      outsideRules: 0,
      glass: { broken: 0, notRight: 0, left: 0 },
      stoodIn: 0,
      counterproposals: { sentBack: 0, taken: 0 },
      unasked: { approved: 0, rejected: 0, other: 0 },
      unaskedByTool: [],
      unaskedByTeam: [],
      auditedSince: [],
      ruleChanges: { activated: 0, approved: 0, unapproved: 0, proposed: 0, rejected: 0 },
    },
    erased: { removed: 0, cases: 0, texts: 0, receipts: 0 },
    ...changes,
  }
}

function pageOf(changes: Partial<ReportTold> = {}): string {
  return reportWords(aReport(changes)).join("\n")
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

describe("a report in words", () => {
  test("shows both sums, and how the cases are spread over them", () => {
    const cases = { ...nobody, carried: 2, asked: 5, again: 1, approved: 3, expired: 1, frozen: 1, open: 3 }

    const page = pageOf({ cases: { ...cases, held: 1, onTheirWay: 2 } })

    expect(page).toContain("| Open when the range began | 2 |\n| + Asked in it | 5 |")
    expect(page.match(/\| \*\*= together\*\* \| 8 \|/g)).toHaveLength(2)
    expect(page).toContain("| Expired, and left as it was at the platform | 1 |")
    expect(page).toContain("1 of the rejected or called back are held: the platform would run them")
    expect(page).toContain("2 of the decided were not in the platform's record yet when the range ended.")
  })

  test("says that a case counts under each of its rules, and how far the rows then exceed the cases", () => {
    const [both, one] = [aGroup("payments", { asked: 3, open: 3 }), aGroup("large", { asked: 2, approved: 2 })]
    const cases = { ...nobody, asked: 3, held: 0, onTheirWay: 0 }

    const page = pageOf({ byRule: [both, one], furtherRules: 2, cases })

    expect(page).toContain("So these rows together count 2 more than the 3 cases above: 5.")
    expect(page).toContain("| **together** | 5 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 3 |  |  |")
  })

  test("writes times in their two largest units", () => {
    const time = (median: number, p95: number) => pageOf({ byTool: [aGroup("t", { time: { count: 2, median, p95 } })] })

    expect(time(0, 999)).toContain("| 0 ms | 999 ms |")
    expect(time(1_000, 59_940)).toContain("| 1 s | 59.9 s |")
    expect(time(59_960, 90_400)).toContain("| 60 s | 1 min 30 s |")
    expect(time(3 * hour, 3 * hour + minute + 1_000)).toContain("| 3 h | 3 h 1 min |")
    expect(time(2 * day, 2 * day + 1_000)).toContain("| 2 d | 2 d 1 s |")
  })

  test("lets no name mark anything up or leave its cell, and makes every character seen", () => {
    const hostile = `a|b\n## *x* <i> [y](z) \`c\`\u202e${"w".repeat(100)}`

    const page = pageOf({ byTool: [aGroup(hostile)], byTeam: [aGroup(null)], installation: "o|urs" })

    const row = page.split("\n").find((line) => line.includes("[U+202E]")) ?? ""
    expect(row.replaceAll(/\\./g, "").split("|")).toHaveLength(16)
    expect(row).toContain("a\\|b[U+000A]\\#\\# \\*x\\* \\<i\\> \\[y\\](z) \\`c\\`[U+202E]w")
    expect(row).toContain("w… |")
    expect(page).toContain("# Approvals of o\\|urs\n")
    expect(page).toContain("| (no team) | 0 |")
  })

  test("tells what stands beside the decisions, and of which instances nobody knows it", () => {
    const unasked = { approved: 2, rejected: 1, other: 0 }
    const since = [{ instance: "main", at: Date.UTC(2026, 9, 2) }]
    const glass = { broken: 8, notRight: 7, left: 6 }
    const counterproposals = { sentBack: 11, taken: 10 }
    const counted = {
      ranOtherwise: 4,
      outsideRules: 5,
      stoodIn: 6,
      counterproposals,
      glass,
      unasked,
      auditedSince: since,
    }
    const ruleChanges = { activated: 9, approved: 5, unapproved: 1, proposed: 8, rejected: 2 }

    const page = pageOf({
      besides: {
        ...counted,
        ruleChanges,
        unaskedByTool: [{ name: "export", calls: 3 }],
        unaskedByTeam: [{ name: null, calls: 3 }],
      },
    })

    expect(page).toContain("| Cases whose run did otherwise than was decided | 4 |")
    expect(page).toContain("| Cases decided elsewhere, which the rules would not have allowed | 5 |")
    expect(page).toContain("| Cases approved by breaking glass | 8 |")
    expect(page).toContain("| Cases of which a reviewer said that breaking the glass was not right | 7 |")
    expect(page).toContain("| Cases with broken glass that nobody looked at in time | 6 |")
    expect(page).toContain("| Cases on which somebody stood in for an approver who was away | 6 |")
    expect(page).toContain("| Cases that somebody sent back | 11 |")
    expect(page).toContain("| Cases in which an agent asked as somebody had proposed | 10 |")
    expect(page).toContain("| 3 (2 approved, 1 rejected, 0 other) |")
    expect(page).toContain("known of these instances: main since 2026-10-02T00:00:00.000Z.")
    expect(page).toContain("| export | 3 |")
    expect(page).toContain("| Other rules became active | 9 |\n| … because people approved them | 5 |")
    expect(page).toContain("| … where nobody had to approve them | 3 |")
    expect(pageOf()).toContain("nobody here knows whether calls were confirmed without asking")
  })

  test("says where it stands in the ledger, and whether a checkpoint vouches for it", () => {
    const { ledger } = aReport()
    const short = { size: 7, root: "cd", signedAt: "2026-10-20T00:00:00.000Z", covers: false }

    expect(pageOf()).toContain("- First entry of the range: 4\n- Last entry of the range: 9\n")
    expect(pageOf()).toContain("- Root over entries 1 to 9 (RFC 6962): `ab`")
    expect(pageOf()).toContain("root `cd`. It covers the range")
    expect(pageOf({ ledger: { ...ledger, checkpoint: short } })).toContain("Entries 8 to 9 came after it")
    expect(pageOf({ ledger: { ...ledger, checkpoint: null } })).toContain("nobody outside Redis vouches")
    expect(pageOf()).toContain("`countersign ledger export --from 4 --to 9`")
  })

  test("warns of a range that is not over, that begins before the ledger, or that was made in a sandbox", () => {
    const { range, ledger } = aReport()

    const page = pageOf({
      range: { ...range, over: false },
      ledger: { ...ledger, sandbox: 6, begins: "2026-10-02T00:00:00.000Z" },
    })

    expect(page).toContain("**This range is not over yet:**")
    expect(page).toContain("The ledger begins within the range, at 2026-10-02T00:00:00.000Z.")
    expect(page).toContain("**6 of its entries were made in a sandbox of Slack.**")
    expect(pageOf()).not.toMatch(/not over|begins within|sandbox/)
  })
})
