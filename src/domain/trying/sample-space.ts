// Makes the calls that try rules: one sample for each way in which names, arguments and circumstances can count.
import { type Condition, looksAt } from "../condition/condition.ts"
import { type LookingPart, lookingParts, pathsIn, type Root, type ValuePath } from "../condition/tree.ts"
import { ruledCalls } from "../content/approval.ts"
import { matchKeys, matchOfNames } from "../policy/policy.ts"
import { conditionOf } from "../policy/when.ts"
import type { Match, Rule } from "../rule/rule.ts"
import { type ArgumentDimension, argumentDimensions } from "./arguments-space.ts"
import { moments, requesters } from "./circumstances-space.ts"
import { combined } from "./combined.ts"
import { type Dimension, isAbove, patternsAsked, withValue } from "./dimension.ts"
import { approvalOf, type Sample, type SampleNames } from "./sample.ts"
import { piecesOfGlob, piecesOfText, wordsFor } from "./text-words.ts"

/** Something that we did not try in every way. */
export interface Untold {
  readonly why: string
  /** The rules for which it matters. */
  readonly rules: readonly Rule[]
  /** True if it is about a call that no rule takes, whatever the call's arguments are. */
  readonly open: boolean
}

/** Samples, and what they leave out. */
export interface SampleSpace {
  readonly samples: readonly Sample[]
  readonly untold: readonly Untold[]
}

const maxNames = 50_000
const maxOfNames = 4_000
const maxSamples = 100_000
/** Once there are very many samples, we make this many for each further set of names. */
const maxOfRest = 50

/** Chooses the rules to try from those that a call can reach in each list. Null: we need no such call. */
export type InQuestion = (reached: readonly (readonly Rule[])[]) => readonly Rule[] | null

const allOfThem: InQuestion = (reached) => reached.flat()

/** Makes the samples to try lists of rules at these instances, such as the rules in force and those that may come. */
export function sampleSpace(
  lists: readonly (readonly Rule[])[],
  instances: readonly string[],
  inQuestion: InQuestion = allOfThem,
): SampleSpace {
  const rules = lists.flat()
  const doubtful = inQuestion(lists)
  if (doubtful === null) return { samples: [], untold: [] }
  const fields = matchKeys.map((field) => ({ field, ...namesFor(field, rules, instances) }))
  const { combinations, complete } = combined(
    fields.map(({ field, values }) => values.map((value) => [field, value] as const)),
    maxNames,
  )
  const named = combinations.map((pairs) => ({ ...usual, ...Object.fromEntries(pairs) }))
  let left = maxSamples
  const spaces = apart(named, rules).map((names) => {
    const space = spaceOf(names, { lists, inQuestion, max: left > 0 ? maxOfNames : maxOfRest })
    left -= space.samples.length
    return space
  })
  return {
    samples: spaces.flatMap(({ samples }) => samples),
    untold: [
      ...fields.flatMap(({ untold }) => untold.map((why) => ({ why, rules: doubtful, open: true }))),
      ...(complete
        ? []
        : [{ why: "rules name too many tools and agents to try them all", rules: doubtful, open: true }]),
      ...onceEach(spaces.flatMap(({ untold }) => untold)),
    ].filter(({ rules: about }) => about.length > 0 || rules.length === 0),
  }
}

const usual: SampleNames = {
  instance: "default",
  source: "agent",
  agent: null,
  team: null,
  workflow: null,
  pause: "confirmation",
  tool: "another_tool",
}

const others: Readonly<Record<keyof Match, string>> = {
  instance: "default",
  source: "agent",
  agent: "another-agent",
  team: "another-team",
  workflow: "another-workflow",
  pause: "confirmation",
  tool: "another_tool",
}

/** Every name that counts in a field: those that rules tell apart, another one, and null if there may be none. */
function namesFor(field: keyof Match, rules: readonly Rule[], instances: readonly string[]): Dimension<string | null> {
  const named = [...new Set(rules.flatMap(({ match }) => match[field] ?? []))]
  const parts = conditionsOf(rules)
    .flatMap(({ expression }) => lookingParts(expression))
    .filter(looksAtField(field))
  if (field === "instance") return { values: instances, untold: [] }
  if (named.length === 0 && parts.length === 0) return { values: [usual[field]], untold: [] }
  const globs = named.map((word) => (field === "tool" ? piecesOfGlob(word) : piecesOfText(word)))
  const seeds = [others[field], ...named.filter((word) => field !== "tool" || !/[*?]/.test(word))]
  const { words, complete } = wordsFor({ globs, asked: parts.flatMap(patternsAsked), seeds })
  const order = parts.some((part) => part.kind === "compare" && part.by !== "==" && part.by !== "!=")
  return {
    values: field === "source" ? words : [...words, null],
    untold: [
      ...(complete ? [] : [`call.${field} is compared with names that can be written in too many ways`]),
      ...(order ? [`call.${field} is compared by the order of texts`] : []),
    ],
  }
}

function looksAtField(field: string) {
  return ({ path }: LookingPart): boolean => path.root === "call" && path.names[0] === field
}

function conditionsOf(rules: readonly Rule[]): readonly Condition[] {
  return rules.map(conditionOf).filter((one) => one !== null)
}

/** Keeps the first of all names that every rule and condition reads alike. */
function apart(all: readonly SampleNames[], rules: readonly Rule[]): readonly SampleNames[] {
  const parts = conditionsOf(rules).flatMap(({ expression }) => lookingParts(expression))
  const read = matchKeys.filter((field) => parts.some(looksAtField(field)))
  const first = new Map<string, SampleNames>()
  for (const names of all) {
    const approval = approvalOf({ names, args: {} })
    const verdicts = ruledCalls(approval).map((call) => rules.map((rule) => matchOfNames(rule, approval, call)).join())
    const key = JSON.stringify([verdicts, read.map((field) => names[field])])
    if (!first.has(key)) first.set(key, names)
  }
  return [...first.values()]
}

/** The samples with these names. Only the conditions of the rules that such calls reach count. */
function spaceOf(
  names: SampleNames,
  given: {
    readonly lists: readonly (readonly Rule[])[]
    readonly inQuestion: InQuestion
    readonly max: number
  },
): SampleSpace {
  const { lists, inQuestion, max } = given
  const reached = lists.map((list) => reachable(names, list))
  const doubtful = inQuestion(reached.map((one) => one.rules))
  if (doubtful === null) return { samples: [], untold: [] }
  const rules = reached.flatMap((one) => one.rules).filter(({ when }) => when !== undefined)
  const open = reached.some((one) => one.open)
  const conditions = conditionsOf(rules)
  const args = argumentDimensions(conditions)
  const asked = requesters(conditions)
  const times = moments(rules)
  const classed = rules.filter(({ classes }) => classes !== undefined)
  const dimensions: readonly (readonly Change[])[] = [
    ...args.map(changesOf),
    asked.values.map(
      (requester): Change =>
        (sample) =>
          changedCircumstances(sample, { requester }),
    ),
    times.values.map(
      (at): Change =>
        (sample) =>
          changedCircumstances(sample, { at }),
    ),
    ...(classed.length === 0 ? [] : [[asItIs, inEveryClass]]),
  ]
  const { combinations, complete } = combined(dimensions, max)
  const plain: Sample = { names, args: {}, circumstances: { requester: null, at: null } }
  const whys: readonly Untold[] = [
    ...args.flatMap((one) => one.untold.map((why) => ({ why, rules: rules.filter(looksAtPath(one)), open }))),
    ...asked.untold.map((why) => ({ why, rules: rules.filter(looksAtRoot("requester")), open })),
    ...times.untold.map((why) => ({ why, rules: rules.filter(looksAtRoot("time")), open })),
    ...(classed.length === 0
      ? []
      : [{ why: "calls in some classes of data, and not in others, were not made up", rules: classed, open }]),
  ]
  const tooMany = { why: "conditions look at too many values to try them all together", rules, open }
  return {
    samples: combinations.map((changes) => changes.reduce((sample, change) => change(sample), plain)),
    untold: (complete ? whys : [...whys, tooMany]).flatMap((one) => {
      const about = one.rules.filter((rule) => doubtful.includes(rule))
      return about.length === 0 ? [] : [{ ...one, rules: about }]
    }),
  }
}

function looksAtRoot(root: Root) {
  return (rule: Rule): boolean => conditionsOf([rule]).some((when) => looksAt(when, root))
}

/** True for a rule that looks at this path, or at a path above or below it. */
function looksAtPath({ names }: ArgumentDimension) {
  const path = { root: "args" as const, names }
  return (rule: Rule): boolean =>
    conditionsOf([rule])
      .flatMap(({ expression }) => pathsIn(expression))
      .some((one) => one.root === "args" && (isSamePath(one, path) || isAbove(one, path) || isAbove(path, one)))
}

function isSamePath(one: ValuePath, other: ValuePath): boolean {
  return JSON.stringify(one.names) === JSON.stringify(other.names)
}

type Change = (sample: Sample) => Sample

const asItIs: Change = (sample) => sample

/** Puts a call into every class: it adds a character that nobody sees, so we cannot read the arguments wholly. */
const inEveryClass: Change = (sample) => ({ ...sample, args: withValue(sample.args, ["unreadable"], "\u200b") })

function changesOf({ names, values }: ArgumentDimension): readonly Change[] {
  return values.map(
    (value): Change =>
      (sample) => ({ ...sample, args: withValue(sample.args, names, value) }),
  )
}

function changedCircumstances(sample: Sample, change: Partial<Sample["circumstances"]>): Sample {
  return { ...sample, circumstances: { ...sample.circumstances, ...change } }
}

/** The rules that may count for a call with these names: up to the first that takes it, whatever else it says. */
function reachable(
  names: SampleNames,
  rules: readonly Rule[],
): { readonly rules: readonly Rule[]; readonly open: boolean } {
  const approval = approvalOf({ names, args: {} })
  const [call] = ruledCalls(approval)
  if (call === undefined) return { rules: [], open: true }
  const verdicts = rules.map((rule) => matchOfNames(rule, approval, call))
  const last = rules.findIndex((rule, index) => verdicts[index] === "yes" && rule.when === undefined)
  const found = rules.filter((_, index) => verdicts[index] !== "no" && (last < 0 || index <= last))
  return { rules: found, open: last < 0 }
}

/** Lists each reason once, with all rules that it is about. */
function onceEach(untold: readonly Untold[]): readonly Untold[] {
  return [...Map.groupBy(untold, ({ why }) => why)].map(([why, all]) => ({
    why,
    rules: [...new Set(all.flatMap(({ rules }) => rules))],
    open: all.some(({ open }) => open),
  }))
}
