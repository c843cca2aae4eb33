// Reports what the ledger tells of a range of time: how cases ended, by rule, tool, team and person. It takes one
// entry after the other, and keeps of each case only how it stands.
import { isVoteKind } from "../case/event.ts"
import { type Besides, createBesides } from "./besides.ts"
import { type Course, courseOpened, follow, standingOf, type TellingEvent, wordsIn } from "./course.ts"
import { type Counted, type CountedGroup, createGroups, createTally, type Entering } from "./tally.ts"
import { type CountedVoter, createVoters } from "./voters.ts"

/** From when (epoch ms) until when, which is not in it. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** An entry of the ledger, with its number and its place in its chain, both from 1. */
export interface TellingEntry {
  readonly number: number
  readonly chain: string
  readonly n: number
  readonly event: TellingEvent
  readonly sandbox: boolean
}

/** The entries of the range. */
export interface EntryRange {
  /** The numbers of the first and the last of them; null without one. */
  readonly first: number | null
  readonly last: number | null
  /** How many there are: fewer than from first to last where clocks differ. */
  readonly count: number
  /** How many of them were made in a sandbox (R19). */
  readonly sandbox: number
}

/** What was removed of the counted cases. Their entries stay, and so does what is counted. */
export interface ErasedSince {
  /** Cases whose records `retention` removed. */
  readonly removed: number
  /** Cases from which texts or receipts of somebody were erased. */
  readonly cases: number
  readonly texts: number
  readonly receipts: number
}

/** What the ledger tells of a range. */
export interface LedgerReport {
  readonly entries: EntryRange
  readonly cases: Counted & {
    /** Of the rejected and called back: those that are not sent (R12). */
    readonly held: number
    /** Of the decided: those that the platform had not taken when the range ended. */
    readonly onTheirWay: number
  }
  /** A case counts under each of its rules; `null`: no rule covers it. */
  readonly byRule: readonly CountedGroup[]
  /** How often cases count in `byRule` beyond once. */
  readonly furtherRules: number
  readonly byTool: readonly CountedGroup[]
  readonly byTeam: readonly CountedGroup[]
  readonly besides: Besides
  readonly voters: readonly CountedVoter[]
  readonly erased: ErasedSince
}

/**
 * A case, and what becomes of it in the range. If its approval is pending again after it ended, and people are asked
 * anew, then it counts anew.
 */
interface CountedCase {
  readonly course: Course
  /** How it stood before its first entry of the range; null: it has none yet. */
  entering: Entering | "ended" | null
  /** True if it changed how it stands in the range. */
  changed: boolean
  phase: Phase
  removed: boolean
  texts: number
  receipts: number
}

type Phase = "before" | "in" | "after"
const order: Readonly<Record<Phase, number>> = { before: 0, in: 1, after: 2 }

function phaseIn({ from, to }: TimeRange, at: number): Phase {
  if (at < from) return "before"
  return at < to ? "in" : "after"
}

/** All that is counted while entries are taken. */
interface Parts {
  readonly entries: { first: number | null; last: number | null; count: number; sandbox: number }
  readonly besides: ReturnType<typeof createBesides>
  readonly voters: ReturnType<typeof createVoters>
  readonly ended: ReturnType<typeof createEnded>
  readonly cases: Map<string, CountedCase>
}

/** Makes a report over a range. `take` wants the whole ledger, in order; true: the entry lies in the range. */
export function createReport(span: TimeRange) {
  const parts: Parts = {
    entries: { first: null, last: null, count: 0, sandbox: 0 },
    besides: createBesides(),
    voters: createVoters(),
    ended: createEnded(),
    cases: new Map(),
  }
  return {
    take: (entry: TellingEntry): boolean => {
      const at = typeof entry.event["at"] === "number" ? entry.event["at"] : 0
      const phase = phaseOf(parts, entry, phaseIn(span, at))
      if (isVoteKind(entry.event["kind"])) parts.voters.see(entry.event, { chain: entry.chain, n: entry.n })
      if (phase === "in") noteEntry(parts, entry)
      if (phase !== "after" && entry.event["kind"] === "audits-begun") parts.besides.begun(entry.event, at)
      takeOfCase(parts, entry, { at, phase })
      return phase === "in"
    },
    report: (): LedgerReport => {
      for (const counted of parts.cases.values()) parts.ended.add(counted)
      parts.cases.clear()
      const { entries, besides, voters, ended } = parts
      return { entries, ...ended.counted(), besides: besides.counted(), voters: voters.counted() }
    },
  }
}

/** Where an entry lies. No entry of a case lies before an earlier one of it, even where clocks differ. */
function phaseOf({ cases }: Parts, { chain, event }: TellingEntry, own: Phase): Phase {
  const known = cases.get(chain)
  if (known === undefined || event["kind"] === "opened") return own
  if (order[own] > order[known.phase]) known.phase = own
  return known.phase
}

function noteEntry({ entries, besides }: Parts, { number, chain, event, sandbox }: TellingEntry): void {
  entries.first ??= number
  entries.last = number
  entries.count += 1
  entries.sandbox += sandbox ? 1 : 0
  besides.take(chain, event)
}

interface Moment {
  readonly at: number
  readonly phase: Phase
}

function takeOfCase(parts: Parts, { chain, event }: TellingEntry, moment: Moment): void {
  const known = parts.cases.get(chain)
  if (event["kind"] === "opened") {
    if (known !== undefined) parts.ended.add(known)
    parts.cases.delete(chain)
    if (moment.phase !== "after") parts.cases.set(chain, caseOpened(event, moment))
  } else if (known !== undefined) {
    noteErasure(known, event)
    if (moment.phase === "in") noteVote(parts, known, event, moment.at)
    if (moment.phase !== "after") goOn(known, event, moment)
  }
}

function caseOpened(event: TellingEvent, { at, phase }: Moment): CountedCase {
  const entering = phase === "in" ? "asked" : null
  return { course: courseOpened(event, at), entering, changed: false, phase, removed: false, texts: 0, receipts: 0 }
}

/** What a removal or an erasure took, whenever it came. */
function noteErasure(counted: CountedCase, event: TellingEvent): void {
  if (event["kind"] === "removed") counted.removed = true
  if (event["kind"] !== "erased") return
  counted.texts += wordsIn(event["erasables"]).length
  counted.receipts += wordsIn(event["receipts"]).length
}

function noteVote({ voters }: Parts, { course }: CountedCase, event: TellingEvent, at: number): void {
  if (isVoteKind(event["kind"])) voters.voted(event, at - course.askedAt)
  if (event["kind"] === "withdrawn") voters.withdrawn(event)
}

function goOn(counted: CountedCase, event: TellingEvent, { at, phase }: Moment): void {
  const before = standingOf(counted.course)
  if (phase === "in") counted.entering ??= before === "open" ? "carried" : "ended"
  follow(counted.course, event, at)
  if (phase === "in" && standingOf(counted.course) !== before) counted.changed = true
}

/** How a case came to be in the range; null: it had ended before, and did not change. */
function enteringOf({ course, entering, changed }: CountedCase): Entering | null {
  if (entering === null) return standingOf(course) === "open" ? "carried" : null
  if (entering === "ended") return changed ? "again" : null
  return entering
}

/** Takes cases as they stand when the range ends, and counts those that belong in it. */
function createEnded() {
  const [all, byRule, byTool, byTeam] = [createTally(), createGroups(), createGroups(), createGroups()]
  const further = { held: 0, onTheirWay: 0, furtherRules: 0 }
  const erased = { removed: 0, cases: 0, texts: 0, receipts: 0 }
  return {
    add: (counted: CountedCase): void => {
      const entering = enteringOf(counted)
      if (entering === null) return
      const { course } = counted
      const rules = course.rules.length === 0 ? [null] : [...new Set(course.rules)]
      all.add(entering, course)
      byRule.add(rules, entering, course)
      byTool.add([course.tool], entering, course)
      byTeam.add([course.team], entering, course)
      further.furtherRules += rules.length - 1
      noteVerdict(further, course)
      addErased(erased, counted)
    },
    counted: () => ({
      cases: { ...all.counted(), held: further.held, onTheirWay: further.onTheirWay },
      byRule: byRule.counted(),
      furtherRules: further.furtherRules,
      byTool: byTool.counted(),
      byTeam: byTeam.counted(),
      erased,
    }),
  }
}

function noteVerdict(further: { held: number; onTheirWay: number }, course: Course): void {
  if (standingOf(course) !== course.verdict) return
  if (course.heldBy !== null) further.held += 1
  else if (!course.carriedOut) further.onTheirWay += 1
}

function addErased(
  erased: { -readonly [Kind in keyof ErasedSince]: number },
  { removed, texts, receipts }: CountedCase,
): void {
  erased.removed += removed ? 1 : 0
  erased.cases += texts + receipts > 0 ? 1 : 0
  erased.texts += texts
  erased.receipts += receipts
}
