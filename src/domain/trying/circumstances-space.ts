// Makes requesters and moments that try conditions: one for each way in which a condition can read them.
import type { Condition } from "../condition/condition.ts"
import type { CallFacts } from "../condition/evaluate.ts"
import { looksIn, membersIn } from "../condition/tree.ts"
import { type Circumstances, conditionOf, timeOf } from "../policy/when.ts"
import type { Rule } from "../rule/rule.ts"
import { type Dimension, toldApart } from "./dimension.ts"

type Requester = Circumstances["requester"]

/** We try no more groups: each further one doubles the number of ways to be a member. */
const maxGroups = 6
const minuteMs = 60_000
/** Clocks of all time zones differ by whole quarters of an hour. */
const quarterMs = 15 * minuteMs
/** The Monday of a week in which no clock is changed. */
const monday = Date.UTC(2027, 0, 11)
const aWeek = Array.from({ length: 7 * 24 * 4 }, (_, quarter) => monday + quarter * quarterMs)

/** Every requester that these conditions tell apart. The unknown requester comes last. */
export function requesters(conditions: readonly Condition[]): Dimension<Requester> {
  const parts = partsAbout(conditions, "requester")
  if (parts.length === 0) return { values: [null], untold: [] }
  const groups = [...new Set(conditions.flatMap(({ expression }) => membersIn(expression, "requester")))]
  const named = groups.slice(0, maxGroups)
  const memberships = named.reduce<readonly (readonly string[])[]>(
    (all, group) => [...all, ...all.map((one) => [...one, group])],
    [[]],
  )
  const values = [true, false].flatMap((known) =>
    [false, true, null].flatMap((guest) => [...memberships, null].map((one) => ({ known, guest, groups: one }))),
  )
  const untold = groups.length > maxGroups ? ["the requester is asked for in too many groups"] : []
  const apart = toldApart<Requester>([...values, null], parts, (requester) => [[sampleFactsOf(requester)]])
  return { values: apart, untold }
}

function sampleFactsOf(requester: Requester): CallFacts {
  const told = requester && { ...requester, groups: requester.groups && [...requester.groups] }
  return { args: null, call: {}, requester: told, time: null }
}

function partsAbout(conditions: readonly Condition[], root: "requester" | "time") {
  return conditions.flatMap(({ expression }) => looksIn(expression)).filter(({ path }) => path.root === root)
}

/** Every moment of a week that the conditions of these rules tell apart, also at the turn of each quarter hour. */
export function moments(rules: readonly Rule[]): Dimension<number | null> {
  const timed = rules.flatMap((rule) => {
    const when = conditionOf(rule)
    const parts = when === null ? [] : partsAbout([when], "time")
    return parts.length === 0 || rule.timeZone === undefined ? [] : [{ zone: rule.timeZone, parts }]
  })
  const zones = [...new Set(timed.map(({ zone }) => zone))]
  if (zones.length === 0) return { values: [null], untold: [] }
  const parts = timed.flatMap((one) => one.parts)
  const values = [...aWeek.map((at) => at + quarterMs / 2), ...aWeek, null]
  const apart = toldApart<number | null>(values, parts, (at) => zones.map((zone) => around(at, zone)))
  return { values: apart, untold: zones.length > 1 ? ["conditions look at the time in several time zones"] : [] }
}

/** The facts of a moment, and of a minute before and after it: a rule looks at these, too. */
function around(at: number | null, zone: string): readonly CallFacts[] {
  if (at === null) return [sampleFactsAt(null)]
  return [at - minuteMs, at, at + minuteMs].map((one) => sampleFactsAt(timeOf(one, zone)))
}

function sampleFactsAt(time: CallFacts["time"]): CallFacts {
  return { args: null, call: {}, requester: null, time }
}
