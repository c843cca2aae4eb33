// The schema, the table of keys and countersign.example.yaml know the same keys.
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { VARIABLES } from "../../src/config/reading/environment.ts"
import { KEYS } from "../../src/config/schema/keys.ts"
import { schema } from "../../src/config/schema/schema.ts"

const EXAMPLE = readFileSync(new URL("../../countersign.example.yaml", import.meta.url), "utf8")

/** The paths of all keys below a JSON Schema, list positions left out. */
function pathsIn(part: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof part !== "object" || part === null) return []
  const { properties, items, anyOf, allOf } = part as Record<string, unknown>
  const own = Object.entries((properties ?? {}) as Record<string, unknown>).flatMap(([key, below]) => [
    [...path, key].join("."),
    ...pathsIn(below, [...path, key]),
  ])
  const branches = [...((anyOf ?? []) as unknown[]), ...((allOf ?? []) as unknown[]), items]
  return [...new Set([...own, ...branches.flatMap((branch) => pathsIn(branch, path))])]
}

const paths = pathsIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }))

test("the schema has keys to compare", () => {
  expect(paths).toEqual(
    expect.arrayContaining(["redis_url", "instances.poll_every", "rules.match.tool", "rules.routes.person"]),
  )
})

test("the table of keys has each key of the schema, and no other", () => {
  expect(Object.keys(KEYS).toSorted()).toEqual(paths.toSorted())
})

describe("countersign.example.yaml", () => {
  test.each(paths)("has %s", (path) => {
    const key = path.split(".").at(-1) ?? ""

    expect(EXAMPLE).toMatch(new RegExp(String.raw`^[\s#-]*${key}:( |$)`, "m"))
  })

  test.each(Object.keys(VARIABLES))("names the variable %s", (name) => {
    expect(EXAMPLE).toContain(name)
  })
})

test.each(Object.entries(KEYS))("the example of %s begins with its key", (path, { example, env }) => {
  expect(example.startsWith(`${path.split(".").at(-1)}: `)).toBe(true)
  if (env !== undefined) expect(Object.keys(VARIABLES)).toContain(env)
})
