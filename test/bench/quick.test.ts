// The benches that have a quick form, from the command to their figures.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { type Run, readResults } from "../../bench/report/results.ts"

const root = new URL("../..", import.meta.url).pathname
const patiently = { timeout: 180_000 }

/** Runs a bench quickly; gives its run. */
async function quickly(name: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-quick-"))
  const file = join(folder, "runs.json")
  try {
    await promisify(execFile)(process.execPath, ["bench/run.ts", name, "--quick", "--json", file], { cwd: root })
    const [run] = readResults(file)
    if (run === undefined) throw new Error(`${name} gave no run`)
    return run
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.concurrent(
  "clicks at a slow steady rate are all answered by two replicas, and each rate is timed to ack and card",
  patiently,
  async () => {
    const { measured, unjudged } = await quickly("latency")

    expect(unjudged).toBe("not judged: a quick run")
    const latencies = measured.filter((one) => one.kind === "latency")
    expect(latencies.map(({ rate }) => rate)).toEqual([10, 50, 100])
    // How many more a machine answers in time is what the bench measures.
    expect(latencies[0]?.unanswered).toBe(0)
    for (const { ack, card } of latencies) {
      expect(ack.p50).toBeGreaterThan(0)
      // The record is read and the decision sent before the card changes: 20 ms each.
      expect(card.p50).toBeGreaterThanOrEqual(40)
      expect(card.p999).toBeGreaterThanOrEqual(card.p99)
    }
    expect(measured.at(-1)).toMatchObject({ kind: "figure", scenario: "19", value: latencies[1]?.ack.p99 })
  },
)

test.concurrent("poll, sweep, list and Home are measured at each size, with how they grow", patiently, async () => {
  const { measured } = await quickly("growth")

  const curves = measured.filter((one) => one.kind === "curve")
  expect(curves.map(({ scenario }) => scenario)).toEqual(["20", "20b", "20c", "20d"])
  for (const { points } of curves) {
    expect(points.map(({ pending }) => pending)).toEqual([10, 100])
    for (const { ms, answer } of points) expect(Math.min(ms, answer)).toBeGreaterThan(0)
  }
  expect(measured.filter((one) => one.kind === "figure").map(({ scenario }) => scenario)).toEqual(
    curves.map(({ scenario }) => scenario),
  )
})
