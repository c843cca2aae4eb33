// Who must agree, in words: for each rule how many of whom, by what, and why the rule is asked.
import type { CardModel, CardRule } from "../../domain/case/card-model.ts"
import { mentionedOnCard } from "../../domain/case/event.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { inputsOf } from "../../domain/content/inputs.ts"
import { raisedName } from "../../domain/limit/limit.ts"
import { conditionAhead, conditionWords } from "./condition-words.ts"
import { limitAhead } from "./limit-words.ts"
import { code, group, type Line, listedUpTo, mention, type Span, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

const ruleUnits = 80

/** One line a rule: its name, and who must agree. */
export function ruleLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const who = agreementLines(model, fitter)
  return model.rules.map(({ name }, at) => sentence`Rule ${code(fitter.word(name, ruleUnits))}: ${who[at] ?? []}`)
}

/** For each rule who must agree, and how many of them have: "2 of @finance must approve, 1 has". */
export function agreementLines({ rules, status, approval }: CardModel, fitter: TextFitter): readonly Line[] {
  const how = takenWords[approval === null ? "press" : approvalTakes(approval)]
  const progress = new Map(status.kind === "open" ? status.progress.map((one) => [one.rule, one.have]) : [])
  return rules.map(({ name, quorum, approvers = [], when }): Line => {
    const who = thoseOf(quorum, approvers, fitter)
    // What was filled in left fewer rules: the others count again with other values.
    if (progress.size > 0 && !progress.has(name)) return sentence`${who} need not approve what was filled in`
    const have = progress.get(name) ?? 0
    const apart = when === undefined ? "," : ";"
    const none = quorum === 1 ? "" : `${apart} nobody has yet`
    const done = have === 0 ? none : `${apart} ${have} ${have === 1 ? "has" : "have"}`
    const must = when === undefined ? ` must approve${how}` : sentence` must approve${how}${conditionWords(when)}`
    return sentence`${who}${must}${done}`
  })
}

/** What approving takes: a press, or first a form for values or for a result. */
export function approvalTakes(approval: Approval): "press" | "form" | "result" {
  const { fields, result } = inputsOf(approval)
  if (fields.length > 0) return "form"
  return result.length > 0 ? "result" : "press"
}

const takenWords = { press: "", form: " by filling in the form", result: " by entering the result" } as const

function thoseOf(quorum: number, approvers: readonly string[], fitter: TextFitter): Line {
  const [first] = approvers
  if (first === undefined) return [say(quorum === 1 ? "1 person" : `${quorum} people`)]
  if (approvers.length === 1 && !first.startsWith("S")) return [approver(first, fitter)]
  const named = listedUpTo(
    approvers.map((one) => approver(one, fitter)),
    mentionedOnCard,
    "or",
  )
  return sentence`${quorum} of ${named}`
}

function approver(name: string, fitter: TextFitter): Span {
  if (/^[UW][A-Z0-9]+$/.test(name)) return mention(name)
  return /^S[A-Z0-9]+$/.test(name) ? group(name) : code(fitter.word(name, ruleUnits))
}

/** For each rule whose condition looks at what a form asks for, or at what is in doubt: whom it asks too. */
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
