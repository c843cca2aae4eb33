// Sends a webhook what the ledger has for it: at least once, in order within each case. One replica runs this at a time
// for each webhook; if two ever do, or one dies, a receiver gets an entry twice.
import type { DeliveryResult, KeptOutbox, Outbox, Webhook, WebhookPorts } from "../ports.ts"
import { chainIn, entryAt, isWanted, messageOf } from "./event.ts"
import {
  afterRun,
  beginOutbox,
  type ChainResult,
  dueIn,
  maxWaiting,
  switchOn,
  takeEntries,
  type WaitingChain,
  waitingIn,
  whyIn,
} from "./outbox.ts"

/** How many entries are taken up at once. */
const pageSize = 100
/** How many chains are sent at once. */
const atOnce = 8
/** After this many failures without any success, a run leaves the rest to a later one: the receiver is away. */
const enoughFailures = 8
/** A run begins nothing new after this many ms. The next one goes on. */
const maxRunMs = 5_000

/** One run: its webhook, and whether it should begin nothing more. */
interface Run {
  readonly webhook: Webhook
  readonly over: () => boolean
  readonly heard: (delivery: DeliveryResult) => void
}

/** Sends what is due, until nothing is left or nothing is accepted. Throws `StoreError`; safe to run again. */
export async function sendWebhook(ports: WebhookPorts, webhook: Webhook): Promise<void> {
  const until = ports.clock() + maxRunMs
  let goesOn = true
  while (goesOn && ports.clock() < until) goesOn = await sendSome(ports, webhook, until)
}

/** True if more may be there to send at once. */
async function sendSome(ports: WebhookPorts, webhook: Webhook, until: number): Promise<boolean> {
  const { outboxes, clock, random } = ports
  const before = await outboxes.read(webhook.name)
  if (before.outbox === null) return beginAnew(ports, webhook, before)
  const outbox = backOn(before.outbox, webhook, clock())
  if (outbox.off !== null || clock() < outbox.restUntil) return false
  const taken = await takeNext(ports, webhook, outbox)
  const results = await sendChains(ports, dueIn(taken, clock()), runOf(ports, webhook, until))
  if (taken === before.outbox && results.length === 0) return false
  const { next, died } = afterRun(taken, results, { now: clock(), random, address: webhook.address })
  const saved = await outboxes.save(webhook.name, { before, next, died })
  if (saved) tellRun(ports, webhook, { results, next, died: died.map(({ number }) => number) })
  return saved && (results.length === 0 || results.some(({ accepted }) => accepted > 0))
}

/** A new webhook begins with what is entered from now on. Of an outbox that is not ours we believe nothing. */
async function beginAnew(
  { outboxes, log, alarm }: WebhookPorts,
  { name }: Webhook,
  before: KeptOutbox,
): Promise<boolean> {
  if (before.mark !== null) {
    const hint = `nothing is sent until countersign webhooks replay ${name} --from NUMBER says where to go on`
    alarm({ code: "webhook-outbox-tampered", webhook: name, hint })
    return false
  }
  const cursor = await outboxes.ledgerEnd()
  if (await outboxes.save(name, { before, next: beginOutbox(cursor) }))
    log.info("webhook-begun", { webhook: name, cursor })
  return false
}

/** A webhook that was switched off by a 410 goes on at another address. */
function backOn(outbox: Outbox, { address }: Webhook, now: number): Outbox {
  return outbox.off === null || outbox.off.address === address ? outbox : switchOn(outbox, now)
}

/** Takes up what comes next in the ledger, as long as there is room. The same outbox if there is nothing. */
async function takeNext(ports: WebhookPorts, webhook: Webhook, outbox: Outbox): Promise<Outbox> {
  const { reading, outboxes, clock, log } = ports
  const limit = Math.min(pageSize, maxWaiting - waitingIn(outbox))
  if (limit <= 0) return outbox
  const page = await reading.ledger({ after: outbox.cursor, limit })
  if (page.length > 0) {
    const next = page.map((one) => ({ number: one.number, chain: chainIn(one), wanted: isWanted(one, webhook) }))
    return takeEntries(outbox, next, clock())
  }
  const end = await outboxes.ledgerEnd()
  if (end >= outbox.cursor) return outbox
  log.warn("webhook-rewound", { webhook: webhook.name, cursor: outbox.cursor, end })
  return { ...outbox, cursor: end }
}

function runOf({ clock, counted }: WebhookPorts, webhook: Webhook, until: number): Run {
  let failures = 0
  let stopped = false
  return {
    webhook,
    over: () => stopped || clock() >= until,
    heard: (delivery) => {
      stopped ||= delivery.kind === "unfinished"
      if (delivery.kind === "unfinished") return
      counted(webhook.name, delivery.kind)
      failures = delivery.kind === "accepted" ? Number.NEGATIVE_INFINITY : failures + 1
      const asked = delivery.kind === "failed" && delivery.retryAfterMs !== null
      stopped ||= delivery.kind === "gone" || asked || failures >= enoughFailures
    },
  }
}

/** Sends chains side by side, each in order. Chains that the run has no time for have no result. */
async function sendChains(
  ports: WebhookPorts,
  due: readonly WaitingChain[],
  run: Run,
): Promise<readonly ChainResult[]> {
  const results: ChainResult[] = []
  const left = [...due]
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined && !run.over(); next = left.shift())
      results.push(await sendChain(ports, next, run))
  }
  // If one lane fails, the others end first: nothing is on its way when the next run begins.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  const broken = ended.find((one) => one.status === "rejected")
  if (broken !== undefined) throw broken.reason
  return results
}

/** Sends the entries of a chain up to the first that fails: no later one arrives before an earlier one. */
async function sendChain(ports: WebhookPorts, { chain, entries }: WaitingChain, run: Run): Promise<ChainResult> {
  const done: number[] = []
  let accepted = 0
  for (const { number } of entries) {
    if (run.over()) break
    const entry = await entryAt(ports.reading, number)
    if (entry === null) {
      ports.log.warn("webhook-entry-gone", { webhook: run.webhook.name, entry: number })
      done.push(number)
      continue
    }
    const message = await messageOf(ports, entry, run.webhook)
    const delivery = await run.webhook.send(message)
    run.heard(delivery)
    if (delivery.kind === "unfinished") break
    if (delivery.kind !== "accepted") return { chain, done, accepted, failure: delivery }
    ports.log.debug("webhook-accepted", { webhook: run.webhook.name, entry: number })
    done.push(number)
    accepted += 1
  }
  return { chain, done, accepted, failure: null }
}

/** Tells operators what failed: one line a run. */
function tellRun(
  { log, alarm }: WebhookPorts,
  { name }: Webhook,
  ended: { readonly results: readonly ChainResult[]; readonly next: Outbox; readonly died: readonly number[] },
): void {
  const { results, next, died } = ended
  const failed = results.flatMap(({ failure }) => failure ?? [])
  const [first] = failed
  if (first === undefined) return
  if (next.off !== null) {
    const hint = `give it another url, or run countersign webhooks on ${name}; nothing is lost meanwhile`
    alarm({ code: "webhook-off", webhook: name, why: `it ${whyIn(first)}`, hint })
    return
  }
  log.warn("webhook-failed", {
    webhook: name,
    failures: failed.length,
    why: `it ${whyIn(first)}`,
    waiting: waitingIn(next),
  })
  if (died.length > 0) log.warn("webhook-dead-letters", { webhook: name, entries: died })
}
