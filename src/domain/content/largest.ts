// The largest and the smallest of any number of numbers: `Math.max(...numbers)` overflows the stack at some 120,000.

/** The largest of `least` and the numbers. */
export function largest(least: number, numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), least)
}

/** The smallest of `most` and the numbers. */
export function smallest(most: number, numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other), most)
}
