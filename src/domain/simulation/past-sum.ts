// One sum in the past: how much it was for an owner at a moment, at least and at most.
import { type Amount, minus, plus, zero } from "../limit/amount.ts"
import { leavesAt } from "../limit/sum.ts"
import { firstWith } from "./first-with.ts"

/** What an approved call added. */
export interface PastAddition {
  /** Epoch ms. */
  readonly at: number
  readonly whose: string
  readonly amount: Amount
  readonly caseId: string
}

/** Whose sum we ask for, when, and for which case. What that case added itself, perhaps later, does not count. */
export interface AskedSum {
  readonly whose: string
  readonly at: number
  readonly own: Pick<PastAddition, "caseId"> & { readonly at: number | null }
}

/** A sum of the past. Add everything before you ask for anything. */
export interface PastSum {
  readonly windowMs: number
  add(addition: PastAddition): void
  /** Between these moments (epoch ms) something may have been added, and nobody knows what. */
  doubt(from: number, until: number): void
  /** True if the sum may hold something unknown at this moment. */
  isDoubted(at: number): boolean
  least(asked: AskedSum): Amount
  most(asked: AskedSum): Amount
}

/** Clocks differ, and we read a sum just before the decision: nobody knows whether it had an addition this close. */
const nearMs = 2_000

const endless = Number.POSITIVE_INFINITY

/** One owner's additions in order. `sums[n]` is the sum of the first n. */
interface Account {
  readonly additions: PastAddition[]
  sums: readonly Amount[] | null
}

/** Makes a sum. `keptSince`: everything added before that is gone; null: nothing is gone. */
export function createPastSum(windowMs: number, keptSince: number | null): PastSum {
  const accounts = new Map<string, Account>()
  const doubts: (readonly [from: number, leaves: number])[] = []
  let highest: readonly number[] | null = null
  const doubt = (from: number, until: number) => {
    doubts.push([from, until === endless ? endless : leavesAt(until, windowMs)])
    highest = null
  }
  if (keptSince !== null) doubt(Number.NEGATIVE_INFINITY, keptSince)
  /** What was added until a moment, without what has left by a second moment. */
  const between = ({ whose, own }: AskedSum, until: number, left: (at: number) => boolean): Amount => {
    const account = accounts.get(whose)
    if (account === undefined) return zero
    const { additions } = account
    const sums = (account.sums ??= sumsOf(account))
    const end = firstWith(additions, ({ at }) => at >= until)
    const start = Math.min(
      end,
      firstWith(additions, ({ at }) => !left(at)),
    )
    const all = minus(sums[end] ?? zero, sums[start] ?? zero) ?? zero
    const ownAt = firstWith(additions, ({ at }) => at >= (own.at ?? endless))
    return additions
      .slice(
        Math.max(start, ownAt),
        Math.min(
          end,
          firstWith(additions, ({ at }) => at > (own.at ?? endless)),
        ),
      )
      .filter(({ caseId }) => caseId === own.caseId)
      .reduce((sum, { amount }) => minus(sum, amount) ?? zero, all)
  }
  return {
    windowMs,
    add: (addition) => {
      const account = accounts.get(addition.whose) ?? { additions: [], sums: null }
      accounts.set(addition.whose, account)
      account.additions.push(addition)
      account.sums = null
    },
    doubt,
    isDoubted: (at) => {
      highest ??= highestOf(doubts)
      return (highest[firstWith(doubts, ([from]) => from > at + nearMs) - 1] ?? 0) > at - nearMs
    },
    least: (asked) => between(asked, asked.at - nearMs, (at) => leavesAt(at - nearMs, windowMs) <= asked.at + nearMs),
    most: (asked) => between(asked, asked.at + nearMs, (at) => leavesAt(at + nearMs, windowMs) <= asked.at - nearMs),
  }
}

function sumsOf({ additions }: Account): readonly Amount[] {
  additions.sort((a, b) => a.at - b.at)
  const sums = [zero]
  for (const { amount } of additions) sums.push(plus(sums.at(-1) ?? zero, amount))
  return sums
}

/** Puts the doubts in order, earliest first. For each: when this doubt and all before it have left. */
function highestOf(doubts: (readonly [from: number, leaves: number])[]): readonly number[] {
  doubts.sort(([a], [b]) => a - b)
  let highest = Number.NEGATIVE_INFINITY
  return doubts.map(([, leaves]) => {
    highest = Math.max(highest, leaves)
    return highest
  })
}
