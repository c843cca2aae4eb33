// Who must agree, in words: for each rule how many people, which ones, how, and why the rule is asked.
import { isDeepStrictEqual } from "node:util"
import type { CardModel, CardRule } from "../../../domain/case/card-model.ts"
import { isRejectable } from "../../../domain/case/card-steps.ts"
import { approvalTakes } from "../../../domain/content/inputs.ts"
import { raisedName } from "../../../domain/limit/limit.ts"
import { mentionedOnCard } from "../../../domain/policy/asked.ts"
import type { Details, RuleAsked } from "../../../flow/ports/inbound.ts"
import { firstLines } from "../../lines/fit-lines.ts"
import {
  code,
  group,
  type Line,
  listed,
  listedUpTo,
  mention,
  mentionOf,
  plainWords,
  type Span,
  say,
  sentence,
} from "../../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../../lines/text-fitter.ts"
import { judgementWords, neededWords } from "../answer-words.ts"
import { conditionAhead, conditionWords } from "./condition-words.ts"
import { limitAhead } from "./limit-words.ts"

const ruleUnits = 80
/** How many lines of rules a card has. */
const maxRules = 8

/** One line for each rule: its name, and who must agree. For Details, which quotes conditions. */
export function ruleLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const who = agreementLines(model, fitter, "details")
  return model.rules.map(({ name }, at) => sentence`Rule ${code(fitter.word(name, ruleUnits))}: ${who[at] ?? []}`)
}

/**
 * For each rule: who must agree, and how many of them did, such as "2 of @finance must approve; 1 has, 1 more person
 * has to, and then it runs". A card leaves out a rule if another asks more of the same people.
 */
export function agreementLines(
  model: CardModel,
  fitter: TextFitter,
  where: "card" | "details" = "card",
): readonly Line[] {
  const { rules, status } = model
  const takes = approvalTakes(model.approval)
  const shared = isSharedResult(model)
  const progress = new Map(status.kind === "open" ? status.progress.map((one) => [one.rule, one.have]) : [])
  const lines = rules.map(({ name, quorum, approvers = [], standIns, when }): Line => {
    const who = sentence`${thoseOf(quorum, approvers, fitter)}${standInWords(standIns)}`
    const how = takenWords[shared ? "shared" : takes]
    // With the values filled in, fewer rules count. With other values, all may count again.
    if (progress.size > 0 && !progress.has(name))
      return sentence`${who} need not approve, because of what was filled in`
    const have = progress.get(name) ?? 0
    const limited = rules.some((one) => raisedName(one.name) === name) ? ", because of a limit" : ""
    const none = quorum === 1 ? "" : `${when === undefined && limited === "" ? "," : ";"} nobody has yet`
    const done = have === 0 ? none : `; ${have} ${have === 1 ? "has" : "have"}${missingWords(quorum - have, takes)}`
    const last = have > 0 && have < quorum && effectOf(model, [name]) === "last" ? lastWords(model, takes) : ""
    const why = when === undefined ? "" : conditionWords(when, where)
    return sentence`${who} must ${how}${why}${limited}${done}${last}`
  })
  return where === "details" ? lines : lines.filter((_, at) => !isImplied(model, at))
}

/** The first lines of rules; Details have the others. */
export function firstRules(lines: readonly Line[], max: number): readonly Line[] {
  return firstLines(lines, max, { noun: "rule", where: [say("all of them in Details")] })
}

/** Who must agree, on a card: rules that ask the same share a line. */
export function rulesOnCard(model: CardModel, fitter: TextFitter): readonly Line[] {
  if (!isRejectable(model.status)) return []
  if (model.status.kind !== "open") return [rejectersLine(model, fitter)]
  const lines = onceEach(agreementLines(model, fitter))
  if (lines.length > maxRules) fitter.omit()
  return [...firstRules(lines, maxRules), ...runOnceLines(model)]
}

/** Rules that ask the same of the same people share one line: one approval counts for each of them. */
function onceEach(lines: readonly Line[]): readonly Line[] {
  const alike = Map.groupBy(lines, plainWords)
  return [...alike.values()].flatMap(([first = [], ...others]) =>
    others.length === 0 ? [first] : [sentence`${first} (one approval counts for ${others.length + 1} rules)`],
  )
}

/** True if another rule asks more of the same people. That rule's line then says all on a card; Details name each. */
function isImplied({ rules, status }: CardModel, at: number): boolean {
  const own = rules[at]
  const demanded = new Set(status.kind === "open" ? status.progress.map(({ rule }) => rule) : [])
  return rules.some(
    (other) =>
      own !== undefined &&
      demanded.has(other.name) &&
      other.quorum > own.quorum &&
      isDeepStrictEqual(other.approvers, own.approvers),
  )
}

type Taken = "press" | "form" | "result"

/** Who is left, after those who have approved. */
function missingWords(left: number, takes: Taken): string {
  if (left <= 0) return ""
  const people = left === 1 ? ", 1 more person has to" : `, ${left} more people have to`
  if (takes === "press") return people
  return takes === "form"
    ? `${people}, with the same values`
    : `${people} confirm the same result, without running it again`
}

/** What follows if only one approval is left. */
function lastWords({ summary }: CardModel, takes: Taken): string {
  if (takes === "result") return ""
  const then = summary.calls > 1 ? ", and then all calls run" : ", and then it runs"
  return takes === "form" ? `${then}; other values are counted apart` : then
}

/**
 * What an approval under these rules does at the moment. `last`: it is the last one that is needed. `counts`: others
 * have to follow. Null if no approval is awaited.
 */
function effectOf({ status }: CardModel, under: readonly string[]): "last" | "counts" | null {
  const left = status.kind === "open" ? status.progress.filter(({ have, need }) => have < need) : []
  if (left.length === 0) return null
  return left.every(({ rule, have, need }) => need - have === 1 && under.includes(rule)) ? "last" : "counts"
}

/** What the next approval does, as `effectOf` says; null too if that depends on who gives it. */
export function nextEffect(model: CardModel): "last" | "counts" | null {
  const { status } = model
  const several = status.kind === "open" && status.progress.filter(({ have, need }) => have < need).length > 1
  const needsMore = status.kind === "open" && status.progress.some(({ have, need }) => need - have > 1)
  if (needsMore) return "counts"
  return several
    ? null
    : effectOf(
        model,
        model.rules.map(({ name }) => name),
      )
}

/** What a person may do in Details, and what their press does. */
export function choiceLines({ model, approve, reject, own }: Choice): readonly Line[] {
  const { status } = model
  if (status.kind === "held") return own === null ? [] : [[say("You rejected this. You may take that back here.")]]
  if (!isRejectable(status)) return []
  if (!approve.ok && !reject.ok && approve.refusal.code === reject.refusal.code)
    return [judgementWords("decide", approve)]
  const may = reject.ok ? [say("You may reject this: one rejection is enough.")] : judgementWords("reject", reject)
  if (status.kind === "run-over") return [may]
  if (own === "approve" && status.kind === "open") {
    const anew = approvalTakes(model.approval) === "press" ? "" : " You may change what you filled in."
    const back = " You may take that back, or reject it: one rejection is enough."
    return [sentence`You approved this already. ${neededWords(status.progress)}${anew}${back}`]
  }
  if (!approve.ok) return [judgementWords("approve", approve), may]
  return [sentence`You may approve this${effectWords[effectOn(model, approve.rules)]}`, may]
}

/** As `effectOf`, in more words: `alone` if no rule needs a second approval. */
function effectOn(model: CardModel, under: readonly string[]): keyof typeof effectWords {
  const effect = effectOf(model, under)
  const alone = model.status.kind === "open" && model.status.progress.every(({ need }) => need === 1)
  return effect === "last" && alone ? "alone" : (effect ?? "none")
}

type Choice = Pick<Details, "model" | "approve" | "reject" | "own">

const effectWords = {
  none: ".",
  alone: ": your approval is enough.",
  last: ": yours is the last approval that it needs.",
  counts: ": others have to approve it, too, before it runs.",
} as const

/** How an approval is given. `shared`: one person brings the result, the others confirm it. */
const takenWords = {
  press: "approve",
  form: "fill in the form and approve",
  result: "run it and enter the result",
  shared: "enter or confirm the result",
} as const

function thoseOf(quorum: number, approvers: readonly string[], fitter: TextFitter): Line {
  const [first] = approvers
  if (first === undefined) return [say(quorum === 1 ? "1 person" : `${quorum} people`)]
  if (approvers.length === 1 && !first.startsWith("S")) return [approver(first, fitter)]
  const named = approvers.slice(0, mentionedOnCard).map((one) => approver(one, fitter))
  const rest = approvers.length - named.length
  if (rest === 0) return sentence`${quorum} of ${listed(named, "or")}`
  return sentence`${quorum} of ${listed([...named, say(`${rest} more`)])} (see Details)`
}

/** Who may vote for those of them who are away. */
function standInWords(standIns: CardRule["standIns"] = []): Line {
  return standIns.length === 0 ? [] : sentence` (or ${standInPairs(standIns)})`
}

function standInPairs(standIns: NonNullable<CardRule["standIns"]>): Line {
  const pairs = standIns.map(({ person, standIn }) => sentence`${mentionOf(standIn)} for ${mentionOf(person)}`)
  return sentence`${listedUpTo(pairs, mentionedOnCard)}, who ${pairs.length === 1 ? "is" : "are"} away`
}

/** True if one person runs the call, and several must agree on its result. */
function isSharedResult({ approval, rules }: CardModel): boolean {
  return approvalTakes(approval) === "result" && (rules.length > 1 || rules.some(({ quorum }) => quorum > 1))
}

/** Says that only one person runs the call; empty once somebody brought the result. */
function runOnceLines(model: CardModel): readonly Line[] {
  if (!isSharedResult(model) || model.votes.some(({ values }) => values !== null)) return []
  return [[say("Only the first of you runs it and enters the result; the others confirm it.")]]
}

/** Who is asked to reject a case that nobody can approve: any one of them. */
function rejectersLine({ rules }: CardModel, fitter: TextFitter): Line {
  const approvers = [...new Set(rules.flatMap((rule) => rule.approvers ?? []))]
  const away = rules.flatMap(({ standIns = [] }) => standIns)
  const once = [...new Map(away.map((one) => [`${one.person} ${one.standIn}`, one])).values()]
  return sentence`${thoseOf(1, approvers, fitter)}${standInWords(once)} has to reject it`
}

function approver(name: string, fitter: TextFitter): Span {
  if (/^[UW][A-Z0-9]+$/.test(name)) return mention(name)
  return /^S[A-Z0-9]+$/.test(name) ? group(name) : code(fitter.word(name, ruleUnits))
}

/** What depends on the form, or is in doubt: for each such rule, who else must approve then. */
export function aheadLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const { rules } = model
  const who = ({ quorum, approvers = [] }: CardRule) => sentence`${thoseOf(quorum, approvers, fitter)} must approve too`
  const conditions = rules.flatMap((rule) =>
    rule.when?.truth === "unknown" ? [conditionAhead(rule.when, who(rule))] : [],
  )
  const limits = rules.flatMap(({ name }) => {
    const raised = rules.find((one) => one.name === raisedName(name))
    return raised === undefined ? [] : limitAhead(model, name, who(raised))
  })
  return [...conditions, ...limits]
}

/** How many approvers of a rule stand in one line of an answer. */
const approversALine = 20

/** Who may decide under a rule, at most `approversALine` people on each line. */
export function whoDecidesLines({ name, quorum, users, more, when, standIns }: RuleAsked): readonly Line[] {
  const rule = sentence`Rule ${code(createTextFitter().word(name, ruleUnits))}`
  const needed = `: ${counted(quorum, "approval")} needed of `
  const why = when === undefined ? [] : conditionWords(when, "details")
  if (users.length + more === 0) return [sentence`${rule}${needed}nobody at the moment${why}`]
  return Array.from({ length: Math.ceil(users.length / approversALine) }, (_, index): Line => {
    const some = users.slice(index * approversALine, (index + 1) * approversALine)
    const first = index === 0
    return sentence`${rule}${first ? needed : ", also of "}${listed(some.map(mention))}${first ? why : []}`
  })
    .concat(more === 0 ? [] : [sentence`${rule}: it lists ${counted(more, "more approver")}`])
    .concat(standIns === undefined ? [] : [sentence`${rule}: ${standInPairs(standIns)}`])
}
