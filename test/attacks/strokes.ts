// Carries out the strokes of the random attacker, by what lies in Redis at that moment.
import type { Attacker, Photo } from "./attacker.ts"
import type { Stroke, StrokeKind } from "./schedule.ts"
import { strikeTalk } from "./strokes-talk.ts"

/** All that the attacker has to work with. */
export interface Loot {
  readonly attacker: Attacker
  /** All of Redis at earlier moments. */
  readonly album: readonly Photo[]
  /** Tickets by their ids, sealed, as they were while they waited. */
  readonly tickets: ReadonlyMap<string, Buffer>
  /** The approvals, each with its case; numbered in words. */
  readonly asked: readonly { readonly id: string; readonly caseId: string }[]
  /**
   * Posts the body of a verdict that was ended, as anybody may who may write to the platform; false if there is none.
   */
  readonly postEnded: (die: number) => Promise<boolean>
}

/** Strikes. False if there is nothing (yet) that it could be done to. */
export async function strike(loot: Loot, { kind, dice }: Stroke): Promise<boolean> {
  const { attacker, album, tickets, asked } = loot
  const { keys } = attacker
  const [first, second, third] = dice
  const now = labelled(loot, await attacker.named())
  const photo = photoOf(album, first)
  const one = pick(asked, second)
  switch (kind) {
    case "put back a key": {
      const key = photo === undefined ? undefined : ofKind(labelled(loot, [...photo.keys()]), second, third)
      return photo !== undefined && key !== undefined && putBack(attacker, photo, [key])
    }
    case "delete a key": {
      const key = ofKind(now, first, second)
      return key !== undefined && done(attacker.remove(key))
    }
    case "swap two keys": {
      const [key, other] = twoOfAKind(now, dice)
      return key !== undefined && other !== undefined && done(attacker.swap(key, other))
    }
    case "copy a key": {
      const [key, other] = twoOfAKind(now, dice)
      return key !== undefined && other !== undefined && done(attacker.copy(key, other))
    }
    case "reorder a list": {
      const list = pick(
        now.filter((key) => kindOf(keys.tag, key) === "chain"),
        first,
      )
      if (list === undefined) return false
      const length = await attacker.redis.llen(list)
      return done(
        second % 2 === 0 ? attacker.reverse(list) : attacker.trim(list, Math.max(0, length - 1 - (third % 3))),
      )
    }
    case "put back a case": {
      if (one === undefined || photo === undefined) return false
      await putBack(attacker, photo, caseKeys(attacker, one))
      return poke(loot, third)
    }
    case "put back a field": {
      if (one === undefined || photo === undefined) return false
      return putBackField(attacker, photo, {
        key: keys.case(one.caseId),
        field: third % 2 === 0 ? "sealed" : "version",
      })
    }
    case "put back the records": {
      if (photo === undefined) return false
      const records = [...new Set([...now, ...photo.keys()])].filter((key) => !isOfQueue(keys.tag, key))
      return putBack(attacker, photo, records)
    }
    case "roll all back":
      return photo !== undefined && done(attacker.rollBack(photo))
    case "delete a case": {
      if (one === undefined) return false
      await attacker.remove(...caseKeys(attacker, one))
      return done(attacker.dropField(keys.known("main"), one.id))
    }
    case "put back the config":
      return (
        photo !== undefined &&
        putBack(attacker, photo, second % 2 === 0 ? [keys.config] : [keys.config, keys.chain("config")])
      )
    case "delete the config":
      return done(attacker.remove(...(first % 2 === 0 ? [keys.config] : [keys.config, keys.chain("config")])))
    case "replay the config's entries":
      return replayEntry(attacker, first)
    case "forge the orders":
      if (third % 4 === 0) return done(attacker.setField(keys.config, "token", `9.${"A".repeat(43)}`))
      return (
        photo !== undefined &&
        putBackField(attacker, photo, { key: keys.config, field: pick(["sealed", "token", "version"], second) ?? "" })
      )
    case "delete the links": {
      const links = linkKeys(now)
      return links.length > 0 && done(attacker.remove(...links))
    }
    case "put back the links": {
      const links = linkKeys([...new Set([...now, ...(photo?.keys() ?? [])])])
      return photo !== undefined && links.length > 0 && putBack(attacker, photo, links)
    }
    case "thaw cases":
      await Promise.all(asked.map(({ caseId }) => attacker.redis.hdel(keys.case(caseId), "frozen")))
      return asked.length > 0
    case "cut the end":
      return done(attacker.cutEnd(1 + (first % 5)))
    case "queue a ticket again": {
      const ticket = pick([...tickets], first)
      const consumed = now.filter((key) => kindOf(keys.tag, key) === "interaction")
      if (ticket === undefined) return false
      if (consumed.length > 0) await attacker.remove(...consumed)
      return done(attacker.fireAgain(...ticket))
    }
    case "queue a job again":
      return photo !== undefined && queueJob(attacker, photo, second)
    case "post an ended verdict":
      return loot.postEnded(first)
    case "put back the sums": {
      const sums = sumKeys([...new Set([...now, ...(photo?.keys() ?? [])])])
      return (
        photo !== undefined && sums.length > 0 && putBack(attacker, photo, second % 2 === 0 ? sums : recordsOf(sums))
      )
    }
    case "delete the sums": {
      const sums = sumKeys(now)
      return sums.length > 0 && done(attacker.remove(...(second % 2 === 0 ? sums : recordsOf(sums))))
    }
    case "put back the fingerprints": {
      const prints = printKeys([...new Set([...now, ...(photo?.keys() ?? [])])])
      const some = second % 2 === 0 ? prints : recordsOf(prints)
      return photo !== undefined && prints.length > 0 && putBack(attacker, photo, some)
    }
    case "delete the fingerprints": {
      const prints = printKeys(now)
      return prints.length > 0 && done(attacker.remove(...(second % 2 === 0 ? prints : recordsOf(prints))))
    }
    case "delete the indexes":
    case "point the indexes elsewhere":
    case "put back a memory":
    case "copy a case":
      return strikeTalk({ attacker, photo, cases: asked.map(({ caseId }) => caseId) }, kind, dice)
  }
}

/**
 * True for a stroke that may bring the ledger back as it was, with all that goes with it: nothing in Redis contradicts
 * that.
 */
export function bringsBackAll(kind: StrokeKind): boolean {
  return kind === "roll all back" || kind === "put back the records"
}

/** Does something for certain. */
async function done(act: Promise<void>): Promise<true> {
  await act
  return true
}

function pick<T>(from: readonly T[], die: number): T | undefined {
  return from[die % Math.max(1, from.length)]
}

/** Half of the time one of the latest but one: it holds what was taken back since. */
function photoOf(album: readonly Photo[], die: number): Photo | undefined {
  return die % 2 === 0 ? pick(album, die >> 1) : pick(album.slice(-4, -1), die >> 1)
}

function putBack(attacker: Attacker, photo: Photo, keys: readonly string[]): Promise<true> {
  return done(attacker.putBack(new Map(keys.map((key) => [key, photo.get(key) ?? null]))))
}

/** The first word of a key's name, such as `case`. */
function kindOf(tag: string, key: string): string {
  return key.slice(tag.length + 1).split(":")[0] ?? ""
}

function isOfQueue(tag: string, key: string): boolean {
  return kindOf(tag, key) === "queue"
}

/** Keys in an order that does not depend on the ids in them, as far as these are of cases and approvals. */
function labelled({ asked }: Loot, keys: readonly string[]): readonly string[] {
  const label = (key: string) =>
    asked.reduce(
      (text, { id, caseId }, at) => text.replaceAll(caseId, `case ${at}`).replaceAll(id, `approval ${at}`),
      key,
    )
  return keys
    .map((key) => [label(key), key] as const)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([, key]) => key)
}

/** First a kind, then a key of it: else most keys would be the queue's. */
function ofKind(keys: readonly string[], kindDie: number, die: number): string | undefined {
  const kinds = Object.values(Object.groupBy(keys, (key) => key.split(":")[2] ?? ""))
  return pick(pick(kinds, kindDie) ?? [], die)
}

function twoOfAKind(keys: readonly string[], dice: Stroke["dice"]): readonly [string | undefined, string | undefined] {
  const kinds = Object.values(Object.groupBy(keys, (key) => key.split(":")[2] ?? "")).filter(
    (all = []) => all.length > 1,
  )
  const kind = pick(kinds, dice[0]) ?? []
  const key = pick(kind, dice[1])
  return [
    key,
    pick(
      kind.filter((other) => other !== key),
      dice[2],
    ),
  ]
}

function caseKeys({ keys }: Attacker, { caseId }: { readonly caseId: string }): readonly string[] {
  return [keys.case(caseId), keys.chain(`case:${caseId}`)]
}

function linkKeys(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => /^\{[^}]+\}:(?:chain:)?link:/.test(key))
}

function sumKeys(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => /^\{[^}]+\}:(?:chain:)?sum:/.test(key))
}

function printKeys(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => /^\{[^}]+\}:(?:chain:)?fingerprint:/.test(key))
}

/** Without the lists of their chains. */
function recordsOf(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !key.includes(":chain:"))
}

/** Half of the time the next poll is made to have all cases compared. */
async function poke({ attacker, asked }: Loot, die: number): Promise<true> {
  if (die % 2 === 0) for (const { id } of asked) await attacker.setField(attacker.keys.known("main"), id, "x")
  return true
}

/** A field of a record as it was: read by way of a key that nobody looks at. */
async function putBackField(
  attacker: Attacker,
  photo: Photo,
  { key, field }: { readonly key: string; readonly field: string },
): Promise<boolean> {
  const held = photo.get(key)
  if (held == null) return false
  const aside = `aside:${key}`
  await attacker.redis.restore(aside, 0, held.dump, "REPLACE")
  const value = await attacker.redis.hgetBuffer(aside, field)
  await attacker.redis.del(aside)
  return value !== null && done(attacker.setField(key, field, value))
}

/** An entry about the config once more, at the ledger's end, as if what it tells had just happened. */
async function replayEntry(attacker: Attacker, die: number): Promise<boolean> {
  const { keys, redis } = attacker
  const own = pick(await redis.lrange(keys.chain("config"), 0, -1), die)
  const [entry] = own === undefined ? [] : await redis.xrangeBuffer(keys.ledger, `${own}-0`, `${own}-0`)
  return entry !== undefined && done(attacker.append(entry[1], keys.chain("config")))
}

/** A job about a case, or of the clocks. */
async function queueJob(attacker: Attacker, photo: Photo, die: number): Promise<boolean> {
  // What ended while the photo was taken is not on it.
  const jobs = [...photo].flatMap(([key, held]) =>
    held !== null && /:queue:(?:present|resolve|resume|reconcile|remind|summarise):\d+$/.test(key) ? [key] : [],
  )
  const job = pick(jobs, die)
  if (job === undefined) return false
  const [queue = "", id = ""] = job.slice(attacker.keys.queue.length + 1).split(":")
  return done(attacker.queueAgain(queue, id, photo))
}
