// How a webhook stands, for operators: what waits, since when, what was given up; and what they may change of that.
import type { DeadLetter, KeptOutbox, Outbox, WebhookPorts, WebhookStanding } from "../ports.ts"
import { maxWaiting, replayFrom, revive, switchOn, waitingIn } from "./outbox.ts"

type StandingPorts = Pick<WebhookPorts, "outboxes" | "reading">

/** How a webhook stands. Throws `StoreError`. */
export async function standingOf(ports: StandingPorts, webhook: string): Promise<WebhookStanding> {
  const { outboxes } = ports
  const [{ mark, outbox }, dead, end] = await Promise.all([
    outboxes.read(webhook),
    outboxes.countDead(webhook),
    outboxes.ledgerEnd(),
  ])
  const none = { webhook, dead, waiting: 0, cursor: null, oldestAt: null, off: null, lastFailure: null }
  if (outbox === null) return { ...none, state: mark === null ? "new" : "tampered" }
  const { cursor, off, lastFailure } = outbox
  const waiting = waitingIn(outbox) + Math.max(0, end - cursor)
  const oldestAt = waiting === 0 ? null : await oldestIn(ports, outbox)
  return { ...none, state: off === null ? "on" : "off", waiting, cursor, oldestAt, off, lastFailure }
}

/** Since when the oldest entry waits: what is taken up since then, and what is not, since it was entered. */
async function oldestIn({ reading }: StandingPorts, { cursor, waiting }: Outbox): Promise<number | null> {
  const [next] = await reading.ledger({ after: cursor, limit: 1 })
  const at = next?.said?.event["at"]
  const times = [
    ...waiting.flatMap(({ entries }) => entries.map(({ since }) => since)),
    ...(typeof at === "number" ? [at] : []),
  ]
  return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other))
}

/** What became of an operator's wish. `changed`: of which entries; `left`: how many there was no room for. */
export type Changed =
  | { readonly kind: "none" }
  | { readonly kind: "unread" }
  | { readonly kind: "changed"; readonly entries: readonly number[]; readonly left: number }

/** Switches a webhook on again that is off. */
export function putOn(ports: ChangePorts, webhook: string): Promise<Changed> {
  return change(ports, webhook, async (outbox, now) => {
    return outbox.off === null ? null : { next: switchOn(outbox, now), entries: [], left: 0 }
  })
}

/** Sends dead letters again: these, or all. The oldest come first, and only so many as may wait at once. */
export function sendAgain(
  ports: ChangePorts,
  webhook: string,
  { wanted, letters }: { readonly wanted: readonly number[] | null; readonly letters: readonly DeadLetter[] },
): Promise<Changed> {
  return change(ports, webhook, async (outbox, now) => {
    const meant = letters.filter(({ number }) => wanted === null || wanted.includes(number))
    const taken = meant.slice(0, Math.max(0, maxWaiting - waitingIn(outbox)))
    const entries = taken.map(({ number }) => number)
    if (entries.length === 0) return null
    return { next: revive(outbox, taken, now), entries, revived: entries, left: meant.length - taken.length }
  })
}

/** Goes on at an entry of the ledger: everything from there on is sent, once more if it was before. */
export function goOnAt(
  ports: ChangePorts,
  webhook: string,
  { from, letters, begin }: { readonly from: number; readonly letters: readonly DeadLetter[]; readonly begin: Outbox },
): Promise<Changed> {
  const revived = letters.flatMap(({ number }) => (number >= from ? [number] : []))
  const next = async (outbox: Outbox) => ({ next: replayFrom(outbox, from), entries: [], revived, left: 0 })
  return change(ports, webhook, next, begin)
}

interface ChangePorts extends Pick<WebhookPorts, "outboxes" | "clock"> {}

interface Wish {
  readonly next: Outbox
  readonly entries: readonly number[]
  readonly revived?: readonly number[]
  readonly left: number
}

/** Changes an outbox; anew if a replica changed it meanwhile. `begin` takes the place of one that is not ours. */
async function change(
  ports: ChangePorts,
  webhook: string,
  wish: (outbox: Outbox, now: number) => Promise<Wish | null>,
  begin: Outbox | null = null,
): Promise<Changed> {
  const { outboxes, clock } = ports
  for (;;) {
    const before: KeptOutbox = await outboxes.read(webhook)
    const outbox = before.outbox ?? begin
    if (outbox === null) return { kind: "unread" }
    const wanted = await wish(outbox, clock())
    if (wanted === null) return { kind: "none" }
    const { next, revived = [], entries, left } = wanted
    if (await outboxes.save(webhook, { before, next, revived })) return { kind: "changed", entries, left }
  }
}
