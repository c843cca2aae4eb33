// Searches, upwards in short steps, for the rate of clicks at which the card's p99 passes a second.
import type { Latency } from "../parts/figure.ts"

/** What the 99th percentile of the card may take, in ms. */
export const maxCardMs = 1_000

const stepSeconds = 10
/** Each step presses so many times faster than the one before it. */
const factor = 1.2
/** The search ends here, in presses a second. */
const maxRate = 1_000

/** Whether a rate was kept: every press was answered, and of a hundred cards 99 within the second. */
export function isKept({ card, unanswered }: Latency): boolean {
  return card.p99 <= maxCardMs && unanswered === 0
}

/** The highest rate that was kept, as were all below it (0: none), and the lowest that was not (null: all were). */
export function passesAt(measured: readonly Latency[]): { readonly kept: number; readonly passed: number | null } {
  const passed = Math.min(...measured.filter((one) => !isKept(one)).map(({ rate }) => rate))
  const kept = measured.map(({ rate }) => rate).filter((rate) => rate < passed)
  return { kept: Math.max(0, ...kept), passed: Number.isFinite(passed) ? passed : null }
}

/** Presses faster and faster from the highest rate that was kept until one is not; gives the steps. */
export async function searchUpwards(
  measured: readonly Latency[],
  press: (rate: number, seconds: number) => Promise<Latency>,
): Promise<readonly Latency[]> {
  const { kept, passed } = passesAt(measured)
  const steps: Latency[] = []
  for (let rate = next(kept); rate < (passed ?? maxRate); rate = next(rate)) {
    const step = await press(rate, stepSeconds)
    steps.push(step)
    if (!isKept(step)) break
  }
  return steps
}

function next(rate: number): number {
  return Math.max(1, Math.round(rate * factor))
}
