// The ledger, read: pages of entries in the order of their sequence numbers.
import { attempt } from "../errors.ts"
import { caseOfChain, type Keys } from "../redis/keys.ts"
import type { RedisClient } from "../redis/owner.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { numbersField } from "./commit-script.ts"
import type { SealedEntry } from "./entry.ts"
import { entryOf } from "./entry-form.ts"

/** An entry with its place in the stream. */
export interface NumberedEntry extends SealedEntry {
  /** Installation-wide sequence number, from 1; null if the id does not have our form. */
  readonly number: number | null
  /** The id in the stream. */
  readonly id: string
  /** True if the stream's entry holds only body and MAC, as we write them; else both are empty. */
  readonly whole: boolean
}

/** Reads the entries after a sequence number, page by page, to the present end. Throws `StoreError`. */
export async function* readLedger(
  redis: RedisClient,
  keys: Keys,
  options: { readonly after: string; readonly pageSize: number },
): AsyncGenerator<readonly NumberedEntry[]> {
  let after = options.after
  for (;;) {
    const start = `(${after}`
    const page = await attempt("read the ledger", () =>
      redis.xrangeBuffer(keys.ledger, start, "+", "COUNT", options.pageSize),
    )
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map((found) => numberedOf(...found))
    after = last[0].toString()
  }
}

/** One entry by its sequence number, or null. Throws `StoreError`. */
export async function readEntry(redis: RedisClient, keys: Keys, number: string): Promise<SealedEntry | null> {
  const id = `${number}-0`
  const [found] = await attempt("read a ledger entry", () => redis.xrangeBuffer(keys.ledger, id, id))
  return found === undefined ? null : numberedOf(...found)
}

/** The sequence numbers of a chain. A case has them in its record, other chains in a list. Throws `StoreError`. */
export async function readChain({ redis, keys }: Pick<SealedPlace, "redis" | "keys">, chain: string) {
  const caseId = caseOfChain(chain)
  if (caseId === null) return attempt(`read chain ${chain}`, () => redis.lrange(keys.chain(chain), 0, -1))
  const inside = await attempt(`read chain ${chain}`, () => redis.hget(keys.case(caseId), numbersField))
  return inside?.split(" ") ?? []
}

/** Entries by their sequence numbers, in that order. Leaves out entries that are not there. Throws `StoreError`. */
export async function readEntries(
  redis: RedisClient,
  keys: Keys,
  numbers: readonly string[],
): Promise<readonly NumberedEntry[]> {
  const found = await attempt("read ledger entries", () =>
    Promise.all(numbers.map((number) => redis.xrangeBuffer(keys.ledger, `${number}-0`, `${number}-0`))),
  )
  return found.flatMap(([entry]) => (entry === undefined ? [] : [numberedOf(...entry)]))
}

/** An entry of the stream, with the place that its id tells. */
export function numberedOf(streamId: Buffer, fields: readonly Buffer[]): NumberedEntry {
  const id = streamId.toString()
  const number = /^([1-9]\d*)-0$/.exec(id)?.[1]
  const entry = entryOf(fields)
  return {
    id,
    number: number === undefined ? null : Number(number),
    ...(entry ?? { body: "", mac: "" }),
    whole: entry !== null,
  }
}

/** The last sequence number; NaN if it is no number. Throws `StoreError`. */
export async function readSequence(redis: RedisClient, keys: Keys): Promise<number> {
  const text = await attempt("read the sequence", () => redis.get(keys.sequence))
  return /^\d+$/.test(text ?? "0") ? Number(text ?? "0") : Number.NaN
}
