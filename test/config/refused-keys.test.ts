// Bad input: whatever stands at a key and cannot be meant is refused, by an error that names the key and what to write.
import { expect, test } from "vitest"
import type { ConfigProblem } from "../../src/config/reading/problems.ts"
import { knownKeys } from "../../src/config/schema/keys.ts"
import { ConfigError } from "../../src/config.ts"
import { everyKey, pathsIn, withOtherValues } from "../support/every-key.ts"
import { load } from "./load.ts"

/** Values that are of the wrong kind for nearly every key. */
const senseless = [{ nonsense: 1 }, [[1]], -1, ""]

/** What is wrong with this key alone where the first of these values stands there that it refuses; else nothing. */
function problemsAt(path: string): readonly ConfigProblem[] {
  const yaml = everyKey.find((one) => pathsIn(one.yaml).includes(path))?.yaml ?? ""
  for (const value of senseless) {
    // First comes the file without the key, then the one with this value.
    const [, wrong] = withOtherValues(yaml, path, [value])
    const problems = wrong === undefined ? [] : problemsOf(wrong, path)
    if (problems.length > 0) return problems
  }
  return []
}

function problemsOf(yaml: string, path: string): readonly ConfigProblem[] {
  const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `a value for ${name}`] as const)
  try {
    load({ env: Object.fromEntries(names), yaml, need: "all" })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.filter(({ place }) => place.kind === "file" && `${keyIn(place.key)}.`.startsWith(`${path}.`))
  }
}

function keyIn(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "")
}

test.each([...knownKeys.keys()])("a senseless value at %s is refused, and the error says what to write", (path) => {
  const told = problemsAt(path)

  expect(told).not.toEqual([])
  const vague = told.filter(({ what, example }) => example === undefined && !/known are|did you mean/.test(what))
  expect(vague).toEqual([])
})
