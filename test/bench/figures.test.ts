// What a bench makes of its rounds, and what its command says.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type Figure, lineOf, verdictOf } from "../../bench/parts/figure.ts"
import { absolute, alternate, compare, quantile } from "../../bench/parts/rounds.ts"
import { scenarioFiles } from "../../bench/scenarios.ts"

const root = new URL("../..", import.meta.url).pathname
const about = { scenario: "1", what: "a click", unit: "ms", goal: 2 }

function bench(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bench/run.ts", ...words], { cwd: root })
  return { status, out: stdout.toString(), err: stderr.toString() }
}

test("a ratio is taken in each round, and the median of all is reported, not the ratio of the medians", () => {
  const figure = compare({ ...about, floor: [1, 10, 2], product: [2, 10, 6] })

  expect(figure).toMatchObject({ floor: 2, value: 6, ratio: 2, rounds: 3 })
})

test("the first round of all blocks is thrown away, and the blocks take turns", async () => {
  const order: string[] = []
  const block = (name: string) => () => order.push(name)

  const [floor, product] = await alternate([block("floor"), block("product")], 2)

  expect(order).toEqual(["floor", "product", "floor", "product", "floor", "product"])
  expect(floor).toEqual([3, 5])
  expect(product).toEqual([4, 6])
})

test.each([
  { ratio: 2, verdict: "kept" },
  { ratio: 2.29, verdict: "within 15 %" },
  { ratio: 2.31, verdict: "missed" },
] as const)("a ratio of $ratio against a goal of 2 is $verdict", ({ ratio, verdict }) => {
  const figure: Figure = { ...about, floor: 1, value: ratio, ratio, atMost: true, rounds: 9 }

  expect(verdictOf(figure)).toBe(verdict)
  expect(lineOf(figure)).toContain(`ratio ${ratio} (goal <= 2, 9 rounds): ${verdict}`)
})

test("where more is better a figure above its goal is kept", () => {
  const figure = absolute({ ...about, unit: "per second", goal: 100, atMost: false }, [90, 110, 120])

  expect(figure).toMatchObject({ value: 110, ratio: 110, floor: null })
  expect(verdictOf(figure)).toBe("kept")
  expect(quantile([5, 1, 3], 1)).toBe(5)
})

test("every scenario of the table is there, under a number of its own", () => {
  const ids = scenarioFiles.flatMap((file) => file.ids)

  expect(new Set(ids).size).toBe(ids.length)
  for (let number = 1; number <= 16; number += 1) expect(ids).toContain(String(number))
})

test("a word that names no scenario is refused with all names, and nothing is measured", () => {
  const { status, out, err } = bench("clicks")

  expect(status).toBe(2)
  expect(out).toBe("")
  expect(err).toContain("no benchmark is called clicks")
  for (const { name } of scenarioFiles) expect(err).toContain(`  ${name} (`)
})

test("a scenario by its number measures, prints each figure and writes them for programs", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-json-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "figures.json")

  const { out, err } = bench("15b", "--json", file)

  expect(err).toBe("")
  expect(out).toMatch(/15b +decisions with a remembered token: .* per second \(goal >= 1,000,000 per second/)
  const figures: unknown = JSON.parse(readFileSync(file, "utf8"))
  const shape = { rounds: 11, value: expect.any(Number), goal: expect.any(Number), ratio: expect.any(Number) }
  expect(figures).toEqual([
    expect.objectContaining({ ...shape, scenario: "15", unit: "ms", floor: expect.any(Number) }),
    expect.objectContaining({ ...shape, scenario: "15b", unit: "per second", floor: null }),
  ])
})
