// The ledger's entries, opened with what lies beside them, also where somebody else wrote or deleted.

import { expect, test } from "vitest"
import { kinds, opened, sideHashOf, sidesOf } from "../opened.ts"
import { aSettledCase } from "../signed-ledger.ts"
import { committedCase, noon, type OpenStore, openStore, renumber } from "../support.ts"

/** Deletes the erasable record that an entry names. */
async function dropSide(open: OpenStore, number: number): Promise<void> {
  const named = (await opened(open)).filter((one) => sideHashOf(one) !== "").map((one) => one.number)
  const [key = "", field = ""] = (await sidesOf(open))[named.indexOf(number)] ?? []
  expect(await open.connection.commands.hdel(key, field)).toBe(1)
}

test("an entry that is not ours comes without what it says, and one at a place that we would not give not at all", async () => {
  const open = await openStore()
  await committedCase(open)
  const { keys } = open.store
  await open.connection.commands.xadd(keys.ledger, "4-0", "body", `{"erasable":"x"}`, "mac", "x")
  await open.connection.commands.xadd(keys.ledger, "4-1", "body", "{}", "mac", "x")

  const all = await opened(open)

  expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  expect(all.at(-1)).toEqual({ number: 4, body: `{"erasable":"x"}`, mac: "x", entry: null, erasable: null })
})

test("an erasable record that is gone is missing, not erased, where others of its chain were erased", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB", before: ["ANN"] })
  await open.store.erase({ person: "T1:BOB", names: [], by: "operator", at: noon })

  await dropSide(open, 4)

  expect(await kinds(open)).toEqual(["voted missing", "voted erased", "decided erased", "resolved erased"])
})

test("an erasable record that is gone is missing, not erased, where its case went before the write", async () => {
  const open = await openStore()
  const { id } = await aSettledCase(open, { id: "a-1", user: "BOB" })
  await open.store.retention.remove(id, { at: noon, settledBefore: Number.POSITIVE_INFINITY })
  await aSettledCase(open, { id: "a-1", user: "ANN" })

  await dropSide(open, 10)

  expect((await kinds(open)).slice(3)).toEqual(["voted missing", "decided kept", "resolved kept"])
})

test("a list that names entries of others, or none, erases nothing", async () => {
  const open = await openStore()
  const { id } = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const other = await aSettledCase(open, { id: "a-2", user: "ANN" })
  await open.store.retention.remove(other.id, { at: noon, settledBefore: Number.POSITIVE_INFINITY })
  await renumber(open, `case:${id}`, (numbers) => [...numbers, "13", "99"])

  await dropSide(open, 4)

  expect((await kinds(open))[0]).toBe("voted missing")
})
