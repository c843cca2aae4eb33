// Works out how fast a time grows with the number of things, and whether it grows faster than the answer.
import type { Curve } from "../parts/figure.ts"

/** The exponent that fits best, by least squares over logarithms: 1 is linear, 0 does not grow. */
export function exponentOf(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (at: 0 | 1) => logs.reduce((sum, log) => sum + log[at], 0) / logs.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const slope = (of: (log: readonly [number, number]) => number) => logs.reduce((sum, log) => sum + of(log), 0)
  return slope(([x, y]) => (x - meanX) * (y - meanY)) / slope(([x]) => (x - meanX) ** 2)
}

/** The exponents of time and answer, and by how much the time's is more. */
export interface Growth {
  readonly ms: number
  readonly answer: number
  readonly excess: number
}

/**
 * Over all sizes, or over the three largest if growth is worse there: a fixed cost hides at the smallest what happens
 * later, and what has a bound grows only before it.
 */
export function growthOf({ points }: Curve): Growth {
  const sorted = points.toSorted((left, right) => left.pending - right.pending)
  const [all, large] = [growthOver(sorted), growthOver(sorted.slice(-3))]
  return large.excess > all.excess ? large : all
}

function growthOver(points: Curve["points"]): Growth {
  const ms = exponentOf(points.map((point) => [point.pending, point.ms]))
  const answer = exponentOf(points.map((point) => [point.pending, point.answer]))
  return { ms, answer, excess: ms - answer }
}
