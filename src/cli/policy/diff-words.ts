// What two configs decide otherwise, in words: one example for each kind of change, and which of them are looser.
import { spanWords } from "../../config.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import type { SharedConfig } from "../../domain/policy/shared-config.ts"
import { approverAsText, type Rule, ruleHash } from "../../domain/rule/rule.ts"
import { builtInInstance, rulesInForce } from "../../domain/rule/rules-change.ts"
import { compareRules, type DemandChange, type RuleComparison } from "../../domain/trying/compare-rules.ts"
import { aboveWords } from "./policy-words.ts"
import { sampleWords } from "./sample-words.ts"

/** A change, and whether it is allowed. Only a looser change needs to be allowed. */
export interface JudgedChange {
  readonly change: DemandChange
  readonly level: "looser" | "allowed" | "change"
}

/** Shown in place of a rule's name if the two configs count people differently. */
export const identitiesWord = "identities"

/** What two configs decide otherwise. `untold`: why nobody can tell whether more changes. */
export interface ConfigComparison {
  readonly judged: readonly JudgedChange[]
  readonly untold: RuleComparison["untold"]
}

type Compared = Pick<SharedConfig, "rules" | "identities"> & {
  readonly rulesChange?: SharedConfig["rulesChange"] | undefined
  readonly instances: readonly { readonly name: string }[]
}

/** Compares two configs, who approves their changes included. `allow`: names of rules that may become looser. */
export function compareConfigs(old: Compared, fresh: Compared, allow: readonly string[] = []): ConfigComparison {
  const guarded = old.rulesChange !== undefined || fresh.rulesChange !== undefined
  const listed = [...old.instances, ...fresh.instances].map(({ name }) => name)
  const instances = [...new Set([...listed, ...(guarded ? [builtInInstance] : [])])]
  const compared = withIdentities(compareRules(rulesInForce(old), rulesInForce(fresh), instances), old, fresh)
  return {
    judged: compared.changes.map((change) => judge(change, allow)),
    untold: compared.untold.filter(({ rules }) => rules.some((name) => !allow.includes(name))),
  }
}

/** The words for a comparison: what is looser comes first, and a sum at the end. */
export function comparisonWords({ judged, untold }: ConfigComparison): readonly string[] {
  const kinds = kindsOf(judged).toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
  return [...kinds.flatMap(changeWords), ...endWords(kinds, untold)]
}

const levels: readonly JudgedChange["level"][] = ["looser", "allowed", "change"]

/** Notes that identities changed: if a config no longer joins one human's Slack ids, fewer people meet a quorum. */
function withIdentities(compared: RuleComparison, old: Compared, fresh: Compared): RuleComparison {
  if (JSON.stringify(old.identities) === JSON.stringify(fresh.identities)) return compared
  const why = "identities are others, so people may be counted otherwise"
  return { ...compared, untold: [...compared.untold, { why, rules: [identitiesWord] }] }
}

function judge(change: DemandChange, allow: readonly string[]): JudgedChange {
  if (change.looser.length === 0) return { change, level: "change" }
  return { change, level: change.looser.every((name) => allow.includes(name)) ? "allowed" : "looser" }
}

/** A kind of change: one example, and whether more changes are of that kind. */
interface Kind extends JudgedChange {
  readonly more: boolean
}

/** Groups changes: calls that lose the same rules and get the same rules are of one kind, whatever rules stay. */
function kindsOf(judged: readonly JudgedChange[]): readonly Kind[] {
  const groups = Map.groupBy(judged, ({ change, level }) => {
    const [gone, come] = [without(change.before, change.now), without(change.now, change.before)]
    return JSON.stringify([level, change.looser, [gone, come].map((rules) => rules.map(ruleHash))])
  })
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike.toSorted((a, b) => a.change.before.rules.length - b.change.before.rules.length)
    return first === undefined ? [] : [{ ...first, more: alike.length > 1 }]
  })
}

function changeWords({ change, level, more }: Kind): readonly string[] {
  const { aspects, looser, example, above, before, now } = change
  const changed = [...without(before, now), ...without(now, before)].map(({ name }) => name)
  const names = [...new Set(looser.length > 0 ? looser : changed)]
  return [
    `${level.padEnd(7)}  ${names.join(", ") || "no rule"}: ${aspects.join(", ") || "who may meet it"}`,
    `         e.g. ${sampleWords(example)}${above === null ? "" : `, ${aboveWords(above)}`}`,
    ...(asksTheSame(before, now)
      ? []
      : [`         before: ${demandWords(before, now)}`, `         now:    ${demandWords(now, before)}`]),
    ...(more ? ["         and the same beside other rules (--json)"] : []),
  ]
}

/** True if both demand the same rules by name: then the list of changed keys says what is other about them. */
function asksTheSame(before: Demand, now: Demand): boolean {
  const names = ({ rules }: Demand) => JSON.stringify(rules.map(({ name }) => name))
  return before.covered === now.covered && names(before) === names(now)
}

/** The rules of a demand that another demand does not have in the same form. */
function without({ rules }: Demand, other: Demand): readonly Rule[] {
  const hashes = other.rules.map(ruleHash)
  return rules.filter((rule) => !hashes.includes(ruleHash(rule)))
}

function demandWords(demand: Demand, other: Demand): string {
  const changed = without(demand, other)
  const same = demand.rules.filter((rule) => !changed.includes(rule)).map(({ name }) => name)
  const words = [
    ...changed.map(ruleSummary),
    ...(same.length === 0 ? [] : [`${changed.length === 0 ? "" : "besides "}${same.join(", ")}`]),
    ...(demand.covered ? [] : ["nobody may decide it"]),
  ]
  return words.join("; ")
}

function ruleSummary({ name, quorum, approvers, standIns = [], routes, timing }: Rule): string {
  const besides = standIns.length === 0 ? "" : `, with stand-ins ${standIns.map(approverAsText).join(", ")}`
  const who = `${quorum} of ${approvers.map(approverAsText).join(", ")}${besides}`
  const expiry = timing === undefined || timing.expireAfter === null ? "" : `, until ${spanWords(timing.expireAfter)}`
  return `${name} (${who}, in ${routes.map(({ id }) => id).join(", ")}${expiry})`
}

function endWords(kinds: readonly Kind[], untold: RuleComparison["untold"]): readonly string[] {
  const count = (level: JudgedChange["level"]) => kinds.filter((one) => one.level === level).length
  const sum = `${count("looser")} looser, ${count("allowed")} looser and allowed, ${count("change")} otherwise`
  const more = untold.map(({ why, rules }) => `nobody can tell whether more changes: ${why} (${rules.join(", ")})`)
  return [sum, ...(more.length > 0 ? more : ["no other call changes: every one that counts was tried"])]
}
