// Filters: which cases somebody asked for in a list or in the history.
import type { Case } from "../domain/case/case.ts"
import { isLike } from "../domain/text/glob.ts"
import type { Filter, PastFilter } from "./inbound.ts"

/** True if an open case is one of those asked for. */
export function isAskedFor(current: Case, filter: Filter, now: number): boolean {
  const { summary, approval, instance, openedAt } = current
  const age = now - (summary.createdAt ?? openedAt)
  return [
    isLike(filter.agent, [summary.agent, approval?.agentId, approval?.teamId]),
    isLike(filter.tool, [summary.tool, approval?.toolName]),
    isLike(filter.instance, [instance]),
    isLike(
      filter.rule,
      current.revision.quotas.map((quota) => quota.name),
    ),
    filter.olderMs === undefined || age >= filter.olderMs,
    filter.overdue !== true || isOverdue(current, now),
  ].every(Boolean)
}

/** True if a reminder, an escalation or the expiry was due, or the platform itself says that time is up, which decides nothing. */
function isOverdue({ time, approval }: Case, now: number): boolean {
  const said = approval?.expiresAt ?? null
  return time.deadlines.some(({ at }) => at <= now) || (said !== null && said <= now)
}

/** True if a settled case is one of those asked for. */
export function isPastAskedFor(current: Case, filter: PastFilter, now: number): boolean {
  const { person, withinMs } = filter
  const votes = current.decision?.votes ?? []
  const byPerson = votes.some((vote) => vote.person.user === person || isLike(person, [vote.name]))
  const recent = withinMs === undefined || now - (current.outcome?.at ?? 0) <= withinMs
  return (person === undefined || byPerson) && recent && isAskedFor(current, filter, now)
}
