// Lists cases by the indexes. No index has authority: we check every case that an index names.
import type { Case } from "../../domain/case/case.ts"
import type { CaseStore, ListQuery } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { partsOf } from "../redis/scan.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"

type Place = Pick<SealedPlace, "redis" | "keys">
type CaseLists = "openApprovals" | "about" | "sentBackIn" | "unfinished" | "deadlines" | "listOpen" | "listSettled"

/** We look at this many cases that were sent back in one session. */
const maxSentBack = 20

/** Makes the part of port `CaseStore` that lists. `readCase` reads a case. Calls throw `StoreError` without Redis. */
export function createCaseLists(place: Place, readCase: CaseStore["read"]): Pick<CaseStore, CaseLists> {
  const { redis, keys } = place
  const readAll = async (ids: readonly string[]): Promise<readonly Case[]> => {
    const cases = await Promise.all(ids.map(readCase))
    return cases.flatMap((one) => (one === null || "kind" in one ? [] : [one]))
  }
  const list = (key: string, { offset, limit }: ListQuery) =>
    attempt(`list the cases of ${key}`, async () => {
      const [ids, total] = await Promise.all([
        limit <= 0 ? [] : redis.zrevrange(key, offset, offset + limit - 1),
        redis.zcard(key),
      ])
      return { cases: await readAll(ids), total }
    })
  return {
    openApprovals: (instance) => openApprovals(place, instance),
    about: (instance, calls) => about(place, instance, calls),
    sentBackIn: (instance, session) => sentBackIn(place, instance, session),
    unfinished: (limit, turn = 0) => unfinished(place, limit, turn),
    deadlines: (limit) => deadlines(place, limit),
    listSettled: (query) => list(keys.settled, query),
    listOpen: async (query) => {
      if (query.beginning === undefined) {
        const { ids, total } = await attempt("list the open cases", () => openIn(place, query))
        return { cases: await readAll(ids), total }
      }
      const { ids, total } = await beginningWith(place, query.beginning, query)
      const cases = await readAll(ids)
      return { cases: cases.filter(({ state }) => state === "open" || state === "sending"), total }
    },
  }
}

/** Lists open cases: scores from 0 up are cases with cards, those below wait for admission (`case-indexes.ts`). */
async function openIn({ redis, keys }: Place, { offset, limit }: ListQuery) {
  const [admitted, total] = await Promise.all([redis.zcount(keys.list, 0, "+inf"), redis.zcard(keys.list)])
  const some = (min: number | string, max: string, from: number, count: number) =>
    count <= 0 ? [] : redis.zrangebyscore(keys.list, min, max, "LIMIT", from, count)
  const [first, others] = await Promise.all([
    some(0, "+inf", offset, Math.min(limit, admitted - offset)),
    some("-inf", "(0", Math.max(0, offset - admitted), limit - Math.max(0, admitted - offset)),
  ])
  return { ids: [...first, ...others], total }
}

async function* openApprovals({ redis, keys }: Place, instance: string): AsyncGenerator<readonly string[]> {
  const scan = (from: string) => redis.hscan(keys.known(instance), from, "COUNT", 1_000)
  for await (const pairs of partsOf("read open approvals", scan)) yield pairs.filter((_, index) => index % 2 === 0)
}

async function about({ redis, keys }: Place, instance: string, calls: readonly string[]) {
  const key = keys.calls(instance)
  const found = await attempt("read the cases about a call", () =>
    Promise.all(calls.map((call) => redis.zrange(key, `[${call}:`, `(${call};`, "BYLEX"))),
  )
  return [...new Set(found.flat().map(caseIdIn))]
}

async function sentBackIn({ redis, keys }: Place, instance: string, session: string) {
  const key = keys.sentBack(instance)
  const found = await attempt("read the cases that were sent back in a session", () =>
    redis.zrange(key, `[${session}:`, `(${session};`, "BYLEX", "LIMIT", 0, maxSentBack),
  )
  return found.map(caseIdIn)
}

/**
 * Lists cases whose id, or whose approval's id, begins with `beginning`. The cost does not grow with the number of
 * cases. The range ends at the byte 0xff, which is in no UTF-8 text.
 */
async function beginningWith({ redis, keys }: Place, beginning: string, { offset, limit }: ListQuery) {
  const from = Buffer.from(`[${beginning}`)
  const to = Buffer.concat([Buffer.from(`(${beginning}`), Buffer.of(0xff)])
  const [members, total] = await attempt("find cases by how their ids begin", () =>
    Promise.all([
      redis.zrange(keys.beginnings, from, to, "BYLEX", "LIMIT", offset, limit),
      redis.zlexcount(keys.beginnings, from, to),
    ]),
  )
  return { ids: [...new Set(members.map(caseIdIn))], total }
}

/** The case id at the end of an index's member. */
function caseIdIn(member: string): string {
  return member.slice(member.lastIndexOf(":") + 1)
}

async function unfinished({ redis, keys }: Place, limit: number, turn: number): Promise<readonly string[]> {
  if (limit <= 0) return []
  const total = await attempt("count unfinished cases", () => redis.zcard(keys.unfinished))
  const start = (turn * limit) % (Math.max(1, Math.ceil(total / limit)) * limit)
  return attempt("read unfinished cases", () => redis.zrange(keys.unfinished, String(start), String(start + limit - 1)))
}

async function deadlines({ redis, keys }: Place, limit: number): ReturnType<CaseStore["deadlines"]> {
  if (limit <= 0) return []
  const flat = await attempt("read deadlines", () => redis.zrange(keys.deadlines, "0", String(limit - 1), "WITHSCORES"))
  return flat.flatMap((caseId, index) => (index % 2 === 0 ? [{ caseId, at: Number(flat[index + 1]) }] : []))
}
