// Reads cases and ledger for those who only look (port `Reading`).
import type { JsonObject } from "../../domain/content/json.ts"
import type { CasePlace, ListedCase, Reading, ShownEntry } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { type Entry, openEntry } from "../ledger/entry.ts"
import { readErasable } from "../ledger/erasable-record.ts"
import { type NumberedEntry, readChain, readEntries, readLedger } from "../ledger/read-ledger.ts"
import { readReceipt } from "../ledger/receipts.ts"
import { chainOf } from "../redis/keys.ts"
import { type BoundedOptions, readBoundedCase } from "./bounded-case.ts"

/** Makes the reading of an installation. */
export function createReading(options: BoundedOptions): Reading {
  return {
    cases: (ask) => listed(options, ask),
    case: (caseId) => readBoundedCase(options, caseId),
    entriesOf: (caseId, ask) => entriesOf(options, caseId, ask),
    ledger: (ask) => ledger(options, ask),
    receipt: (decisionId) => readReceipt(options, decisionId),
    waiting: () => waiting(options),
  }
}

/** Lists cases. Leaves out cases without a record, and reads on until a page is full. */
async function listed(options: BoundedOptions, ask: Parameters<Reading["cases"]>[0]): Promise<readonly ListedCase[]> {
  const found: ListedCase[] = []
  let after = ask.after
  while (found.length < ask.limit) {
    const places = await placesAfter(options, { ...ask, after })
    const read = await Promise.all(places.map(({ caseId }) => readBoundedCase(options, caseId)))
    for (const [at, place] of places.entries()) {
      const one = read[at] ?? null
      if (one !== null) found.push({ place, found: one })
    }
    after = places.at(-1) ?? after
    if (places.length < ask.limit) break
  }
  return found.slice(0, ask.limit)
}

/** The next places of a list. Cases of one moment stand in the reverse order of their ids, as Redis sorts them. */
async function placesAfter(
  { redis, keys }: BoundedOptions,
  { after, until, limit }: Parameters<Reading["cases"]>[0],
): Promise<readonly CasePlace[]> {
  const top = Math.min(after?.openedAt ?? Number.POSITIVE_INFINITY, until ?? Number.POSITIVE_INFINITY)
  const from = top === Number.POSITIVE_INFINITY ? "+inf" : top
  const found: CasePlace[] = []
  for (let offset = 0; found.length < limit; offset += limit) {
    const reply = await attempt("list the cases", () =>
      redis.zrevrangebyscore(keys.cases, from, "-inf", "WITHSCORES", "LIMIT", offset, limit),
    )
    const places = pairsOf(reply)
    for (const one of places.filter((place) => after === null || isAfter(place, after))) found.push(one)
    if (places.length < limit) break
  }
  return found.slice(0, limit)
}

function isAfter(place: CasePlace, after: CasePlace): boolean {
  return place.openedAt < after.openedAt || (place.openedAt === after.openedAt && place.caseId < after.caseId)
}

/** Members with their scores. In Redis' reply each member stands before its score. */
function pairsOf(reply: readonly string[]): readonly CasePlace[] {
  return reply.flatMap((caseId, index) => (index % 2 === 0 ? [{ caseId, openedAt: Number(reply[index + 1]) }] : []))
}

type EntryPage = Parameters<Reading["ledger"]>[0]

async function entriesOf(options: BoundedOptions, caseId: string, { after, limit }: EntryPage) {
  const { redis, keys } = options
  const numbers = await readChain(options, chainOf.case(caseId))
  return shown(options, await readEntries(redis, keys, numbers.slice(after, after + limit)))
}

async function ledger(options: BoundedOptions, { after, limit }: EntryPage): ReturnType<Reading["ledger"]> {
  const { redis, keys } = options
  for await (const page of readLedger(redis, keys, { after: `${after}-0`, pageSize: limit }))
    return shown(options, page)
  return []
}

async function shown(options: BoundedOptions, entries: readonly NumberedEntry[]): Promise<readonly ShownEntry[]> {
  const all = await Promise.all(entries.map((entry) => shownOne(options, entry)))
  return all.filter((entry) => entry !== null)
}

async function shownOne(options: BoundedOptions, read: NumberedEntry): Promise<ShownEntry | null> {
  const { number, body, mac, whole } = read
  if (number === null) return null
  const entry = whole ? openEntry(options.seal, { body, mac }) : null
  if (entry === null) return { number, mac, said: null }
  const { chain, n, sandbox, event } = entry
  const beside = await erasableText(options, entry)
  const text = beside === null ? "gone" : typeof event["erasable"] === "string" ? "kept" : null
  return { number, mac, said: { chain, n, sandbox, event: { ...event, ...beside }, text } }
}

/** The texts and names beside an entry; null if they were erased, or are not those that the entry names. */
async function erasableText(options: BoundedOptions, { chain, event }: Entry): Promise<JsonObject | null> {
  const { erasable: hash } = event
  if (typeof hash !== "string") return {}
  const read = await readErasable(options, { chain, hash })
  return read.kind === "kept" ? read.text : null
}

async function waiting({ redis, keys }: BoundedOptions): ReturnType<Reading["waiting"]> {
  return await attempt("count what waits", async () => {
    const [pending, unfinished, [, oldest]] = await Promise.all([
      redis.zcard(keys.list),
      redis.zcard(keys.unfinished),
      redis.zrange(keys.list, "0", "0", "WITHSCORES"),
    ])
    return { pending, unfinished, oldestAt: oldest === undefined ? null : Number(oldest) }
  })
}
