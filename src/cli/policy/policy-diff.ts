// countersign policy diff: which calls two configs decide differently, whether any is now approved more easily, and
// every key that is other than before.
import { realpathSync, statSync } from "node:fs"
import { asWritten, type ChangedKey, type Config, changedKeys, loadConfig, sharedOf, spanWords } from "../../config.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import { approverAsText, type Rule, ruleHash } from "../../domain/rule/rule.ts"
import { whatIsSaid } from "../../domain/rule/said.ts"
import { compareRules, type DemandChange, type RuleComparison } from "../../domain/trying/compare-rules.ts"
import { surroundings } from "../installation/context.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { aboveWords } from "./policy-words.ts"
import { sampleAsJson, sampleWords } from "./sample-words.ts"

/** How two configs are compared. */
export interface DiffOptions {
  readonly allow: readonly string[]
  readonly json: boolean
}

/** A change, and whether it is allowed. Only a looser change needs to be allowed. */
interface Judged {
  readonly change: DemandChange
  readonly level: "looser" | "allowed" | "change"
}

/** Shown in place of a rule's name if the two configs count people differently. */
const identitiesWord = "identities"

/** Longer values are cut to this many characters; `--json` has all of them. */
const maxShown = 60
/** How much of what is alike stays before the first difference. */
const maxAlike = 15

/** Prints what changes. Exit code 1 if something is looser, or may be. Throws `CommandError` or `ConfigError`. */
export function policyDiff(terminal: Terminal, before: string, now: string, { allow, json }: DiffOptions): void {
  if (realPath(before) === realPath(now)) throw new CommandError(`${before} and ${now} are the same file`)
  const [old, fresh] = [configIn(before), configIn(now)]
  const names = [...old.rules, ...fresh.rules].map(({ name }) => name)
  const stranger = allow.find((name) => name !== identitiesWord && !names.includes(name))
  if (stranger !== undefined) throw new CommandError(`--allow ${stranger}: neither file has a rule of that name`)
  const instances = [...new Set([...old.instances, ...fresh.instances].map(({ name }) => name))]
  const compared = withIdentities(compareRules(old.rules, fresh.rules, instances), old, fresh)
  const judged = compared.changes.map((change) => judge(change, allow))
  const untold = compared.untold.filter(({ rules }) => rules.some((name) => !allow.includes(name)))
  const looser = judged.some(({ level }) => level === "looser")
  if (looser || untold.length > 0) process.exitCode = 1
  const keys = changedKeys(sharedOf(old), sharedOf(fresh)).map(keyAsWritten)
  if (json) return terminal.out(JSON.stringify({ looser, changes: judged.map(asJson), untold, keys }, null, 2))
  const kinds = kindsOf(judged)
  for (const line of [...kinds.flatMap(changeWords), ...endWords(kinds, untold), ...keysWords(keys)]) terminal.out(line)
}

function realPath(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CommandError(`${file}: there is no such file`)
  return realpathSync(file)
}

function configIn(file: string): Config {
  return loadConfig({ ...surroundings({ configFile: file }), need: "shared" })
}

/** Notes that identities changed: if a config no longer joins one human's Slack ids, fewer people meet a quorum. */
function withIdentities(compared: RuleComparison, old: Config, fresh: Config): RuleComparison {
  if (JSON.stringify(old.identities) === JSON.stringify(fresh.identities)) return compared
  const why = "identities are others, so people may be counted otherwise"
  return { ...compared, untold: [...compared.untold, { why, rules: [identitiesWord] }] }
}

function judge(change: DemandChange, allow: readonly string[]): Judged {
  if (change.looser.length === 0) return { change, level: "change" }
  return { change, level: change.looser.every((name) => allow.includes(name)) ? "allowed" : "looser" }
}

/** A kind of change: one example, and whether more changes are of that kind. */
interface Kind extends Judged {
  readonly more: boolean
}

/** Groups changes: calls that lose the same rules and get the same rules are of one kind, whatever rules stay. */
function kindsOf(judged: readonly Judged[]): readonly Kind[] {
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
  const count = (level: Judged["level"]) => kinds.filter((one) => one.level === level).length
  const sum = `${count("looser")} looser, ${count("allowed")} looser and allowed, ${count("change")} otherwise`
  const more = untold.map(({ why, rules }) => `nobody can tell whether more changes: ${why} (${rules.join(", ")})`)
  return [sum, ...(more.length > 0 ? more : ["no other call changes: every one that counts was tried"])]
}

function asJson({ change, level }: Judged): JsonObject {
  const { aspects, looser, example, above, before, now } = change
  return {
    level,
    aspects: [...aspects],
    looser: [...looser],
    example: sampleAsJson(example),
    above: whatIsSaid(above),
    before: demandAsJson(before),
    now: demandAsJson(now),
  }
}

function demandAsJson({ covered, rules }: Demand): JsonObject {
  const asked = rules.map(({ name, quorum, approvers, standIns = [], routes, timing }) => ({
    name,
    quorum,
    approvers: approvers.map(approverAsText),
    ...(standIns.length === 0 ? {} : { standIns: standIns.map(approverAsText) }),
    routes: routes.map(({ id }) => id),
    expireAfterMs: timing?.expireAfter ?? null,
  }))
  return { covered, rules: asked }
}

/** A changed key with the names of variables that are not set, as the file has them. */
function keyAsWritten({ path, before, after }: ChangedKey): ChangedKey {
  const written = (words: string | null) => (words === null ? null : asWritten(words))
  return { path: asWritten(path), before: written(before), after: written(after) }
}

/** One line for each key: path, old and new value. Where a value is cut, "…" stands, and the difference stays. */
function keysWords(keys: readonly ChangedKey[]): readonly string[] {
  if (keys.length === 0) return ["no key changes that all replicas share"]
  return ["these keys change:", ...keys.map((key) => `  ${keyWords(key)}`)]
}

function keyWords({ path, before, after }: ChangedKey): string {
  const alike = alikeLength(before ?? "", after ?? "")
  return `${path}: ${shownWords(before, alike)} → ${shownWords(after, alike)}`
}

/** A value, or the part of it that begins shortly before the first difference. */
function shownWords(words: string | null, alike: number): string {
  if (words === null) return "(not set)"
  const all = Array.from(words)
  if (all.length <= maxShown) return words
  const start = Math.max(0, Math.min(alike - maxAlike, all.length - maxShown))
  const end = start + maxShown
  return `${start > 0 ? "…" : ""}${all.slice(start, end).join("")}${end < all.length ? "…" : ""}`
}

function alikeLength(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)]
  const first = left.findIndex((character, index) => character !== right[index])
  return first < 0 ? left.length : first
}
