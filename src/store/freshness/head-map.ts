// The head table in Redis, for the next start: sealed parts by hash, and lists of parts. A checkpoint names a list.
import { z } from "zod"
import { sha256 } from "../../domain/content/canonical.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { attempt } from "../errors.ts"
import { pack } from "../redis/pack.ts"
import { openText, type SealedPlace } from "../redis/sealed-record.ts"
import type { Era } from "./era.ts"
import type { Head } from "./head.ts"
import { createHeadTable, type HeadPart, type HeadTable } from "./head-table.ts"

/** What the head map needs. */
export interface HeadMapOptions extends SealedPlace {
  /** The id of this replica. A new list of a replica replaces an old one. */
  readonly replica: string
  /** Epoch ms. */
  readonly clock: () => number
}

/** The tables of checkpoints. Throws `StoreError` if Redis does not answer. */
export interface HeadMap {
  /** Writes the table for a checkpoint: the table as it is when we begin its last parts. Returns the table's name. */
  write(now: () => { readonly table: HeadTable; readonly eras: readonly Era[] }): Promise<string>
  /** The table of that name; null unless all of it is still there, unchanged. */
  read(name: string): Promise<{ readonly table: HeadTable; readonly eras: readonly Era[] } | null>
}

const storedHead = z.tuple([
  z.string(),
  z.number(),
  z.string(),
  z.number(),
  z.enum(["open", "frozen", "vanished"]),
  z.array(z.string()),
])
const storedPart = z.object({ heads: z.array(storedHead) })
const storedEra = z.object({
  id: z.number(),
  number: z.number(),
  chains: z.array(z.string()).nullable(),
  accepts: z.boolean(),
  config: z.array(z.string()).nullable().default(null),
})
const storedList = z.object({
  at: z.number(),
  eras: z.array(storedEra),
  parts: z.array(z.tuple([z.string(), z.string()])),
})

/** How many parts are written at once; other work has its turn in between. */
const partsAtOnce = 100
/** How long the lists of ended replicas are kept, in ms: a day. A start may find no newer list. */
const keptMs = 86_400_000
/** Each time this many lists are written, parts that no list names are removed. */
const clearedEvery = 50

/** Makes the head map of a replica. */
export function createHeadMap(options: HeadMapOptions): HeadMap {
  const { redis, keys, seal, replica, clock } = options
  let written = 0
  const put = (id: string, part: HeadPart): [string, Buffer] => {
    const json = partText(part)
    part.name = partNameOf(id, json)
    return [part.name, seal.encrypt("heads", pack(json), part.name)]
  }
  const dirty = (table: HeadTable) => [...table.parts].filter(([, { name }]) => name === null)
  return {
    write: async (now) => {
      for (let left = dirty(now().table); left.length > partsAtOnce; left = dirty(now().table)) {
        const sealed = left.slice(0, partsAtOnce).map(([id, part]) => put(id, part))
        await attempt("keep the heads of the ledger", () => redis.hset(keys.heads, new Map(sealed)))
      }
      const { table, eras } = now()
      const sealed = dirty(table).map(([id, part]) => put(id, part))
      const list = listText({ table, eras, at: clock() })
      const name = partNameOf("list", list)
      const field = `${replica}.${written % 2}`
      const batch = redis.multi()
      if (sealed.length > 0) batch.hset(keys.heads, new Map(sealed))
      batch.hset(keys.headLists, field, seal.encrypt("heads", pack(list), field))
      await attempt("keep the heads of the ledger", () => batch.exec())
      written += 1
      if (written % clearedEvery === 1) await clear(options)
      return name
    },
    read: (name) => readTable(options, name),
  }
}

function partNameOf(id: string, text: string): string {
  return `${id}.${sha256(text).slice(0, 32)}`
}

function partText(part: HeadPart): string {
  const rows = [...part.rows()].map(([chain, { count, mac, era, state, voted }]) => [
    chain,
    count,
    mac,
    era,
    state,
    voted,
  ])
  return JSON.stringify({ heads: rows })
}

function listText({
  table,
  eras,
  at,
}: {
  readonly table: HeadTable
  readonly eras: readonly Era[]
  readonly at: number
}): string {
  const parts = [...table.parts].map(([id, { name }]) => [id, name])
  const told = eras.map(({ chains, ...era }) => ({ ...era, chains: chains === null ? null : [...chains] }))
  return JSON.stringify({ at, eras: told, parts })
}

/** All lists, each with its name. */
async function listsOf({ redis, keys, seal }: HeadMapOptions) {
  const all = await attempt("read the lists of heads", () => redis.hgetallBuffer(keys.headLists))
  return Object.entries(all).flatMap(([field, sealed]) => {
    const value = openText(seal, { purpose: "heads", context: field, sealed })
    const read = storedList.safeParse(value)
    return value !== "tampered" && read.success
      ? [{ field, name: partNameOf("list", JSON.stringify(value)), list: read.data }]
      : []
  })
}

async function readTable(options: HeadMapOptions, name: string) {
  const { redis, keys, seal } = options
  const found = (await listsOf(options)).find((one) => one.name === name)
  if (found === undefined) return null
  const parts: [string, string, [string, Head][]][] = []
  for (let at = 0; at < found.list.parts.length; at += 500) {
    const page = found.list.parts.slice(at, at + 500)
    const sealed = await attempt("read the heads", () => redis.hmgetBuffer(keys.heads, ...page.map(([, part]) => part)))
    for (const [index, [id, partName]] of page.entries()) {
      const heads = openPart(seal, sealed[index] ?? null, { id, name: partName })
      if (heads === null) return null
      parts.push([id, partName, heads])
    }
  }
  const eras = found.list.eras.map(({ chains, ...era }) => ({
    ...era,
    chains: chains === null ? null : new Set(chains),
  }))
  return { table: createHeadTable(parts), eras }
}

function openPart(
  seal: Seal,
  sealed: Buffer | null,
  { id, name }: { readonly id: string; readonly name: string },
): [string, Head][] | null {
  const value = sealed === null ? "tampered" : openText(seal, { purpose: "heads", context: name, sealed })
  const read = storedPart.safeParse(value)
  if (value === "tampered" || !read.success || partNameOf(id, JSON.stringify(value)) !== name) return null
  return read.data.heads.map(([chain, count, mac, era, state, voted]) => [chain, { count, mac, era, state, voted }])
}

/** Removes old lists, and parts that no other list names. */
async function clear(options: HeadMapOptions): Promise<void> {
  const { redis, keys, clock } = options
  // We read the parts first, so they do not include what another replica writes meanwhile.
  const parts = await attempt("read the names of heads", () => redis.hkeys(keys.heads))
  const lists = await listsOf(options)
  const old = lists.filter(({ list }) => clock() - list.at > keptMs).map(({ field }) => field)
  const named = new Set(
    lists.filter(({ field }) => !old.includes(field)).flatMap(({ list }) => list.parts.map(([, part]) => part)),
  )
  const unnamed = parts.filter((part) => !named.has(part))
  if (old.length > 0) await attempt("remove old heads", () => redis.hdel(keys.headLists, ...old))
  for (let at = 0; at < unnamed.length; at += 500)
    await attempt("remove old heads", () => redis.hdel(keys.heads, ...unnamed.slice(at, at + 500)))
}
