// Takes the platform, Slack or Redis away for ten minutes, while people press and programs ask. Checks how soon all is
// well again.
import { amnesias } from "./amnesia.ts"
import type { Ended } from "./drive.ts"
import type { Schedule, Story } from "./schedule.ts"
import { plainTerms } from "./terms.ts"

/** How long everything is gone, and how soon afterwards all must be well, in ms of simulated time. */
export const outageMs = 600_000
export const convergeMs = 60_000

const approve = { kind: "press", person: "alice", verb: "approve", route: 0 } as const
const reject = { kind: "press", person: "bob", verb: "reject", route: 0 } as const

/**
 * One is decided as the outage begins, one while it lasts, one later in it; one that nobody decides; one decided on the
 * platform after it.
 */
const stories: readonly Story[] = [
  [{ kind: "wait", ms: 2_900 }, approve],
  [{ kind: "wait", ms: 4_000 }, reject],
  [{ kind: "wait", ms: 300_000 }, approve],
  [],
  [
    { kind: "wait", ms: outageMs + 4_000 },
    { kind: "elsewhere", verb: "reject" },
  ],
]

/** The outages, one schedule each. Their seeds are below 0, where chance draws none. */
export const outages: readonly Schedule[] = [...whole(), ...amnesias([-4, -5, -6])]

function whole(): readonly Schedule[] {
  return (["platform", "slack", "redis"] as const).map((of, index) => ({
    seed: -1 - index,
    mode: "socket",
    skewsMs: [0, 150],
    history: true,
    quorum: 1,
    routes: 1,
    terms: plainTerms,
    stories,
    faults: [{ when: { kind: "time", ms: 3_000 }, strike: { kind: "outage", of, ms: outageMs } }],
  }))
}

const names = [
  "platform",
  "Slack",
  "Redis",
  "the platform's database, for 11: its lists are empty",
  "the platform's database, for 11: its lists fail",
  "the platform's database, for 11: a rejection is held",
]

/** What was cut off, by seed. */
export function outageName(seed: number): string {
  return names[-1 - seed] ?? "nothing"
}

/** The breaches of an outage: those of any seed, and that it took too long. */
export function outageBreaches({ violations, convergedMs }: Ended): readonly string[] {
  const late =
    convergedMs > convergeMs ? [`all was well only after ${convergedMs} ms, and ${convergeMs} are allowed`] : []
  return [...violations, ...late]
}
