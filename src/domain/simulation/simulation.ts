// A simulation tries rules on cases of the past: it takes one case after the other, and counts.
import { type Case, maskSummary } from "../case/case.ts"
import type { Progress, VotedDecision } from "../case/vote.ts"
import { callsOf } from "../content/approval.ts"
import { type Person, personKey, type SlackId } from "../people/person.ts"
import type { Verb } from "../policy/judge.ts"
import type { Policy } from "../policy/policy.ts"
import type { Circumstances } from "../policy/when.ts"
import { type Rule, ruleHash } from "../rule/rule.ts"
import { type AskCount, type AskCounts, type AskedRule, type AskTotals, createAskCounts } from "./ask-counts.ts"
import { seenOf } from "./case-seen.ts"
import { decisionUnder } from "./decision-under.ts"
import { contentOf, type KeptContent } from "./kept-content.ts"
import type { LimitHistory } from "./limit-history.ts"
import { isExact, type LimitsThen, type Replay, replay, withLimits } from "./replay.ts"
import { createReproduction, type Reproduced } from "./reproduction.ts"
import { createWaits, type WaitEstimate, type Waits } from "./waits.ts"

/** What a simulation needs. */
export interface SimulationOptions {
  /** The rules that are tried. */
  readonly tried: Policy
  readonly inForce: Policy
  /** Who may decide now under each of the tried rules: by `ruleHash`, as `personKey`. */
  readonly people: ReadonlyMap<string, ReadonlySet<string>>
  /** How limits stood: under the tried rules, and under the rules in force as they were counted at that time. */
  readonly limits: { readonly tried: LimitHistory; readonly inForce: LimitHistory }
  /** Epoch ms. */
  readonly now: number
}

/** A case of the past, with what is known around it. */
export interface PastCase {
  readonly current: Case
  /** The rules by which the case asked, with their people; null: nobody knows any more. */
  readonly asked: readonly AskedRule[] | null
  /** Who decided the case, by `personKey`; null: Slack does not know them any more. */
  readonly voters: ReadonlyMap<string, Person | null>
  /** The person that the requester's claim means. */
  readonly known: SlackId | null
  /** What the tried rules look at besides the call. */
  readonly circumstances: Circumstances
}

/** A decision that the same people would not have reached. */
export interface DecisionLost {
  readonly caseId: string
  readonly approval: string
  readonly instance: string
  readonly tool: string | null
  readonly verb: Verb
  readonly at: number
  /** Who decided it. */
  readonly people: readonly string[]
  /** How far their votes would get, by rule; empty: nobody could decide the case. */
  readonly progress: readonly Progress[]
}

/** Why cases are not replayed exactly: how many for each cause. */
export interface Inexact {
  /** What a rule looks at is masked, or we do not keep it any more. */
  readonly masked: number
  readonly notKept: number
  /** A rule looks at the time, and nobody knows when the case was judged. */
  readonly time: number
  /** Nobody knows what a sum was, although we can read the whole case. */
  readonly limit: number
  /** Nobody knows any more which people the case asked, so we do not count it. */
  readonly askedUnknown: number
  readonly unreadable: number
}

/** What a simulation found. */
export interface SimulationReport {
  readonly cases: number
  /** How many were replayed exactly; `inexact` counts the others by cause. */
  readonly exact: number
  readonly inexact: Inexact
  readonly reproduced: Reproduced
  readonly asked: AskTotals
  /** Cases that nobody may decide. */
  readonly uncovered: AskCount
  readonly waits: WaitEstimate
  readonly decisions: {
    readonly stand: number
    readonly cannotTell: number
    readonly needOthers: number
    /** The first of the decisions that need other people. */
    readonly listed: readonly DecisionLost[]
  }
}

/** Takes cases in any order, and reports. */
export interface Simulation {
  take(past: PastCase): void
  /** One more case whose record cannot be read. */
  unreadable(): void
  /** `random`: from 0 up to, not including, 1. */
  report(random: () => number): SimulationReport
}

/** We list this many decisions, and count all. */
const maxListed = 1_000

/** What is counted while cases are taken. */
interface Counts {
  cases: number
  exact: number
  readonly inexact: { -readonly [cause in keyof Inexact]: number }
  readonly uncovered: { -readonly [side in keyof AskCount]: number }
  readonly decisions: { stand: number; cannotTell: number; needOthers: number; readonly listed: DecisionLost[] }
}

/** Makes a simulation. It grows with the number of rules and people; of a case it keeps only the times. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { tried, inForce, limits } = options
  const reproduction = createReproduction(inForce, limits.inForce)
  const parts = { asks: createAskCounts(), waits: createWaits(), reproduction }
  const counts: Counts = {
    cases: 0,
    exact: 0,
    inexact: { masked: 0, notKept: 0, time: 0, limit: 0, askedUnknown: 0, unreadable: 0 },
    uncovered: { before: 0, after: 0, atMost: 0 },
    decisions: { stand: 0, cannotTell: 0, needOthers: 0, listed: [] },
  }
  return {
    take: (past) => {
      const content = contentOf(past.current)
      const own = replay(tried.rules, { content, circumstances: past.circumstances })
      const stood = limits.tried.limitsOf(past, own)
      const found = { content, own, replayed: withLimits(own, stood) }
      counts.cases += 1
      parts.reproduction.take(past.current, content)
      noteReplay(counts, past, found)
      noteDecision(counts, past, { content, options, stood })
      if (past.asked === null) return
      noteAsked({ counts, asks: parts.asks, options }, { ...past, asked: past.asked }, found.replayed)
      countWait({ ...parts, options }, { ...past, asked: past.asked }, found.replayed)
    },
    unreadable: () => {
      counts.cases += 1
      counts.inexact.unreadable += 1
      parts.reproduction.unreadable()
    },
    report: (random) => {
      const found = { reproduced: parts.reproduction.report(), asked: parts.asks.totals() }
      return { ...counts, ...found, waits: parts.waits.estimate(random) }
    },
  }
}

interface Found {
  readonly content: KeptContent
  /** The replay without the rules that limits add. */
  readonly own: Replay
  readonly replayed: Replay
}

function noteReplay(counts: Counts, { asked }: PastCase, { content, own, replayed }: Found): void {
  if (asked === null) counts.inexact.askedUnknown += 1
  else if (isExact(replayed)) counts.exact += 1
  else counts.inexact[content.lacks === null && isExact(own) ? "limit" : lackOf(content)] += 1
}

function lackOf({ lacks }: KeptContent): "masked" | "notKept" | "time" {
  if (lacks === null) return "time"
  return lacks === "masked" ? "masked" : "notKept"
}

/** A past case of which we know which people it asked. */
interface AskedCase extends PastCase {
  readonly asked: readonly AskedRule[]
}

function noteAsked(
  into: { readonly counts: Counts; readonly asks: AskCounts; readonly options: SimulationOptions },
  { asked: before, current }: AskedCase,
  { certain, possible, covered }: Replay,
): void {
  const { counts, asks, options } = into
  const under = (rules: readonly Rule[]) => rules.map((rule) => askedUnder(options, rule))
  asks.add({ before, after: under(certain), atMost: under(possible) })
  counts.uncovered.before += current.revision.covered ? 0 : 1
  counts.uncovered.after += covered === false ? 1 : 0
  counts.uncovered.atMost += covered === true ? 0 : 1
}

function askedUnder({ people }: SimulationOptions, rule: Rule): AskedRule {
  const hash = ruleHash(rule)
  return { name: rule.name, hash, people: people.get(hash) ?? new Set() }
}

function countWait(
  into: { readonly waits: Waits; readonly asks: AskCounts; readonly options: SimulationOptions },
  { asked, current, known }: AskedCase,
  replayed: Replay,
): void {
  const { waits, asks, options } = into
  if (!isExact(replayed) || replayed.covered === false) return
  const { tried, people, now } = options
  const who = { known, identities: tried.identities }
  const seen = seenOf(current, { before: asks.peopleOf(asked), rules: replayed.certain, people, ...who, now })
  if (seen !== null) waits.add(seen)
}

/** Counts a decision. What people filled in is gone. It may have taken rules away, and nobody knows which. */
function noteDecision(
  { decisions }: Counts,
  { current, circumstances, voters, known }: PastCase,
  {
    content,
    options,
    stood,
  }: Pick<Found, "content"> & {
    readonly options: SimulationOptions
    readonly stood: LimitsThen
  },
): void {
  const { decision } = current
  if (decision === null || decision.by !== undefined) return
  const filled = callsOf(content.approval).some(({ fields }) => fields.length > 0)
  const own = replay(options.tried.rules, { content, circumstances, filled })
  const replayed = withLimits(own, filled ? new Map() : stood)
  const { userId } = content.approval
  const who = { voters, userId, known, identities: options.tried.identities }
  const under = decisionUnder({ decision, replay: replayed, people: options.people, ...who })
  switch (under.kind) {
    case "stands":
      decisions.stand += 1
      break
    case "cannot-tell":
      decisions.cannotTell += 1
      break
    case "needs-others":
      decisions.needOthers += 1
      if (decisions.listed.length < maxListed) decisions.listed.push(lostIn(current, decision, under.progress))
  }
}

function lostIn(current: Case, { verb, at, votes }: VotedDecision, progress: readonly Progress[]): DecisionLost {
  const { id: caseId, approvalId: approval, instance, summary, revision } = current
  const { tool } = maskSummary(summary, revision.look.mask)
  return { caseId, approval, instance, tool, verb, at, people: votes.map(({ person }) => personKey(person)), progress }
}
