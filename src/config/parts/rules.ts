// Makes the domain's rules and identities of those in countersign.yaml.
import type { z } from "zod"
import { goodCondition } from "../../domain/condition/condition.ts"
import { looksAtClasses, looksIn, membersIn } from "../../domain/condition/tree.ts"
import type { Identity } from "../../domain/people/human.ts"
import type { HoldOf, Ruled, StopRoles } from "../../domain/policy/shared-config.ts"
import type {
  BreakGlass,
  DataClass,
  Match,
  Route,
  Rule,
  RuleLimit,
  Timing,
  WorkingHours,
} from "../../domain/rule/rule.ts"
import type { RulesChange } from "../../domain/rule/rules-change.ts"
import { withoutDefaults } from "../schema/keys.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import { type Settings, schema } from "../schema/schema.ts"
import { weekDays } from "../schema/working-hours-schema.ts"

const aboutRules = schema.pick({ rules: true, classes: true })

/** The rules of settings that passed every check, and what the file says about them. */
export function ruledOf({ rules, classes }: z.infer<typeof aboutRules>): Ruled {
  const written = withoutDefaults(aboutRules, { rules, classes })
  return { written, rules: rules.map((rule) => ruleOf(rule, classes)) }
}

/** Reads what the file says about rules, and makes the rules (R16). */
export const rulesSchema: z.ZodType<Ruled> = aboutRules.transform(ruledOf)

/** Who approves changes of the config, if it says so. */
export function rulesChangeOf(settings: Settings["rules_change"]): RulesChange | undefined {
  if (settings === undefined) return undefined
  const { approvers, quorum, route, expire_after: expireAfterMs } = settings
  return { approvers: approversOf(approvers), quorum, route: routeOf(route), expireAfterMs }
}

/** What the config's holds cover, each once. */
export function holdsOf(settings: Settings["hold"]): readonly HoldOf[] {
  const all = settings.flatMap((one) =>
    holdKinds.flatMap((kind) => (one[kind] === undefined ? [] : [{ kind, value: one[kind] }])),
  )
  return [...new Map(all.map((of) => [`${of.kind} ${of.value}`, of])).values()]
}

const holdKinds = ["requester", "tool", "case"] as const

function ruleOf(settings: RuleSettings, classes: Settings["classes"]): Rule {
  return {
    name: settings.name,
    match: matchOf(settings.match),
    matchUnknown: settings.match_unknown,
    routes: settings.routes.map(routeOf),
    approvers: approversOf(settings.approvers),
    ...(settings.stand_ins === undefined ? {} : { standIns: approversOf(settings.stand_ins) }),
    quorum: settings.quorum,
    forbidSelfApproval: settings.forbid_self_approval,
    proposerMayApprove: settings.proposer_may_approve,
    unknownRequester: settings.unknown_requester ?? "allow",
    requireReason: settings.require_reason,
    reasons: settings.reasons,
    mask: settings.mask,
    risk: settings.risk ?? null,
    danger: settings.danger,
    showFirst: settings.show_first,
    say: settings.say,
    argumentsInDetails: settings.arguments === "details",
    requestInDetails: settings.context === "request",
    resultToRequester: settings.show_result === "requester",
    withoutNews: !settings.what_is_new,
    allowGuests: settings.allow_guests,
    allowExternal: settings.allow_external,
    allowSharedChannel: settings.allow_shared_channel,
    when: settings.when,
    timeZone: settings.time_zone,
    classes: classesFor(settings.when, classes),
    reviewBy: settings.review_by,
    timing: timingOf(settings),
    limit: limitOf(settings),
    ask: settings.ask?.map(routeOf),
    breakGlass: breakGlassOf(settings),
    afterRejection: afterRejectionOf(settings),
  }
}

function afterRejectionOf({ after_rejection: after }: RuleSettings): Rule["afterRejection"] {
  return after === undefined ? undefined : { sameCallMs: after.same_call }
}

function breakGlassOf({ break_glass: glass }: RuleSettings): BreakGlass | undefined {
  if (glass === undefined) return undefined
  const { approvers, reviewers, route, within: withinMs } = glass
  return { approvers: approversOf(approvers), reviewers: approversOf(reviewers), route: routeOf(route), withinMs }
}

/** The limit of a rule; undefined if it has none. We take from the rule what the limit leaves out. */
export function limitOf({ limit, quorum, approvers, routes }: RuleSettings): RuleLimit | undefined {
  if (limit === undefined) return undefined
  const { sum, per, window: windowMs, above, then } = limit
  const asks = {
    quorum: then.quorum ?? quorum,
    approvers: approversOf(then.approvers ?? approvers),
    routes: (then.routes ?? routes).map(routeOf),
  }
  return { sum, ...(per === undefined ? {} : { per }), windowMs, above, asks }
}

/** An identity for each id. Ids of one subject are one human (`domain/people/human.ts`). */
export function identitiesOf(settings: Settings["identities"]): readonly Identity[] {
  return settings.flatMap(({ subject, slack }) =>
    [...new Set([slack].flat())].map((id) => {
      const [team = "", user = ""] = id.split(":")
      return { subject, team, user }
    }),
  )
}

/** Who may stop and end a stop; undefined if the file says nothing of it. */
export function stopRolesOf({
  by = [],
  lift_by: liftBy = [],
  routes = [],
}: NonNullable<Settings["stop"]> = {}): StopRoles | undefined {
  if (by.length + liftBy.length + routes.length === 0) return undefined
  return { by: approversOf(by), liftBy: approversOf(liftBy), routes: routes.map(routeOf) }
}

function matchOf(settings: RuleSettings["match"]): Match {
  return Object.fromEntries(Object.entries(settings).filter(([, words]) => words !== undefined))
}

function routeOf(settings: RuleSettings["routes"][number]): Route {
  const id = typeof settings === "string" ? settings : "channel" in settings ? settings.channel : settings.person
  return { kind: /^[CG]/.test(id) ? "channel" : "person", id }
}

function approversOf(texts: readonly string[]): Rule["approvers"] {
  // An address in other capitals is the same address.
  return [...new Set(texts.map((text) => (text.includes("@") ? text.toLowerCase() : text)))].map(approverOf)
}

function approverOf(text: string): Rule["approvers"][number] {
  if (text.includes("@")) return { kind: "email", email: text }
  if (text.startsWith("S")) return { kind: "group", id: text }
  const [id = text, team] = text.split(":").toReversed()
  return team === undefined ? { kind: "user", id } : { kind: "user", id, team }
}

/** The classes that the condition names; all classes if it looks at classes without naming them. */
function classesFor(when: string | undefined, classes: Settings["classes"]): Rule["classes"] {
  const condition = when === undefined ? null : goodCondition(when)
  const looks = condition === null ? [] : looksIn(condition.expression).filter(looksAtClasses)
  if (condition === null || looks.length === 0) return undefined
  const asked = membersIn(condition.expression, "call")
  const isAskedFor = ({ name }: { readonly name: string }) => asked.length < looks.length || asked.includes(name)
  return classes.filter(isAskedFor).map(classOf)
}

function classOf({ name, pattern = "", checksum, at_least: atLeast }: Settings["classes"][number]): DataClass {
  return { name, find: checksum === undefined ? { kind: "pattern", pattern } : { kind: "checksum", checksum }, atLeast }
}

/** What a rule says about time; undefined if it says nothing about it. */
function timingOf(settings: RuleSettings): Timing | undefined {
  const { remind_after, escalate = [], expire_after, on_expiry, working_hours } = settings
  if (remind_after === undefined && escalate.length === 0 && expire_after === undefined) return undefined
  return {
    remindAfter: (remind_after ?? []).toSorted((a, b) => a - b),
    escalate: escalate.map(({ after, to: { routes = [], approvers = [] } }) => {
      return { after, routes: routes.map(routeOf), approvers: approversOf(approvers) }
    }),
    expireAfter: expire_after ?? null,
    onExpiry: on_expiry ?? "leave",
    workingHours: working_hours === undefined ? null : workingHoursOf(working_hours),
  }
}

/** Makes working hours. If they end before they begin, they end on the next day. */
export function workingHoursOf(settings: NonNullable<RuleSettings["working_hours"]>): WorkingHours {
  const { time_zone: timeZone, days, holidays } = settings
  const [from, to] = [minutesOf(settings.from), minutesOf(settings.to)]
  const numbers = weekDays.flatMap((day, index) => (days.includes(day) ? [index + 1] : []))
  return { timeZone, days: numbers, from, to: to < from ? to + 24 * 60 : to, holidays }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}
