// Says what zod found wrong, in words for people and with its place.
import type { z } from "zod"
import { adviseOnKey, exampleAt, keyAt } from "../schema/keys.ts"
import { type Filled, knownVariables } from "./environment.ts"
import { type ConfigProblem, keyPath, type ProblemPlace } from "./problems.ts"
import type { Source } from "./source.ts"

const missingWords = "is missing"
const unsetWords = "is not set"
type RawIssue = z.core.$ZodRawIssue
type Issue = z.core.$ZodIssue

/** Words for an issue if its schema has none. Never quotes the value: it may be a secret. */
export function wordIssue(issue: RawIssue): string {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? missingWords : `must be ${kinds[issue.expected] ?? `a ${issue.expected}`}`
  }
  return issue.input === undefined ? missingWords : "is wrong"
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "a map of keys",
  boolean: "true or false",
}

/** True if the problem is a variable that is not set. */
export function isUnset({ place, what }: ConfigProblem): boolean {
  return place.kind === "env" && what === unsetWords
}

/** Where the checked value came from. */
export interface Origin {
  /** Undefined if there is no file. */
  readonly source: Source | undefined
  readonly filled: Filled
}

/** The problems of one issue: a place, words and an example; several for several unknown keys. */
export function problemsOf(issue: Issue, origin: Origin): readonly ConfigProblem[] {
  if (issue.code !== "unrecognized_keys") return [problemAt(issue.path, issue.message, origin)]
  return issue.keys.map((key) => ({
    place: origin.source?.placeOfKey(issue.path, key) ?? placeOf(issue.path, origin),
    what: adviseOnKey(issue.path, key),
  }))
}

/** A problem with the value at `path`, with the example that its key has. */
export function problemAt(path: readonly PropertyKey[], what: string, origin: Origin): ConfigProblem {
  const place = placeOf(path, origin)
  if (place.kind === "env") {
    const example = knownVariables[place.name]
    const words = what === missingWords ? unsetWords : what
    return { place, what: words, ...(example !== undefined && { example: `${place.name}=${example}` }) }
  }
  const env = path[0] === "slack" ? keyAt(path)?.env : undefined
  const words = what === missingWords && env !== undefined ? `${missingWords}, and ${env} is not set` : what
  const example = exampleAt(path)
  return { place, what: words, ...(example !== undefined && { example }) }
}

/** The variable that gave the value at `path`, else its place in the file, else the variable that should give it. */
function placeOf(path: readonly PropertyKey[], { source, filled }: Origin): ProblemPlace {
  for (let length = path.length; length > 0; length -= 1) {
    const name = filled.origins.get(keyPath(path.slice(0, length)))
    if (name !== undefined) return { kind: "env", name }
  }
  return source?.placeOf(path) ?? { kind: "env", name: keyAt(path)?.env ?? keyPath(path) }
}
