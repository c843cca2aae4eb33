// Writes docs/faults.md: what happens if something breaks at each step, and the figures of this run.
import { writeFileSync } from "node:fs"
import type { Ended } from "./drive.ts"
import { convergeMs, outageMs, outageName } from "./outages.ts"
import { plants } from "./plants.ts"
import { breachesOf, lastLine, type Planted } from "./results.ts"
import { anyTime, disturbances, stepOf, steps } from "./steps.ts"

/** The figures of a run: how often each fault struck at each step. */
function figures(ended: readonly Ended[]): readonly string[] {
  const columns = [...steps.map(({ name }) => name), anyTime]
  const struck = ended.flatMap((end) => end.struck)
  const faults = [...new Set(struck.map(({ fault }) => fault))].toSorted()
  const rows = faults.map((fault) => {
    const own = struck.filter((one) => one.fault === fault)
    const counts = columns.map((column) => own.filter(({ at }) => stepOf(at) === column).length)
    return [fault, ...counts.map((count) => (count === 0 ? "" : String(count)))]
  })
  return table(["fault", ...columns], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)]
}

/** What happened in the seeds besides, by the ledgers. */
function happenings(ended: readonly Ended[]): string {
  const sums = new Map<string, number>()
  for (const [kind, count] of ended.flatMap(({ told }) => Object.entries(told)))
    sums.set(kind, (sums.get(kind) ?? 0) + count)
  return told.flatMap((kind) => (sums.has(kind) ? [`${sums.get(kind)} ${kind}`] : [])).join(", ")
}

/** The kinds of events that say what people, time and runs did. */
const told = [
  "opened",
  "voted",
  "refused",
  "withdrawn",
  "revised",
  "reminded",
  "escalated",
  "expired",
  "decided",
  "held",
  "resolved",
  "recovered",
  "elsewhere",
  "reopened",
  "summarised",
  "continued",
  "run-ended",
  "not-resumed",
  "counterproposal-answered",
  "asked",
  "answered",
  "repeated",
  "looping",
  "asks-again",
]

function outageRows(ended: readonly Ended[]): readonly string[] {
  const rows = ended
    .filter(({ seed }) => seed < 0)
    .map((end) => [outageName(end.seed), `${(end.convergedMs / 1_000).toFixed(1)} s`, String(breachesOf(end).length)])
  return table(
    [`${outageMs / 60_000} minutes without`, `all well after (at most ${convergeMs / 1_000} s)`, "violations"],
    rows,
  )
}

/** What a run came to: its seeds and outages, where planted bugs were found, and how long the seeds took. */
export interface RunReport {
  readonly ended: readonly Ended[]
  readonly planted: readonly Planted[]
  readonly tookS: number
}

function plantRows(planted: readonly Planted[]): readonly string[] {
  const rows = planted.map(({ plant, seed, breach }) => [
    plants[plant]?.about ?? plant,
    seed === null ? "none" : String(seed),
    breach.replaceAll("|", "/").replaceAll(/\s+/g, " "),
  ])
  return table(["planted bug", "seed", "what was found"], rows)
}

/** The whole document. */
export function reportText({ ended, planted, tookS }: RunReport): string {
  const seeds = ended.filter(({ seed }) => seed > 0)
  const waits = seeds.map(({ convergedMs }) => convergedMs).toSorted((a, b) => a - b)
  const slowest = waits.at(-1) ?? 0
  const median = waits[Math.floor(waits.length / 2)] ?? 0
  return `${[
    "# What happens when something breaks",
    "",
    "<!-- Written by `npm run faults -- --seeds N --report`; change test/faults/report.ts or steps.ts, not this file. -->",
    "",
    "`npm run faults -- --seeds 1000` runs the bot as 1 to 3 processes against a real Redis, the embedded service and the sandbox. Each",
    "seed draws who asks, presses and changes what, and what breaks where. At the end everything works again, and a check from outside",
    "looks at what must hold: one resolve, by those who pressed it, about what their cards showed; an answer for each press; one card, in",
    "its final state; no line twice; a ledger that verifies and agrees with the platform; no ticket left. Each reminder comes once. Nobody",
    "votes after the expiry, and no vote counts that was taken back. A rejection that nobody enforces is not sent. A run is continued once,",
    "and its call runs once. Under a stop nothing is approved, sent or let run. Whoever asked is told the end. `--seed N` plays one seed again",
    "and prints what all parties did. `--plant all` plants one bug after the other, to show that the check finds them. Time is simulated: a busy",
    "machine makes a seed slower, but nothing in it late.",
    "",
    "In one seed of ten somebody writes to Redis, without the key. There we check only the first promise: nothing is sent that does not",
    "follow from people's last acts. `npm run attacks -- --seeds 2000` draws such an attacker alone, with two replicas in one process.",
    "",
    "The schedule of a seed is the same each time; the order of things that run side by side is not. So the run keeps what happened in a",
    "failed seed in `.cache/faults/`.",
    "",
    "## Fault and step",
    "",
    ...table(
      [
        "step",
        "the process dies",
        "Redis is away, restarts, or comes back a second older",
        "platform or Slack: no answer, 5xx, accepted and not answered",
      ],
      steps.map(({ name, dies, redis, unheard }) => [name, dies, redis, unheard]),
    ),
    "",
    ...table(["what else happens", "what becomes of it"], disturbances),
    "",
    "## The last long run",
    "",
    `\`${lastLine(seeds).line}\`, in ${Math.round(tookS)} s. After everything worked again all was well within ${median / 1_000} s (median) and ${slowest / 1_000} s (slowest) of simulated time.`,
    `The ledgers tell of: ${happenings(seeds)}. How often each fault struck at each step:`,
    "",
    ...figures(seeds),
    "",
    "The draw lays a fault of the platform, of Slack or of a delivery at the step under which it stands here. It hits the next request that it is meant for.",
    "",
    ...outageRows(ended),
    "",
    "The checker itself: each of these bugs, planted into the bot, is found within 50 seeds. The first seed in which it shows:",
    "",
    ...plantRows(planted),
  ].join("\n")}\n`
}

/** Writes the document. */
export function writeReport(report: RunReport): void {
  writeFileSync("docs/faults.md", reportText(report))
}
