// What readiness and status depend on.

import { elsewhereFor, type SharedConfig } from "../domain/policy/shared-config.ts"
import { noProposals } from "../domain/rule/proposal.ts"
import { stopTrouble } from "../flow/case/orders.ts"
import { type PollTroublePorts, pollTroubles } from "../flow/poll/poll-troubles.ts"
import { unaskedRuns } from "../flow/poll/unasked.ts"
import type { Ports } from "../flow/ports.ts"
import type { Probe } from "../http/probe.ts"
import type { Slack } from "../slack/app.ts"
import type { Store } from "../store/store.ts"
import { unapprovedTrouble } from "./built-in.ts"

/** Readiness: this process is not leaving, Redis answers and takes writes, and Slack delivers and accepts our token. */
export function readinessOf(parts: {
  readonly store: Pick<Store, "probeWrites">
  readonly slack: Pick<Slack, "problem">
  /** Why this process takes on nothing more, or should not replace another one, in words; null if it may. */
  readonly leaving: () => string | null
}): readonly Probe[] {
  const { store, slack, leaving } = parts
  return [
    { name: "process", problem: async () => leaving() },
    { name: "redis", problem: () => store.probeWrites().then(() => null) },
    { name: "slack", problem: async () => slack.problem() },
  ]
}

/** What `statusOf` needs. */
export interface StatusParts {
  readonly readiness: readonly Probe[]
  readonly store: Pick<Store, "config" | "caseFreshness">
  /** Why this replica decides nothing; null if it decides. */
  readonly obstacle: () => Promise<string | null>
  /** What this replica's file says. */
  readonly file: SharedConfig
  readonly ports: PollTroublePorts & Pick<Ports, "pauses" | "orders">
  /** When this replica began to work, epoch ms; infinite before that. */
  readonly startedAt: number
}

/**
 * Status: what is stopped (R21), readiness, what this replica may not do (R16, R17), instances it cannot read, and runs
 * that ask nobody.
 */
export function statusOf({ readiness, store, obstacle, file, ports, startedAt }: StatusParts): readonly Probe[] {
  const left = elsewhereFor(file, store.config.active()?.shared ?? file)
  const unapproved = unapprovedTrouble(store.config.active()?.proposals ?? noProposals)
  return [
    { name: "stops", problem: async () => stopTrouble(ports) },
    ...readiness,
    { name: "config", problem: obstacle },
    { name: "ledger", problem: async () => rolledBack(store) },
    ...(unapproved === null ? [] : [{ name: "rules change", problem: async () => unapproved }]),
    ...left.map(({ instance, why }) => ofInstance(instance, async () => `it is left to other replicas: ${why}`)),
    ...pollProbes(ports, startedAt),
    ...[...ports.platforms.keys()].map((instance) => ({
      name: `runs of ${instance}`,
      problem: () => unaskedRuns(ports, instance),
    })),
  ]
}

function rolledBack({ caseFreshness }: StatusParts["store"]): string | null {
  const standing = caseFreshness.standing()
  if (standing.kind !== "rolled-back") return null
  const until = "Nothing is approved, continued or sent again until `countersign ledger accept`"
  return `Redis is rolled back: ${standing.why}. ${until}`
}

/** One probe for each instance that this replica serves. They read once what all replicas know of polls. */
function pollProbes(ports: PollTroublePorts, startedAt: number): readonly Probe[] {
  let asked: ReturnType<typeof pollTroubles> | undefined
  const problemOf = async (instance: string): Promise<string | null> => {
    asked ??= pollTroubles(ports, startedAt)
    return (await asked).find((one) => one.instance === instance && one.there)?.why ?? null
  }
  return [...ports.platforms.keys()].map((instance) => ofInstance(instance, () => problemOf(instance)))
}

function ofInstance(instance: string, problem: Probe["problem"]): Probe {
  return { name: `instance ${instance}`, problem }
}
