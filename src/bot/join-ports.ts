// Hands the flow what it needs from outside, made for the active config.

import { sharedOf } from "../config.ts"
import { type HomeTeam, oneIdentity } from "../domain/people/person.ts"
import { type Policy, policyOf } from "../domain/policy/policy.ts"
import { elsewhereFor, noStopRoles } from "../domain/policy/shared-config.ts"
import { builtInInstance, rulesInForce } from "../domain/rule/rules-change.ts"
import type { Platform, Ports, Runs } from "../flow/ports.ts"
import { measuredCases, measuredChat } from "../measure/measured-ports.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import type { Queues } from "../queue/queue.ts"
import type { Slack } from "../slack/app.ts"
import { surfaces } from "../slack/views/details-pages.ts"
import type { ActiveConfig } from "../store/config/config-revision.ts"
import { type BuiltIn, builtInConduct, isBuiltInThere } from "./built-in.ts"
import { createKeptReceipts } from "./kept-receipts.ts"
import { alarmIn, type Parts } from "./modules.ts"
import type { BotOptions } from "./options.ts"

/** Everything that the bot has opened. */
interface Joined extends Parts {
  readonly slack: Slack
  readonly platforms: ReadonlyMap<string, Platform>
  readonly runs: ReadonlyMap<string, Runs>
  readonly queue: Queues
  readonly meter: ProcessMeter
  readonly builtIn: BuiltIn
}

/** What the flow needs from outside. It leaves out instances that this file cannot serve under the active config. */
export function joinPorts(options: BotOptions, joined: Joined, active: ActiveConfig): Ports {
  const { config, signer, clock, log, random } = options
  const { store, seal, tickets, slack, queue, meter } = joined
  return {
    ...instancesOf(options, joined, active),
    installation: config.installation,
    sandbox: config.slack.sandbox,
    store: measuredCases(store.casesUnder(active), meter, log),
    underAny: measuredCases(store.casesUnder(store.config), meter, log),
    freshness: store.caseFreshness,
    identityLinks: store.identityLinks,
    views: store.views,
    homes: store.homes,
    turns: store.turns,
    pace: store.pace,
    backlog: store.backlog,
    admission: config.admission,
    summaries: store.summaries,
    summaryAbove: config.slack.summaryAbove,
    closedTimes: { blankAfterMs: config.blankAfterMs, retainArgumentsMs: config.retainArgumentsMs },
    continues: store.continues,
    polls: store.polls,
    pauses: store.pauses,
    audits: store.audits,
    chat: measuredChat(slack.chat, meter),
    people: slack.people,
    surfaces,
    jobs: queue.jobs,
    tickets,
    policy: policyIn(active, slack.identity),
    proposedConfigs: joined.builtIn.configs,
    orders: () => store.config.active()?.orders ?? active.orders,
    saidHolds: active.shared.hold ?? [],
    ordersSeen: () => store.config.active() ?? active,
    orderBook: store.config.orders,
    toldOrders: store.toldOrders,
    toldGates: store.toldGates,
    revision: active.revision,
    stopRoles: active.shared.stop ?? noStopRoles,
    absences: store.config.orders,
    resolvedBy: active.shared.resolvedBy,
    seal,
    receipts: signer,
    keptReceipts: createKeptReceipts(store),
    clock,
    log,
    alarm: alarmIn(log),
    later: (ms, run) => {
      const timer = setTimeout(run, ms).unref()
      return () => clearTimeout(timer)
    },
    newId: () => random(12).toString("hex"),
  }
}

/** The rules in force. Listed people get the ids that interactions use. The revision is the written config's. */
function policyIn({ shared }: ActiveConfig, home: HomeTeam): Policy {
  const policy = policyOf(rulesInForce(shared), shared.identities)
  return { ...policy, identities: policy.identities.map((listed) => ({ ...listed, ...oneIdentity(home, listed) })) }
}

/**
 * The active config's instances. An instance gets clients only if this file agrees on it, because a credential goes
 * nowhere else (R16).
 */
function instancesOf(
  { config }: BotOptions,
  { platforms, runs, builtIn }: Joined,
  { shared, proposals }: ActiveConfig,
): Pick<Ports, "platforms" | "runs" | "conduct"> {
  const elsewhere = new Set(elsewhereFor(sharedOf(config), shared).map(({ instance }) => instance))
  const served = new Set(shared.instances.map(({ name }) => name).filter((name) => !elsewhere.has(name)))
  const own = new Map(
    config.instances.map(({ name, resumeMs, pollMs, timeoutMs }) => [name, { resumeMs, pollMs, timeoutMs }]),
  )
  const there = isBuiltInThere(proposals)
  return {
    platforms: new Map([
      ...[...platforms].filter(([name]) => served.has(name)),
      ...(there ? ([[builtInInstance, builtIn.platform]] as const) : []),
    ]),
    runs: new Map([...runs].filter(([name]) => served.has(name))),
    conduct: new Map([
      ...(there ? ([[builtInInstance, builtInConduct]] as const) : []),
      ...shared.instances.map(({ name, resume, rejectUserInput, besideAgnoSlack, receiptLifeMs }) => {
        const said = { resume, rejectUserInput, besideAgnoSlack, receiptLifeMs }
        // Each process has its own time limits. For an instance that we leave to others, nobody here ever uses them.
        return [name, { ...said, ...(own.get(name) ?? { resumeMs: 0, pollMs: 0, timeoutMs: 0 }) }] as const
      }),
    ]),
  }
}
