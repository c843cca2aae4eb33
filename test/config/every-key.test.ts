// The files that test/cli/run-every-key.test.ts runs: they have every key of the schema, and none at its default.
import { expect, test } from "vitest"
import { z } from "zod"
import { readSource } from "../../src/config/reading/source.ts"
import { knownKeys, withoutDefaults } from "../../src/config/schema/keys.ts"
import { schema } from "../../src/config/schema/schema.ts"
import { type Config, ConfigError, rulesSchema, sharedOf } from "../../src/config.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { anAuthority } from "../support/certificates.ts"
import { everyKey, keysAround, pathsIn, withoutKey } from "../support/every-key.ts"
import { load } from "./load.ts"

const { env, files } = keysAround()
const there = { ...files, "ca.pem": anAuthority().cert, "platform-token": "cs_sa_a-token" }
const places = {
  FOLDER: "/srv/keys",
  INSTALLATION: "every-key",
  REDIS_ADDRESS: "rediss://127.0.0.1:1",
  PLATFORM_ADDRESS: "https://agents.example.com",
  SLACK_ADDRESS: "http://127.0.0.1:2/api/",
}

/** A value for each `${NAME}` of a file. */
function around(yaml: string): Readonly<Record<string, string>> {
  const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `a value for ${name}`] as const)
  return { ...Object.fromEntries(names), ...env, ...places }
}

/** Loads a file, or null where it is refused. */
function loaded(yaml: string): Config | null {
  const paths = Object.entries(there).map(([name, text]) => [`/srv/keys/${name}`, text] as const)
  try {
    return load({ env: around(yaml), yaml, files: Object.fromEntries(paths) })
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

test.each(everyKey)("$name is taken", ({ yaml }) => {
  expect(loaded(yaml)).not.toBeNull()
})

test("each key of the schema stands in one of the files", () => {
  const standing = new Set(everyKey.flatMap(({ yaml }) => pathsIn(yaml)))

  expect([...knownKeys.keys()].filter((path) => !standing.has(path))).toEqual([])
})

test.each([...knownKeys.keys()])("%s is needed there, or not at its default", (path) => {
  const [one] = everyKey.filter(({ yaml }) => isNeededOrCounts(yaml, path))

  expect(one).toBeDefined()
})

function isNeededOrCounts(yaml: string, path: string): boolean {
  if (!pathsIn(yaml).includes(path)) return false
  const without = loaded(withoutKey(yaml, path))
  return without === null || JSON.stringify(without) !== JSON.stringify(loaded(yaml))
}

const ofRules = [...knownKeys.keys()].filter((path) => path.startsWith("rules."))

test.each(ofRules)("R16 the revision covers %s", (path) => {
  const differ = everyKey.filter(({ yaml }) => {
    const [whole, without] = [loaded(yaml), loaded(withoutKey(yaml, path))]
    return (
      whole !== null && (without === null || configRevisionOf(sharedOf(whole)) !== configRevisionOf(sharedOf(without)))
    )
  })

  expect(differ.length).toBeGreaterThan(0)
})

const settings = everyKey.map(({ name, yaml }) =>
  schema.parse(readSource({ text: yaml, file: name, env: around(yaml), need: "all" }).value),
)

/** What stands at a path, whatever lists it lies in. */
function valuesAt(value: unknown, names: readonly string[]): readonly unknown[] {
  const [name, ...below] = names
  if (name === undefined) return value === undefined ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, names))
  return typeof value === "object" && value !== null ? valuesAt((value as Record<string, unknown>)[name], below) : []
}

test.each([...knownKeys])("%s reads its own output, also without what equals a default", (path, { type }) => {
  const made = settings.flatMap((one) => valuesAt(one, path.split(".")))

  expect(made.length).toBeGreaterThan(0)
  for (const one of made) {
    expect(z.parse(type, one)).toStrictEqual(one)
    expect(z.parse(type, withoutDefaults(type, one))).toStrictEqual(one)
  }
})

test.each(everyKey)("R16 the rules of $name are made again of what is sealed of them", ({ yaml }) => {
  const config = loaded(yaml)
  const sealed: unknown = JSON.parse(JSON.stringify(config?.written))

  expect(rulesSchema.parse(sealed)).toStrictEqual({ written: config?.written, rules: config?.rules })
})
