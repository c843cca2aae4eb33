// The keys of countersign.yaml, read from the schema: what we know of each, its default, and advice on unknown keys.
import { isDeepStrictEqual } from "node:util"
import leven from "leven"
import { z } from "zod"
import { isJsonObject } from "../../domain/content/json.ts"
import { schema } from "./schema.ts"

/** A key's schema, and what we know of it (`values.ts`). */
export interface Key extends z.GlobalMeta {
  readonly type: z.core.$ZodType
}

/** The keys by path, without list positions, as in `rules.match.tool`; in the order of the schema. */
export const knownKeys: ReadonlyMap<string, Key> = new Map(keysBelow(schema, ""))

function keysBelow(type: z.core.$ZodType, prefix: string): readonly (readonly [string, Key])[] {
  return Object.entries(shapeOf(type)).flatMap(([name, below]) => [
    [prefix + name, { ...z.globalRegistry.get(below), type: below }] as const,
    ...keysBelow(below, `${prefix}${name}.`),
  ])
}

/** The keys of a map, or of the maps in a list. If a value may be one of several maps: the keys of all of them. */
export function shapeOf(type: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  if (type instanceof z.ZodObject) return type.shape
  if (type instanceof z.ZodArray) return shapeOf(type.element)
  if (type instanceof z.ZodUnion) return Object.assign({}, ...type.options.map(shapeOf))
  return isWrapped(type) ? shapeOf(type.def.innerType) : {}
}

/** True for a key that may be left out. */
export function isWrapped(type: z.core.$ZodType): type is z.ZodOptional | z.ZodDefault | z.ZodPrefault {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodPrefault
}

/** The settings without what equals a default. If the same schema reads them, they are the same settings again. */
export function withoutDefaults(type: z.core.$ZodType, settings: unknown): unknown {
  if (Array.isArray(settings)) return settings.map((one: unknown) => withoutDefaults(type, one))
  if (isJsonObject(settings)) {
    const keys = Object.entries(shapeOf(type)).filter(([name]) => settings[name] !== undefined)
    const said = keys.filter(([name, below]) => !isDefault(below, settings[name]))
    return Object.fromEntries(said.map(([name, below]) => [name, withoutDefaults(below, settings[name])]))
  }
  return settings
}

function isDefault(type: z.core.$ZodType, value: unknown): boolean {
  const usual = z.safeParse(type, undefined, { jitless: true })
  return usual.success && isDeepStrictEqual(usual.data, value)
}

/** What we know of the key at `path`; or at its nearest parent if the path goes deeper than the schema's keys. */
export function keyAt(path: readonly PropertyKey[]): Key | undefined {
  return path.length === 0 ? undefined : (knownKeys.get(keyName(path)) ?? keyAt(path.slice(0, -1)))
}

/** A line that would be right for the key at `path`, or for its nearest parent. */
export function exampleAt(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined
  const name = keyName(path)
  const key = knownKeys.get(name)
  return key === undefined ? exampleAt(path.slice(0, -1)) : `${name.split(".").at(-1)}: ${exampleOf(key)}`
}

/** A value that would be right, as YAML: the default if there is no other example. */
export function exampleOf({ example, type }: Key): string {
  return example ?? defaultOf(type) ?? ""
}

/** The default as it would stand in the file; undefined if there is none, or if it is an empty map or list. */
export function defaultOf(type: z.core.$ZodType): string | undefined {
  const value = type instanceof z.ZodDefault || type instanceof z.ZodPrefault ? type.def.defaultValue : undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : `[${value.join(", ")}]`
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined
}

/** The names of the keys that may stand in the map at `path`, each with the variable that may give it. */
export function namesBelow(
  path: readonly PropertyKey[],
): readonly (readonly [name: string, env?: string | undefined])[] {
  const start = path.length === 0 ? "" : `${keyName(path)}.`
  const below = [...knownKeys].map(([name, { env }]) => [name.slice(start.length), env, name] as const)
  return below
    .filter(([rest, , name]) => name.startsWith(start) && !rest.includes("."))
    .map(([rest, env]) => [rest, env])
}

/** The path as `knownKeys` writes it: names only, joined by dots. */
function keyName(path: readonly PropertyKey[]): string {
  return path.filter((part) => typeof part === "string").join(".")
}

/** Advice on a key that does not exist: which one was meant, else where it belongs, else all that may stand there. */
export function adviseOnKey(path: readonly PropertyKey[], key: string): string {
  const here = namesBelow(path).map(([name]) => name)
  const meant = nearest(key, here)
  if (meant !== undefined) return `is no key here; did you mean ${meant}?`
  const elsewhere = [...knownKeys.keys()].find((name) => name.split(".").at(-1) === key)
  if (elsewhere !== undefined)
    return `is no key here; it belongs to ${elsewhere.split(".").slice(0, -1).join(".") || "the top level"}`
  return `is no key here; known are ${here.join(", ")}`
}

/** The nearest of `known`, if it is near enough to be a slip of the finger (a third of its letters at most). */
function nearest(word: string, known: readonly string[]): string | undefined {
  return known
    .map((candidate) => ({ candidate, steps: leven(snakeCase(word), candidate) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.steps - b.steps)[0]?.candidate
}

/** `pollEvery` and `poll-every` are the same slip as `poll_every`. */
function snakeCase(word: string): string {
  return word
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[-\s]/g, "_")
}
