// A report as Markdown: sentences and tables whose sums a reader can follow.
import type { Besides, UnaskedGroup } from "../../domain/report/besides.ts"
import { ends } from "../../domain/report/course.ts"
import { type Counted, type CountedGroup, type Times, totalAtEnd, totalIn } from "../../domain/report/tally.ts"
import { isInvisibleAt } from "../../invisible.ts"
import type { NamedVoter, ReportTold } from "./report.ts"

/** The report as lines of Markdown. */
export function reportWords(told: ReportTold): readonly string[] {
  return [
    ...openingWords(told),
    ...requestWords(told),
    ...timeWords(told.cases.time),
    ...countedWords("By rule", "Rule", told.byRule, ruleNote(told)),
    ...countedWords("By tool", "Tool", told.byTool, sameSum),
    ...countedWords("By team", "Team", told.byTeam, sameSum),
    ...besidesWords(told.besides),
    ...(told.people === undefined ? [] : peopleWords(told.people)),
    ...erasedWords(told),
    ...ledgerWords(told),
  ]
}

const sameSum = "Each case stands in one row, so the rows add up to the table above."

function openingWords({ installation, range, madeAt, ledger }: ReportTold): readonly string[] {
  const early = Date.parse(range.from) < Date.parse(ledger.begins)
  return [
    `# Approvals of ${cellOf(installation)}`,
    "",
    `From ${range.from} up to, not including, ${range.to}. All times are UTC. Made ${madeAt}.`,
    ...(range.over ? [] : ["", "**This range is not over yet:** more may happen in it."]),
    ...(early ? ["", `The ledger begins within the range, at ${ledger.begins}.`] : []),
    ...(ledger.count === 0 ? ["", "Nothing happened: no entry of the ledger lies in this range."] : []),
    ...(ledger.sandbox === 0 ? [] : ["", `**${ledger.sandbox} of its entries were made in a sandbox of Slack.**`]),
  ]
}

const endWords = {
  approved: "Approved by people",
  rejected: "Rejected by people",
  calledBack: "Called back by the requester",
  byExpiry: "Rejected because nobody decided in time",
  expired: "Expired, and left as it was at the platform",
  elsewhere: "Decided elsewhere",
  replaced: "Proposals of rules that others replaced",
  gone: "Gone: the platform deleted its record",
  frozen: "Frozen: its record was changed",
} as const

function requestWords({ cases }: ReportTold): readonly string[] {
  const notes = [
    [cases.held, "of the rejected or called back are held: the platform would run them, so no answer was sent"],
    [cases.onTheirWay, "of the decided were not in the platform's record yet when the range ended"],
  ] as const
  return [
    ...section("Cases"),
    "Each case counts once, as it stood when the range ended. If its approval was pending again after it had ended, " +
      "and people were asked anew, it counts anew.",
    "",
    ...markdownTable(
      ["", "cases"],
      [
        ["Open when the range began", cases.carried],
        ["+ Asked in it", cases.asked],
        ["+ Ended before it, and changed in it", cases.again],
        ["**= together**", totalIn(cases)],
        ...ends.map((end) => [endWords[end], cases[end]] as const),
        ["Still open when it ended", cases.open],
        ["**= together**", totalAtEnd(cases)],
      ],
    ),
    ...notes.flatMap(([count, words]) => (count === 0 ? [] : ["", `${count} ${words}.`])),
  ]
}

function timeWords({ count, median, p95 }: Times): readonly string[] {
  const how = "from the entry that says the case was seen to the entry of the decision"
  const words =
    median === null || p95 === null
      ? "No case that people decided has a time."
      : `Of ${count} cases that people decided, half took at most ${durationOf(median)} (median), and 95 of 100 at ` +
        `most ${durationOf(p95)} (p95): ${how}. Each of the two is the time of one case.`
  return [...section("Time to decide"), words]
}

const groupHead = [
  "cases",
  "approved",
  "rejected",
  "called back",
  "by expiry",
  "expired, left",
  "elsewhere",
  "replaced",
  "gone",
  "frozen",
  "open",
  "median",
  "p95",
] as const

function countedWords(title: string, kind: string, groups: readonly CountedGroup[], note: string): readonly string[] {
  if (groups.length === 0) return []
  const rows = groups.map((group) => [rowName(group.name, kind), ...countCells(group), ...timeCells(group.time)])
  return [...section(title), note, "", ...markdownTable([kind, ...groupHead], [...rows, sumRow(groups)])]
}

function countCells(counted: Counted): readonly number[] {
  return [totalIn(counted), ...ends.map((end) => counted[end]), counted.open]
}

function sumRow(groups: readonly CountedGroup[]): readonly Cell[] {
  const rows = groups.map(countCells)
  const sums = rows[0]?.map((_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0)) ?? []
  return ["**together**", ...sums, "", ""]
}

function timeCells({ median, p95 }: Times): readonly string[] {
  return [median, p95].map((ms) => (ms === null ? "" : durationOf(ms)))
}

function ruleNote({ furtherRules, cases }: ReportTold): string {
  if (furtherRules === 0) return sameSum
  const total = totalIn(cases)
  return (
    "A case counts under each of its rules as they were when the range ended. So these rows together count " +
    `${furtherRules} more than the ${total} cases above: ${total + furtherRules}.`
  )
}

function besidesWords(besides: Besides): readonly string[] {
  const { approved, rejected, other } = besides.unasked
  const { glass } = besides
  const unasked = `${approved + rejected + other} (${approved} approved, ${rejected} rejected, ${other} other)`
  return [
    ...section("Outside of what was decided"),
    ...markdownTable(
      ["", "in the range"],
      [
        ["Cases whose run did otherwise than was decided", besides.ranOtherwise],
        ["Cases decided elsewhere, which the rules would not have allowed", besides.outsideRules],
        ["Cases approved by breaking glass", glass.broken],
        ["Cases of which a reviewer said that breaking the glass was not right", glass.notRight],
        ["Cases with broken glass that nobody looked at in time", glass.left],
        ["Cases on which somebody stood in for an approver who was away", besides.stoodIn],
        ["Cases that somebody sent back", besides.counterproposals.sentBack],
        ["Cases in which an agent asked as somebody had proposed", besides.counterproposals.taken],
        ["Calls confirmed at the platform, about which nobody was asked", unasked],
      ],
    ),
    "",
    auditWords(besides),
    ...unaskedWords("Tool", besides.unaskedByTool),
    ...unaskedWords("Team", besides.unaskedByTeam),
    ...changesWords(besides.ruleChanges),
  ]
}

function changesWords({ activated, approved, unapproved, proposed, rejected }: Besides["ruleChanges"]) {
  const free = activated - approved - unapproved
  return [
    ...section("Changes of the rules"),
    ...markdownTable(
      ["", "in the range"],
      [
        ["Other rules became active", activated],
        ["… because people approved them", approved],
        ["… without approval, by an operator", unapproved],
        ["… where nobody had to approve them", free],
        ["Proposed", proposed],
        ["Rejected", rejected],
      ],
    ),
  ]
}

function auditWords({ auditedSince }: Besides): string {
  if (auditedSince.length === 0)
    return "No platform's audit rows are in the ledger: nobody here knows whether calls were confirmed without asking."
  const since = auditedSince.map(({ instance, at }) => `${cellOf(instance)} since ${new Date(at).toISOString()}`)
  return `Calls that nobody was asked about are known of these instances: ${since.join(", ")}.`
}

function unaskedWords(kind: string, groups: readonly UnaskedGroup[]): readonly string[] {
  if (groups.length === 0) return []
  const rows = groups.map(({ name, calls }) => [rowName(name, kind), calls])
  return ["", ...markdownTable([kind, "calls that nobody was asked about"], rows)]
}

function peopleWords(people: readonly NamedVoter[]): readonly string[] {
  const nameless = people.filter(({ name }) => name === null).length
  const votes = people.reduce((sum, { time }) => sum + time.count, 0)
  const rows = people.map(({ person, name, approved, rejected, calledBack, withdrawn, time }) => {
    const cells = [approved, rejected, calledBack, time.count, withdrawn, ...timeCells(time)]
    return [`${name === null ? "(name erased)" : cellOf(name)} (${cellOf(person)})`, ...cells]
  })
  const head = ["Person", "approved", "rejected", "called back", "votes", "taken back", "median", "p95"]
  return [
    ...section("By person"),
    `${votes} votes were cast in the range. A quorum takes several votes, so they are not as many as the cases. ` +
      "The times count from when people were asked about what they voted on.",
    ...(nameless === 0 ? [] : ["", `The names of ${nameless} people were erased, or removed with their cases.`]),
    "",
    ...markdownTable(head, rows),
  ]
}

function erasedWords({ erased: { removed, cases, texts, receipts } }: ReportTold): readonly string[] {
  const gone = [
    ...(removed === 0
      ? []
      : [`${removed} of these cases are past retention: their records, texts and receipts are gone.`]),
    ...(cases === 0 ? [] : [`Of ${cases} of these cases ${texts} texts and ${receipts} receipts were erased.`]),
  ]
  const words =
    gone.length === 0 ? "Nothing of these cases was erased." : `${gone.join(" ")} Their entries stay and count.`
  return [...section("Erased"), words]
}

function ledgerWords({ ledger }: ReportTold): readonly string[] {
  const { first, last, count, root, entries, checkpoint } = ledger
  const held = `All ${entries} entries of the ledger were read for this; every MAC and chain holds.`
  if (first === null || last === null) return [...section("Ledger"), held, "", ...checkpointWords(checkpoint, null)]
  return [
    ...section("Ledger"),
    held,
    "",
    `- First entry of the range: ${first}`,
    `- Last entry of the range: ${last}`,
    `- Entries whose time lies in the range: ${count}`,
    `- Root over entries 1 to ${last} (RFC 6962): \`${root}\``,
    ...checkpointWords(checkpoint, last),
    "",
    `To count again: \`countersign ledger export --from ${first} --to ${last}\`. What counts is each entry's \`at\`.`,
  ]
}

function checkpointWords(checkpoint: ReportTold["ledger"]["checkpoint"], last: number | null): readonly string[] {
  if (checkpoint === null) return ["- No checkpoint is at hand: nobody outside Redis vouches for these entries"]
  const { size, root, signedAt, covers } = checkpoint
  const line = `- Newest checkpoint: entries 1 to ${size}, signed ${signedAt}, root \`${root}\`.`
  if (last === null) return [line]
  return [`${line} ${covers ? "It covers the range" : `Entries ${size + 1} to ${last} came after it`}`]
}

function section(title: string): readonly string[] {
  return ["", `## ${title}`, ""]
}

type Cell = string | number

function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] {
  const line = (cells: readonly Cell[]) => `| ${cells.join(" | ")} |`
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"))
  return [line(head), line(rule), ...rows.map(line)]
}

function rowName(name: string | null, kind: string): string {
  return name === null ? `(no ${kind.toLowerCase()})` : cellOf(name)
}

/** At most this many characters of a name are shown; `--json` has all of them. */
const maxName = 80

/** A name as text of Markdown: nothing in it marks anything up, and every character can be seen. */
function cellOf(name: string): string {
  const whole = Array.from(name)
  const cut = whole.length > maxName ? [...whole.slice(0, maxName), "…"] : whole
  return cut.map((one) => (isShown(one) ? one.replace(/[\\`*<>|[\]~&#]/, "\\$&") : `[U+${hexOf(one)}]`)).join("")
}

function isShown(one: string): boolean {
  return one !== "\n" && one !== "\t" && !isInvisibleAt(one, 0)
}

function hexOf(one: string): string {
  return (one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const

/** A duration in its two largest units; below a minute in seconds, to a tenth; below a second in ms. */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  let left = Math.round(ms / 1_000) * 1_000
  const parts = units.flatMap(([size, word]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return [...parts, ...(left === 0 ? [] : [`${left / 1_000} s`])].slice(0, 2).join(" ")
}
