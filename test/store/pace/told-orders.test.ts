// Which messages about orders were sent: each by one replica, by another if that one died; and absences that are noted.
import { expect, test } from "vitest"
import { tellingMs } from "../../../src/store/pace/told-orders.ts"
import { openStore } from "../support.ts"

const absence = { id: "a-1", person: "T1:U1", standIn: "T1:U9" }

test("one replica has the turn for a message, and another one half a minute later if nobody sent it", async () => {
  const { store, installation } = await openStore()
  const { toldOrders: one } = store
  const { toldOrders: other } = (await openStore({ installation })).store

  expect(await one.claim("stop s-1", 0)).toBe("yours")
  expect(await other.claim("stop s-1", tellingMs - 1)).toBe("busy")
  expect(await other.claim("stop s-2", 0)).toBe("yours")
  expect(await other.claim("stop s-1", tellingMs)).toBe("yours")
  expect(await one.claim("stop s-1", tellingMs + 1)).toBe("busy")
  await other.done("stop s-1")
  expect(await one.claim("stop s-1", 10 * tellingMs)).toBe("told")
})

test("a turn that is no time is over", async () => {
  const { store, connection } = await openStore()
  await connection.commands.hset(store.keys.told, "stop s-1", "forged")

  expect(await store.toldOrders.claim("stop s-1", 0)).toBe("yours")
})

test("a noted absence is known to all replicas until it is forgotten, with its messages", async () => {
  const { store, connection, installation } = await openStore()
  const { toldOrders } = (await openStore({ installation })).store
  await store.toldOrders.note(absence)
  await store.toldOrders.claim("begun a-1 away", 0)

  expect(await toldOrders.noted()).toEqual([absence])
  await toldOrders.forget("a-1", ["begun a-1 away"])
  expect(await store.toldOrders.noted()).toEqual([])
  expect(await connection.commands.exists(store.keys.told)).toBe(0)
})

test("R14 an absence that somebody else wrote, or put under another id, counts as not noted", async () => {
  const { store, connection } = await openStore()
  await store.toldOrders.note(absence)
  const sealed = await connection.commands.hgetBuffer(store.keys.told, "absence a-1")
  await connection.commands.hset(store.keys.told, "absence a-2", sealed ?? "", "absence a-3", JSON.stringify(absence))

  expect(await store.toldOrders.noted()).toEqual([absence])
})

test("R15 nobody reads in Redis who is away", async () => {
  const { store, connection } = await openStore()
  await store.toldOrders.note(absence)

  const all = await connection.commands.hgetallBuffer(store.keys.told)

  expect(JSON.stringify(Object.entries(all).map(([name, text]) => [name, text.toString("latin1")]))).not.toContain("U1")
})
