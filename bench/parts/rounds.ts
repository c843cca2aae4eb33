// Measures honest ratios on a noisy machine: floors and product take turns in blocks of one run. Each round gives a
// ratio, and we report the median.
import { goalOf } from "../report/goals.ts"
import type { Figure } from "./figure.ts"

/** One block: does some work and gives the figure of it, such as its median time. */
export type Block = () => number | Promise<number>

/** How many rounds are measured after the one that is thrown away. */
export const usualRounds = 11

/**
 * Runs the blocks one after another, round by round; gives each block's figures. The first round warms up and is thrown
 * away.
 */
export async function alternate(
  blocks: readonly Block[],
  rounds = usualRounds,
): Promise<readonly (readonly number[])[]> {
  const seen = blocks.map((block) => ({ block, figures: [] as number[] }))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { block, figures } of seen) {
      const figure = await block()
      if (round > 0) figures.push(figure)
    }
  }
  return seen.map(({ figures }) => figures)
}

/** What a comparison is about. `what` is said of the product; the goal is that of the row (`bench/report/goals.ts`). */
export interface Compared {
  readonly scenario: string
  readonly what: string
  readonly unit: string
  readonly floor: readonly number[]
  readonly product: readonly number[]
}

/** The figure of a product whose blocks give what should be small, such as times: the median of the rounds' ratios. */
export function compare({ scenario, what, unit, floor, product }: Compared): Figure {
  const ratios = product.map((figure, round) => figure / (floor[round] ?? Number.NaN))
  return {
    kind: "figure",
    scenario,
    what,
    unit,
    ...goalOf(scenario),
    floor: median(floor),
    value: median(product),
    ratio: median(ratios),
    atMost: true,
    rounds: product.length,
  }
}

/** A figure with an absolute goal. */
export function absolute(
  about: Pick<Figure, "scenario" | "what" | "unit"> & { readonly atMost?: boolean },
  figures: readonly number[],
): Figure {
  const { scenario, what, unit, atMost = true } = about
  const value = median(figures)
  const goal = goalOf(scenario)
  return {
    kind: "figure",
    scenario,
    what,
    unit,
    floor: null,
    value,
    ratio: value,
    ...goal,
    atMost,
    rounds: figures.length,
  }
}

/** The middle one. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** A quantile of some figures, the nearest one that was measured. */
export function quantile(figures: readonly number[], at: number): number {
  const sorted = figures.toSorted((left, right) => left - right)
  return sorted[Math.round(at * (sorted.length - 1))] ?? Number.NaN
}
