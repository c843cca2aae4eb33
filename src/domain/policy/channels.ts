// Channels: where rules post, and whether another company may read along there.
import type { Route, Rule } from "./policy.ts"

/** Every place where cards of a rule go: from the start, and besides once it is escalated. */
export function routesIn({ routes, timing }: Rule): readonly Route[] {
  return [...routes, ...(timing?.escalateTo.routes ?? [])]
}

/** The channels of these rules, each with the rules that post there. */
export function channelsIn(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const pairs = rules.flatMap((rule) =>
    routesIn(rule).flatMap(({ kind, id }) => (kind === "channel" ? [{ id, rule }] : [])),
  )
  const channels = Map.groupBy(pairs, ({ id }) => id)
  return new Map([...channels].map(([id, named]) => [id, [...new Set(named.map(({ rule }) => rule))]]))
}

/** True if another company may read what is asked there: every rule that has the channel says so. */
export function mayBeShared(rules: readonly Rule[], channel: string): boolean {
  const posting = channelsIn(rules).get(channel) ?? []
  return posting.length > 0 && posting.every(({ allowSharedChannel }) => allowSharedChannel === true)
}
