// Reads the condition of a rule (`when`) for one call: what it looks at, and what it comes to.
import type { z } from "zod"
import { type Condition, goodCondition, looksAt } from "../condition/condition.ts"
import { type CallFacts, doubtsIn, evaluate, type TextsRead, type Truth } from "../condition/evaluate.ts"
import { membersIn } from "../condition/tree.ts"
import { type Approval, type Call, ruledCalls } from "../content/approval.ts"
import { isJsonObject, type JsonObject } from "../content/json.ts"
import { once } from "../content/once.ts"
import type { circumstancesSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import type { DataClass, Rule } from "../rule/rule.ts"
import { temporal } from "./calendar.ts"
import { classesOf } from "./classes.ts"
import type { LimitReading } from "./limit-reading.ts"

/** Who asked, and when we made the revision that seals this. Null: no rule looks at that, or nobody knows it. */
export interface Circumstances extends Frozen<z.infer<typeof circumstancesSchema>> {}

/** What we need besides an approval to choose its rules. */
export interface RuleContext {
  readonly circumstances?: Circumstances
  /** What a vote filled in, `{values?, result?}`. Without it nobody knows any field of a form. */
  readonly filled?: JsonObject | null
  /** How we read the limits of the rules. A limit that nobody read counts as passed. */
  readonly limits?: readonly LimitReading[]
}

/** How we read a condition: what it came to, and which values leave it in doubt. */
export interface WhenReading {
  readonly text: string
  readonly truth: Truth
  readonly doubts: readonly string[]
}

/** The condition of a rule, or null. */
export const conditionOf = once((rule: Rule): Condition | null =>
  rule.when === undefined ? null : goodCondition(rule.when),
)

/** True for a rule that is only added and replaces none: its condition looks at the requester or the time (R1). */
export const onlyAdds = once((rule: Rule): boolean => {
  const when = conditionOf(rule)
  return when !== null && (looksAt(when, "requester") || looksAt(when, "time"))
})

/** What the conditions of rules look at besides calls. We read nothing else for them. */
export interface Looks {
  readonly requester: boolean
  readonly time: boolean
  /** The user groups that the conditions name. */
  readonly groups: readonly string[]
}

/** What the conditions of a policy look at. */
export const looksOf = once(({ rules }: { readonly rules: readonly Rule[] }): Looks => {
  const conditions = rules.map(conditionOf).filter((when) => when !== null)
  return {
    requester: conditions.some((when) => looksAt(when, "requester")),
    time: conditions.some((when) => looksAt(when, "time")),
    groups: [...new Set(conditions.flatMap(({ expression }) => membersIn(expression, "requester")))],
  }
})

/** What the condition of a rule comes to for a call; null for a rule without a condition. */
export function truthOfWhen(rule: Rule, approval: Approval, call: Call, known: RuleContext): Truth | null {
  const when = rule.when === undefined ? null : conditionOf(rule)
  if (when === null) return null
  const decide = (): Truth =>
    truthOver(factsOf({ rule, approval, call, known }).map((facts) => evaluate(when.expression, facts)))
  return onlyAdds(rule) || isFilled(known) ? decide() : rememberedTruth(when, call, decide)
}

/** A rule's condition over all calls of an approval: true if so for one call; else unknown if so for one. */
export function readingIn(approval: Approval, rule: Rule, known: RuleContext): WhenReading | null {
  if (rule.when === undefined) return null
  const readings = ruledCalls(approval).map((call) => readingOf(rule, approval, call, known))
  const found = (truth: Truth) => readings.find((one) => one?.truth === truth)
  return found("true") ?? found("unknown") ?? readings[0] ?? null
}

/** What the condition of a rule comes to for a call, and what is in doubt. */
export function readingOf(rule: Rule, approval: Approval, call: Call, known: RuleContext): WhenReading | null {
  const truth = truthOfWhen(rule, approval, call, known)
  const when = conditionOf(rule)
  if (when === null || truth === null) return null
  const facts = truth === "unknown" ? factsOf({ rule, approval, call, known }) : []
  const doubts = facts.flatMap((one) => doubtsIn(when.expression, one))
  return { text: when.text, truth, doubts: [...new Set(doubts)] }
}

/** What conditions came to, by call. Calls never change, and a long text is slow to read, so we remember it. */
const truths = new WeakMap<Call, Map<Condition, Truth>>()

function rememberedTruth(when: Condition, call: Call, decide: () => Truth): Truth {
  const ofCall = truths.get(call) ?? new Map<Condition, Truth>()
  truths.set(call, ofCall)
  const truth = ofCall.get(when) ?? decide()
  ofCall.set(when, truth)
  return truth
}

/** What we have read of the long texts of a call. */
const textsOf = once((_call: Call): TextsRead => new Map())

/** The answer for several moments: their common answer, or unknown if they differ. */
function truthOver(moments: readonly Truth[]): Truth {
  const [first = "unknown"] = moments
  return moments.every((one) => one === first) ? first : "unknown"
}

interface Asked {
  readonly rule: Rule
  readonly approval: Approval
  readonly call: Call
  readonly known: RuleContext
}

const minuteMs = 60_000

/** What a condition looks at: once, or for three moments if it looks at the time. */
function factsOf(asked: Asked): readonly CallFacts[] {
  const { at = null } = asked.known.circumstances ?? {}
  if (at === null || asked.rule.timeZone === undefined) return [factsAt(asked, null)]
  return [at - minuteMs, at, at + minuteMs].map((moment) => factsAt(asked, moment))
}

function factsAt({ rule, approval, call, known }: Asked, at: number | null): CallFacts {
  const { requester = null } = known.circumstances ?? {}
  return {
    ...callFacts(approval, call, known, rule.classes),
    texts: textsOf(call),
    requester: requester === null ? null : { ...requester, groups: requester.groups && [...requester.groups] },
    time: at === null || rule.timeZone === undefined ? null : timeOf(at, rule.timeZone),
  }
}

/** The classes of a call. Null while a field is not filled in: its value may be of any class. */
function classesIn(
  { args, unfilled }: Pick<CallFacts, "args" | "unfilled">,
  classes: readonly DataClass[] | undefined,
): readonly string[] | null {
  if (classes === undefined || (unfilled?.size ?? 0) > 0) return null
  return classesOf(isJsonObject(args) ? args : null, classes)
}

/** What a call says, with what a vote filled in. It leaves out who asked and when. */
export function callFacts(
  approval: Approval,
  call: Call,
  known: RuleContext,
  classes?: readonly DataClass[],
): CallFacts {
  const { agentId: agent, pauseType: pause, tool } = call
  const { instance, teamId: team, workflowId: workflow } = approval
  const given = argumentsOf(call, known)
  const facts = { tool, agent, team, workflow, instance, pause, classes: classesIn(given, classes) }
  return { ...given, call: facts, requester: null, time: null }
}

function isFilled({ filled = null }: RuleContext): boolean {
  return filled !== null
}

/** The arguments that will run, with what a vote filled in if the call asks for it. */
function argumentsOf(call: Call, { filled = null }: RuleContext): Pick<CallFacts, "args" | "unfilled"> {
  const args = call.argsGiven ? call.args : null
  if (call.pauseType !== "user_input") return { args }
  const names = call.fields.flatMap(({ name }) => (typeof name === "string" ? [name] : []))
  const values = isJsonObject(filled?.["values"]) ? filled["values"] : {}
  const given = names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? null] as const] : []))
  return {
    // If nobody could read the arguments, the rest stays unknown, whatever is filled in.
    args: args === null ? null : { ...args, ...Object.fromEntries(given) },
    unfilled: new Set(names.filter((name) => !Object.hasOwn(values, name))),
  }
}

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

/** What a condition sees of a moment, epoch ms. */
export function timeOf(at: number, timeZone: string): JsonObject {
  const { dayOfWeek, hour } = temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)
  return { weekday: weekdays[dayOfWeek - 1] ?? null, hour }
}
