// The pages are what the schema says: each key has words and an example that its own check takes.
import { expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { knownVariables } from "../../src/config/reading/environment.ts"
import { exampleOf, knownKeys } from "../../src/config/schema/keys.ts"
import { schema } from "../../src/config/schema/schema.ts"
import { entryKinds } from "../../src/config/schema/webhook-schema.ts"
import { configurationPage, exampleFile } from "./documents.ts"

/** A file at the project's root. */
const fileOf = (name: string): string => new URL(`../../${name}`, import.meta.url).pathname

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

test("each key of the schema is known by its path", () => {
  const paths = pathsIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }))

  expect(paths).toEqual(
    expect.arrayContaining(["redis_url", "instances.poll_every", "rules.match.tool", "rules.routes.person"]),
  )
  expect([...knownKeys.keys()].toSorted()).toEqual(paths.toSorted())
})

test("countersign.example.yaml is what the schema says", async () => {
  await expect(exampleFile()).toMatchFileSnapshot(fileOf("countersign.example.yaml"))
})

test("docs/configuration.md is what the schema says", async () => {
  await expect(configurationPage()).toMatchFileSnapshot(fileOf("docs/configuration.md"))
})

test("docs/configuration.md names each kind of entry that a webhook may ask for", () => {
  const row = configurationPage()
    .split("\n")
    .find((line) => line.startsWith("| `events` |"))
  const words = new Set(row?.split(/[^a-z-]+/))

  expect(entryKinds.filter((kind) => !words.has(kind))).toEqual([])
})

test.each(Object.keys(knownVariables))("the example names the variable %s", (name) => {
  expect(exampleFile()).toContain(name)
})

test.each([...knownKeys])(
  "%s has words, and an example that its check takes, unless that leaves something to the environment",
  (path, key) => {
    const { description, env, type } = key
    const example = exampleOf(key)

    expect(description).toMatch(/[a-z]/)
    if (!example.startsWith("${") && path !== "slack") expect(z.safeParse(type, parse(example)).error).toBeUndefined()
    if (env !== undefined) expect(Object.keys(knownVariables)).toContain(env)
  },
)
