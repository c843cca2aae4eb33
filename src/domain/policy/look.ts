// The look of a case: what its rules say about how it is shown, joined over all demanded rules.
import type { Rule } from "./policy.ts"

/** How a rule marks what it is about; the card says it. */
export type Risk = "low" | "medium" | "high"

/** What surfaces must know of the rules. A flag that one of them sets is set (R1). */
export interface Look {
  /** Names of keys (`*` and `?` stand for anything) and `/patterns/` whose values are masked. */
  readonly mask: readonly string[]
  /** The highest of the rules, or null if none says. */
  readonly risk: Risk | null
  /** True: approving itself destroys something, so the button says so and asks once more. */
  readonly danger: boolean
  /** Reasons to choose from; the text may be free all the same. */
  readonly reasons: readonly string[]
}

/** The look of a case without anything special. */
export const plainLook: Look = { mask: [], risk: null, danger: false, reasons: [] }

const order: readonly Risk[] = ["high", "medium", "low"]

/** Joins what rules say of the look. */
export function lookOf(rules: readonly Rule[]): Look {
  return {
    mask: [...new Set(rules.flatMap((rule) => rule.mask))],
    risk: order.find((risk) => rules.some((rule) => rule.risk === risk)) ?? null,
    danger: rules.some((rule) => rule.danger),
    reasons: [...new Set(rules.flatMap((rule) => rule.reasons))],
  }
}
