// What readiness hangs on.
import type { Probe } from "../http/health.ts"
import type { Slack } from "../slack/app.ts"
import type { StoreConnection } from "../store/connection.ts"
import type { Store } from "../store/store.ts"

/** Readiness: it was not told to stop, Redis answers, Slack can deliver and takes our token, and this replica can work under the active config (R16). */
export function probesOf(parts: {
  readonly connection: StoreConnection
  readonly store: Store
  readonly slack: Slack
  readonly stopping: () => boolean
}): readonly Probe[] {
  const { connection, store, slack, stopping } = parts
  return [
    { name: "process", problem: async () => (stopping() ? "it was told to stop and ends what it has begun" : null) },
    { name: "redis", problem: () => connection.commands.ping().then(() => null) },
    { name: "slack", problem: async () => slack.problem() },
    { name: "config", problem: () => store.config.obstacle() },
  ]
}
