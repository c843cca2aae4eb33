// What readiness and status hang on.
import { elsewhereFor, type SharedConfig } from "../domain/shared-config.ts"
import type { Probe } from "../http/probe.ts"
import type { Slack } from "../slack/app.ts"
import type { StoreConnection } from "../store/connection.ts"
import type { Store } from "../store/store.ts"

/** Readiness: this process can take and keep what people press, for itself or another replica. It was not told to stop, Redis answers, Slack can deliver and takes our token. */
export function readinessOf(parts: {
  readonly connection: Pick<StoreConnection, "commands">
  readonly slack: Pick<Slack, "problem">
  readonly stopping: () => boolean
}): readonly Probe[] {
  const { connection, slack, stopping } = parts
  return [
    { name: "process", problem: async () => (stopping() ? "it was told to stop and ends what it has begun" : null) },
    { name: "redis", problem: () => connection.commands.ping().then(() => null) },
    { name: "slack", problem: async () => slack.problem() },
  ]
}

/** What status is asked of. */
export interface StatusParts {
  readonly readiness: readonly Probe[]
  readonly store: Pick<Store, "config" | "caseFreshness">
  /** What the file of this replica says. */
  readonly file: SharedConfig
}

/** Status: readiness, and what this replica may not do: work under the active config, reach an instance (R16), approve on a Redis that is rolled back (R17). */
export function statusOf({ readiness, store, file }: StatusParts): readonly Probe[] {
  const left = elsewhereFor(file, store.config.active()?.shared ?? file)
  return [
    ...readiness,
    { name: "config", problem: () => store.config.obstacle() },
    { name: "ledger", problem: async () => rolledBack(store) },
    ...left.map(({ instance, why }) => ({
      name: `instance ${instance}`,
      problem: async () => `it is left to other replicas: ${why}`,
    })),
  ]
}

function rolledBack({ caseFreshness }: StatusParts["store"]): string | null {
  const standing = caseFreshness.standing()
  if (standing.kind !== "rolled-back") return null
  return `Redis is rolled back: ${standing.why}. Nothing is approved, continued or sent again until \`countersign ledger accept\``
}
