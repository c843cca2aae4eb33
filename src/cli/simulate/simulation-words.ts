// Writes what a simulation found in words and tables for the terminal, with people by name.
import { largest } from "../../domain/content/largest.ts"
import { slackIdOf } from "../../domain/people/person.ts"
import type { AskCount } from "../../domain/simulation/ask-counts.ts"
import type { DecisionLost, SimulationReport } from "../../domain/simulation/simulation.ts"
import type { WaitTimes } from "../../domain/simulation/waits.ts"
import type { Directory } from "./directory.ts"

/** A report that names people. */
export interface NamedReport extends Omit<SimulationReport, "asked" | "decisions"> {
  readonly asked: Omit<SimulationReport["asked"], "people"> & { readonly people: readonly NamedCount[] }
  readonly decisions: Omit<SimulationReport["decisions"], "listed"> & { readonly listed: readonly NamedLost[] }
}

/** How often a person is asked. `more`: by how much this grows for certain. */
interface NamedCount extends AskCount {
  readonly person: string
  readonly name: string
  readonly more: number
}

interface NamedLost extends Omit<DecisionLost, "people"> {
  readonly people: readonly { readonly person: string; readonly name: string }[]
}

/** What was simulated. Times are epoch ms. */
export interface About {
  readonly installation: string
  readonly file: string
  readonly seed: number
  readonly since: number
  readonly until: number
}

/** Adds who people are. Those whose number of questions changes most come first. Throws `ChatError`. */
export async function namedReport(report: SimulationReport, directory: Directory): Promise<NamedReport> {
  const named = async (person: string) => ({ person, name: await nameOf(directory, person) })
  const people = await Promise.all(
    report.asked.people.map(async (one) => ({ ...one, ...(await named(one.person)), more: one.after - one.before })),
  )
  const listed = await Promise.all(
    report.decisions.listed.map(async (one) => ({ ...one, people: await Promise.all(one.people.map(named)) })),
  )
  const sorted = people.toSorted((a, b) => b.more - a.more || b.after - a.after || (a.person < b.person ? -1 : 1))
  return { ...report, asked: { ...report.asked, people: sorted }, decisions: { ...report.decisions, listed } }
}

async function nameOf(directory: Directory, person: string): Promise<string> {
  return (await directory.person(slackIdOf(person)))?.name ?? slackIdOf(person).user
}

/** The report as lines. */
export function simulationWords(report: NamedReport & About): readonly string[] {
  return [
    ...headWords(report),
    "",
    ...askedWords(report),
    "",
    ...waitWords(report),
    "",
    ...decisionWords(report),
    "",
    ...reproducedWords(report),
  ]
}

function headWords({ cases, exact, inexact, file, installation, since, until, seed }: NamedReport & About) {
  const causes = [
    [inexact.masked, "where a rule looks at a masked field"],
    [inexact.notKept, "where it looks at what is not kept any more"],
    [inexact.time, "where it looks at a time that nobody knows"],
    [inexact.limit, "where nobody knows what the sum of a limit came to"],
    [inexact.askedUnknown, "of which nobody knows whom they asked (left out below)"],
    [inexact.unreadable, "that cannot be read (left out below)"],
  ] as const
  return [
    `${file} on ${cases} cases of ${installation}, from ${dayOf(since)} to ${dayOf(until)} (seed ${seed})`,
    `replayed exactly: ${exact}`,
    ...causes.filter(([count]) => count > 0).map(([count, words]) => `not exactly: ${count} ${words}`),
  ]
}

function askedWords({ asked, uncovered }: NamedReport): readonly string[] {
  const rows = [
    ["who is asked", "before", "after", "more"],
    ...asked.people.map((one) => [`${one.name} (${slackIdOf(one.person).user})`, ...cellsOf(one)]),
    ["all together", ...cellsOf(asked.prompts)],
    [],
    ["by which rule", "before", "after", "more"],
    ...asked.rules.map((one) => [one.rule, ...cellsOf(one)]),
    ...(uncovered.before + uncovered.atMost > 0 ? [["nobody may decide", ...cellsOf(uncovered)]] : []),
  ]
  return tableOf(rows)
}

/** The cells of a count. If it depends on unknown fields, they show a range. */
function cellsOf({ before, after, atMost }: AskCount): readonly string[] {
  const signed = (count: number) => `${count > 0 ? "+" : ""}${count}`
  const [certain, most] = [after - before, atMost - before]
  if (after === atMost) return [`${before}`, `${after}`, signed(certain)]
  return [`${before}`, `${after} to ${atMost}`, `${signed(certain)} to ${signed(most)}`]
}

function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number) =>
    largest(
      0,
      rows.map((row) => row[column]?.length ?? 0),
    )
  const [first, ...others] = [0, 1, 2, 3].map(width)
  return rows.map(([name = "", ...cells]) => {
    const right = cells.map((cell, index) => cell.padStart((others[index] ?? 0) + 2))
    return [name.padEnd(first ?? 0), ...right].join("").trimEnd()
  })
}

function waitWords({ waits }: NamedReport): readonly string[] {
  const { cases, seen, estimated, never, borrowed } = waits
  if (cases === 0) return ["waits: there is no case to estimate them from"]
  return [
    `waits, from ${cases} cases: half were decided within ${within(seen.median)}, nine of ten ${within(seen.p90)}`,
    `after, as estimated: half within ${within(estimated.median)}, nine of ten ${within(estimated.p90)}`,
    ...(never > 0 ? [`${percent(never)} would wait for longer than anything seen so far`] : []),
    ...(borrowed > maxBorrowed ? [`for ${percent(borrowed)} of the cases that is a guess: ${guessWords}`] : []),
  ]
}

/** If a larger share of the times is borrowed, the median may be wrong by a tenth. */
const maxBorrowed = 0.03

const guessWords = "how long some of those asked take was never seen, so the times of all stand for theirs"

function percent(share: number): string {
  return `${Math.max(1, Math.round(share * 100))} %`
}

function within(ms: WaitTimes["median"]): string {
  return ms === null ? "longer than anything seen so far" : durationWords(ms)
}

/** How many kinds of decisions we show; `--json` has every decision. */
const maxShown = 20

function decisionWords({ decisions }: NamedReport): readonly string[] {
  const { stand, cannotTell, needOthers, listed } = decisions
  const kinds = Map.groupBy(listed, ({ tool, verb, progress }) => JSON.stringify([tool, verb, progress]))
  const shown = [...kinds.values()].slice(0, maxShown)
  const more = needOthers - shown.flat().length
  return [
    `decisions: ${stand} stand, ${needOthers} would have needed others, of ${cannotTell} nobody can tell`,
    ...shown.flatMap(lostKindWords),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** Decisions on one tool that lack the same votes: the first of them, and how many more there are. */
function lostKindWords([first, ...others]: readonly NamedLost[]): readonly string[] {
  const like = others.length === 0 ? [] : [`    and ${others.length} more like it (--json)`]
  return first === undefined ? [] : [lostWords(first), ...like]
}

function lostWords({ caseId, tool, verb, people, progress, at }: NamedLost): string {
  const who = people.map(({ name }) => name).join(", ")
  const votes = progress.map(({ rule, have, need }) => `${rule} has ${have} of ${need}`).join(", ")
  const what = `${verb === "approve" ? "approved" : "rejected"} by ${who} on ${dayOf(at)}`
  return `  case ${caseId}, ${tool ?? "no named tool"}, ${what}: ${votes || "nobody may decide it"}`
}

function reproducedWords({ reproduced }: NamedReport): readonly string[] {
  const { same, different, named, notCompared } = reproduced
  const causes = [
    [notCompared.otherRules, "were judged under other rules"],
    [notCompared.masked, "have masked fields"],
    [notCompared.notKept, "are not kept whole"],
    [notCompared.limit, "have a limit whose sum nobody knows"],
    [notCompared.unreadable, "cannot be read"],
  ] as const
  const left = causes.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  return [
    `check: the rules in force ask whom ${same} of ${same + different} cases asked`,
    ...(left.length === 0 ? [] : [`not compared: ${left.join(", ")}`]),
    ...named.slice(0, maxShown).map((id) => `  case ${id} asked others`),
  ]
}

/** A day by UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** A duration with two significant digits. If it is almost one minute, it is one minute. */
export function durationWords(ms: number): string {
  const [unit = 1_000, word = "s"] = units.find(([size]) => ms >= 0.98 * size) ?? []
  const count = ms / unit
  return `${count >= 10 ? Math.round(count) : Math.round(count * 10) / 10} ${word}`
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const
