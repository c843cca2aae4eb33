// Honest ratios on a noisy machine: floor and product in alternating blocks of one run, the ratio taken per round, its median reported.

/** One block: does some work and says how many times it did it. */
export type Block = () => number | Promise<number>

/** What was measured. `ratio` is the product's time per piece through the floor's: the median of all rounds, with the two at its sides. */
export type Measured = {
  readonly floorPerSecond: number
  readonly productPerSecond: number
  readonly ratio: number
  readonly low: number
  readonly high: number
}

/** Measures a product against its floor. The first round is thrown away. */
export async function alternate(floor: Block, product: Block, rounds = 11): Promise<Measured> {
  const seen: { readonly floor: number; readonly product: number }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const one = await perSecond(floor)
    const other = await perSecond(product)
    if (round > 0) seen.push({ floor: one, product: other })
  }
  const ratios = seen.map((round) => round.floor / round.product)
  return {
    floorPerSecond: quantile(
      seen.map((round) => round.floor),
      0.5,
    ),
    productPerSecond: quantile(
      seen.map((round) => round.product),
      0.5,
    ),
    ratio: quantile(ratios, 0.5),
    low: quantile(ratios, 0.1),
    high: quantile(ratios, 0.9),
  }
}

/** How often a second a block does its work. */
export async function perSecond(block: Block): Promise<number> {
  const begun = performance.now()
  const pieces = await block()
  return (pieces * 1000) / (performance.now() - begun)
}

/** A quantile of some figures, the nearest one that was measured. */
export function quantile(figures: readonly number[], at: number): number {
  const sorted = figures.toSorted((left, right) => left - right)
  return sorted[Math.round(at * (sorted.length - 1))] ?? Number.NaN
}

/** Prints a line; fails the run if a figure misses its goal by more than 15 %. */
export function report(
  line: string,
  { figure, goal, atMost }: { figure: number; goal: number; atMost: boolean },
): void {
  const missed = atMost ? figure > goal * 1.15 : figure < goal / 1.15
  const kept = atMost ? figure <= goal : figure >= goal
  console.log(
    `${line}  [goal ${atMost ? "<=" : ">="} ${goal.toLocaleString("en")}: ${kept ? "kept" : missed ? "MISSED" : "within 15 %"}]`,
  )
  if (missed) process.exitCode = 1
}
