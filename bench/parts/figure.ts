// What a bench reports: figures beside their floors and goals, latencies at a steady rate, and curves.
import { z } from "zod"

/** A figure. A ratio is compared with its goal, or, where the row has no floor, the value itself. */
const figure = z.strictObject({
  kind: z.literal("figure"),
  /** The row of the table in docs/performance.md, such as `1` or `6b`. */
  scenario: z.string(),
  what: z.string(),
  /** The floor in `unit`; null where the goal is absolute. */
  floor: z.number().nullable(),
  /** What the product reached, in `unit`. */
  value: z.number(),
  unit: z.string(),
  /**
   * The value through the floor (or the other way round where more is better), the median of all rounds; the value
   * where there is no floor.
   */
  ratio: z.number(),
  must: z.number(),
  aim: z.number(),
  /** False where more is better. */
  atMost: z.boolean(),
  rounds: z.number(),
})

const quantiles = z.strictObject({ p50: z.number(), p99: z.number(), p999: z.number() })

/** Presses at a steady rate; times are ms from when a press was due. */
const latency = z.strictObject({
  kind: z.literal("latency"),
  /** Presses a second, and for how many seconds. */
  rate: z.number(),
  seconds: z.number(),
  /** Presses that had no ack, or whose card had not changed, at the end. They count with the time until then. */
  unanswered: z.number(),
  ack: quantiles,
  card: quantiles,
})

/** Times beside how many approvals are pending, and how long the answer is, in any unit that stays the same. */
const curve = z.strictObject({
  kind: z.literal("curve"),
  scenario: z.string(),
  what: z.string(),
  points: z.array(z.strictObject({ pending: z.number(), ms: z.number(), answer: z.number() })),
})

/** Anything that a bench reports. */
export const measured = z.discriminatedUnion("kind", [figure, latency, curve])

export type Figure = Readonly<z.infer<typeof figure>>
export type Quantiles = Readonly<z.infer<typeof quantiles>>
export type Latency = Readonly<z.infer<typeof latency>>
export type Curve = Readonly<z.infer<typeof curve>>
export type Measured = Figure | Latency | Curve

/** A scenario: a module that measures and reports each figure as it has it. */
export interface Scenario {
  run(report: (what: Measured) => void): Promise<void>
}

/** How a figure stands to its goal; machines are noisy, so that 15 % above its must is no miss yet. */
export type Verdict = "met aim" | "met must" | "within 15 % of must" | "missed"

/** How a figure stands to its goal. */
export function verdictOf({ ratio, must, aim, atMost }: Figure): Verdict {
  const reaches = (goal: number) => (atMost ? ratio <= goal : ratio >= goal)
  if (reaches(aim)) return "met aim"
  if (reaches(must)) return "met must"
  return reaches(atMost ? must * 1.15 : must / 1.15) ? "within 15 % of must" : "missed"
}

/** One line for people. `unjudged` stands where the verdict would, if the machine allows none. */
export function lineOf(what: Measured, unjudged: string | null = null): string {
  switch (what.kind) {
    case "figure":
      return figureLine(what, unjudged ?? verdictOf(what))
    case "latency": {
      const { rate, seconds, ack, card, unanswered } = what
      const left = unanswered === 0 ? "" : `, ${unanswered} unanswered`
      return `     ${rate} clicks a second for ${seconds} s: ack ${quantilesText(ack)}, card ${quantilesText(card)}${left}`
    }
    case "curve":
      return `     ${what.what}: ${what.points.map(({ pending, ms }) => `${round(pending)} in ${round(ms)} ms`).join(", ")}`
  }
}

function figureLine({ scenario, what, floor, value, unit, ratio, must, aim, atMost, rounds }: Figure, verdict: string) {
  const than = floor === null ? "" : `, floor ${round(floor)} ${unit}, ratio ${round(ratio)}`
  const goal = (at: number) => `${atMost ? "<=" : ">="} ${round(at)}${floor === null ? ` ${unit}` : ""}`
  const wanted = `must ${goal(must)}, aim ${goal(aim)}, ${rounds} rounds`
  return `${scenario.padStart(3)}  ${what}: ${round(value)} ${unit}${than} (${wanted}): ${verdict}`
}

function quantilesText({ p50, p99, p999 }: Quantiles): string {
  return `p50 ${round(p50)}, p99 ${round(p99)}, p99.9 ${round(p999)} ms`
}

/** A number as people read it: three digits, and whole from 1,000 on. */
export function round(value: number): string {
  const whole = Math.abs(value) >= 1_000
  return value.toLocaleString("en", whole ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })
}
