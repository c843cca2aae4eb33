// What an outbox remembers, pure: which entries wait, which cases may go on, when a failed one is tried again.
import { largest } from "../../domain/content/largest.ts"
import type { DeadLetter, FailedDelivery, Outbox } from "../ports.ts"

/** If an entry fails this long after its own first attempt, in ms, it becomes a dead letter. */
export const keepTryingMs = 86_400_000
/** If this many entries wait, no more are taken up: the ledger keeps them, and the outbox stays small. */
export const maxWaiting = 1_000
/** The wait of a case after its first failure, and the longest one, in ms. */
const caseWait = { first: 5_000, longest: 900_000 }
/** The same for the whole webhook, after runs in which nothing was accepted. So one bad case never holds up others. */
const restWait = { first: 1_000, longest: 30_000 }
/** The longest that we wait because a receiver asks for it, in ms: so an entry has many attempts in its day. */
const maxRetryAfterMs = 3_600_000

/** The entries of one chain that wait. */
export type WaitingChain = Outbox["waiting"][number]

/** The outbox of a new webhook: it begins behind this entry. */
export function beginOutbox(cursor: number): Outbox {
  return { cursor, waiting: [], restUntil: 0, failedRuns: 0, lastFailure: null, off: null }
}

/** How many entries were taken up and not accepted yet. */
export function waitingIn({ waiting }: Pick<Outbox, "waiting">): number {
  return waiting.reduce((sum, { entries }) => sum + entries.length, 0)
}

/** An entry of the ledger that comes next. `wanted`: false if the webhook leaves its kind out. */
interface NextEntry {
  readonly number: number
  readonly chain: string
  readonly wanted: boolean
}

/** Takes up the next entries: each goes to the end of its chain. */
export function takeEntries(outbox: Outbox, next: readonly NextEntry[], now: number): Outbox {
  const chains = new Map(outbox.waiting.map((one) => [one.chain, one]))
  for (const { number, chain } of next.filter(({ wanted }) => wanted)) {
    const { entries = [], failures = 0, dueAt = now } = chains.get(chain) ?? {}
    chains.set(chain, { chain, entries: [...entries, { number, since: now }], failures, dueAt })
  }
  return { ...outbox, cursor: next.at(-1)?.number ?? outbox.cursor, waiting: [...chains.values()] }
}

/** The chains that may be tried now, whichever is due the longest first. */
export function dueIn({ waiting }: Outbox, now: number): readonly WaitingChain[] {
  return waiting.filter(({ dueAt }) => dueAt <= now).toSorted((one, other) => one.dueAt - other.dueAt)
}

/** What came of a chain: which entries are done (accepted, or gone from the ledger), and how the next one failed. */
export interface ChainResult {
  readonly chain: string
  readonly done: readonly number[]
  readonly accepted: number
  readonly failure: FailedDelivery | null
}

/** The outbox after a run, and who died. `address`: where it was sent. */
export function afterRun(
  outbox: Outbox,
  results: readonly ChainResult[],
  { now, random, address }: { readonly now: number; readonly random: () => number; readonly address: string },
): { readonly next: Outbox; readonly died: readonly DeadLetter[] } {
  const died: DeadLetter[] = []
  const byChain = new Map(results.map((one) => [one.chain, one]))
  const waiting = outbox.waiting.flatMap((chain) => {
    const result = byChain.get(chain.chain)
    if (result === undefined) return [chain]
    const entries = chain.entries.filter(({ number }) => !result.done.includes(number))
    const after = afterTry({ ...chain, entries }, result, { now, random })
    if (after.died !== null) died.push(after.died)
    return after.chain.entries.length === 0 ? [] : [after.chain]
  })
  const failures = results.flatMap(({ failure }) => failure ?? [])
  const anyAccepted = results.some(({ accepted }) => accepted > 0)
  const failedRuns = anyAccepted ? 0 : outbox.failedRuns + (failures.length > 0 ? 1 : 0)
  // If something was accepted, a wait that the receiver asks for is that of one chain.
  const rests =
    anyAccepted || failures.length === 0 ? [] : [waitMs(failedRuns, restWait, random), ...failures.map(askedIn)]
  const last = failures.map(whyIn).at(-1)
  const next = {
    ...outbox,
    waiting,
    failedRuns,
    restUntil: now + largest(0, rests),
    lastFailure: last === undefined ? outbox.lastFailure : { at: now, why: last },
    off: failures.some(({ kind }) => kind === "gone") ? { at: now, address } : outbox.off,
  }
  return { next, died }
}

/** A chain whose first entry may have failed: it waits longer, or the entry dies. A 410 lets nothing die. */
function afterTry(
  chain: WaitingChain,
  { failure, accepted, done }: ChainResult,
  { now, random }: { readonly now: number; readonly random: () => number },
): { readonly chain: WaitingChain; readonly died: DeadLetter | null } {
  const [first, ...rest] = chain.entries
  if (failure === null || first === undefined)
    return { chain: done.length === 0 ? chain : { ...chain, failures: 0, dueAt: now }, died: null }
  if (failure.kind === "gone") return { chain, died: null }
  const failures = (accepted > 0 ? 0 : chain.failures) + 1
  const { triedAt = now } = first
  if (now - triedAt < keepTryingMs) {
    const entries = [{ ...first, triedAt }, ...rest]
    const dueAt = now + Math.max(waitMs(failures, caseWait, random), askedIn(failure))
    return { chain: { ...chain, entries, failures, dueAt }, died: null }
  }
  const died = { number: first.number, chain: chain.chain, at: now, why: failure.why }
  return { chain: { ...chain, entries: rest, failures: 0, dueAt: now }, died }
}

/** For how long a receiver asks us to wait, as far as we do; 0 if it does not. */
function askedIn(failure: FailedDelivery): number {
  return failure.kind === "failed" ? Math.min(failure.retryAfterMs ?? 0, maxRetryAfterMs) : 0
}

/** Why an attempt failed, in words that follow "it". */
export function whyIn(failure: FailedDelivery): string {
  return failure.kind === "gone" ? "answered 410: it wants no more" : failure.why
}

/** Doubles from `first` to `longest`; a random part, up to a half, is taken off. */
function waitMs(
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
  random: () => number,
): number {
  return Math.round(Math.min(longest, first * 2 ** Math.min(failures - 1, 30)) * (1 - random() / 2))
}

/** The outbox on again: after a 410, everything that waits is due now, as if nothing had been tried. */
export function switchOn(outbox: Outbox, now: number): Outbox {
  const waiting = outbox.waiting.map((chain) => {
    const entries = chain.entries.map(({ number, since }) => ({ number, since }))
    return { ...chain, entries, failures: 0, dueAt: now }
  })
  return { ...outbox, waiting, off: null, restUntil: 0, failedRuns: 0 }
}

/** Makes dead letters wait again, each before what waits of its chain and comes later. */
export function revive(outbox: Outbox, letters: readonly DeadLetter[], now: number): Outbox {
  const chains = new Map(outbox.waiting.map((one) => [one.chain, one]))
  for (const { chain, number } of letters) {
    const { entries = [] } = chains.get(chain) ?? {}
    const all = [...entries, { number, since: now }].toSorted((one, other) => one.number - other.number)
    chains.set(chain, { chain, entries: all, failures: 0, dueAt: now })
  }
  return { ...outbox, waiting: [...chains.values()], restUntil: 0, failedRuns: 0 }
}

/** Sends everything from this entry on once more: what waits from there on is taken up anew. */
export function replayFrom(outbox: Outbox, from: number): Outbox {
  const waiting = outbox.waiting
    .map((chain) => ({ ...chain, entries: chain.entries.filter(({ number }) => number < from) }))
    .filter(({ entries }) => entries.length > 0)
  return { ...outbox, cursor: from - 1, waiting, restUntil: 0, failedRuns: 0 }
}
