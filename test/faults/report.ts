// docs/faults.md: what happens when something breaks at each step, and the figures of the run that wrote it.
import { writeFileSync } from "node:fs"
import type { Ended } from "./drive.ts"
import { convergeMs, outageMs, outageName } from "./outages.ts"
import { breachesOf, lastLine } from "./results.ts"

interface Step {
  readonly name: string
  /** Beginnings of the labels that belong to it. */
  readonly labels: readonly string[]
  readonly dies: string
  readonly redis: string
  readonly unheard: string
}

/** The steps of one approval, and what happens where each is cut off. */
const steps: readonly Step[] = [
  {
    name: "poll",
    labels: ["platform.pending", "store.commit.opened"],
    dies: "The next poll, in another process if need be, reads the list again; a case is opened once, by its id.",
    redis:
      "The poll fails and comes again. A case that Redis forgot is opened again. A clock that it forgot is wound up within 10 s.",
    unheard: "The list is read again at the next poll.",
  },
  {
    name: "card",
    labels: ["chat.postCard", "chat.updateCard", "pace.", "store.commit.placed", "store.commit.note"],
    dies: "The claim on the route expires after 15 s; the next presenter looks for the card by its metadata and takes it over. Without history scopes it posts a second one, which says that it replaces the first.",
    redis: "For two minutes after Redis came back a presenter looks for a card before it posts one.",
    unheard: "Nobody knows whether Slack took it: as where the process dies.",
  },
  {
    name: "thread",
    labels: ["chat.tell"],
    dies: "The next presenter counts the lines that stand there and goes on after them. Without history scopes the one message that was under way may stand there twice.",
    redis: "Lines are counted before more are written, as for the card.",
    unheard: "As where the process dies.",
  },
  {
    name: "click",
    labels: ["tickets."],
    dies: "Before the ticket nothing was acknowledged, and Slack shows an error: the person presses again. After it, the ticket fires in another process after 5 s. A press that is older than 120 s approves nothing and is answered so.",
    redis:
      "Without a ticket there is no ack. A ticket that Redis forgot is still carried out by the process that took it; if that died too, the card stays open.",
    unheard:
      "A delivery that comes twice counts once; an ack that was lost changes nothing. An answer that Slack did not take is repeated by the ticket, for half an hour after the press.",
  },
  {
    name: "decide",
    labels: ["platform.get", "people.", "store.read", "store.commit.voted", "store.commit.decided"],
    dies: "Vote and verdict are one commit: all of it or none. The ticket repeats the step.",
    redis:
      "A lost race or a lost answer is read again; a commit that was sent twice counts once. After a restart a case is compared with the platform before a vote on it counts.",
    unheard: "The ticket stays, the person is told that it is tried again.",
  },
  {
    name: "resolve",
    labels: ["platform.resolve", "store.commit.resolved", "jobs.resolve"],
    dies: "The verdict is frozen: the same body is sent again, each time after a read that says pending with its digest.",
    redis: "A decision that Redis forgot is taken up again from the platform's record, by its MAC.",
    unheard:
      'The record is read back and says how it ended. Content that changes after such a POST keeps the card at "not known yet" until the record moves.',
  },
  {
    name: "settle",
    labels: ["chat.settleClicked", "chat.answer", "store.commit.closed", "store.commit.elsewhere"],
    dies: "The sweep finds the case unfinished and brings every card up to date.",
    redis:
      "The same: what is settled is read from the platform's record. After a restart open cases are compared in turn, three every 5 s, and their cards drawn once more: one may show what Redis forgot.",
    unheard: "The card is drawn again; an answer is sent by the Web API where the response_url fails.",
  },
  {
    name: "repair",
    labels: ["jobs.present", "jobs.reconcile", "store.commit.revised"],
    dies: "A job of a dead process goes to another after its lock of 10 s; the sweep asks for it anew.",
    redis: "The sweep asks for it anew.",
    unheard: "It is compared again at the next poll.",
  },
]

const anyTime = "any time"

function stepOf(label: string): string {
  return steps.find(({ labels }) => labels.some((begin) => label.startsWith(begin)))?.name ?? anyTime
}

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

/** The whole document. */
export function reportText(ended: readonly Ended[], tookS: number): string {
  const seeds = ended.filter(({ seed }) => seed > 0)
  const waits = seeds.map(({ convergedMs }) => convergedMs).toSorted((a, b) => a - b)
  const slowest = waits.at(-1) ?? 0
  const median = waits[Math.floor(waits.length / 2)] ?? 0
  return `${[
    "# What happens when something breaks",
    "",
    "<!-- Written by `npm run faults -- --seeds N --report`; change test/faults/report.ts, not this file. -->",
    "",
    "`npm run faults -- --seeds 1000` runs the bot as 1 to 3 processes against a real Redis, the embedded service and the sandbox. Each seed",
    "draws who asks, presses and changes what, and what breaks where; in the end everything works again, and what must hold is checked from",
    "outside: one resolve, by those who pressed it, on what their cards showed; an answer for each press; one card, in its final state; no",
    "line twice; a ledger that verifies and agrees with the platform; no ticket left. Each reminder comes once, nothing is voted after the",
    "expiry, no vote counts that was taken back, a rejection that nobody enforces is not sent, a run is continued once and its call runs once,",
    "and who asked is told the end. `--seed N` plays one again and prints what all parties did; `--plant all --seeds 50` shows that the check",
    "finds what a bot does wrong: it plants one bug after the other. Time is simulated, so that a busy machine makes a seed slower and nothing",
    "in it late.",
    "",
    "The schedule of a seed is the same each time; the order of what runs side by side is not. So the run keeps what happened in a seed that",
    "failed in `.cache/faults/`.",
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
    "## The last long run",
    "",
    `\`${lastLine(ended).line}\`, in ${Math.round(tookS)} s. After everything worked again all was well within ${median / 1_000} s (median) and ${slowest / 1_000} s (slowest) of simulated time.`,
    `The ledgers tell of: ${happenings(seeds)}. How often each fault struck at each step:`,
    "",
    ...figures(seeds),
    "",
    ...outageRows(ended),
  ].join("\n")}\n`
}

/** Writes the document. */
export function writeReport(ended: readonly Ended[], tookS: number): void {
  writeFileSync("docs/faults.md", reportText(ended, tookS))
}
