// The order of waiting cases: what is due comes first, then what is risky, then what has waited the longest.
import { cardStatusOf } from "../../domain/case/card-model.ts"
import type { Case } from "../../domain/case/case.ts"
import { expiryOf } from "../../domain/case/deadline-steps.ts"
import { isRisky } from "../../domain/policy/look.ts"
import { earlierOf, isDue, isOver } from "../../domain/policy/timing.ts"

/** When somebody asked for a case, epoch ms; by the platform's own clock if the platform says so. */
export function askedAt({ summary, openedAt }: Case): number {
  return summary.createdAt ?? openedAt
}

/** `due`: escalated, or soon over. `over`: nobody can decide it here any more, or nobody has to. */
const ranks = { due: 0, risky: 1, usual: 2, over: 3 } as const

/** The waiting cases in the order in which people should look at them. What is due is in the order of its end. */
export function mostUrgentFirst(cases: readonly Case[], now: number): readonly Case[] {
  const ranked = cases.map((one) => {
    const rank = rankOf(one, now)
    const end = rank === ranks.due ? endOf(one) : null
    return { one, rank, end: end ?? Number.MAX_VALUE, since: askedAt(one) }
  })
  // The platform's times are whole seconds. Within a second, the cases are in the order in which we met them.
  const sorted = ranked.toSorted(
    (a, b) => a.rank - b.rank || a.end - b.end || a.since - b.since || a.one.openedAt - b.one.openedAt,
  )
  return sorted.map(({ one }) => one)
}

function rankOf(current: Case, now: number): number {
  const { kind } = cardStatusOf(current)
  if ((kind !== "open" && kind !== "unapprovable") || isOver(current.time, now)) return ranks.over
  if (isDue(endOf(current), now) || current.time.escalated.length > 0) return ranks.due
  return isRisky(current.revision.look) ? ranks.risky : ranks.usual
}

/** When the time for a case is over by its rules or on the platform, whichever is earlier; null: never. */
function endOf(current: Case): number | null {
  return earlierOf(expiryOf(current), current.approval?.expiresAt ?? null)
}
