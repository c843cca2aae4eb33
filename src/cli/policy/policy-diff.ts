// countersign policy diff: which calls two configs decide differently, whether any is now approved more easily, and
// every key that is other than before.
import { realpathSync, statSync } from "node:fs"
import { asWritten, type ChangedKey, type Config, changedKeys, loadConfig, sharedOf } from "../../config.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import { approverAsText } from "../../domain/rule/rule.ts"
import { rulesInForce } from "../../domain/rule/rules-change.ts"
import { whatIsSaid } from "../../domain/rule/said.ts"
import { surroundings } from "../installation/context.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { compareConfigs, comparisonWords, identitiesWord, type JudgedChange } from "./diff-words.ts"
import { sampleAsJson } from "./sample-words.ts"

/** How two configs are compared. */
export interface DiffOptions {
  readonly allow: readonly string[]
  readonly json: boolean
}

/** Longer values are cut to this many characters; `--json` has all of them. */
const maxShown = 60
/** How much of what is alike stays before the first difference. */
const maxAlike = 15

/** Prints what changes. Exit code 1 if something is looser, or may be. Throws `CommandError` or `ConfigError`. */
export function policyDiff(terminal: Terminal, before: string, now: string, { allow, json }: DiffOptions): void {
  if (realPath(before) === realPath(now)) throw new CommandError(`${before} and ${now} are the same file`)
  const [old, fresh] = [configIn(before), configIn(now)]
  const names = [...rulesInForce(old), ...rulesInForce(fresh)].map(({ name }) => name)
  const stranger = allow.find((name) => name !== identitiesWord && !names.includes(name))
  if (stranger !== undefined) throw new CommandError(`--allow ${stranger}: neither file has a rule of that name`)
  const compared = compareConfigs(old, fresh, allow)
  const { judged, untold } = compared
  const looser = judged.some(({ level }) => level === "looser")
  if (looser || untold.length > 0) process.exitCode = 1
  const keys = changedKeys(sharedOf(old), sharedOf(fresh)).map(keyAsWritten)
  if (json) return terminal.out(JSON.stringify({ looser, changes: judged.map(asJson), untold, keys }, null, 2))
  for (const line of [...comparisonWords(compared), ...keysWords(keys)]) terminal.out(line)
}

function realPath(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CommandError(`${file}: there is no such file`)
  return realpathSync(file)
}

function configIn(file: string): Config {
  return loadConfig({ ...surroundings({ configFile: file }), need: "shared" })
}

function asJson({ change, level }: JudgedChange): JsonObject {
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
