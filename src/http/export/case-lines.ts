// Cases as lines of CSV or JSON: a line for each call, with a column for each argument that is kept.
import { type Case, outcomesOf } from "../../domain/case/case.ts"
import type { Truth } from "../../domain/condition/evaluate.ts"
import { pathAsText } from "../../domain/condition/tree.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { truthsOf } from "../../domain/simulation/kept-filter.ts"
import type { Reading, Tampered } from "../../flow/ports.ts"
import type { CardWords } from "../card-words.ts"
import { lookThrough } from "../reading/browse.ts"
import type { ToldCase } from "../reading/models.ts"
import type { CasesQuery } from "../reading/query.ts"
import { tellCase } from "../reading/telling.ts"
import { factsOf } from "./case-facts.ts"
import { csvLine, csvMark } from "./csv.ts"
import { entryColumns, entryLine } from "./entry-line.ts"
import { leftOutLine, leftOutWords } from "./left-out.ts"

/** The columns before the arguments. */
export const caseColumns = [
  "case",
  "time",
  "state",
  "asked",
  "call",
  "tool",
  "agent",
  "requester",
  "rule",
  "verb",
  "person",
  "name",
  "for",
  "reason",
  "decided",
  "outcome",
  "decision",
  "content",
] as const

/** The last column: arguments by JSON that have none of their own. */
const othersColumn = "other arguments"
/** So many arguments have a column of their own; agents choose their names. */
const maxColumns = 200
/** A longer name has no column of its own, in UTF-16 units. */
const maxName = 200

/** Which cases to tell, and how. */
export interface CasesSource {
  readonly reading: Pick<Reading, "cases">
  readonly cardWords: Pick<CardWords, "subject">
  /** With an `until`: cases are read twice for CSV, and both times they are the same. */
  readonly query: CasesQuery & { readonly until: number }
  /**
   * Called for each case that was looked at, with the moment (epoch ms) when it was first seen. CSV looks at each
   * twice: first for the columns, then for the lines.
   */
  readonly onLook?: (openedAt: number, why: "columns" | "lines") => void
  /** Called at the end if calls are left out because nobody can tell whether they fit, with words about them. */
  readonly onLeftOut?: (words: string) => void
}

/**
 * Cases as CSV, in pieces: the mark at once, the head when all arguments are known, a line for each call, and a last
 * line about what is left out. Keeps no more than a page of cases in memory. Throws `StoreError`.
 */
export async function* casesAsCsv(source: CasesSource): AsyncGenerator<string, undefined> {
  yield csvMark
  const names = new Set<string>()
  for await (const { args } of callsOf(source, "columns", () => undefined))
    for (const name of Object.keys(args)) if (names.size < maxColumns && name.length <= maxName) names.add(name)
  const own = [...names].toSorted()
  const head = [...caseColumns, ...own.map((name) => pathAsText({ root: "args", names: [name] })), othersColumn]
  yield csvLine(head)
  let doubtful = 0
  for await (const { facts, args } of callsOf(source, "lines", (count) => void (doubtful = count))) {
    const others = Object.entries(args).filter(([name]) => !names.has(name))
    const shown = own.map((name) => (Object.hasOwn(args, name) ? (args[name] ?? "null") : null))
    const rest = others.length === 0 ? null : Object.fromEntries(others)
    yield csvLine([...caseColumns.map((column) => facts[column]), ...shown, rest])
  }
  if (doubtful === 0) return
  source.onLeftOut?.(leftOutWords(callsOfCases(doubtful)))
  yield leftOutLine(callsOfCases(doubtful), head.length)
}

/** Cases as JSON lines, one for each call: nothing is cut, and nothing marked. Throws `StoreError`. */
export async function* casesAsJson(source: CasesSource): AsyncGenerator<string, undefined> {
  let doubtful = 0
  for await (const { facts, args } of callsOf(source, "lines", (count) => void (doubtful = count)))
    yield `${JSON.stringify({ ...facts, arguments: args })}\n`
  if (doubtful > 0) source.onLeftOut?.(leftOutWords(callsOfCases(doubtful)))
}

function callsOfCases(count: number): string {
  return `calls of ${casesCounted(count)}`
}

function casesCounted(count: number): string {
  return count === 1 ? "1 case" : `${count} cases`
}

/** How many entries of a case are read at once. */
const entriesAtOnce = 200

/**
 * The entries of the ledger about cases as CSV, case after case, each in order, and a last line about what is left out.
 * Throws `StoreError`.
 */
export async function* entriesAsCsv({
  reading,
  cardWords,
  query,
}: CasesSource & { readonly reading: Pick<Reading, "cases" | "entriesOf"> }): AsyncGenerator<string, undefined> {
  yield csvMark
  yield csvLine(entryColumns)
  let doubtful = 0
  for await (const { found, asked } of lookThrough(reading, query)) {
    if (asked === "unknown") doubtful += 1
    if (asked !== "true") continue
    const caseId = "kind" in found ? found.caseId : found.id
    const facts = factsOf(found, cardWords)
    for (let after = 0, more = true; more; after += entriesAtOnce) {
      const entries = await reading.entriesOf(caseId, { after, limit: entriesAtOnce })
      for (const entry of entries) yield entryLine({ entry, caseId, facts })
      more = entries.length === entriesAtOnce
    }
  }
  if (doubtful > 0) yield leftOutLine(`the entries of ${casesCounted(doubtful)}`, entryColumns.length)
}

type ToldVote = ToldCase["votes"][number]

/** One call of a case. */
interface ToldCall {
  readonly facts: Readonly<Record<(typeof caseColumns)[number], string | null>>
  /** As people may see them; none once they are gone. */
  readonly args: JsonObject
}

/** The calls that are asked for. At the end `onEnd` hears of how many cases there are more that may be. */
async function* callsOf(
  { reading, cardWords, query, onLook }: CasesSource,
  why: "columns" | "lines",
  onEnd: (doubtful: number) => void,
): AsyncGenerator<ToldCall, undefined> {
  let doubtful = 0
  for await (const { place, found, asked } of lookThrough(reading, query)) {
    onLook?.(place.openedAt, why)
    if (asked !== "false" && truthsIn(found, query).includes("unknown")) doubtful += 1
    if (asked === "true") yield* toldCalls(found, cardWords, query)
  }
  onEnd(doubtful)
}

/** Whether the filter holds, for each call of a case; empty where there is none, or nothing to look at. */
function truthsIn(found: Case | Tampered, { when }: CasesQuery): readonly Truth[] {
  return when === undefined || "kind" in found ? [] : truthsOf(when, found)
}

/** What each vote says, if it says anything; where there are several votes, behind the name of whose it is. */
function ofEach(votes: readonly ToldVote[], say: (vote: ToldVote) => string | null): string {
  const said = votes.flatMap((vote) => {
    const words = say(vote)
    return words === null ? [] : [votes.length === 1 ? words : `${vote.name}: ${words}`]
  })
  return said.join("; ")
}

/** The calls of a case for which the filter holds; one without arguments if nothing is kept of any. */
function toldCalls(
  found: Case | Tampered,
  cardWords: CasesSource["cardWords"],
  query: CasesQuery,
): readonly ToldCall[] {
  const told = tellCase(found, () => null)
  const { asked, content, names, rules } = factsOf(found, cardWords)
  const { votes, decision } = told
  const facts = {
    case: told.id,
    time: told.opened_at,
    state: told.state,
    asked,
    agent: told.agent,
    requester: told.requester,
    rule: rules.join("; "),
    verb: decision?.verb ?? null,
    person: [...names.keys()].join("; "),
    name: [...names.values()].join("; "),
    for: ofEach(votes, ({ for: people = [] }) => (people.length === 0 ? null : people.join(", "))),
    reason: ofEach(votes, ({ reason }) => reason),
    decided: decision?.at ?? null,
    outcome: "kind" in found ? null : outcomesOf(found).join("; "),
    decision: decision?.id ?? null,
    content,
  }
  const calls = told.calls.length > 0 ? told.calls : [{ tool: told.tool, arguments: {} }]
  const truths = truthsIn(found, query)
  return calls.flatMap(({ tool, arguments: given }, index) => {
    const args = isJsonObject(given) ? given : {}
    const holds = query.when === undefined || (truths[index] ?? truths[0]) === "true"
    const call = `${index + 1} of ${calls.length}`
    return holds ? [{ facts: { ...facts, call, tool }, args }] : []
  })
}
