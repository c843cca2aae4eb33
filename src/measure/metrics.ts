// Every metric: its words, labels and source (docs/operations.md). A test compares dashboard and alerts with this file.
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import type { Freshness, Log, Reading, WebhookStanding } from "../flow/ports.ts"

/** The buckets for a call or a step, in seconds. */
const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** From the first sight of an approval to its card. */
const cardSeconds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300]
/** From the first sight of an approval to its decision: people take minutes or days. */
const decisionSeconds = [1, 5, 15, 60, 300, 900, 3_600, 4 * 3_600, 24 * 3_600, 7 * 24 * 3_600]

/** The metrics of one process. */
export type Metrics = ReturnType<typeof createMetrics>

/** Makes the metrics. Each begins without a value. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `countersign_${name}`, help, labelNames: [...labelNames], registers })
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames: [...labelNames], registers })
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) => new Histogram({ name: `countersign_${name}`, help, buckets, labelNames: [...labelNames], registers })
  return {
    registry,
    storeUp: gauge("store_up", "1 if Redis answered and took a write when this was scraped"),
    pending: gauge("cases_pending", "Cases that wait for people or the platform, over all replicas"),
    oldest: gauge("cases_oldest_age_seconds", "Age of the oldest case that waits, by the platform's clock; 0 if none"),
    unfinished: gauge("cases_unfinished", "Cases with work left that no person has to do, over all replicas"),
    opened: counter("cases_opened_total", "Cases opened", ["platform"]),
    toCard: histogram("time_to_card_seconds", "From first seen to a card in Slack", cardSeconds),
    toDecision: histogram("time_to_decision_seconds", "From first seen to the decision", decisionSeconds, ["verb"]),
    votes: counter("votes_total", "Votes that counted", ["verb"]),
    refusals: counter("refusals_total", "Presses that did not count, by why", ["reason"]),
    decisions: counter("decisions_total", "Decisions made", ["verb"]),
    outcomes: counter("outcomes_total", "How cases ended: resolved, recovered, elsewhere, vanished, frozen", [
      "outcome",
    ]),
    limits: counter("limits_passed_total", "Cases for which a limit asked more people, when opened or later", [
      "platform",
    ]),
    polls: counter("polls_total", "Polls, by result", ["platform", "result"]),
    polled: gauge("poll_last_success_timestamp_seconds", "When an instance was last polled by this replica", [
      "platform",
    ]),
    platformCalls: counter("platform_calls_total", "Calls to an instance", ["platform", "method", "result"]),
    platformSeconds: histogram("platform_call_seconds", "How long they took", callSeconds, ["platform", "method"]),
    slackCalls: counter("slack_calls_total", "Calls to Slack", ["method", "result"]),
    slackSeconds: histogram("slack_call_seconds", "How long they took", callSeconds, ["method"]),
    limited: counter("rate_limited_total", "Calls that were answered 429", ["to"]),
    limitedSeconds: counter("rate_limit_wait_seconds_total", "How long those answers asked to wait", ["to"]),
    replayed: counter("tickets_replayed_total", "Presses that another run had to carry out again"),
    steps: counter("steps_total", "Steps, by result", ["step", "result"]),
    stepSeconds: histogram("step_seconds", "How long they took", callSeconds, ["step"]),
    alarms: counter("alarms_total", "Alarms, by code", ["code"]),
    config: gauge("config_info", "1 for the revision of the config that this replica works under", ["revision"]),
    configActive: gauge("config_active", "1 if this replica may decide under the active config, 0 if not"),
    deliveries: counter("webhook_deliveries_total", "Attempts to send an entry to a webhook, by result", [
      "webhook",
      "result",
    ]),
    webhookWaiting: gauge("webhook_waiting", "Entries of the ledger that a webhook has not dealt with", ["webhook"]),
    webhookOldest: gauge("webhook_oldest_age_seconds", "Age of the oldest of them; 0 if none", ["webhook"]),
    webhookDead: gauge("webhook_dead_letters", "Entries that a webhook gave up after a day", ["webhook"]),
    webhookOff: gauge("webhook_off", "1 if a webhook is off because its receiver answered 410", ["webhook"]),
    stops: gauge("stops", "How many stops are in force, as this replica knows"),
    rolledBack: gauge(
      "rolled_back",
      "1 while Redis holds an older state than this replica knew, so that nothing is approved",
    ),
  } as const
}

/** Where the values of gauges come from. */
export interface GaugeSources {
  readonly reading: Pick<Reading, "waiting">
  /** Throws if Redis does not answer, or takes no writes. */
  readonly probeWrites: () => Promise<void>
  /** Why this replica decides nothing, or null. */
  readonly obstacle: () => Promise<string | null>
  /** How Redis compares with what we know of it. */
  readonly standing: Freshness["standing"]
  /** How many stops are in force. */
  readonly stops: () => number
  /** The config under which this replica works; null until it has seen one. */
  readonly revision: () => string | null
  /** Epoch ms. */
  /** How each webhook of this config stands. */
  readonly webhooks: () => Promise<readonly WebhookStanding[]>
  readonly clock: () => number
  readonly log: Log
}

/** Returns the metrics as Prometheus text. While Redis is away, the text says so, and lacks what only Redis knows. */
export function createScrape(metrics: Metrics, sources: GaugeSources): () => Promise<string> {
  return async () => {
    await ask(metrics, sources)
    const revision = sources.revision()
    metrics.rolledBack.set(sources.standing().kind === "rolled-back" ? 1 : 0)
    metrics.stops.set(sources.stops())
    metrics.config.reset()
    if (revision !== null) metrics.config.set({ revision: revision.slice(0, 12) }, 1)
    return metrics.registry.metrics()
  }
}

async function ask(metrics: Metrics, sources: GaugeSources): Promise<void> {
  const { reading, probeWrites, obstacle, webhooks, clock, log } = sources
  const { storeUp, pending, oldest, unfinished, configActive } = metrics
  const [written, read] = await Promise.allSettled([
    probeWrites(),
    Promise.all([reading.waiting(), obstacle(), webhooks()]),
  ])
  const failed = [read, written].find((one) => one.status === "rejected")
  if (failed !== undefined) log.warn("metrics-without-store", { error: failed.reason })
  storeUp.set(failed === undefined ? 1 : 0)
  if (read.status === "rejected") {
    for (const unknown of [pending, oldest, unfinished, configActive]) unknown.remove()
    for (const unknown of ofWebhooks(metrics)) unknown.reset()
    return
  }
  const [waiting, problem, standings] = read.value
  pending.set(waiting.pending)
  oldest.set(waiting.oldestAt === null ? 0 : Math.max(0, clock() - waiting.oldestAt) / 1_000)
  unfinished.set(waiting.unfinished)
  configActive.set(problem === null ? 1 : 0)
  for (const { webhook, ...standing } of standings) {
    const { oldestAt } = standing
    metrics.webhookWaiting.set({ webhook }, standing.waiting)
    metrics.webhookOldest.set({ webhook }, oldestAt === null ? 0 : Math.max(0, clock() - oldestAt) / 1_000)
    metrics.webhookDead.set({ webhook }, standing.dead)
    metrics.webhookOff.set({ webhook }, standing.state === "off" ? 1 : 0)
  }
}

function ofWebhooks({ webhookWaiting, webhookOldest, webhookDead, webhookOff }: Metrics) {
  return [webhookWaiting, webhookOldest, webhookDead, webhookOff]
}
