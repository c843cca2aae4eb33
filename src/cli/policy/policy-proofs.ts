// Proves things about rules for policy check. Each answer has a call that shows it, or says that nobody can tell.
import { matchesAll, unreachableRules, weakAdditions } from "../../domain/policy/explain.ts"
import { onlyAdds } from "../../domain/policy/when.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { checkRules, type Overlap, type Reach, type RuleProofs, textTestsIn } from "../../domain/trying/check-rules.ts"
import type { Sample } from "../../domain/trying/sample.ts"
import { type Finding, notesOn } from "../doctor/finding.ts"
import { weakAddition } from "../doctor/rules.ts"
import { sampleAsJson, sampleWords } from "./sample-words.ts"

/** Tries the rules with calls at these instances. */
export function proveRules(rules: readonly Rule[], instances: readonly string[]): readonly Finding[] {
  const proofs = checkRules(rules, instances)
  const known = unreachableRules(rules).map(({ rule }) => rule)
  return [
    ...proofs.reach.flatMap((reach) => reachFinding(reach, known.includes(reach.rule.name))),
    ...proofs.overlaps.filter(({ second }) => !matchesAll(second)).map(overlapFinding),
    ...(rules.some(matchesAll) ? [] : gapFindings(proofs.gap)),
    ...weakFindings(rules, proofs),
    ...proofs.split.map(({ rule, witness }) => shown(splitFinding(rule), witness)),
    ...proofs.spelled.map(({ rule, to, witness }) => shown(spelledFinding(rule, to), witness)),
    ...proofs.endless.map(({ rule, witness }) =>
      shown(notesOn(`rule ${rule.name}`).note("it waits for ever where nobody decides, without expire_after"), witness),
    ),
    ...proofs.widened.map(({ rule, witness }) =>
      shown(
        notesOn(`rule ${rule.name}`).note("its condition is widened: it is asked too where nobody can tell"),
        witness,
      ),
    ),
  ]
}

/** Finds weak rules by calls; looks at the text of the rules only if no call can tell. */
function weakFindings(rules: readonly Rule[], { weak, untold }: RuleProofs): readonly Finding[] {
  const names = untold.flatMap((one) => one.rules).map(({ name }) => name)
  const seen = weak.map(({ rule }) => rule.name)
  const told = weakAdditions(rules).filter(({ rule }) => names.includes(rule) && !seen.includes(rule))
  return [
    ...weak.map(({ rule, to, witness }) => shown(weakAddition({ rule: rule.name, to: to.name }), witness)),
    ...told.map(weakAddition),
  ]
}

function shown(finding: Finding, witness: Sample): Finding {
  return { ...finding, example: { words: sampleWords(witness), call: sampleAsJson(witness) } }
}

/**
 * Says whether a rule is reached. A rule that only adds takes no call. If another finding already says that the rule is
 * never reached, this one only shows the call.
 */
function reachFinding({ rule, first, demanded, instead }: Reach, isTold: boolean): readonly Finding[] {
  const notes = notesOn(`rule ${rule.name}`)
  const answer = onlyAdds(rule) || isTold ? demanded : first
  if (isTold)
    return instead === null ? [] : [shown(notes.note(`${instead.by.name} takes such a call`), instead.witness)]
  if (answer.kind === "yes") return [shown(notes.ok(onlyAdds(rule) ? "it is asked" : "it is reached"), answer.witness)]
  const why = "the first rule that matches decides, so its approvers and its quorum never count"
  if (answer.kind === "untold") return [cannotTell(rule, answer.whys)]
  const todo = "change its match or when, move it up, or delete it"
  const what = instead === null ? "no call is as match and when want it" : `${instead.by.name} takes such a call`
  const show = (finding: Finding) => (instead === null ? finding : shown(finding, instead.witness))
  if (demanded.kind === "no") return [show(notes.fail({ what: `it is never reached: ${what}`, why, todo }))]
  const beside = `it is never the first to match, and only asked beside others: ${what}`
  return [show(notes.warn({ what: beside, why, todo }))]
}

function splitFinding({ name, limit }: Rule): Finding {
  return notesOn(`rule ${name}`).warn({
    what: `its limit is for each ${limit?.per}, which the agent writes, and no limit adds up all of it`,
    why: "whoever names one in two ways, or names many, has as many sums, and may pass none of them",
    todo: "ask a rule beside it whose limit has no per (docs/policy.md), use call.agent, or leave per out",
  })
}

function spelledFinding(rule: Rule, to: Rule): Finding {
  const tests = [...new Set(textTestsIn(rule))].join(" and ")
  return notesOn(`rule ${rule.name}`).note(
    `it rests on ${tests}, and asks more than ${to.name}, which takes what is written otherwise: ` +
      "let a rule without when that is as strict stand last, and a laxer one before it name what is harmless",
  )
}

function cannotTell({ name }: Rule, whys: readonly string[]): Finding {
  return notesOn(`rule ${name}`).warn({
    what: `nobody can tell whether it is ever reached: ${[...new Set(whys)].join("; ")}`,
    why: "no call was found that comes to it, and not every call could be tried",
    todo: "try it with policy test, and with policy explain on a call that it is for",
  })
}

function overlapFinding({ first, second, witness }: Overlap): Finding {
  const what = `it takes calls that ${second.name} would take as well; the first one counts`
  return shown(notesOn(`rule ${first.name}`).note(what), witness)
}

function gapFindings({ answer, witnesses }: RuleProofs["gap"]): readonly Finding[] {
  const notes = notesOn("rules")
  if (answer.kind === "no") return [notes.ok("no call is without a rule: every one that counts was tried")]
  const why = "nobody can approve a call that no rule takes for certain: its run waits until somebody cancels it"
  const todo = "put a rule without when after it, the strictest, unless you want it so"
  if (answer.kind === "untold") {
    const what = `nobody can tell whether every call has a rule: ${[...new Set(answer.whys)].join("; ")}`
    return [notes.warn({ what, why, todo })]
  }
  return witnesses.map((witness) =>
    shown(notes.warn({ what: "a call that no rule takes for certain", why, todo }), witness),
  )
}
