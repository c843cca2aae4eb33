// Channels: where rules post, and whether another company may read there, too.
import type { Route, Rule } from "../rule/rule.ts"

/**
 * Every place where a rule posts: its cards at the start, after an escalation, above its limit and for a review; and
 * its questions.
 */
export function routesIn({ routes, timing, limit, breakGlass, ask = [] }: Rule): readonly Route[] {
  const reviewed = breakGlass === undefined ? [] : [breakGlass.route]
  return [
    ...routes,
    ...(timing?.escalate ?? []).flatMap((step) => step.routes),
    ...(limit?.asks.routes ?? []),
    ...reviewed,
    ...ask,
  ]
}

/** The channels of these rules, each with the rules that post in it. */
export function channelsIn(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const pairs = rules.flatMap((rule) =>
    routesIn(rule).flatMap(({ kind, id }) => (kind === "channel" ? [{ id, rule }] : [])),
  )
  const channels = Map.groupBy(pairs, ({ id }) => id)
  return new Map([...channels].map(([id, named]) => [id, [...new Set(named.map(({ rule }) => rule))]]))
}

/** True if another company may read the requests in a channel: every rule that posts there allows it. */
export function mayBeShared(rules: readonly Rule[], channel: string): boolean {
  const posting = channelsIn(rules).get(channel) ?? []
  return posting.length > 0 && posting.every(({ allowSharedChannel }) => allowSharedChannel === true)
}
