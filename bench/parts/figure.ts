// One measured figure: what was reached, beside its floor and its goal.

/** A figure. A ratio is compared with its goal, or, where the goal is an absolute one, the value itself. */
export interface Figure {
  /** The scenario of the table in docs/performance.md, such as `1` or `6b`. */
  readonly scenario: string
  readonly what: string
  /** The floor in `unit`; null where the goal is absolute. */
  readonly floor: number | null
  /** What the product reached, in `unit`. */
  readonly value: number
  readonly unit: string
  /**
   * The value through the floor (or the other way round where more is better), the median of all rounds; the value
   * where there is no floor.
   */
  readonly ratio: number
  readonly goal: number
  /** False where more is better. */
  readonly atMost: boolean
  readonly rounds: number
}

/** A scenario: a module that measures and reports each figure as it has it. */
export interface Scenario {
  run(report: (figure: Figure) => void): Promise<void>
}

/** `kept`, `within 15 %` (machines are noisy) or `missed`. */
export function verdictOf({ ratio, goal, atMost }: Figure): "kept" | "within 15 %" | "missed" {
  if (atMost ? ratio <= goal : ratio >= goal) return "kept"
  return (atMost ? ratio <= goal * 1.15 : ratio >= goal / 1.15) ? "within 15 %" : "missed"
}

/** One line for people. */
export function lineOf(figure: Figure): string {
  const { scenario, what, floor, value, unit, ratio, goal, atMost, rounds } = figure
  const than = floor === null ? "" : `, floor ${round(floor)} ${unit}, ratio ${round(ratio)}`
  const wanted = `goal ${atMost ? "<=" : ">="} ${round(goal)}${floor === null ? ` ${unit}` : ""}`
  return `${scenario.padStart(3)}  ${what}: ${round(value)} ${unit}${than} (${wanted}, ${rounds} rounds): ${verdictOf(figure)}`
}

function round(figure: number): string {
  return figure.toLocaleString("en", { maximumSignificantDigits: figure >= 1_000 ? 8 : 3 })
}
