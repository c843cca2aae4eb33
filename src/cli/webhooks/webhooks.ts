// countersign webhooks: how each webhook stands, and what an operator does about it: dead letters again, all from an
// entry on, on again, forgotten.
import type { WebhookStanding } from "../../flow/ports.ts"
import { beginOutbox } from "../../flow/webhook/outbox.ts"
import { type Changed, goOnAt, putOn, sendAgain, standingOf } from "../../flow/webhook/standing.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { timeOf } from "../people/people-words.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { wholeNumberOf } from "../whole-number.ts"

/** Lists all webhooks that ever ran here, with their dead letters, as text or as JSON. */
export async function webhooksList(terminal: Terminal, { json }: { readonly json: boolean }): Promise<void> {
  const listed = await withWebhooks(terminal, async ({ store, context }) => {
    const names = await store.outboxes.names()
    return Promise.all(
      names.map(async (name) => ({
        ...(await standingOf(store, name)),
        removed: !isInConfig(context, name),
        deadLetters: await store.outboxes.deadLetters(name),
      })),
    )
  })
  if (json) return terminal.out(JSON.stringify(listed.map(toJson), null, 2))
  if (listed.length === 0) terminal.out("no webhook has run yet: webhooks of the config begin when the bot starts")
  for (const one of listed) {
    terminal.out(standingLine(one))
    if (one.lastFailure !== null)
      terminal.out(`  last failure ${timeOf(one.lastFailure.at)}: it ${one.lastFailure.why}`)
    for (const { number, at, why } of one.deadLetters)
      terminal.out(`  dead letter: entry ${number}, given up ${timeOf(at)}: it ${why}`)
    for (const line of todoLines(one)) terminal.out(`  ${line}`)
  }
}

type Listed = WebhookStanding & {
  /** The config does not have it any more. */
  readonly removed: boolean
  readonly deadLetters: readonly { readonly number: number; readonly at: number; readonly why: string }[]
}

function toJson({ webhook, removed, state, waiting, oldestAt, cursor, lastFailure, deadLetters }: Listed) {
  return {
    webhook,
    state: removed ? "removed" : state,
    waiting: removed ? null : waiting,
    oldest_at: removed || oldestAt === null ? null : timeOf(oldestAt),
    cursor,
    last_failure: lastFailure === null ? null : { at: timeOf(lastFailure.at), why: lastFailure.why },
    dead_letters: deadLetters.map(({ number, at, why }) => ({ entry: number, at: timeOf(at), why })),
  }
}

function standingLine({ webhook, removed, state, waiting, oldestAt, dead, cursor }: Listed): string {
  const since = oldestAt === null ? "" : `, the oldest since ${timeOf(oldestAt)}`
  const at = cursor === null ? "" : `, dealt with up to entry ${cursor}`
  if (removed) return `${webhook}  no longer in the config  ${dead} dead letters${at}`
  return `${webhook}  ${state}  ${waiting} waiting${since}, ${dead} dead letters${at}`
}

function todoLines({ webhook, removed, state, dead }: Listed): readonly string[] {
  if (removed) return [`to remove what is kept of it: countersign webhooks forget ${webhook}`]
  return [
    ...(state === "off"
      ? [`its receiver answered 410: give it another url, or countersign webhooks on ${webhook}`]
      : []),
    ...(state === "tampered" ? [`not ours: countersign webhooks replay ${webhook} --from NUMBER begins it anew`] : []),
    ...(dead === 0 ? [] : [`to send them again: countersign webhooks retry ${webhook}`]),
  ]
}

/** Sends dead letters again: those with these numbers, or all. Throws `CommandError`, as the next three do. */
export async function webhooksRetry(terminal: Terminal, name: string, numbers: readonly string[]): Promise<void> {
  const wanted = numbers.map((one) => wholeNumberOf("an entry's number", one, entryBounds))
  await withWebhooks(terminal, async (opened) => {
    await demandKnown(opened, name)
    demandInConfig(opened, name)
    const { ports, letters } = await changing(opened, name)
    const missing = wanted.filter((number) => !letters.some((one) => one.number === number))
    if (missing.length > 0)
      throw new CommandError(`${name} has no dead letter ${missing.join(", ")}. Nothing has changed`)
    const done = demandRead(
      name,
      await sendAgain(ports, name, { wanted: wanted.length === 0 ? null : wanted, letters }),
    )
    if (done === null) {
      const full = letters.length > 0
      return terminal.out(
        full ? "too much waits already: run this again when less does" : `${name} has no dead letters`,
      )
    }
    terminal.out(`${letterCount(done.entries.length)} of ${name} wait again, and are sent within seconds`)
    if (done.left > 0) terminal.out(`${done.left} are left, since so many may not wait at once: run this again later`)
  })
}

/** Sends everything from an entry on, once more if it was sent before. */
export async function webhooksReplay(
  terminal: Terminal,
  name: string,
  options: { readonly from: string },
): Promise<void> {
  const from = wholeNumberOf("--from", options.from, entryBounds)
  await withWebhooks(terminal, async (opened) => {
    await demandKnown(opened, name)
    demandInConfig(opened, name)
    const { ports, letters } = await changing(opened, name)
    const end = await ports.outboxes.ledgerEnd()
    if (from > end + 1)
      throw new CommandError(`the ledger has ${end} entries: --from takes at most ${end + 1}. Nothing has changed`)
    await goOnAt(ports, name, { from, letters, begin: beginOutbox(from - 1) })
    const count = end - from + 1
    terminal.out(
      count === 0 ? `${name} goes on behind the last entry` : `${name} sends entries ${from} to ${end} from now on`,
    )
    terminal.out("What it had before keeps its id, so a receiver that looks at ids drops it.")
  })
}

/** Switches a webhook on again whose receiver answered 410. */
export async function webhooksOn(terminal: Terminal, name: string): Promise<void> {
  await withWebhooks(terminal, async (opened) => {
    await demandKnown(opened, name)
    demandInConfig(opened, name)
    const { ports } = await changing(opened, name)
    const done = demandRead(name, await putOn(ports, name))
    terminal.out(done === null ? `${name} is on already` : `${name} is on: what waits is sent within seconds`)
  })
}

/** Removes what is kept of a webhook that the config does not have any more. */
export async function webhooksForget(terminal: Terminal, name: string): Promise<void> {
  await withWebhooks(terminal, async (opened) => {
    if (isInConfig(opened.context, name)) {
      const todo = "take it out of each replica's file and start the replicas anew, then run this again"
      throw new CommandError(`${name} is in the config: ${todo}. Nothing has changed`)
    }
    await demandKnown(opened, name)
    const { outboxes } = opened.store
    const dead = await outboxes.countDead(name)
    await outboxes.forget(name)
    const letters = dead === 0 ? "" : `, and ${letterCount(dead)} with it`
    const later = "A webhook of that name would begin with what happens after its first start."
    terminal.out(`${name} is forgotten${letters}. ${later}`)
  })
}

/** Opens the store, with the names of the config's webhooks. */
function withWebhooks<Result>(terminal: Terminal, command: (opened: Opened) => Promise<Result>): Promise<Result> {
  return withStore(terminal, command, "webhooks")
}

function isInConfig({ config }: Opened["context"], name: string): boolean {
  return config.webhooks.some((one) => one.name === name)
}

function demandInConfig({ context }: Opened, name: string): void {
  if (isInConfig(context, name)) return
  const todo = `put it back, or run countersign webhooks forget ${name}`
  throw new CommandError(`${name} is no longer in the config, so nothing of it is sent: ${todo}`)
}

const entryBounds = [1, Number.MAX_SAFE_INTEGER] as const

async function demandKnown({ store }: Opened, name: string): Promise<void> {
  const names = await store.outboxes.names()
  if (names.includes(name)) return
  const known = names.length === 0 ? "no webhook has run here yet" : `those that ran are ${names.join(", ")}`
  throw new CommandError(`no webhook ${name} has run here: ${known}`)
}

async function changing({ store, context }: Opened, name: string) {
  const { outboxes } = store
  return { ports: { outboxes, clock: context.clock }, letters: await outboxes.deadLetters(name) }
}

/** What changed; null: nothing. */
function demandRead(name: string, done: Changed): (Changed & { readonly kind: "changed" }) | null {
  if (done.kind === "changed") return done
  if (done.kind === "none") return null
  const why = `somebody else wrote how far ${name} is`
  throw new CommandError(`${why}: countersign webhooks replay ${name} --from NUMBER says where it goes on`)
}

function letterCount(count: number): string {
  return count === 1 ? "1 dead letter" : `${count} dead letters`
}
