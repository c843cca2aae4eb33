// The vectors that the packages for other languages are tested with too: what they say is what we write.
import { readFileSync } from "node:fs"
import canonicalize from "canonicalize"
import { expect, test } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { vectorCount, vectorLines } from "./canonical-vectors.ts"

const file = new URL("../../../integrations/agno/tests/canonical-vectors.jsonl", import.meta.url).pathname
/** The file is drawn from it. */
const seed = 25

test("the file of vectors is what its seed draws", async () => {
  await expect(vectorLines(seed)).toMatchFileSnapshot(file)
})

test("we write each text of the file as the file says, and as RFC 8785 does where it says anything", () => {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  const vectors = lines.map((line) => JSON.parse(line) as readonly [string, string])
  const ordinary = vectors.filter(([, canonical]) => !/"\$|\\ud[89a-f]/.test(canonical))

  expect(vectors).toHaveLength(vectorCount)
  expect(vectors.filter(([text, canonical]) => canonicalJson(parseJson(text)) !== canonical)).toEqual([])
  expect(ordinary.filter(([text, canonical]) => canonicalize(JSON.parse(text)) !== canonical)).toEqual([])
  expect(ordinary.length).toBeGreaterThan(vectorCount / 3)
})

test("the file has what is easily got wrong, many times", () => {
  const text = readFileSync(file, "utf8")
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0

  expect(count(/\{\\"\$number\\":\\"[\d.eE+-]+\\"\}/g)).toBeGreaterThan(1_000)
  expect(count(/__proto__/g)).toBeGreaterThan(100)
  expect(count(/\\\\ud83d|\\\\ude00/g)).toBeGreaterThan(500)
})
