// A whole world in memory for tests of the steps: every port of the flow, true to the real one, without a network.

import type { Case } from "../../src/domain/case/case.ts"
import type { ReceiptClaims } from "../../src/domain/case/receipt.ts"
import { canonicalJson } from "../../src/domain/content/canonical.ts"
import { noOrders, type Orders, stopOn } from "../../src/domain/order/orders.ts"
import { personKey, type SlackId } from "../../src/domain/people/person.ts"
import type { Policy } from "../../src/domain/policy/policy.ts"
import { type HoldOf, noStopRoles, type StopRoles } from "../../src/domain/policy/shared-config.ts"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import type { Admission, Alarm, Clock, Conduct, Homes, KeptReceipt, Ports, Tickets } from "../../src/flow/ports.ts"
import { surfaces } from "../../src/slack/views/details-pages.ts"
import { aPerson, aPolicy, aSeal, installation } from "./builders.ts"
import { aClock, type HandClock } from "./clock.ts"
import { createFloods, createPace, createSummaries, createTurns, type MemoryFloods } from "./memory-admission.ts"
import { createMemoryAudits, type MemoryAudits } from "./memory-audits.ts"
import { createMemoryChat, type MemoryChat } from "./memory-chat.ts"
import { createMemoryPauses } from "./memory-pauses.ts"
import { createMemoryPeople, type MemoryPeople } from "./memory-people.ts"
import { createMemoryPlatform, type MemoryPlatform } from "./memory-platform.ts"
import { createMemoryPolls } from "./memory-polls.ts"
import { createMemoryQueue, type MemoryQueue } from "./memory-queue.ts"
import { createMemoryContinues, createMemoryRuns, type MemoryRuns } from "./memory-runs.ts"
import { createMemoryServer, type MemoryServer } from "./memory-store.ts"
import { createMemoryAbsences, createMemoryOrders, createMemoryTold } from "./orders.ts"

/** Signs without a key, and at once: what a real signature is worth is asked in `test/proof`. Keeps every receipt. */
function createReceipts(): Pick<Ports, "receipts" | "keptReceipts"> {
  const kept = new Map<string, KeptReceipt>()
  return {
    receipts: {
      sign: async (purpose, claims) => {
        const receipt = `${purpose}.${Buffer.from(canonicalJson(claims)).toString("base64url")}.unsigned`
        const said = claims as unknown as ReceiptClaims
        if (purpose !== "checkpoint") kept.set(said.decision, { kind: "kept", receipt, kid: "test", claims: said })
        return receipt
      },
    },
    keptReceipts: { read: async (decisionId) => kept.get(decisionId) ?? { kind: "gone" } },
  }
}

/** Everything around the flow, as tests see it. */
export interface World {
  readonly clock: HandClock
  readonly server: MemoryServer
  readonly platform: MemoryPlatform
  readonly runs: MemoryRuns
  readonly chat: MemoryChat
  readonly people: MemoryPeople
  readonly queue: MemoryQueue
  readonly tickets: Tickets & { readonly waiting: readonly Ticket[] }
  readonly floods: MemoryFloods
  readonly audits: MemoryAudits
  readonly alarms: readonly Alarm[]
  /** The codes of the alarms so far. */
  alarmCodes(): readonly string[]
  /** What a process runs later, unless it comes to an end before, is due now. */
  timePasses(): void
  /** From now on these orders are in force, and every process knows. */
  order(orders: Orders): void
  /** The ports of the one process that most tests need. */
  readonly ports: Ports
  /** The ports of another process, which may have another config. */
  process(policy: Policy): Ports
}

/** What a test may choose. */
export interface WorldOptions {
  readonly policy?: Policy
  /** How long a channel waits between two messages, in ms. Default 0. */
  readonly paceMs?: number
  readonly pageSize?: number
  /** What the operator chose for `main`. Default: nothing is resumed, what would not be enforced is held. */
  readonly conduct?: Partial<Conduct>
  /** How many cases may have cards at once. */
  readonly admission?: Admission
  /** From how many waiting cards on a summary names them. Default 0: never. */
  readonly summaryAbove?: number
  /** Who may stop. Default: every approver. */
  readonly stopRoles?: StopRoles
  /** What the config holds. Default: nothing. */
  readonly saidHolds?: readonly HoldOf[]
  /** How long cards keep arguments and names once a case is closed, in ms. Default: for good. */
  readonly blankAfterMs?: number
  /** Default 0: what was approved is forgotten as its case closes. */
  readonly retainArgumentsMs?: number
}

/** Makes a world with one instance (`main`) and the people U1, U2, U3 and asker@example.com (UASK). */
export function createWorld(options: WorldOptions = {}): World {
  const { policy = aPolicy(), paceMs = 0, pageSize = 50, summaryAbove = 0 } = options
  const { admission = { perInstance: 500, perAgent: 100 } } = options
  const usual = {
    resume: "off",
    rejectUserInput: "hold",
    besideAgnoSlack: false,
    receiptLifeMs: 24 * 3_600_000,
    resumeMs: 60_000,
    timeoutMs: 10_000,
    pollMs: 1_000,
  } as const
  const conduct: Conduct = { ...usual, ...options.conduct }
  const clock = aClock()
  const alarms: Alarm[] = []
  const server = createMemoryServer(policy.revision, clock.now)
  const platform = createMemoryPlatform(clock.now, pageSize)
  const runs = createMemoryRuns((runId) => platform.rows().find((row) => row.runId === runId))
  const pace = createPace(clock.now, paceMs)
  const chat = createMemoryChat(clock.now, pace)
  const everybody = ["U1", "U2", "U3"].map((user) => aPerson({ user }))
  const people = createMemoryPeople(clock.now, ...everybody, aPerson({ user: "UASK", email: "asker@example.com" }))
  const queue = createMemoryQueue(clock)
  const tickets = createTickets(clock.now, () => server.era())
  const { identityLinks, views, freshness } = server
  const audits = createMemoryAudits()
  const shared = {
    installation,
    sandbox: false,
    freshness,
    identityLinks,
    views,
    platforms: new Map([["main", platform]]),
    runs: new Map(conduct.resume === "off" ? [] : [["main", runs]]),
    conduct: new Map([["main", conduct]]),
    continues: createMemoryContinues(),
    polls: createMemoryPolls(),
    pauses: createMemoryPauses(clock.now),
    audits,
    chat,
    people,
    surfaces,
    homes: createHomes(),
    turns: createTurns(() => server.cases()),
  }
  const floods = createFloods(() => server.cases())
  let ids = 0
  const newId = () => `id-${(ids += 1)}`
  let inForce = noOrders
  const toldOrders = createMemoryTold()
  const timers = new Set<() => void>()
  const timePasses = () => {
    const due = [...timers]
    for (const run of due) {
      timers.delete(run)
      run()
    }
  }
  const alarm = (one: Alarm) => void alarms.push(one)
  const beside = {
    jobs: queue,
    tickets,
    pace,
    backlog: floods,
    admission,
    summaries: createSummaries(() => server.cases()),
    summaryAbove,
    closedTimes: { blankAfterMs: options.blankAfterMs ?? null, retainArgumentsMs: options.retainArgumentsMs ?? 0 },
    resolvedBy: "{email}",
    seal: aSeal(),
    ...createReceipts(),
    clock: clock.now,
    log: silent,
  }
  const alarmCodes = () => alarms.map((one) => one.code)
  const parts = {
    clock,
    server,
    platform,
    audits,
    runs,
    chat,
    people,
    queue,
    tickets,
    floods,
    alarms,
    alarmCodes,
    timePasses,
    order: (orders: Orders) => {
      inForce = orders
    },
  }
  const process = (own: Policy): Ports => ({
    ...shared,
    ...beside,
    store: server.store(own.revision),
    underAny: { commit: (commit) => server.store(server.active()).commit(commit) },
    orders: () => inForce,
    absences: createMemoryAbsences(() => inForce, parts.order),
    ordersSeen: () => inForce,
    orderBook: createMemoryOrders(
      () => inForce,
      parts.order,
      () => server.active(),
    ),
    revision: own.revision,
    stopRoles: options.stopRoles ?? noStopRoles,
    saidHolds: options.saidHolds ?? [],
    toldOrders,
    toldGates: { count: async (_at, orders) => server.cases().filter((one) => isRefusedByGates(one, orders)).length },
    policy: own,
    proposedConfigs: { read: async () => null },
    alarm,
    newId,
    later: (_ms, run) => {
      timers.add(run)
      return () => void timers.delete(run)
    },
  })
  return { ...parts, ports: process(policy), process }
}

const silent: Ports["log"] = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

function createHomes(): Homes {
  const opened = new Map<string, SlackId>()
  const shown = new Map<string, string>()
  let changed = false
  return {
    opened: async (id) => void opened.set(personKey(id), id),
    list: async (limit) => [...opened.values()].slice(0, limit),
    shown: async (id, hash) => void shown.set(personKey(id), hash),
    lastShown: async (id) => shown.get(personKey(id)) ?? null,
    changed: async () => {
      changed = true
    },
    takeChanged: async () => {
      const was = changed
      changed = false
      return was
    },
  }
}

function createTickets(clock: Clock, era: () => number): World["tickets"] {
  const waiting = new Map<string, Ticket>()
  return {
    write: async (interaction) => {
      const ticket = { id: interaction.interaction, interaction, takenAt: clock(), era: era() }
      waiting.set(ticket.id, ticket)
      return ticket
    },
    remove: async (ticketId) => void waiting.delete(ticketId),
    get waiting() {
      return [...waiting.values()]
    },
  }
}

function isRefusedByGates(one: Case, orders: Orders): boolean {
  return one.decision?.verb === "approve" && one.state !== "open" && stopOn(orders, one) !== null
}
