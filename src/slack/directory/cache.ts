// A small memory of Slack's recent answers: one request in flight per key, and no answer older than the reader allows.
import type { Json } from "../../domain/content/json.ts"
import { isPortError, type SharedAnswers } from "../../flow/ports.ts"

/** Remembers what `read` gave. */
export interface Cache<T> {
  /**
   * The value, if it was read at most `maxAgeMs` ago; else reads it. A failed read throws for all who wait, and is not
   * remembered.
   */
  get(key: string, maxAgeMs: number, ease?: Ease): Promise<T>
}

/** What a reader puts up with. */
export interface Ease {
  /** If a read fails for now, the reader accepts a value that was read at most this long ago, in ms. Default: none. */
  readonly atWorstMs?: number
  /** Nobody waits for the value. So the read leaves its place to others, and may fail for that. No reader joins it. */
  readonly spare?: true
}

/** How replicas share a value: where, and how to read it there. `parse` gives null for anything else. */
export interface Sharing<T> {
  readonly answers: SharedAnswers
  /** The name of a key in that place. */
  readonly nameOf: (key: string) => string
  readonly write: (value: T) => Json
  readonly parse: (value: Json) => T | null
}

interface CacheOptions<T> {
  /** `at` is the moment when this read starts (epoch ms). */
  readonly read: (key: string, at: number, spare?: true) => Promise<T>
  readonly clock: () => number
  /** How many keys are held. The oldest leaves first. */
  readonly size: number
  /** Default: each process asks by itself. */
  readonly shared?: Sharing<T> | undefined
}

/** An answer, and when it was asked for (epoch ms). */
interface Dated<T> {
  readonly at: number
  readonly value: T
}

/** Makes a cache. */
export function createCache<T>({ read, clock, size, shared }: CacheOptions<T>): Cache<T> {
  const asked = createBoundedMap<Dated<Promise<Dated<T>>>>(size)
  const known = createBoundedMap<Dated<T>>(size)
  const ask = async (key: string, at: number, maxAgeMs: number, spare?: true): Promise<Dated<T>> => {
    const theirs = shared === undefined ? null : await readShared(shared, key)
    if (theirs !== null && isFresh(theirs, at, maxAgeMs)) return theirs
    if (theirs !== null && theirs.at > (known.get(key)?.at ?? 0)) known.put(key, theirs)
    const own = { at, value: await read(key, at, spare) }
    if (shared !== undefined) await shared.answers.keep(shared.nameOf(key), { at, value: shared.write(own.value) })
    return own
  }
  const start = (key: string, at: number, maxAgeMs: number, spare?: true): Promise<Dated<T>> => {
    const value = ask(key, at, maxAgeMs, spare)
    const entry = spare === true ? undefined : asked.put(key, { at, value })
    const settled = (answer: Dated<T> | null) => {
      if (answer !== null) known.put(key, answer)
      // From here on the entry is as old as the answer.
      if (entry !== undefined && asked.get(key) === entry) asked.drop(key)
    }
    value.then(settled, () => settled(null))
    return value
  }
  return {
    get: async (key, maxAgeMs, { atWorstMs = maxAgeMs, spare } = {}) => {
      const now = clock()
      const last = known.get(key)
      if (last !== undefined && isFresh(last, now, maxAgeMs)) return last.value
      const underWay = asked.get(key)
      const answering =
        underWay !== undefined && isFresh(underWay, now, maxAgeMs) ? underWay.value : start(key, now, maxAgeMs, spare)
      try {
        const answer = await answering
        // Whoever began the read may have accepted an older answer of another replica.
        return (isFresh(answer, now, maxAgeMs) ? answer : await start(key, now, maxAgeMs, spare)).value
      } catch (error) {
        const before = known.get(key)
        if (before === undefined || !isFresh(before, now, atWorstMs) || !mayPass(error)) throw error
        return before.value
      }
    },
  }
}

function isFresh({ at }: { readonly at: number }, now: number, maxAgeMs: number): boolean {
  return at <= now && now - at <= maxAgeMs
}

function mayPass(error: unknown): boolean {
  return isPortError(error) && error.retryable
}

async function readShared<T>({ answers, nameOf, parse }: Sharing<T>, key: string): Promise<Dated<T> | null> {
  const found = await answers.read(nameOf(key))
  const value = found === null ? null : parse(found.value)
  return found === null || value === null ? null : { at: found.at, value }
}

/** A map of limited size; the oldest entry goes first. */
function createBoundedMap<V>(size: number) {
  const entries = new Map<string, V>()
  return {
    get: (key: string) => entries.get(key),
    drop: (key: string) => entries.delete(key),
    put: (key: string, value: V): V => {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > size && oldest !== undefined) entries.delete(oldest)
      return value
    },
  }
}
