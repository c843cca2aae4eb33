// The outboxes of webhooks in Redis: sealed, changed by one at a time, and without a word of any entry.
import { expect, test } from "vitest"
import { beginOutbox } from "../../../src/flow/webhook/outbox.ts"
import { openStore } from "../support.ts"

const letter = { number: 7, chain: "case:a", at: 5, why: "answered 500" }
const nothingYet = { mark: null, outbox: null }

test("an outbox is read as it was saved, by each replica, and its name is listed", async () => {
  const { store, installation } = await openStore()
  const { outboxes } = (await openStore({ installation })).store
  const waiting = [{ chain: "case:a", entries: [{ number: 3, since: 1 }], failures: 2, dueAt: 9 }]
  const next = {
    ...beginOutbox(4),
    waiting,
    off: { at: 1, address: "abc" },
    lastFailure: { at: 2, why: "answered 500" },
  }

  expect(await store.outboxes.read("siem")).toEqual(nothingYet)
  expect(await store.outboxes.save("siem", { before: nothingYet, next })).toBe(true)

  expect((await outboxes.read("siem")).outbox).toEqual(next)
  expect(await outboxes.names()).toEqual(["siem"])
})

test("of two who change an outbox at once, one does, and the other changes nothing", async () => {
  const { store, installation } = await openStore()
  const { outboxes: other } = (await openStore({ installation })).store
  await store.outboxes.save("siem", { before: nothingYet, next: beginOutbox(1) })
  const before = await other.read("siem")

  expect(await store.outboxes.save("siem", { before, next: beginOutbox(2) })).toBe(true)
  expect(await other.save("siem", { before, next: beginOutbox(3), died: [letter] })).toBe(false)
  expect(await other.save("siem", { before: nothingYet, next: beginOutbox(3) })).toBe(false)

  expect((await other.read("siem")).outbox?.cursor).toBe(2)
  expect(await other.countDead("siem")).toBe(0)
})

test("dead letters are kept by number for each webhook, and go when they are sent again", async () => {
  const { store } = await openStore()
  const { outboxes } = store
  const died = [{ ...letter, number: 12 }, letter]
  await outboxes.save("siem", { before: nothingYet, next: beginOutbox(12), died })

  expect(await outboxes.deadLetters("siem")).toEqual([letter, { ...letter, number: 12 }])
  expect([await outboxes.countDead("siem"), await outboxes.countDead("pager")]).toEqual([2, 0])
  await outboxes.save("siem", { before: await outboxes.read("siem"), next: beginOutbox(12), revived: [12, 99] })
  expect(await outboxes.deadLetters("siem")).toEqual([letter])
})

test("R14 an outbox or dead letter that somebody else wrote, or put under another name, is not believed", async () => {
  const { store, connection } = await openStore()
  const { outboxes, keys } = store
  await outboxes.save("siem", { before: nothingYet, next: beginOutbox(1), died: [letter] })
  const sealed = (await connection.commands.hgetBuffer(keys.webhooks, "siem")) ?? ""
  const dead = (await connection.commands.hgetBuffer(keys.deadLetters("siem"), "7")) ?? ""
  await connection.commands.hset(keys.webhooks, "pager", sealed, "forged", JSON.stringify(beginOutbox(0)))
  await connection.commands.hset(keys.deadLetters("siem"), "8", dead)

  for (const name of ["pager", "forged"]) {
    const { mark, outbox } = await outboxes.read(name)
    expect([mark === null, outbox]).toEqual([false, null])
  }
  expect(await outboxes.deadLetters("siem")).toEqual([letter])
})

test("the end of the ledger is the number of its last entry", async () => {
  const { store } = await openStore()

  expect(await store.outboxes.ledgerEnd()).toBeGreaterThan(0)
})

test("of a webhook that is forgotten nothing is left, and a run that began before brings nothing back", async () => {
  const { store, connection } = await openStore()
  const { outboxes, keys } = store
  await outboxes.save("siem", { before: nothingYet, next: beginOutbox(7), died: [letter] })
  await outboxes.save("pager", { before: nothingYet, next: beginOutbox(7), died: [letter] })
  const before = await outboxes.read("siem")

  await outboxes.forget("siem")

  expect(await outboxes.save("siem", { before, next: beginOutbox(8), died: [letter] })).toBe(false)
  expect(await connection.commands.exists(keys.deadLetters("siem"))).toBe(0)
  expect(await outboxes.names()).toEqual(["pager"])
  expect(await outboxes.countDead("pager")).toBe(1)
})
