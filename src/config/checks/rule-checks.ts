// Checks how keys of rules and identities fit together. Each problem names the key that should change.
import { goodCondition, looksAt } from "../../domain/condition/condition.ts"
import { looksAtClasses, looksIn, membersIn } from "../../domain/condition/tree.ts"
import { raisedName, sumIdOf } from "../../domain/limit/limit.ts"
import { sumName } from "../../domain/limit/sum.ts"
import { countHumans, humanKey } from "../../domain/people/human.ts"
import { foldName } from "../../domain/people/person.ts"
import { rulesChangeName } from "../../domain/rule/rules-change.ts"
import { identitiesOf, limitOf, workingHoursOf } from "../parts/rules.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import type { Settings } from "../schema/schema.ts"

/** Lists what is wrong about the rules and identities although each key by itself is right. */
export function checkRules(settings: Settings, report: Report): readonly ConfigProblem[] {
  return [
    ...checkIdentities(settings.identities, report),
    ...checkClasses(settings.classes, report),
    ...settings.rules.flatMap((rule, index) =>
      checkRule(rule, settings, (path, what) => report(["rules", index, ...path], what)),
    ),
    ...checkSharedChannels(settings.rules, report),
    ...checkLimits(settings, report),
    ...checkRulesChange(settings, report),
  ]
}

/** Checks that each subject, however spelt, stands for one human: else two people would count as one. */
function checkIdentities(settings: Settings["identities"], report: Report): readonly ConfigProblem[] {
  const all = settings.map(({ subject, slack }) => ({ name: foldName(subject), ids: [slack].flat().toSorted().join() }))
  return all.flatMap(({ name, ids }, index) => {
    if (name === "") return [report(["identities", index, "subject"], "holds nothing that can be seen")]
    const other = all.slice(0, index).some((before) => before.name === name && before.ids !== ids)
    return other ? [report(["identities", index, "subject"], twoPeople)] : []
  })
}

const twoPeople =
  "stands for two people; a subject is one person, whatever its capitals. " +
  "List all Slack ids of one human in one slack: […]"

/** Checks one rule. `report` takes the path below the rule. */
function checkRule(rule: RuleSettings, settings: Settings, report: Report): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [...tooFewPeople(rule, settings.identities, report)]
  if (rule.forbid_self_approval && rule.unknown_requester === undefined) {
    const what = "is missing: say who may approve when nobody knows who asked (refuse, two or allow)"
    problems.push(report(["unknown_requester"], what))
  }
  const known = settings.instances.map(({ name }) => name)
  const strangers = (rule.match.instance ?? []).filter((name) => !known.includes(name))
  const unlisted = `names an instance that is not listed; listed are ${known.join(", ")}`
  return [
    ...problems,
    ...strangers.map(() => report(["match", "instance"], unlisted)),
    ...[
      ...tooLate(rule),
      ...withoutTheOther(rule),
      ...wrongSteps(rule),
      ...wrongHours(rule),
      ...wrongSentence(rule),
      ...wrongCondition(rule, settings.classes),
      ...withoutReviewer(rule, settings.identities),
    ].map(([path, what]) => report(path, what)),
  ]
}

/** Finds a quorum that the listed people can never reach. */
function tooFewPeople(
  { approvers, quorum }: Pick<RuleSettings, "approvers" | "quorum">,
  identities: Settings["identities"],
  report: Report,
): readonly ConfigProblem[] {
  const listed = approvers.every((approver) => /^[UW][A-Z0-9]+$/.test(approver))
  const people = countHumans(
    approvers.map((user) => ({ user })),
    identitiesOf(identities),
  )
  if (!listed || people >= quorum) return []
  return [report(["quorum"], `asks for ${quorum} people, but approvers lists ${people}`)]
}

/** Checks who approves changes of the config: enough people, in a channel of our own, under a name of its own. */
function checkRulesChange({ rules_change: change, rules, identities }: Settings, report: Report) {
  if (change === undefined) return []
  const below: Report = (path, what) => report(["rules_change", ...path], what)
  const [channel] = channelsOf({ routes: [change.route] })
  const sharing = rules.find((rule) => rule.allow_shared_channel && channelsOf(rule).includes(channel ?? ""))
  const taken = rules.findIndex(({ name }) => name === rulesChangeName)
  return [
    ...tooFewPeople(change, identities, below),
    ...(sharing === undefined
      ? []
      : [below(["route"], `may be shared with another company, as rule ${sharing.name} says: name another channel`)]),
    ...(taken < 0 ? [] : [report(["rules", taken, "name"], "is what cards call rules_change: rename the rule")]),
  ]
}

/** The path of a key below the rule, and what is wrong there. */
type Wrong = readonly [path: readonly (string | number)[], what: string]

function tooLate({ remind_after = [], expire_after = Number.POSITIVE_INFINITY }: RuleSettings): Wrong[] {
  const wrong: Wrong[] = []
  if (remind_after.some((ms) => ms >= expire_after)) wrong.push([["remind_after"], tooLateWords])
  if (new Set(remind_after).size < remind_after.length) wrong.push([["remind_after"], "lists a duration twice"])
  return wrong
}

const tooLateWords = "comes when the approval has expired already: make it shorter than expire_after"

/** Finds keys that mean nothing without another key. */
function withoutTheOther({ expire_after, on_expiry }: RuleSettings): Wrong[] {
  if (on_expiry === undefined || expire_after !== undefined) return []
  return [[["expire_after"], "is missing: without it on_expiry has no effect"]]
}

/** Finds steps of an escalation that ask nobody, or at no time of their own. */
function wrongSteps({ escalate = [], expire_after = Number.POSITIVE_INFINITY }: RuleSettings): Wrong[] {
  return escalate.flatMap(({ after, to: { routes = [], approvers = [] } }, index): Wrong[] => {
    const before = escalate[index - 1]?.after ?? 0
    const nobody: Wrong = [["escalate", index, "to"], "names nobody: list routes or approvers"]
    return [
      ...(routes.length + approvers.length === 0 ? [nobody] : []),
      ...(after > before
        ? []
        : [[["escalate", index, "after"], "must be longer than that of the step before"] as const]),
      ...(after < expire_after ? [] : [[["escalate", index, "after"], tooLateWords] as const]),
    ]
  })
}

/** Checks working hours: with a day shorter than an hour, a deadline could be years away. */
function wrongHours({ working_hours: hours, remind_after, escalate, expire_after }: RuleSettings): Wrong[] {
  if (hours === undefined) return []
  const { from, to } = workingHoursOf(hours)
  const wrong: Wrong[] = []
  if (remind_after === undefined && escalate === undefined && expire_after === undefined)
    wrong.push([["working_hours"], "has no effect without remind_after, escalate or expire_after"])
  if (to - from < 60) wrong.push([["working_hours", "to"], "must be at least an hour after from"])
  return wrong
}

/** Finds reviewers who all may break the glass themselves: only people and addresses can be compared, not groups. */
function withoutReviewer({ break_glass: glass }: RuleSettings, identities: Settings["identities"]): Wrong[] {
  const { approvers = [], reviewers = [] } = glass ?? {}
  const breakers = approvers.map((one) => reviewerKey(one, identities))
  if (glass === undefined || reviewers.some((one) => !breakers.includes(reviewerKey(one, identities)))) return []
  const what = "lists nobody but people of break_glass.approvers: name somebody who cannot break the glass themselves"
  return [[["break_glass", "reviewers"], what]]
}

/** What is the same for one human: a person by each id that is listed for them, an address in any capitals. */
function reviewerKey(approver: string, identities: Settings["identities"]): string {
  const [user = "", team] = approver.split(":").toReversed()
  if (!/^[UW][A-Z0-9]+$/.test(user)) return approver.toLowerCase()
  const listed = identitiesOf(identities)
  return humanKey({ team: team ?? listed.find((one) => one.user === user)?.team ?? "", user }, listed)
}

/** Checks that the sentence shows no argument if the rule wants arguments in Details alone. */
function wrongSentence({ say, arguments: where }: RuleSettings): Wrong[] {
  if (where !== "details" || say === undefined || !say.includes("{")) return []
  return [[["say"], "names an argument, but with arguments: details no argument may stand on the card: use only words"]]
}

/** Checks a condition. To look at the time, it needs a time zone. It may name only listed classes, and groups by id. */
function wrongCondition({ when: text, time_zone }: RuleSettings, classes: Settings["classes"]): Wrong[] {
  const when = text === undefined ? null : goodCondition(text)
  const looksAtTime = when !== null && looksAt(when, "time")
  const wrong: Wrong[] = []
  if (looksAtTime && time_zone === undefined)
    wrong.push([["time_zone"], "is missing: when looks at the time, so say where, such as Europe/Berlin"])
  if (!looksAtTime && time_zone !== undefined)
    wrong.push([["time_zone"], "counts nothing: when does not look at time.weekday or time.hour"])
  if (when === null) return wrong
  const looks = looksIn(when.expression)
  if (looks.some(looksAtClasses))
    for (const one of wrongClasses(membersIn(when.expression, "call"), classes)) wrong.push(one)
  if (membersIn(when.expression, "requester").some((group) => !/^S[A-Z0-9]{1,20}$/.test(group)))
    wrong.push([["when"], "names a group that is none: write the id of a user group (S…), as Slack shows it"])
  if (looks.some(({ kind, path }) => kind !== "member" && path.root === "requester" && path.names[0] === "groups"))
    wrong.push([["when"], 'goes through the groups of the requester: write "S012ABCDEF" in requester.groups'])
  return wrong
}

/** Finds classes that nobody described: no call would hold one. */
function wrongClasses(asked: readonly string[], classes: Settings["classes"]): Wrong[] {
  if (classes.length === 0)
    return [[["when"], "looks at call.classes, but classes lists none: add classes: [{name: iban, checksum: iban}]"]]
  const names = classes.map(({ name }) => name)
  const strangers = asked.filter((name) => !names.includes(name))
  return strangers.map((name) => [
    ["when"],
    `asks for the class ${JSON.stringify(name)}, which is not listed; listed are ${names.join(", ")}`,
  ])
}

/** Checks that no two classes have the same name. */
function checkClasses(classes: Settings["classes"], report: Report): readonly ConfigProblem[] {
  const names = classes.map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [report(["classes", index, "name"], "stands for two classes: rename one")] : [],
  )
}

/** Checks that rules of one channel say the same about sharing that channel with another company. */
function checkSharedChannels(rules: readonly RuleSettings[], report: Report): readonly ConfigProblem[] {
  const first = new Map<string, RuleSettings>()
  return rules.flatMap((rule, index) => {
    const mayShare = ({ allow_shared_channel }: RuleSettings) => allow_shared_channel
    const other = channelsOf(rule).find((channel) => mayShare(first.get(channel) ?? rule) !== mayShare(rule))
    for (const channel of channelsOf(rule)) if (!first.has(channel)) first.set(channel, rule)
    if (other === undefined) return []
    const what = `is not the same as in rule ${first.get(other)?.name}, and both have the channel ${other}`
    return [report(["rules", index, "allow_shared_channel"], what)]
  })
}

/** The channels of a rule, with those of its escalation, its limit, its reviews and its questions. */
function channelsOf({
  routes,
  escalate = [],
  limit,
  break_glass: glass,
  ask = [],
}: Pick<RuleSettings, "routes"> & Partial<RuleSettings>): readonly string[] {
  const reviewed = glass === undefined ? [] : [glass.route]
  return [
    ...routes,
    ...escalate.flatMap(({ to }) => to.routes ?? []),
    ...(limit?.then.routes ?? []),
    ...reviewed,
    ...ask,
  ].flatMap((route) => {
    if (typeof route !== "string") return "channel" in route ? [route.channel] : []
    return /^[CG]/.test(route) ? [route] : []
  })
}

/** Lists what is wrong about limits although each key by itself is right. */
function checkLimits({ rules, identities }: Settings, report: Report): readonly ConfigProblem[] {
  return rules.flatMap((rule, index) => {
    const { limit } = rule
    if (limit === undefined) return []
    const wrong = [
      ...asksNobodyMore(rule),
      ...asksTooMany(rule, identities),
      ...otherWindow(rule, rules.slice(0, index)),
      ...takenName(rule, rules),
    ]
    return wrong.map(([path, what]) => report(["rules", index, ...path], what))
  })
}

/** Finds a limit without effect: above it the rule would ask for no more people, and for no others. */
function asksNobodyMore({ limit, quorum, approvers }: RuleSettings): Wrong[] {
  const { quorum: more = quorum, approvers: others = approvers } = limit?.then ?? {}
  const same = others.every((one) => approvers.includes(one)) && approvers.every((one) => others.includes(one))
  if (!same || more > quorum) return []
  return [[["limit", "then"], "asks nobody more than the rule does: give a higher quorum, or other approvers"]]
}

function asksTooMany({ limit, quorum, approvers }: RuleSettings, identities: Settings["identities"]): Wrong[] {
  const { quorum: more = quorum, approvers: others = approvers } = limit?.then ?? {}
  const listed = others.every((one) => /^[UW][A-Z0-9]+$/.test(one))
  const people = countHumans(
    others.map((user) => ({ user })),
    identitiesOf(identities),
  )
  if (!listed || people >= more) return []
  return [[["limit", "then", "quorum"], `asks for ${more} people, but approvers lists ${people}`]]
}

/** Finds a limit that counts the same sum as an earlier limit, but over another window. */
function otherWindow(rule: RuleSettings, before: readonly RuleSettings[]): Wrong[] {
  const other = before.find((one) => isSameSum(one, rule) && one.limit?.window !== rule.limit?.window)
  if (other === undefined) return []
  const what = `is another than that of rule ${other.name}, and both add up the same sum: give both the same window`
  return [[["limit", "window"], what]]
}

function isSameSum(one: RuleSettings, other: RuleSettings): boolean {
  const [left, right] = [limitOf(one), limitOf(other)]
  if (left === undefined || right === undefined) return false
  const instances = one.match.instance ?? other.match.instance ?? [""]
  const meets = instances.some((name) => other.match.instance?.includes(name) ?? true)
  return meets && sumName(sumIdOf("", left)) === sumName(sumIdOf("", right))
}

function takenName({ name }: RuleSettings, rules: readonly RuleSettings[]): Wrong[] {
  const taken = rules.some((other) => other.name === raisedName(name))
  return taken
    ? [[["name"], `has a limit, and the rule for those above it is called ${raisedName(name)}: rename one`]]
    : []
}
