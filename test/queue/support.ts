// What the queue's tests start from: queues of their own on a real Redis, a press, and steps that remember what they
// were asked.
import { type OnTestFinishedHandler, onTestFinished } from "vitest"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import type { Interaction, VoteInteraction, WithdrawInteraction } from "../../src/flow/ports/interaction.ts"
import type { Alarm, DueTickets } from "../../src/flow/ports.ts"
import { createQueue, type QueueOptions, type Queues } from "../../src/queue/queue.ts"
import type { Steps } from "../../src/queue/steps.ts"
import { connectRedis, type StoreConnection } from "../../src/store/redis/connection.ts"
import { createKeys, type Keys } from "../../src/store/redis/keys.ts"
import { createTickets } from "../../src/store/tickets.ts"
import { anInstallation, aSeal, silentLog } from "../store/support.ts"
import { keysLike, testRedisUrl } from "../support/redis.ts"

export interface OpenQueue {
  readonly queue: Queues
  readonly tickets: DueTickets
  readonly keys: Keys
  readonly connection: StoreConnection
  readonly installation: string
  readonly prefix: string
  readonly alarms: Alarm[]
  readonly logged: (readonly [string, unknown])[]
}

export type OpenQueueOptions = Partial<QueueOptions> & {
  readonly url?: string
  readonly installation?: string
  readonly commandMs?: number
  readonly ticketHoldMs?: number
  /** The clock of all replicas. Default: that of Redis. */
  readonly sharedClock?: () => number
}

/** Queues that are closed with the test. Times are short, so that nobody waits long. */
export async function openQueue(options: OpenQueueOptions = {}): Promise<OpenQueue> {
  const { url = testRedisUrl(), installation = anInstallation(), commandMs = 2_500 } = options
  const connection = await connectRedis({ url, installation, log: silentLog, commandMs })
  const alarms: Alarm[] = []
  const logged: (readonly [string, unknown])[] = []
  const note = (event: string, fields?: unknown) => void logged.push([event, fields])
  const keys = createKeys(installation)
  const prefix = keys.queue
  const clock = options.clock ?? (() => Date.now())
  const tickets = createTickets({
    redis: connection.commands,
    keys,
    seal: aSeal(installation),
    clock,
    era: () => 0,
    sharedClock: options.sharedClock,
    delayMs: options.ticketDelayMs ?? 50,
    holdMs: options.ticketHoldMs,
  })
  const queue = createQueue({
    commands: connection.commands,
    workers: connection.workers,
    ready: connection.ready,
    prefix,
    instances: [],
    webhooks: [],
    lateMs: 120_000,
    tickets,
    clock,
    random: () => 0,
    log: { ...silentLog, warn: note, error: note },
    alarm: (alarm) => alarms.push(alarm),
    ticketDelayMs: 50,
    ticketLookMs: 10,
    closeMs: 2_000,
    ...options,
  })
  const close: OnTestFinishedHandler = async () => {
    await queue.close()
    await connection.close()
  }
  onTestFinished(close)
  return { queue, tickets, keys, connection, installation, prefix, alarms, logged }
}

/** Steps that do nothing but what a test says. */
export function stepsWith(changes: Partial<Steps> = {}): Steps {
  const nothing = async () => undefined
  return {
    poll: nothing,
    sweep: nothing,
    webhook: nothing,
    present: nothing,
    resolve: nothing,
    resume: nothing,
    summarise: nothing,
    reconcile: nothing,
    remind: nothing,
    ticket: nothing,
    ...changes,
  }
}

/** A step that remembers its tickets. */
export function ticketsInto(seen: Ticket[]): Steps["ticket"] {
  return async (ticket) => {
    seen.push(ticket)
  }
}

export function aPress(changes: Partial<VoteInteraction | WithdrawInteraction> = {}): Interaction {
  return {
    interaction: "f".repeat(64),
    person: { team: "T1", user: "U1" },
    name: "Ann",
    at: Date.now(),
    target: {
      installation: "test",
      caseId: "c-1",
      route: "channel:C1",
      revision: 1,
      digest: "0123456789abcdef",
      bound: { era: 0, count: 1 },
    },
    on: { kind: "card", place: { channel: "C1", ts: "1.2" } },
    surface: "card",
    verb: "approve",
    reason: null,
    values: { amount: 12 },
    replyTo: { kind: "response", responseUrl: "https://hooks.slack.com/actions/secret", channel: "C1", user: "U1" },
    ...changes,
  }
}

/** A failure that may pass. */
export class PassingError extends Error {
  readonly code = "passing"
  readonly retryable = true
}

/** Every key and value that Redis holds of an installation, as one text. */
export async function everythingIn({ commands }: Pick<StoreConnection, "commands">, tag: string): Promise<string> {
  const parts: Buffer[] = []
  for (const key of await keysLike(commands, `${tag}*`))
    parts.push(Buffer.from(key), ...(await valuesOf(commands, key)))
  return Buffer.concat(parts).toString("latin1")
}

async function valuesOf(redis: StoreConnection["commands"], key: string): Promise<readonly Buffer[]> {
  switch (await redis.type(key)) {
    case "string":
      return [(await redis.getBuffer(key)) ?? Buffer.alloc(0)]
    case "hash":
      return Object.entries(await redis.hgetallBuffer(key)).flatMap(([name, value]) => [Buffer.from(name), value])
    case "list":
      return await redis.lrangeBuffer(key, 0, -1)
    case "set":
      return await redis.smembersBuffer(key)
    case "zset":
      return await redis.zrangeBuffer(key, "0", "-1")
    case "stream":
      return (await redis.xrangeBuffer(key, "-", "+")).flatMap(([id, fields]) => [id, ...fields])
    default:
      return []
  }
}
