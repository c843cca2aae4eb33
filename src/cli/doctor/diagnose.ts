// The doctor's round: config and key first, since everything else is named there, then Redis, the instances and Slack at once.
import type { Config, ConfigOptions } from "../../config.ts"
import { createLog } from "../../log.ts"
import { lookAtApprovers } from "./approvers.ts"
import { lookAtConfig, lookAtKey, lookAtMetrics, lookAtProxies, lookAtReceiptKey } from "./config.ts"
import type { Finding } from "./finding.ts"
import { lookOutside } from "./outside.ts"
import { lookAtInstance } from "./platform.ts"
import { lookAtRedis } from "./redis.ts"
import { lookAtRoutes } from "./routes.ts"
import { lookAtOrder } from "./rules.ts"
import { lookAtSlack, type SlackOptions } from "./slack.ts"

/** Where the doctor looks. */
export interface DiagnoseOptions extends ConfigOptions {
  readonly env: NodeJS.ProcessEnv
  /** Epoch ms. */
  readonly clock: () => number
  /** That many unpredictable bytes. */
  readonly random: (size: number) => Buffer
}

/** Probes all that Countersign depends on. Resolves nothing, posts nothing, makes no key. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Finding[]> {
  const { config, findings } = lookAtConfig(options)
  if (config === null) return findings
  const { env, clock, random } = options
  const key = lookAtKey(config.key)
  // What the houses would log is what the doctor finds.
  const log = createLog({ write: () => {}, clock, secrets: config.secrets })
  const redis = lookAtRedis({ config, key: key.key, env, random, log })
  const rounds = await Promise.all([
    redis.then(({ findings: found }) => found),
    ...config.instances.map((instance) =>
      lookAtInstance(instance, clock, async (name) => (await redis).open?.get(name) ?? null),
    ),
    lookAtSlackAndRules(config, { ...config, clock, log }),
  ])
  const receipts = await lookAtReceiptKey(config, key.key)
  const own = [key.finding, receipts, ...lookOutside(config), ...lookAtMetrics(config), ...lookAtProxies(config)]
  return [...findings, ...own, ...rounds.flat(), ...lookAtOrder(config.rules)]
}

async function lookAtSlackAndRules(
  { rules, identities, ledger }: Config,
  options: SlackOptions,
): Promise<readonly Finding[]> {
  const { findings, probe } = await lookAtSlack(options)
  if (probe === null) return findings
  const routes = await lookAtRoutes(rules, ledger.auditChannel, probe)
  const approvers: Finding[] = []
  for (const rule of rules) approvers.push(...(await lookAtApprovers({ rule, identities }, probe)))
  return [...findings, ...routes, ...approvers]
}
