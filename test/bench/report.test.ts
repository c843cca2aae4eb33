// A busy machine, what is kept of runs, and the page that is written from it.
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Latency, Measured } from "../../bench/parts/figure.ts"
import { absolute, compare } from "../../bench/parts/rounds.ts"
import { loadLine, loadNow, lookAtMachine, machineLine, whyUnjudged } from "../../bench/report/machine.ts"
import { growthPicture, pageOf } from "../../bench/report/page.ts"
import { keepRun, type Run, readResults, writeResults } from "../../bench/report/results.ts"
import { aFolder } from "../support/opened.ts"

const docs = new URL("../../docs/", import.meta.url)
const machine = { cpu: "A CPU", cores: 2, memoryGb: 23, kernel: "Linux 6.1", node: "24.21.0", redis: "7.0.15" }
const quiet = { before: 0, meanwhile: 0.1, after: 0 }

function aRun(name: string, measured: readonly Measured[], more: Partial<Run> = {}): Run {
  const made = { date: "2026-11-24", commit: "0123456789", machine, load: quiet, unjudged: null }
  return { name, ...made, measured: [...measured], ...more }
}

function aLatency(rate: number, p99: number): Latency {
  const card = { p50: 30, p99, p999: 2 * p99 }
  return { kind: "latency", rate, seconds: 60, unanswered: 0, ack: { p50: 2, p99: 9, p999: 12 }, card }
}

const aClick = compare({ scenario: "2", what: "click to card", unit: "ms", floor: [2, 2], product: [10, 10] })
const aSize = absolute({ scenario: "14", what: "Redis for a pending approval", unit: "bytes" }, [2_467])
const parts = ["machine", "figures", "latency", "growth"]
const template = `# A page\n\n${parts.map((part) => `Prose.\n\n<!-- bench ${part} -->\n<!-- /bench -->\n`).join("\n")}`

describe("the machine", () => {
  test("a machine that nobody else keeps busy is judged", () => {
    expect(whyUnjudged({ before: 0.1, meanwhile: 0.3, after: 0 })).toBe(null)
    expect(whyUnjudged({ before: 0.1, meanwhile: null, after: 0 })).toBe(null)
  })

  test.each([
    { before: 3.2, meanwhile: 0, after: 0 },
    { before: 0, meanwhile: 3.2, after: 0 },
    { before: 0, meanwhile: null, after: 3.2 },
  ])("a machine that others keep busy is not judged: $before before, $meanwhile meanwhile, $after after", (load) => {
    expect(whyUnjudged(load)).toBe("not judged: load 3.2")
    expect(loadLine(load)).toContain("3.20")
  })

  test("a machine on which somebody works is seen to be busy", async () => {
    const worker = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" })
    onTestFinished(() => void worker.kill("SIGKILL"))

    const load = await loadNow()

    expect(whyUnjudged({ before: load, meanwhile: 0, after: 0 })).toMatch(/^not judged: load \d/)
  })

  test("a machine says what it is", async () => {
    const found = await lookAtMachine()

    expect(found.cores).toBeGreaterThan(0)
    expect(machineLine(found)).toMatch(/ cores, \d+ GB, \S+ \S+, Node \d+\.\d+\.\d+, Redis \d+\.\d+/)
  })
})

describe("what is kept", () => {
  test("the last run of each file is kept", () => {
    const [first, second] = [aRun("click", [aClick]), aRun("click", [aClick], { date: "2026-11-25" })]

    expect(keepRun([aRun("poll", []), first], second)).toEqual([aRun("poll", []), second])
  })

  test("what was judged stays when a busy machine measured later", () => {
    const busy = aRun("click", [], { unjudged: "not judged: load 3.2" })

    expect(keepRun([aRun("click", [aClick])], busy)).toEqual([aRun("click", [aClick])])
    expect(keepRun([busy], { ...busy, date: "2026-11-25" })).toEqual([{ ...busy, date: "2026-11-25" }])
  })

  test("kept runs are read as they were written, and nothing else is read", () => {
    const folder = aFolder("results")
    const path = join(folder, "results.json")

    writeResults([aRun("click", [aClick, aLatency(10, 40)])], path)
    expect(readResults(path)).toEqual([aRun("click", [aClick, aLatency(10, 40)])])

    writeFileSync(path, '[{"name":"click"}]')
    expect(() => readResults(path)).toThrow(`${path} holds no results of this bench: remove it and measure again`)
    expect(readResults(join(folder, "none.json"))).toEqual([])
  })
})

describe("the page", () => {
  test("the page has each figure beside floor, must and aim, in the order of the scenarios, and keeps its prose", () => {
    const page = pageOf(template, [aRun("redis-size", [aSize]), aRun("click", [aClick])])

    const rows = page.split("\n").filter((line) => /^\| \d/.test(line))
    expect(rows).toEqual([
      "| 2 | click to card | 2 ms | 10 ms | 5 | <= 6 | <= 4.5 | met must | 0.0, 0.1, 0.0 |",
      "| 14 | Redis for a pending approval |  | 2,467 bytes |  | <= 1,300 bytes | <= 1,300 bytes | missed | 0.0, 0.1, 0.0 |",
    ])
    expect(page.match(/Prose\./g)).toHaveLength(parts.length)
    expect(page).toContain(
      "- click, redis-size: 2026-11-24, commit 0123456789, on A CPU, 2 cores, 23 GB, Linux 6.1, Node 24.21.0, Redis 7.0.15.",
    )
    expect(pageOf(page, [aRun("redis-size", [aSize]), aRun("click", [aClick])])).toBe(page)
  })

  test("the page does not judge what a busy machine measured", () => {
    const load = { before: 3.2, meanwhile: null, after: 0 }

    const page = pageOf(template, [aRun("click", [aClick], { load, unjudged: "not judged: load 3.2" })])

    expect(page).toContain("| <= 4.5 | not judged: load 3.2 | 3.2, ?, 0.0 |")
  })

  test("the page says how long people wait at each rate, and where it becomes too long", () => {
    const page = pageOf(template, [aRun("latency", [aLatency(100, 400), aLatency(120, 1_300)])])

    expect(page).toContain("| 100 | 60 s | 2 ms | 9 ms | 12 ms | 30 ms | 400 ms | 800 ms | 0 |")
    expect(page).toContain("The card's p99 passes 1 s between 100 and 120 clicks a second.")
  })

  test("the page says how times grow, and shows it as curves", () => {
    const points = [100, 1_000, 10_000].map((pending) => ({ pending, ms: pending / 100, answer: 50 }))
    const runs = [aRun("growth", [{ kind: "curve", scenario: "20", what: "a poll & more", points }])]

    const page = pageOf(template, runs)
    const picture = growthPicture(runs) ?? ""

    expect(page).toContain("| pending | 100 | 1,000 | 10,000 | exponent of the time | of the answer |")
    expect(page).toContain("| a poll & more | 1 ms | 10 ms | 100 ms | 1.00 | 0.00 |")
    expect(page).toContain("](growth.svg)")
    expect(picture).toMatch(/^<svg [^]*a poll &amp; more<\/text>\n<\/svg>\n$/)
    expect(picture).toContain('points="64,304 234,164 404,24"')
    expect(picture).toContain("prefers-color-scheme: dark")
    expect(growthPicture([])).toBe(null)
  })

  test("a page without a place for the figures is refused", () => {
    expect(() => pageOf("# A page\n", [])).toThrow("put back the line <!-- bench machine -->")
  })

  test("the page of this repository is what the script makes of the kept runs", () => {
    const runs = readResults()
    const page = readFileSync(new URL("performance.md", docs), "utf8")

    expect(pageOf(page, runs)).toBe(page)
    expect(growthPicture(runs)).toBe(readFileSync(new URL("growth.svg", docs), "utf8"))
  })
})
