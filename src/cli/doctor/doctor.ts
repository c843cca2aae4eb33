// countersign doctor: tests what Countersign depends on. Says what is wrong, why it matters, and what to do.
import { randomBytes } from "node:crypto"
import type { Config, ConfigOptions } from "../../config.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import type { Route } from "../../domain/rule/rule.ts"
import { rulesInForce } from "../../domain/rule/rules-change.ts"
import { createLog } from "../../log.ts"
import { surroundings } from "../installation/context.ts"
import { remarksOnCalls } from "../installation/known-calls.ts"
import type { Terminal } from "../terminal.ts"
import {
  lookAtConfig,
  lookAtMetrics,
  lookAtNode,
  lookAtPort,
  lookAtProxies,
  lookAtSignIn,
  lookOutside,
} from "./config.ts"
import { type Finding, notesOn, printFindings } from "./finding.ts"
import { lookAtGate } from "./gate.ts"
import { lookAtKey, lookAtReceiptKey } from "./keys.ts"
import { lookAtInstance } from "./platform/platform.ts"
import { lookAtWebhooks } from "./receivers.ts"
import { lookAtRedis } from "./redis/redis.ts"
import { lookAtOrder } from "./rules.ts"
import { lookAtApprovers } from "./slack/approvers.ts"
import { lookAtRoutes, postTestCard, testRoute } from "./slack/routes.ts"
import { lookAtSlack, type SlackCheckOptions } from "./slack/slack.ts"

/** How the doctor looks. */
export interface DoctorOptions {
  readonly json: boolean
  /** Posts a test card: to the first route (true), or to the channel or person with that id. */
  readonly testCard?: string | true
  /** The paths of gates' files to look at. */
  readonly gate?: readonly string[]
}

/** Prints the findings; exit code 1 if anything fails. Says what it waits for, unless the output is JSON. */
export async function doctor(terminal: Terminal, options: DoctorOptions): Promise<void> {
  const { json, testCard, gate = [] } = options
  const say = json ? () => {} : terminal.err
  const places = { ...surroundings(terminal), clock: Date.now, random: (size: number) => randomBytes(size) }
  const findings = await diagnose({ ...places, say, gate, ...(testCard === undefined ? {} : { testCard }) })
  printFindings(terminal, findings, options)
}

/** What the doctor needs to look. */
export interface DiagnoseOptions extends ConfigOptions, Pick<DoctorOptions, "testCard" | "gate"> {
  readonly env: NodeJS.ProcessEnv
  /** Epoch ms. */
  readonly clock: () => number
  /** Makes that many unpredictable bytes. */
  readonly random: (size: number) => Buffer
  /** Called with what the doctor waits for. */
  readonly say?: (line: string) => void
}

/** Tests all that Countersign depends on. It resolves nothing, makes no key, and posts only a test card on demand. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Finding[]> {
  const { config, findings } = lookAtConfig(options)
  if (config === null) return findings
  const { env, clock, random, testCard, gate = [], say = () => {} } = options
  const testTo = testCard === undefined ? null : testRoute(testCard, config.rules)
  const key = lookAtKey(config.key)
  // The modules need no log: the doctor finds the same.
  const log = createLog({ write: () => {}, clock, secrets: config.secrets })
  const named = config.instances.map((instance) => ({
    instance: { ...instance, quotingRules: quotingRules(config.rules, instance.name) },
    name: `platform ${instance.name}`,
  }))
  const track = createProgress(["redis", ...named.map(({ name }) => name), "slack"], { say, clock })
  const redis = track("redis", lookAtRedis({ config, key: key.key, env, random, log }))
  const openIn = async (name: string) => (await redis).open?.get(name) ?? null
  const rounds = await Promise.all([
    redis.then(({ findings: found }) => found),
    ...named.map(({ instance, name }) => track(name, lookAtInstance(instance, clock, openIn))),
    track("slack", lookAtSlackAndRules(config, { ...config, clock, log }, testTo)),
    lookAtCalls(config),
    lookAtSignIn(config, clock),
    redis.then(({ webhooks }) => lookAtWebhooks(config, webhooks, clock)),
  ])
  const { signed, stops } = await redis
  const receipts = await lookAtReceiptKey(config, key.key, signed)
  const { installation, slack } = config
  const gates = gate.flatMap((path) =>
    lookAtGate(path, {
      installation,
      instances: config.instances.map(({ name }) => name),
      sandbox: slack.sandbox,
      kid: receipts.kid,
      signed,
      now: clock(),
    }),
  )
  const own = [
    lookAtNode(),
    key.finding,
    receipts.finding,
    ...gates,
    await lookAtPort(config.http, receipts.kid),
    ...lookOutside(config),
    ...lookAtMetrics(config),
    ...lookAtProxies(config),
  ]
  return [...stops, ...findings, ...own, ...rounds.flat(), ...lookAtOrder(config.rules)]
}

/** The rules that may apply to an instance and let Details quote what started a run. */
function quotingRules(rules: Config["rules"], instance: string): readonly string[] {
  const quoting = rules.filter(({ requestInDetails }) => requestInDetails === true)
  return quoting.filter(({ match }) => match.instance?.includes(instance) ?? true).map(({ name }) => name)
}

/** Compares conditions with the calls that the instances know. */
async function lookAtCalls(config: Pick<Config, "instances" | "rules">): Promise<readonly Finding[]> {
  return (await remarksOnCalls(config)).map(({ rule, ...one }) => notesOn(`rule ${rule}`).warn(one))
}

async function lookAtSlackAndRules(
  { identities, ledger, installation, ...ruled }: Config,
  options: SlackCheckOptions,
  testTo: Route | null,
): Promise<readonly Finding[]> {
  const { findings, probe } = await lookAtSlack(options)
  if (probe === null) return findings
  const rules = rulesInForce(ruled)
  const routes = await lookAtRoutes(rules, ledger.auditChannel, probe)
  const approvers: Finding[] = []
  for (const rule of withRaisedRules(rules))
    for (const one of await lookAtApprovers({ rule, identities }, probe)) approvers.push(one)
  const tested = testTo === null ? [] : [await postTestCard(probe, testTo, installation)]
  return [...findings, ...routes, ...approvers, ...tested]
}

/** Waits for a part of the work, and says when it is done. */
type Track = <T>(name: string, work: Promise<T>) => Promise<T>

/** Says which parts the doctor asks; then how long each took, and which are still open. `clock` is epoch ms. */
function createProgress(
  parts: readonly string[],
  { say, clock }: { readonly say: (line: string) => void; readonly clock: () => number },
): Track {
  const waiting = new Set(parts)
  const began = clock()
  say(`asking ${parts.join(", ")} …`)
  return async (name, work) => {
    try {
      return await work
    } finally {
      waiting.delete(name)
      const left = waiting.size === 0 ? "" : `; still waiting for ${[...waiting].join(", ")}`
      say(`${name}: ${((clock() - began) / 1_000).toFixed(1)} s${left}`)
    }
  }
}
