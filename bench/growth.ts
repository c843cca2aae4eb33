// Measures what grows with the number of pending approvals, from 100 to 100,000: a poll that finds nothing new, the
// sweep, `/approvals list` and Home. None may grow faster than its answer.
//
// If an instance has 100,000 approvals, 10,000 have cards: no more may have one. The rest waits, as in production.
import { growthOf } from "./load/exponent.ts"
import { type Asked, askForHome, askForList, startStanding, watchSweeps } from "./load/standing.ts"
import { fixOneCore } from "./parts/cores.ts"
import { type Curve, type Measured, round } from "./parts/figure.ts"
import { absolute, median } from "./parts/rounds.ts"
import { measurePolls } from "./poll.ts"

const quick = process.env["BENCH_QUICK"] === "yes"
const sizes = quick ? [10, 100] : [100, 1_000, 10_000, 100_000]
const rounds = quick ? 3 : 11
const sweeps = quick ? 1 : 6

const rows = [
  { of: "poll", scenario: "20", what: "a poll in which all are known" },
  { of: "sweep", scenario: "20b", what: "a sweep" },
  { of: "list", scenario: "20c", what: "/approvals list" },
  { of: "home", scenario: "20d", what: "Home" },
] as const

/** Reports 20, 20b, 20c and 20d, and the curves. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const measured = new Map<number, AskedAll>()
  for (const pending of sizes) measured.set(pending, await measureAt(pending))
  for (const { of, scenario, what } of rows) {
    const points = [...measured].map(([pending, asked]) => ({ pending, ...asked[of] }))
    const curve: Curve = { kind: "curve", scenario, what, points }
    report(curve)
    const said = `${what}: the exponent of its time, less that of its answer`
    report({ ...absolute({ scenario, what: said, unit: "in the exponent" }, [growthOf(curve).excess]), rounds })
  }
}

type AskedAll = Readonly<Record<(typeof rows)[number]["of"], Asked>>

/** What each row takes with so many pending. */
async function measureAt(pending: number): Promise<AskedAll> {
  console.log(`     with ${pending} pending`)
  const { product } = await measurePolls({ count: pending, rounds, block: false })
  const standing = await startStanding(pending)
  const list = await askForList(standing, rounds)
  const home = await askForHome(standing, rounds)
  const sweep = await watchSweeps(standing, sweeps)
  await standing.close()
  const asked = { poll: { ms: median(product), answer: pending }, sweep, list, home }
  for (const { of, what } of rows) console.log(`     ${what}: ${round(asked[of].ms)} ms`)
  return asked
}
