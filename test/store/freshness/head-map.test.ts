// The tables of heads in Redis: what a start reads is what a checkpoint named, whole, or nothing (R17).

import { expect, test } from "vitest"
import type { Head } from "../../../src/store/freshness/head.ts"
import { createHeadMap, type HeadMap } from "../../../src/store/freshness/head-map.ts"
import { createHeadTable, type HeadTable } from "../../../src/store/freshness/head-table.ts"
import type { RedisClient } from "../../../src/store/redis/owner.ts"
import { noon, type OpenStore, openStore } from "../support.ts"

const day = 86_400_000
const eras = [
  { id: 1, number: 4, chains: new Set(["case:a"]), accepts: false, config: ["m"] },
  { id: 2, number: 9, chains: null, accepts: true, config: null },
]

function aHead(count: number): Head {
  return { count, mac: `mac ${count}`, era: 1, state: "open", voted: ["press"] }
}

/** A table with so many cases, each in a part of its own. */
function aTable(cases: number): HeadTable {
  const table = createHeadTable()
  table.set("config", aHead(1))
  for (let one = 0; one < cases; one += 1) table.set(`case:${String(one).padStart(3, "0")}`, aHead(one + 1))
  return table
}

function headsOf(table: HeadTable | undefined): unknown {
  return table === undefined ? null : Object.fromEntries([...table.chains()].map((chain) => [chain, table.get(chain)]))
}

/** The tables of a replica, on a clock that is moved by hand. */
function mapOf({ connection, store, seal }: OpenStore, replica: string, redis: RedisClient = connection.commands) {
  let ahead = 0
  const map = createHeadMap({ redis, keys: store.keys, seal, replica, clock: () => noon + ahead })
  return {
    ...map,
    forward: (ms: number) => {
      ahead += ms
    },
  }
}

/** Writes so many tables, each with a config of its own. */
async function writeTables(map: HeadMap, table: HeadTable, count: number): Promise<readonly string[]> {
  const names: string[] = []
  for (let one = 0; one < count; one += 1) {
    table.set("config", aHead(1_000 + one))
    names.push(await map.write(() => ({ table, eras })))
  }
  return names
}

test.each([0, 3, 250])("a table of %s cases is read as it was written, and by another replica", async (cases) => {
  const open = await openStore()
  const table = aTable(cases)

  const name = await mapOf(open, "one").write(() => ({ table, eras }))
  const read = await mapOf(open, "two").read(name)

  expect(headsOf(read?.table)).toEqual(headsOf(table))
  expect(read?.eras).toEqual(eras)
})

test("only parts that changed are written again, and what was read counts as written", async () => {
  const open = await openStore()
  const map = mapOf(open, "one")
  const name = await map.write(() => ({ table: aTable(20), eras }))
  const table = (await map.read(name))?.table ?? aTable(0)
  const redis = open.connection.commands
  await redis.del(open.store.keys.heads)

  table.set("case:003", aHead(99))
  table.set("case:004", null)
  await map.write(() => ({ table, eras }))

  expect(await redis.hlen(open.store.keys.heads)).toBe(1)
})

test("a replica's last two tables are there, whatever others write, and older ones are not", async () => {
  const open = await openStore()
  const map = mapOf(open, "one")

  const names = await writeTables(map, aTable(3), 3)
  await writeTables(mapOf(open, "two"), aTable(3), 4)

  const read = await Promise.all(names.map(async (name) => (await map.read(name)) !== null))
  expect(read).toEqual([false, true, true])
})

test.each([
  [
    "a part that is gone",
    (open: OpenStore, part: string) => open.connection.commands.hdel(open.store.keys.heads, part),
  ],
  [
    "a part that another wrote",
    (open: OpenStore, part: string) => open.connection.commands.hset(open.store.keys.heads, part, "x".repeat(60)),
  ],
  [
    "a part that is another's",
    async ({ connection, store }: OpenStore, part: string) => {
      const parts = Object.entries(await connection.commands.hgetallBuffer(store.keys.heads))
      const other = parts.find(([name]) => name !== part)?.[1] ?? ""
      await connection.commands.hset(store.keys.heads, part, other)
    },
  ],
  [
    "a list that another wrote",
    (open: OpenStore) => open.connection.commands.hset(open.store.keys.headLists, "one.0", "x".repeat(60)),
  ],
])("R14 a table with %s is none", async (_, spoil) => {
  const open = await openStore()
  const map = mapOf(open, "one")
  const name = await map.write(() => ({ table: aTable(3), eras }))
  const parts = await open.connection.commands.hkeys(open.store.keys.heads)

  await spoil(open, parts[0] ?? "")

  expect(await map.read(name)).toBeNull()
})

test("a name that nobody gave is no table", async () => {
  const open = await openStore()

  expect(await mapOf(open, "one").read("list.0")).toBeNull()
})

test("what no list names is cleared away, and so are lists of replicas that ended a day ago", async () => {
  const open = await openStore()
  const { heads, headLists } = open.store.keys
  const redis = open.connection.commands
  const [ended] = await writeTables(mapOf(open, "ended"), aTable(3), 1)
  const map = mapOf(open, "one")
  const table = aTable(3)

  await writeTables(map, table, 40)
  expect(await map.read(ended ?? "")).not.toBeNull()
  map.forward(day + 1)
  const names = await writeTables(map, table, 11)

  expect(await redis.hkeys(headLists)).toEqual(expect.not.arrayContaining(["ended.0"]))
  // The parts of three cases, and two configs.
  expect(await redis.hlen(heads)).toBe(5)
  expect(headsOf((await map.read(names.at(-1) ?? ""))?.table)).toEqual(headsOf(table))
})

test.each(["hkeys", "hgetallBuffer"])(
  "a table that another writes before %s of a clearing stays whole",
  async (when) => {
    const open = await openStore()
    const commands = open.connection.commands
    const names: string[] = []
    const redis = new Proxy(commands, {
      get: (target, command) => {
        const value: unknown = Reflect.get(target, command)
        if (command !== when || typeof value !== "function") return value
        return async (...given: readonly unknown[]) => {
          if (names.length === 0) names.push(...(await writeTables(mapOf(open, "two"), aTable(3), 1)))
          return Reflect.apply(value, target, given)
        }
      },
    })

    // The first list of a process clears.
    await writeTables(mapOf(open, "one", redis), aTable(0), 1)

    expect(await mapOf(open, "three").read(names[0] ?? "")).not.toBeNull()
  },
)
