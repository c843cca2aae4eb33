// Names every key in which two shared configs differ: its path, and what it said and says, in the file's words.
import { isDeepStrictEqual } from "node:util"
import type { z } from "zod"
import { isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import type { SharedConfig } from "../../domain/policy/shared-config.ts"
import { shapeOf } from "../schema/keys.ts"
import { schema } from "../schema/schema.ts"
import { classNames, comparableForms, membersOf } from "./file-form.ts"
import { listWords, usualWords, valueWords } from "./key-words.ts"

/** A key that is not what it was. */
export interface ChangedKey {
  /** As in `rules[payments].limit.above`. `rules[order]` is no key, but the order in which the rules stand. */
  readonly path: string
  /** Null: not set, and there is no default. */
  readonly before: string | null
  readonly after: string | null
}

/** The lists whose members have names, and the key that holds the name. Other lists are one value. */
const named: ReadonlyMap<string, string> = new Map([
  ["instances", "name"],
  ["identities", "subject"],
  ["classes", "name"],
  ["rules", "name"],
])

/**
 * Every key that makes the revision of one config another than that of the other, in the order of the example file; a
 * rule that is new or gone with each key that it sets. None if both have the same revision (R16). Values are whole.
 */
export function changedKeys(before: SharedConfig, after: SharedConfig): readonly ChangedKey[] {
  const [old, fresh] = comparableForms(before, after)
  const found = changedBelow({ path: "", type: schema }, { before: old, after: fresh })
  return classesMoved(before, after) ? found : found.filter(({ path }) => path !== orderPath("classes"))
}

/** Where in the file a value stands. */
interface Place {
  readonly path: string
  readonly type: z.core.$ZodType
}

/** What stands there; undefined where nothing does. */
interface Pair<Value> {
  readonly before: Value | undefined
  readonly after: Value | undefined
}

function changedBelow({ path, type }: Place, { before, after }: Pair<JsonObject>): readonly ChangedKey[] {
  return Object.entries(shapeOf(type)).flatMap(([name, below]) => {
    const place = { path: path === "" ? name : `${path}.${name}`, type: below }
    const values = { before: before?.[name], after: after?.[name] }
    if (isDeepStrictEqual(values.before, values.after)) return []
    if (named.has(place.path)) return changedMembers(place, values)
    if (isJsonObject(values.before) || isJsonObject(values.after))
      return changedBelow(place, { before: asMap(values.before), after: asMap(values.after) })
    const words = (value: Json | undefined, there: boolean) =>
      value === undefined ? (there ? usualWords(below) : null) : valueWords(below, value)
    const said = [words(values.before, before !== undefined), words(values.after, after !== undefined)] as const
    return [{ path: place.path, before: said[0], after: said[1] }]
  })
}

function asMap(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** Compares members by their names, and tells their order if it is another, or if one is new. */
function changedMembers({ path, type }: Place, values: Pair<Json>): readonly ChangedKey[] {
  const key = named.get(path) ?? ""
  const [old, fresh] = [byName(values.before, key), byName(values.after, key)]
  const renamed = renamedMembers(old, fresh, key)
  const nameBefore = (name: string) => renamed.get(name) ?? name
  const kept = [...fresh.keys()].map(nameBefore)
  const gone = [...old.keys()].filter((name) => !kept.includes(name))
  const changed = [...gone, ...fresh.keys()].flatMap((name) => {
    const before = nameBefore(name)
    return changedBelow({ path: memberPath(path, before), type }, { before: old.get(before), after: fresh.get(name) })
  })
  const isSameOrder = isDeepStrictEqual(
    [...old.keys()].filter((name) => kept.includes(name)),
    kept,
  )
  if (isSameOrder || old.size === 0) return changed
  return [
    ...changed,
    { path: orderPath(path), before: listWords([...old.keys()]), after: listWords([...fresh.keys()]) },
  ]
}

/** By their new names the old names of members that are all the same but for the name. */
function renamedMembers(
  old: ReadonlyMap<string, JsonObject>,
  fresh: ReadonlyMap<string, JsonObject>,
  key: string,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  const left = new Map([...old].filter(([name]) => !fresh.has(name)))
  for (const [now, member] of fresh) {
    const [name] = old.has(now) ? [] : ([...left].find(([, one]) => isAlike(one, member, key)) ?? [])
    if (name === undefined) continue
    renamed.set(now, name)
    left.delete(name)
  }
  return renamed
}

/** The members of a list by name. A name that comes again has its number behind it. */
function byName(list: Json | undefined, key: string): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const member of membersOf(list)) {
    const given = member[key]
    const name = typeof given === "string" ? given : ""
    const again = [...found.values()].filter((other) => other[key] === given).length
    found.set(again === 0 ? name : `${name}, ${again + 1}`, member)
  }
  return found
}

function isAlike(one: JsonObject, other: JsonObject, key: string): boolean {
  return isDeepStrictEqual({ ...one, [key]: null }, { ...other, [key]: null })
}

function memberPath(list: string, name: string): string {
  return `${list}${listWords([name])}`
}

function orderPath(list: string): string {
  return `${list}[order]`
}

/** True if a rule has other classes than before, or in another order. For other rules their order counts nothing. */
function classesMoved(before: SharedConfig, after: SharedConfig): boolean {
  const old = new Map(before.rules.map((rule) => [rule.name, classNames(rule)]))
  return after.rules.some((rule) => !isDeepStrictEqual(old.get(rule.name), classNames(rule)))
}
