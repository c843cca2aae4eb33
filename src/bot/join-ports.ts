// Hands the flow what it needs from outside.
import type { Platform, Ports, Runs } from "../flow/ports.ts"
import { measuredCases } from "../measure/measured-cases.ts"
import { measuredChat } from "../measure/measured-chat.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import type { Queues } from "../queue/queue.ts"
import type { Slack } from "../slack/app.ts"
import { surfaces } from "../slack/surfaces.ts"
import { alarmIn, type Parts } from "./houses.ts"
import { createKeptReceipts } from "./kept-receipts.ts"
import type { BotOptions } from "./options.ts"

/** Everything that is open. */
interface Joined extends Parts {
  readonly slack: Slack
  readonly platforms: ReadonlyMap<string, Platform>
  readonly runs: ReadonlyMap<string, Runs>
  readonly queue: Queues
  readonly meter: ProcessMeter
}

/** What the flow needs from outside, from the houses that have it. */
export function joinPorts({ config, signer, clock, log, random }: BotOptions, joined: Joined): Ports {
  const { store, seal, policy, slack, platforms, runs, queue, meter } = joined
  return {
    installation: config.installation,
    sandbox: config.slack.sandbox,
    store: measuredCases(store.cases, meter, log),
    pins: store.pins,
    views: store.views,
    homes: store.homes,
    pace: store.pace,
    floods: store.floods,
    room: config.room,
    summaries: store.summaries,
    summaryAbove: config.slack.summaryAbove,
    platforms,
    runs,
    conduct: new Map(
      config.instances.map(({ name, resume, rejectUserInput, resumeMs }) => [
        name,
        { resume, rejectUserInput, resumeMs },
      ]),
    ),
    continues: store.continues,
    chat: measuredChat(slack.chat, meter),
    people: slack.people,
    surfaces,
    jobs: queue.jobs,
    tickets: queue.tickets,
    policy,
    resolvedBy: config.resolvedBy,
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
