// What a bench makes of its rounds, and what its command says.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Figure, lineOf, verdictOf } from "../../bench/parts/figure.ts"
import { absolute, alternate, compare, quantile } from "../../bench/parts/rounds.ts"
import { goalOf, goals } from "../../bench/report/goals.ts"
import { readResults } from "../../bench/report/results.ts"
import { scenarioFiles } from "../../bench/scenarios.ts"
import { aFolder } from "../support/opened.ts"

const root = new URL("../..", import.meta.url).pathname
const about = { scenario: "2", what: "a click", unit: "ms" }
const goal = { must: 2, aim: 1.5 }

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
  { ratio: 1.5, verdict: "met aim" },
  { ratio: 2, verdict: "met must" },
  { ratio: 2.29, verdict: "within 15 % of must" },
  { ratio: 2.31, verdict: "missed" },
] as const)("a ratio of $ratio, where 2 is a must and 1.5 the aim: $verdict", ({ ratio, verdict }) => {
  const figure: Figure = { kind: "figure", ...about, ...goal, floor: 1, value: ratio, ratio, atMost: true, rounds: 9 }

  expect(verdictOf(figure)).toBe(verdict)
  expect(lineOf(figure)).toContain(`ratio ${ratio} (must <= 2, aim <= 1.5, 9 rounds): ${verdict}`)
  expect(lineOf(figure, "not judged: load 3.2")).toMatch(/9 rounds\): not judged: load 3\.2$/)
})

test("where more is better a figure above its goal is kept", () => {
  const million = 1_000_000
  const figure = absolute(
    { scenario: "15b", what: "decisions", unit: "per second", atMost: false },
    [1, 2, 3].map((at) => at * million),
  )

  expect(figure).toMatchObject({ value: 2 * million, ratio: 2 * million, floor: null, must: million })
  expect(verdictOf(figure)).toBe("met aim")
  expect(verdictOf({ ...figure, ratio: 0.9 * million })).toBe("within 15 % of must")
  expect(verdictOf({ ...figure, ratio: 0.8 * million })).toBe("missed")
  expect(quantile([5, 1, 3], 1)).toBe(5)
})

test("every scenario of the table is there, under a number of its own and with a goal", () => {
  const ids = scenarioFiles.flatMap((file) => file.ids)

  expect(new Set(ids).size).toBe(ids.length)
  for (let number = 1; number <= 20; number += 1) expect(ids).toContain(String(number))
  expect(Object.keys(goals).toSorted()).toEqual(ids.toSorted())
  for (const { must, aim } of Object.values(goals)) expect(aim).toBeLessThanOrEqual(must)
  expect(() => goalOf("99")).toThrow("row 99 has no goal: give it one in bench/report/goals.ts")
})

test("a word that names no scenario is refused with all names, and nothing is measured", () => {
  const { status, out, err } = bench("clicks")

  expect(status).toBe(2)
  expect(out).toBe("")
  expect(err).toContain("no benchmark is called clicks")
  for (const { name } of scenarioFiles) expect(err).toContain(`  ${name} (`)
})

test.each([
  { words: ["click", "--quick"], said: "only latency, growth, peer, ledger-report have a quick form: name them" },
  { words: ["latency", "--quick", "--keep"], said: "--quick measures nothing that is worth keeping" },
])("$words is refused, and nothing is measured", ({ words, said }) => {
  const { status, out, err } = bench(...words)

  expect(status).toBe(2)
  expect(out).toBe("")
  expect(err).toContain(said)
})

test("a scenario by its number measures, prints each figure and writes them for programs", () => {
  const folder = aFolder("bench-json")
  const file = join(folder, "figures.json")

  const { out, err } = bench("15b", "--json", file)

  expect(err).toBe("")
  expect(out).toMatch(/15b +decisions with a remembered token: .* per second \(must >= 1,000,000 per second/)
  expect(out).toMatch(/\d cores, \d+ GB, .*, Node \d.*, Redis \d/)
  expect(out).toMatch(/cores busy with other work: before [\d.]+, meanwhile [\d.]+, after [\d.]+/)
  const [run] = readResults(file)
  const shape = { rounds: 11, value: expect.any(Number), must: expect.any(Number), ratio: expect.any(Number) }
  expect(run).toMatchObject({ name: "gate", commit: expect.stringMatching(/^[0-9a-f]{10}\+?$/) })
  expect(run?.measured).toEqual([
    expect.objectContaining({ ...shape, scenario: "15", unit: "ms", floor: expect.any(Number) }),
    expect.objectContaining({ ...shape, scenario: "15b", unit: "per second", floor: null }),
  ])
})
