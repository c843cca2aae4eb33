// What tests of webhooks start from: a ledger and outboxes in memory, a receiver that answers as a test says, a clock
// moved by hand.
import type {
  DeliveryResult,
  KeptOutbox,
  Outbox,
  Outboxes,
  ShownEntry,
  Webhook,
  WebhookPorts,
} from "../../../src/flow/ports.ts"
import { sendWebhook } from "../../../src/flow/webhook/send-webhook.ts"
import { aClock } from "../../support/clock.ts"

/** One entry of a case, as read from the ledger. */
export function anEntry(
  number: number,
  chain: string,
  event: Partial<ShownEntry["said"] & object>["event"] = {},
): ShownEntry {
  const said = { chain, n: 1, sandbox: false, text: null, event: { kind: "voted", at: 1_000 + number, ...event } }
  return { number, mac: `mac-of-${number}-and-more`, said }
}

/** Outboxes in memory. A test may read and spoil what they hold. */
export function memoryOutboxes(end: () => number) {
  const kept = new Map<string, { readonly mark: Uint8Array; readonly outbox: Outbox | null }>()
  const dead = new Map<string, Awaited<ReturnType<Outboxes["deadLetters"]>>>()
  let marks = 0
  const outboxes: Outboxes = {
    names: async () => [...kept.keys()],
    read: async (webhook): Promise<KeptOutbox> => kept.get(webhook) ?? { mark: null, outbox: null },
    save: async (webhook, { before, next, died = [], revived = [] }) => {
      if ((kept.get(webhook)?.mark ?? null) !== before.mark) return false
      kept.set(webhook, { mark: Uint8Array.of((marks += 1)), outbox: next })
      const left = (dead.get(webhook) ?? []).filter(({ number }) => !revived.includes(number))
      dead.set(
        webhook,
        [...left, ...died].toSorted((one, other) => one.number - other.number),
      )
      return true
    },
    forget: async (webhook) => {
      kept.delete(webhook)
      dead.delete(webhook)
    },
    deadLetters: async (webhook) => dead.get(webhook) ?? [],
    countDead: async (webhook) => (dead.get(webhook) ?? []).length,
    ledgerEnd: async () => end(),
  }
  return { outboxes, kept }
}

/** What a receiver got: the number of the entry, its chain, and the whole event. */
export interface Arrived {
  readonly number: number
  readonly chain: string
  readonly event: Readonly<Record<string, unknown>>
  readonly accepted: boolean
}

/** A webhook that begins before the first entry, unless `begun` is false. */
export async function aWebhookWorld(options: Partial<Webhook> & { readonly begun?: boolean } = {}) {
  const { begun = true, ...own } = options
  const clock = aClock()
  const ledger: ShownEntry[] = []
  const { outboxes, kept } = memoryOutboxes(() => ledger.at(-1)?.number ?? 0)
  const arrived: Arrived[] = []
  const logged: (readonly [string, unknown])[] = []
  const alarms: unknown[] = []
  const counted: string[] = []
  const note = (event: string, fields?: unknown) => void logged.push([event, fields])
  const answer = { now: (_number: number): DeliveryResult => ({ kind: "accepted" }) }
  const webhook: Webhook = {
    name: "siem",
    address: "one",
    events: null,
    withArguments: false,
    send: async ({ body }) => {
      const event = JSON.parse(body)
      const { number, chain } = event.data.entry
      const delivery = answer.now(number)
      arrived.push({ number, chain, event, accepted: delivery.kind === "accepted" })
      return delivery
    },
    ...own,
  }
  const ports: WebhookPorts = {
    installation: "test",
    outboxes,
    reading: {
      ledger: async ({ after, limit }) => ledger.filter(({ number }) => number > after).slice(0, limit),
      case: async () => null,
    },
    tell: {
      entry: ({ number, said }) => ({ number, chain: said?.chain ?? `entry:${number}`, event: said?.event }),
      case: (found) => found,
    },
    counted: (_webhook, result) => void counted.push(result),
    clock: clock.now,
    random: () => 0,
    log: { debug: note, info: note, warn: note, error: note },
    alarm: (one) => void alarms.push(one),
  }
  if (begun) await sendWebhook(ports, webhook)
  return {
    ports,
    webhook,
    clock,
    ledger,
    arrived,
    logged,
    alarms,
    counted,
    answer,
    kept,
    /** Enters one entry for each chain, in this order. */
    enter: (...chains: readonly string[]) => {
      for (const chain of chains) ledger.push(anEntry((ledger.at(-1)?.number ?? 0) + 1, chain))
    },
    run: (changes: Partial<Webhook> = {}) => sendWebhook(ports, { ...webhook, ...changes }),
    outbox: () => kept.get(webhook.name)?.outbox ?? null,
    /** The numbers that were accepted, in the order of their arrival. */
    accepted: () => arrived.flatMap(({ number, accepted }) => (accepted ? [number] : [])),
  }
}
