// Explanations of rules in words, for the terminal.
import { spanWords } from "../../config.ts"
import type { Approval } from "../../domain/content/approval.ts"
import type { CallExplained, Explanation, RuleVerdict } from "../../domain/policy/explain.ts"
import type { WhenReading } from "../../domain/policy/when.ts"
import { approverAsText, type Rule, type RuleLimit } from "../../domain/rule/rule.ts"

/** Who the approvers of a rule are at this moment, by rule name. Empty if we did not ask Slack. */
export type PeopleByRule = ReadonlyMap<string, readonly string[]>

/** The rules that an approval demands, why each is asked, and who may decide. */
export function explanationWords(
  approval: Approval,
  { covered, calls, demanded }: Explanation,
  people: PeopleByRule,
): readonly string[] {
  const { id, instance, userId } = approval
  return [
    `approval ${id} of ${instance}, asked for by ${userId ?? "nobody who is named"}`,
    ...calls.flatMap((call) => [callWords(call), ...call.rules.map((rule) => `  ${verdictWords(rule)}`)]),
    ...demanded.flatMap((rule) => ruleWords(rule, people.get(rule.name))),
    ...(covered ? [] : ["nobody may decide this: no rule matches every call for certain"]),
  ]
}

function callWords({ tool, agent, pause }: CallExplained): string {
  return `call ${tool ?? "of no named tool"} (agent ${agent ?? "not told"}, ${pause ?? "pause not told"})`
}

function verdictWords({ rule, verdict, fields, when }: RuleVerdict): string {
  const named = (wanted: typeof verdict) =>
    fields
      .filter((field) => field.verdict === wanted)
      .map(
        ({ field, wants, has }) =>
          `${field} ${has ?? "is not told"}${wanted === "no" ? ` is not ${wants.join(" or ")}` : ""}`,
      )
      .join(", ")
  switch (verdict) {
    case "yes":
      return `${rule}: asked, it matches${fields.length === 0 ? " everything" : ` (${named("yes")})`}${heldWords(when)}`
    case "possible":
      return `${rule}: asked, it may match (${[named("possible"), doubtWords(when)].filter(Boolean).join("; ")})`
    case "no":
      return `${rule}: not asked, ${named("no") || failedWords(when) || `${untold} (${named("possible")})`}`
    case "not reached":
      return `${rule}: not reached`
  }
}

const untold = "it does not apply where something is not told"

function heldWords(when: WhenReading | undefined): string {
  return when === undefined ? "" : `, and ${when.text} holds`
}

/** Why a condition leaves it uncertain whether the rule is asked. */
function doubtWords(when: WhenReading | undefined): string {
  if (when === undefined) return ""
  if (when.truth === "true") return `${when.text} holds`
  return `nobody can tell whether ${when.text} holds, by ${when.doubts.join(", ")}`
}

function failedWords(when: WhenReading | undefined): string {
  return when?.truth === "false" ? `${when.text} does not hold` : ""
}

/** A rule that an approval demands: who must agree, who they are now, and where the card is shown. */
export function ruleWords(rule: Rule, people: readonly string[] | undefined): readonly string[] {
  const { name, quorum, approvers, routes, forbidSelfApproval, unknownRequester, requireReason } = rule
  const unknown = { refuse: "nobody", two: "two people", allow: "anybody of them" }[unknownRequester]
  const self = forbidSelfApproval
    ? `who asked may not approve; where nobody knows who asked, ${unknown} may`
    : "who asked may approve"
  return [
    `rule ${name}: ${quorum} must approve of ${approvers.map(approverAsText).join(", ")}`,
    ...(rule.when === undefined ? [] : [`  when ${rule.when}`]),
    ...standInWords(rule),
    ...limitWords(rule),
    ...glassWords(rule),
    ...askWords(rule),
    ...(people === undefined ? [] : [`  these are now: ${people.length === 0 ? "nobody" : people.join(", ")}`]),
    `  shown in ${routes.map(({ id }) => id).join(", ")}; ${self}; a reason is asked for: ${requireReason}`,
  ]
}

function standInWords({ standIns = [] }: Rule): readonly string[] {
  return standIns.length === 0 ? [] : [`  may stand in for one who is away: ${standIns.map(approverAsText).join(", ")}`]
}

function askWords({ ask = [] }: Rule): readonly string[] {
  return ask.length === 0 ? [] : [`  questions go to ${ask.map(({ id }) => id).join(", ")} if nobody knows who asked`]
}

/** Who else has to agree above the limit of a rule, in words. */
function limitWords({ limit }: Rule): readonly string[] {
  if (limit === undefined) return []
  const { quorum, approvers } = limit.asks
  const who = `${quorum} must approve of ${approvers.map(approverAsText).join(", ")}`
  return [`  ${aboveWords(limit)}, besides: ${who}`]
}

/** Who may break the glass of a rule, and who looks at it afterwards. */
function glassWords({ breakGlass }: Rule): readonly string[] {
  if (breakGlass === undefined) return []
  const [breakers, reviewers] = [breakGlass.approvers, breakGlass.reviewers].map((some) =>
    some.map(approverAsText).join(", "),
  )
  return [`  in an emergency ${breakers} may break the glass; afterwards ${reviewers} look at it`]
}

/** The sum above which a limit asks more people. */
export function aboveWords({ sum, per, windowMs, above }: RuleLimit): string {
  const whose = per === undefined ? "" : ` for each ${per}`
  return `above ${above} of ${sum}${whose} in ${spanWords(windowMs)}`
}
