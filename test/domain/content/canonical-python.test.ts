// The gate's own canonical form (integrations/agno) writes the same as we do, byte for byte.
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import { loadPython } from "../../support/python.ts"
import { anyJson } from "../arbitraries.ts"
import { vectorCount } from "./canonical-vectors.ts"

const fileOf = (path: string) => new URL(`../../../integrations/agno/${path}`, import.meta.url)
let python: Awaited<ReturnType<typeof loadPython>>

beforeAll(async () => {
  python = await loadPython(readFileSync(fileOf("src/countersign_agno/canonical.py"), "utf8"))
})

test("R2 the gate writes each of the vectors as the file says", () => {
  const vectors = "[json.loads(line) for line in given.splitlines()]"
  const count = `sum(canonical(parse(text)) == expected for text, expected in ${vectors})`

  expect(python(count, readFileSync(fileOf("tests/canonical-vectors.jsonl"), "utf8"))).toBe(vectorCount)
})

test("R2 the gate writes any JSON as we do", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(python("canonical(parse(given))", JSON.stringify(value))).toBe(canonicalJson(value))
    }),
    { numRuns: 500 },
  )
})
