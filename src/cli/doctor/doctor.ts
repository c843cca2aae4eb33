// countersign doctor: probes what Countersign depends on, and says what is wrong, why it matters and what to do.
import { randomBytes } from "node:crypto"
import type { Config, ConfigOptions } from "../../config.ts"
import { createLog } from "../../log.ts"
import { surroundings } from "../installation/context.ts"
import type { Terminal } from "../terminal.ts"
import { lookAtConfig, lookAtMetrics, lookAtProxies, lookOutside } from "./config.ts"
import { type Finding, printFindings } from "./finding.ts"
import { lookAtKey, lookAtReceiptKey } from "./keys.ts"
import { lookAtInstance } from "./platform/platform.ts"
import { lookAtRedis } from "./redis/redis.ts"
import { lookAtOrder } from "./rules.ts"
import { lookAtApprovers } from "./slack/approvers.ts"
import { lookAtRoutes } from "./slack/routes.ts"
import { lookAtSlack, type SlackCheckOptions } from "./slack/slack.ts"

/** Prints what is found; exit code 1 if anything fails. */
export async function doctor(terminal: Terminal, options: { readonly json: boolean }): Promise<void> {
  const findings = await diagnose({ ...surroundings(), clock: Date.now, random: (size) => randomBytes(size) })
  printFindings(terminal, findings, options)
}

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
  // What the modules would log is what the doctor finds.
  const log = createLog({ write: () => {}, clock, secrets: config.secrets })
  const redis = lookAtRedis({ config, key: key.key, env, random, log })
  const openIn = async (name: string) => (await redis).open?.get(name) ?? null
  const rounds = await Promise.all([
    redis.then(({ findings: found }) => found),
    ...config.instances.map((instance) => lookAtInstance(instance, clock, openIn)),
    lookAtSlackAndRules(config, { ...config, clock, log }),
  ])
  const receipts = await lookAtReceiptKey(config, key.key)
  const own = [key.finding, receipts, ...lookOutside(config), ...lookAtMetrics(config), ...lookAtProxies(config)]
  return [...findings, ...own, ...rounds.flat(), ...lookAtOrder(config.rules)]
}

async function lookAtSlackAndRules(
  { rules, identities, ledger }: Config,
  options: SlackCheckOptions,
): Promise<readonly Finding[]> {
  const { findings, probe } = await lookAtSlack(options)
  if (probe === null) return findings
  const routes = await lookAtRoutes(rules, ledger.auditChannel, probe)
  const approvers: Finding[] = []
  for (const rule of rules) approvers.push(...(await lookAtApprovers({ rule, identities }, probe)))
  return [...findings, ...routes, ...approvers]
}
