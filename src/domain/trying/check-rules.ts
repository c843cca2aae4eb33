// Proves things about one list of rules: which calls reach each rule, which calls no rule takes, and which wait for
// ever.
import { looksIn, pathAsText } from "../condition/tree.ts"
import { ruledCalls } from "../content/approval.ts"
import { addsUpAll, isByArgument } from "../limit/limit.ts"
import { asksFewer, matchesAll } from "../policy/explain.ts"
import { type Demand, demandOf, matchOf, matchOfNames } from "../policy/policy.ts"
import { conditionOf, onlyAdds, truthOfWhen } from "../policy/when.ts"
import type { Rule } from "../rule/rule.ts"
import { approvalOf, knownOf, type Sample } from "./sample.ts"
import { type SampleSpace, sampleSpace, type Untold } from "./sample-space.ts"
import { isAsStrict } from "./strictness.ts"

/** Is there such a call? `no`: there is none, for we tried all. `untold`: we found none, but could not try all. */
export type Proof =
  | { readonly kind: "yes"; readonly witness: Sample }
  | { readonly kind: "no" }
  | { readonly kind: "untold"; readonly whys: readonly string[] }

/** Which calls reach a rule. */
export interface Reach {
  readonly rule: Rule
  /** Is there a call that the rule takes for certain? A rule that only adds takes none. */
  readonly first: Proof
  /** Is there a call that demands the rule, for certain or beside others? */
  readonly demanded: Proof
  /** A call that the rule would take if it came first, and the rule that takes it instead. Null: none was found. */
  readonly instead: { readonly witness: Sample; readonly by: Rule } | null
}

/** Two rules that both take a call for certain, so that their order decides. */
export interface Overlap {
  readonly first: Rule
  readonly second: Rule
  readonly witness: Sample
}

/** What we found out about one list of rules. */
export interface RuleProofs {
  readonly reach: readonly Reach[]
  readonly overlaps: readonly Overlap[]
  /** Is there a call that no rule takes for certain? The first witness of each kind: of names, of values. */
  readonly gap: { readonly answer: Proof; readonly witnesses: readonly Sample[] }
  /** The rules that take a call for which no demanded rule expires, each with such a call. */
  readonly endless: readonly { readonly rule: Rule; readonly witness: Sample }[]
  /** The rules that only add and ask fewer people than a rule that takes the call, each with one such rule. */
  readonly weak: readonly { readonly rule: Rule; readonly to: Rule; readonly witness: Sample }[]
  /** The rules that only add, and that ask people although nobody can tell whether they should. */
  readonly widened: readonly { readonly rule: Rule; readonly witness: Sample }[]
  /** Rules whose limit has one sum for each value of an argument, while no demanded rule has one sum for everybody. */
  readonly split: readonly { readonly rule: Rule; readonly witness: Sample }[]
  /** The rules that depend on how a text is written, each with a laxer rule that takes the call in another spelling. */
  readonly spelled: readonly { readonly rule: Rule; readonly to: Rule; readonly witness: Sample }[]
  /** What we did not try in every way. */
  readonly untold: readonly Untold[]
}

const maxGaps = 5

/** A sample, what every rule by itself says to it, and what the rules demand together. */
interface Tried {
  readonly sample: Sample
  readonly verdicts: readonly ("yes" | "no" | "possible")[]
  readonly demand: Demand
}

/** Tries the rules with every call that counts. Each witness is such a call, matched like a real one. */
export function checkRules(rules: readonly Rule[], instances: readonly string[]): RuleProofs {
  const space = sampleSpace([rules], instances)
  const tried = space.samples.map((sample) => tryOut(sample, rules))
  return {
    reach: rules.map((rule, index) => reachOf(rule, { before: rules.slice(0, index + 1), index, tried, space })),
    overlaps: overlapsIn(rules, tried),
    gap: gapIn(tried, rules, space),
    endless: firstOfEach(rules, tried.filter(isEndless), ({ demand }) => demand.rules.at(-1)),
    weak: rules.filter(onlyAdds).flatMap((rule) => weakBeside(rule, tried)),
    widened: rules.filter(onlyAdds).flatMap((rule) => {
      const found = tried.find(({ sample, demand }) => demand.rules.includes(rule) && isInDoubt(rule, sample))
      return found === undefined ? [] : [{ rule, witness: found.sample }]
    }),
    split: rules.flatMap((rule) => {
      const found = tried.find(({ demand }) => demand.rules.includes(rule) && isSplit(rule, demand))
      return found === undefined ? [] : [{ rule, witness: found.sample }]
    }),
    spelled: rules.filter((rule) => textTestsIn(rule).length > 0).flatMap((rule) => spelledFor(rule, tried)),
    untold: space.untold,
  }
}

function tryOut(sample: Sample, rules: readonly Rule[]): Tried {
  const approval = approvalOf(sample)
  const [call] = ruledCalls(approval)
  const known = knownOf(sample, rules)
  const verdicts = rules.map((rule) => (call === undefined ? "no" : matchOf(rule, approval, call, known)))
  // We reuse the approval, so that its call is read once.
  return { sample, verdicts, demand: demandOf(approval, rules, known) }
}

function reachOf(
  rule: Rule,
  given: {
    readonly before: readonly Rule[]
    readonly index: number
    readonly tried: readonly Tried[]
    readonly space: SampleSpace
  },
): Reach {
  const { before, index, tried, space } = given
  const isCertain = ({ demand }: Tried) => demand.covered && demand.rules.at(-1) === rule
  const isTakenBefore = ({ verdicts }: Tried) =>
    verdicts[index] !== "no" && verdicts.indexOf("yes") >= 0 && verdicts.indexOf("yes") < index
  const instead = tried.find((one) => one.verdicts[index] === "yes" && isTakenBefore(one)) ?? tried.find(isTakenBefore)
  const by = instead?.demand.rules.at(-1)
  return {
    rule,
    first: answerOf(tried.find(isCertain), before, space.untold),
    demanded: answerOf(
      tried.find(({ demand }) => demand.rules.includes(rule)),
      before,
      space.untold,
    ),
    instead: instead === undefined || by === undefined ? null : { witness: instead.sample, by },
  }
}

/** Answers with a witness. Without one the answer is `no` only if we tried everything that these rules look at. */
function answerOf(found: Tried | undefined, rules: readonly Rule[], untold: readonly Untold[]): Proof {
  if (found !== undefined) return { kind: "yes", witness: found.sample }
  const whys = untold.filter((one) => one.rules.some((rule) => rules.includes(rule))).map(({ why }) => why)
  return whys.length === 0 ? { kind: "no" } : { kind: "untold", whys }
}

function overlapsIn(rules: readonly Rule[], tried: readonly Tried[]): readonly Overlap[] {
  const found = new Map<string, Overlap>()
  for (const { sample, verdicts } of tried) {
    const certain = [...verdicts.keys()].filter((index) => verdicts[index] === "yes")
    const first = rules[certain[0] ?? -1]
    for (const second of certain.slice(1).map((index) => rules[index])) {
      if (first === undefined || second === undefined) continue
      const key = JSON.stringify([first.name, second.name])
      if (!found.has(key)) found.set(key, { first, second, witness: sample })
    }
  }
  return [...found.values()].toSorted(
    (one, other) =>
      rules.indexOf(one.second) - rules.indexOf(other.second) || rules.indexOf(one.first) - rules.indexOf(other.first),
  )
}

function gapIn(tried: readonly Tried[], rules: readonly Rule[], { untold }: SampleSpace): RuleProofs["gap"] {
  const gaps = tried.filter(({ demand }) => !demand.covered)
  const kinds = new Map<string, Tried>()
  for (const gap of gaps) {
    const demanded = gap.demand.rules.filter((rule) => !onlyAdds(rule))
    const key = demanded.map(({ name }) => name).join("\n")
    if (!kinds.has(key)) kinds.set(key, gap)
  }
  const open = rules.some(matchesAll) ? [] : untold.filter((one) => one.open)
  const witnesses = [...kinds.values()].slice(0, maxGaps).map(({ sample }) => sample)
  return { answer: answerOf(gaps[0], rules, open), witnesses }
}

function isEndless({ demand }: Tried): boolean {
  return demand.covered && demand.rules.every(({ timing }) => (timing?.expireAfter ?? null) === null)
}

/** The first sample for each rule, in the order of the rules, not of the samples. */
function firstOfEach(
  rules: readonly Rule[],
  tried: readonly Tried[],
  ruleOf: (one: Tried) => Rule | undefined,
): readonly { readonly rule: Rule; readonly witness: Sample }[] {
  const groups = Map.groupBy(tried, ruleOf)
  return rules.flatMap((rule) => {
    const [first] = groups.get(rule) ?? []
    return first === undefined ? [] : [{ rule, witness: first.sample }]
  })
}

function weakBeside(rule: Rule, tried: readonly Tried[]): RuleProofs["weak"] {
  const found = tried.find(({ demand }) => {
    const to = demand.rules.at(-1)
    const isAdded = demand.covered && demand.rules.includes(rule)
    return isAdded && to !== undefined && asksFewer(rule, to)
  })
  const to = found?.demand.rules.at(-1)
  return found === undefined || to === undefined ? [] : [{ rule, to, witness: found.sample }]
}

/** True if an agent that writes one value in two ways fills two sums, and may pass neither limit. */
function isSplit({ limit }: Rule, { rules }: Demand): boolean {
  return limit !== undefined && isByArgument(limit) && !rules.some((other) => addsUpAll(other.limit, limit))
}

/** The parts of a rule's condition that ask how a text begins or ends, or what it contains, as the rule writes them. */
export function textTestsIn(rule: Rule): readonly string[] {
  const looks = looksIn(conditionOf(rule)?.expression ?? { kind: "and", parts: [] })
  return looks.flatMap((look) => (look.kind === "text" ? [`${pathAsText(look.path)}.${look.asks}`] : []))
}

function spelledFor(rule: Rule, tried: readonly Tried[]): RuleProofs["spelled"] {
  const found = tried.find(({ sample, demand }) => {
    const to = demand.rules.at(-1)
    const isLeft = demand.covered && to !== undefined && !demand.rules.includes(rule)
    return isLeft && isStricter(rule, to) && isRuleNamed(rule, sample)
  })
  const to = found?.demand.rules.at(-1)
  return found === undefined || to === undefined ? [] : [{ rule, to, witness: found.sample }]
}

function isStricter(rule: Rule, other: Rule): boolean {
  return rule.quorum > other.quorum || (isAsStrict(rule, other) && !isAsStrict(other, rule))
}

function isRuleNamed(rule: Rule, sample: Sample): boolean {
  const approval = approvalOf(sample)
  const [call] = ruledCalls(approval)
  return call !== undefined && matchOfNames(rule, approval, call) !== "no"
}

function isInDoubt(rule: Rule, sample: Sample): boolean {
  const approval = approvalOf(sample)
  const [call] = ruledCalls(approval)
  return call !== undefined && truthOfWhen(rule, approval, call, knownOf(sample, [rule])) === "unknown"
}
