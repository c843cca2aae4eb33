// Looks from outside at the end of a seed: at the platform's records, the workspace, the ledger and the queue.

import { caseIdOf } from "../../src/domain/case/case.ts"
import type { Ephemeral, PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { metadataTypes } from "../../src/slack/ids.ts"
import type { Store } from "../../src/store/store.ts"
import type { Absences } from "./absences.ts"
import { openOwnStore } from "./own-store.ts"
import type { Mark, Row, SeenRun } from "./platform.ts"
import type { Schedule } from "./schedule.ts"
import type { Asked, Doings, Pressed } from "./screen.ts"
import type { Stage } from "./stage.ts"
import type { Spell } from "./stops.ts"
import type { Strikes, Struck } from "./strikes.ts"
import type { Said } from "./talks.ts"
import { oversight } from "./terms.ts"

/** An entry of the ledger about one case, or about the config. */
export interface Told {
  readonly number: number
  readonly chain: string
  readonly kind: string
  readonly event: Readonly<Record<string, unknown>>
}

/** A POST that came to the platform: when (simulated epoch ms), and of which decision, if it says. */
export interface Grant {
  readonly at: number
  readonly what: "resolve" | "continue"
  readonly decision: string | null
}

/** One approval as everybody sees it. */
export interface SeenCase {
  readonly asked: Asked
  readonly caseId: string
  readonly row: Row
  readonly mark: Mark | null
  /** The bodies that we posted for it, in order. */
  readonly posts: readonly string[]
  /** What came for it that approves or lets a call run. */
  readonly grants: readonly Grant[]
  readonly entries: readonly Told[]
  /** Its cards by channel, those that were replaced included, each with its thread. */
  readonly cards: readonly SeenCard[]
  /** How often its call really ran, and how often its run was asked to go on. */
  readonly ran: number
  readonly continues: number
  /** `heard`: a process heard that the connection of its continue broke. */
  readonly run: SeenRun & { readonly heard: boolean }
}

/** A message with the thread under it. */
export interface SeenCard {
  readonly message: PostedMessage
  readonly thread: readonly PostedMessage[]
}

/** Everything. */
export interface Look {
  readonly schedule: Schedule
  /** Simulated epoch ms. */
  readonly now: number
  /** Messages that sum up cases, each with its thread. */
  readonly summaries: readonly SeenCard[]
  readonly cases: readonly SeenCase[]
  readonly pressed: readonly Pressed[]
  /** What people said beside votes. */
  readonly said: readonly Said[]
  /** What stands in direct messages and channels, threads left out. */
  readonly messages: readonly PostedMessage[]
  readonly ephemerals: readonly Ephemeral[]
  readonly entries: readonly Told[]
  /** What is wrong with the ledger, or null. */
  readonly ledger: string | null
  /** Jobs that wait or run, by queue, without the clocks. */
  readonly jobs: readonly string[]
  readonly alarms: readonly string[]
  /** The most calls of a method of Slack's within any minute. */
  readonly busiestMinute: (method: string) => number
  /** Log lines that no fault may cause. */
  readonly mistakes: readonly string[]
  readonly falls: readonly string[]
  readonly struck: readonly Struck[]
  readonly lost: Strikes["lost"]
  readonly stops: readonly Spell[]
  readonly absences: Absences
  readonly installation: string
  /** The revision of each config, the first one first. */
  readonly revisions: readonly string[]
  readonly errors: readonly string[]
}

/** Looks at a stage, as often as one likes. */
export interface Watcher {
  readonly look: () => Promise<Look>
  readonly close: () => Promise<void>
}

/** Opens a way to Redis of its own. */
export async function openWatcher(stage: Stage, doings: Doings, strikes: Strikes): Promise<Watcher> {
  const { store, redis, close } = await openOwnStore(stage)
  return {
    look: async () => {
      const entries = await entriesOf(store)
      const { problem } = await store.verifyLedger()
      const jobs: string[] = []
      const tickets = await redis.hlen(store.keys.tickets.sealed)
      if (tickets > 0) jobs.push(`${tickets} ticket`)
      for (const queue of ["present", "resolve", "resume", "reconcile"]) {
        for (const state of ["wait", "active", "delayed", "prioritized"]) {
          const name = `${store.keys.queue}:${queue}:${state}`
          const type = await redis.type(name)
          const count = type === "list" ? await redis.llen(name) : type === "zset" ? await redis.zcard(name) : 0
          if (count > 0) jobs.push(`${count} ${queue} ${state}`)
        }
      }
      return {
        ...everyone(stage, doings, strikes),
        cases: await Promise.all(doings.asked.map((asked) => seenCase(stage, asked, entries))),
        entries,
        ledger: problem === null ? null : `${problem.code}: ${problem.message}`,
        jobs,
      }
    },
    close,
  }
}

function everyone(stage: Stage, doings: Doings, { struck, lost, errors }: Strikes) {
  const lines = stage.replicas.flatMap((replica) => replica.log)
  const people = [...new Set(doings.pressed.map(({ person }) => person))]
  return {
    schedule: stage.schedule,
    now: stage.ground.clock.now(),
    summaries: stage.channels.flatMap((channel) =>
      stage.sandbox
        .messages(channel)
        .filter(({ metadata }) => metadata?.event_type === metadataTypes.summary)
        .map((message) => ({ message, thread: stage.sandbox.thread(channel, message.ts) })),
    ),
    pressed: doings.pressed,
    said: doings.said,
    messages: topMessages(stage),
    ephemerals: people.flatMap((person) => stage.sandbox.ephemerals(person)),
    alarms: lines.filter((line) => line["event"] === "alarm").map((line) => String(line["code"])),
    mistakes: lines.filter(isMistake).map((line) => JSON.stringify(line)),
    busiestMinute: stage.sandbox.busiestMinute,
    falls: stage.replicas.flatMap((replica) => replica.falls.map((fall) => `${replica.name}: ${fall}`)),
    struck,
    lost,
    stops: stage.stops.spells,
    absences: stage.stops.absences,
    installation: stage.installation,
    revisions: stage.revisions,
    errors,
  }
}

function topMessages({ sandbox }: Stage): readonly PostedMessage[] {
  return sandbox.workspace.messages.all().filter(({ threadTs, ts }) => (threadTs ?? ts) === ts)
}

function hasHeardCut({ replicas }: Stage, caseId: string): boolean {
  const lines = replicas.flatMap(({ log }) => log).filter((line) => line["event"] === "continue-unaccounted")
  return lines.some((line) => line["caseId"] === caseId && JSON.stringify(line["error"]).includes('"cut"'))
}

/** An error that no fault explains: one of ours has no code, or says that trying again does not help. */
function isMistake(line: Readonly<Record<string, unknown>>): boolean {
  const error = line["error"] as { readonly code?: unknown; readonly retryable?: unknown } | undefined
  return line["level"] === "error" && line["event"] !== "alarm" && error?.retryable !== true
}

async function entriesOf(store: Store): Promise<readonly Told[]> {
  const entries: Told[] = []
  for await (const { number, entry } of store.entries(0)) {
    if (entry === null) continue
    const { chain, event } = entry
    entries.push({ number, chain, kind: typeof event["kind"] === "string" ? event["kind"] : "", event })
  }
  return entries
}

async function seenCase(stage: Stage, asked: Asked, entries: readonly Told[]): Promise<SeenCase> {
  const caseId = caseIdOf(stage.installation, "main", asked.id)
  const row = await stage.platform.read(asked.id)
  const own = topMessages(stage).filter(
    ({ metadata, channelId }) =>
      channelId !== oversight.channel &&
      metadata?.event_type === metadataTypes.card &&
      JSON.stringify(metadata).includes(caseId),
  )
  const path = `/approvals/${asked.id}/resolve`
  const posts = stage.platform.proxy.passed.filter((one) => one.path === path)
  const continues = stage.platform.proxy.passed.filter((one) => one.path.endsWith(`/runs/${row.run_id}/continue`))
  return {
    asked,
    caseId,
    row,
    mark: row.resolution_data?.countersign ?? null,
    posts: posts.map((one) => one.body),
    grants: [
      ...posts.flatMap(approving),
      // Its call is one: it runs only where it was approved.
      ...(row.status === "approved"
        ? continues.map(({ at }) => ({ at, what: "continue", decision: null }) as const)
        : []),
    ],
    entries: entries.filter((entry) => entry.chain === `case:${caseId}`),
    ran: stage.platform.ran(asked.tool),
    run: { ...stage.platform.run(row.run_id), heard: hasHeardCut(stage, caseId) },
    continues: continues.length,
    cards: own.map((message) => ({ message, thread: stage.sandbox.thread(message.channelId, message.ts) })),
  }
}

/** A POST that approves; nothing of any other, or of one that did not come whole. */
function approving({ at, body }: { readonly at: number; readonly body: string }): readonly Grant[] {
  if (body === "") return []
  const { status, resolution_data: data } = JSON.parse(body)
  return status === "approved" ? [{ at, what: "resolve", decision: data?.countersign?.decision_id ?? null }] : []
}
