// What webhooks need from outside: where their outboxes lie, the ledger that they tell of, and the way to receivers.
import type { z } from "zod"
import type { Frozen } from "../../../domain/content/record/frozen.ts"
import type { Alarm, Clock, Log } from "../operator.ts"
import type { Reading } from "../reading.ts"
import type { deadLetterSchema, outboxSchema } from "../record/port-records.ts"

/** How far a webhook is. Times are epoch ms. */
export interface Outbox extends Frozen<z.infer<typeof outboxSchema>> {}

/** An entry that a receiver did not accept for a day: its number, its chain, when we gave up, and the last failure. */
export interface DeadLetter extends Frozen<z.infer<typeof deadLetterSchema>> {}

/** An outbox as read. `mark` tells one state of the record from another; null: there is none yet. */
export interface KeptOutbox {
  readonly mark: Uint8Array | null
  /** Null: there is none yet, or it is not ours (`mark` is not null then). */
  readonly outbox: Outbox | null
}

/** A change of an outbox, made at once. */
export interface OutboxChange {
  readonly before: KeptOutbox
  readonly next: Outbox
  readonly died?: readonly DeadLetter[]
  /** Numbers of dead letters that are none any more. */
  readonly revived?: readonly number[]
}

/** The outboxes in Redis, by the names of webhooks. Each call throws `StoreError` if Redis does not answer. */
export interface Outboxes {
  /** The names of all outboxes, also of webhooks that no config has any more. */
  names(): Promise<readonly string[]>
  read(webhook: string): Promise<KeptOutbox>
  /** False, with nothing changed, if the outbox is not as `before` says. */
  save(webhook: string, change: OutboxChange): Promise<boolean>
  /** Removes all that is kept of a webhook, its dead letters too. */
  forget(webhook: string): Promise<void>
  /** In the order of their numbers. */
  deadLetters(webhook: string): Promise<readonly DeadLetter[]>
  countDead(webhook: string): Promise<number>
  /** The number of the ledger's last entry; 0 if it has none. */
  ledgerEnd(): Promise<number>
}

/** How a webhook stands. `new`: nothing ran for it yet; `tampered`: its outbox is not ours. Times are epoch ms. */
export interface WebhookStanding {
  readonly webhook: string
  readonly state: "new" | "on" | "off" | "tampered"
  /** How many entries of the ledger it has not dealt with, and since when the oldest waits. */
  readonly waiting: number
  readonly oldestAt: number | null
  readonly dead: number
  /** It dealt with the entries up to this one, but those that wait or are dead letters. */
  readonly cursor: number | null
  readonly lastFailure: Outbox["lastFailure"]
  readonly off: Outbox["off"]
}

/** What is sent once: the same bytes are signed. `id` is the same for each attempt at an entry. */
export interface WebhookMessage {
  readonly id: string
  readonly body: string
}

/**
 * What became of one attempt. `unfinished`: Countersign ended meanwhile, so nothing came of it. `gone`: a 410. `why`
 * follows "it", and never quotes what was sent or answered.
 */
export type DeliveryResult = { readonly kind: "accepted" } | { readonly kind: "unfinished" } | FailedDelivery

/** How an attempt failed. */
export type FailedDelivery =
  | { readonly kind: "gone" }
  | {
      readonly kind: "failed"
      readonly why: string /** What it asked us to wait. */
      readonly retryAfterMs: number | null
    }

/** One webhook of the config. */
export interface Webhook {
  readonly name: string
  /** Stands for its address, and is another text if that changes; no secret. */
  readonly address: string
  /** The kinds of entries that are sent; null: all. */
  readonly events: ReadonlySet<string> | null
  /** True: a case comes with its arguments, without what rules mask. */
  readonly withArguments: boolean
  /** Sends once; never throws. */
  readonly send: (message: WebhookMessage) => Promise<DeliveryResult>
}

/** What sending needs. */
export interface WebhookPorts {
  readonly installation: string
  readonly outboxes: Outboxes
  readonly reading: Pick<Reading, "ledger" | "case">
  /** Entries and cases in the words of the read API. */
  readonly tell: {
    readonly entry: (entry: Awaited<ReturnType<Reading["ledger"]>>[number]) => object
    readonly case: (found: NonNullable<Awaited<ReturnType<Reading["case"]>>>) => object
  }
  /** Counts an attempt that came to something. */
  readonly counted: (webhook: string, result: "accepted" | FailedDelivery["kind"]) => void
  readonly clock: Clock
  /** From 0 to below 1. */
  readonly random: () => number
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}
