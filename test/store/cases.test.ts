// Cases in a real Redis: committed, read, listed, refused.

import { expect, test } from "vitest"
import { markOf } from "../../src/domain/case/case.ts"
import { freeze, miss, settle } from "../../src/domain/case/verdict.ts"
import { isJsonObject, parseJson } from "../../src/domain/content/json.ts"
import { anApproval, asItIs, committedCase, noon, openingOf, openStore } from "./support.ts"

const elsewhere = { kind: "elsewhere", status: "approved", resolvedBy: "bob", at: noon } as const
const elsewhereEvent = {
  kind: "elsewhere",
  at: noon,
  status: "approved",
  resolvedBy: "bob",
  claimsToBeOurs: false,
} as const

test("a committed case reads back as it was written, with its new version and chain", async () => {
  const open = await openStore()

  const written = await committedCase(open)

  expect(written.version).toBe(1)
  expect(written.chain.count).toBe(1)
  expect(await open.store.cases.read(written.id)).toEqual(written)
})

test("a number that a double cannot hold comes back digit by digit", async () => {
  const open = await openStore()
  const args = parseJson('{"amount":12345678901234567890.123}')

  const written = await committedCase(open, anApproval({ toolArgs: isJsonObject(args) ? args : null }))

  const read = await open.store.cases.read(written.id)
  expect(JSON.stringify(read)).toContain("12345678901234567890.123")
})

test("an unknown case reads as null", async () => {
  const { store } = await openStore()

  expect(await store.cases.read("nobody")).toBeNull()
})

test("the slower of two commits is told what the case is now", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const first = miss(current, noon)

  const winner = await open.store.cases.commit({ ...first, expectedVersion: 1 })
  const loser = await open.store.cases.commit({ ...first, expectedVersion: 1 })

  expect(winner).toMatchObject({ kind: "committed", case: { version: 2 } })
  expect(loser).toMatchObject({ kind: "stale", case: { version: 2, missing: { times: 1 } } })
})

test("R11 an interaction counts once, and is remembered for 24 hours", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const first = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1, interaction: "i-1" })
  const read = await open.store.cases.read(current.id)
  const second = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 2, interaction: "i-1" })

  expect(first.kind).toBe("committed")
  expect(second).toEqual({ kind: "duplicate" })
  expect(await open.store.cases.read(current.id)).toEqual(read)
  expect(await open.store.cases.consumed("i-1")).toBe(true)
  expect(await open.store.cases.consumed("i-2")).toBe(false)
  const ttl = await open.connection.commands.ttl(open.store.keys.interaction("i-1"))
  expect(ttl).toBeGreaterThan(86_000)
})

test("a commit that loses does not consume its interaction", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  const lost = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 7, interaction: "i-1" })

  expect(lost.kind).toBe("stale")
  expect(await open.store.cases.consumed("i-1")).toBe(false)
})

test("the approvals that have a case are known by what they were compared with, settled ones by an empty text", async () => {
  const open = await openStore()
  const one = await committedCase(open, anApproval({ id: "a-1" }))
  const two = await committedCase(open, anApproval({ id: "a-2" }))
  await open.store.cases.commit({ ...settle(two, elsewhere, elsewhereEvent), expectedVersion: 1 })

  const known = await open.store.cases.known("main", ["a-1", "a-2", "a-3"])

  expect(known).toEqual(
    new Map([
      ["a-1", markOf(one.revision.digest, one.revision.policy)],
      ["a-2", ""],
    ]),
  )
  expect(await open.store.cases.known("main", [])).toEqual(new Map())
  expect((await Array.fromAsync(open.store.cases.openApprovals("main"))).flat()).toEqual(["a-1"])
})

test("open cases are listed newest first and page by page", async () => {
  const open = await openStore()
  for (const minute of [0, 1, 2])
    await committedCase(open, anApproval({ id: `a-${minute}`, createdAt: noon + minute * 60_000 }))

  const { cases, total } = await open.store.cases.listOpen({ offset: 1, limit: 2 })

  expect(total).toBe(3)
  expect(cases.map((one) => one.approvalId)).toEqual(["a-1", "a-0"])
  expect((await open.store.cases.listOpen({ offset: 0, limit: 0 })).cases).toEqual([])
})

test("a case with a card to post is unfinished, oldest first", async () => {
  const open = await openStore()
  const later = openingOf(open.installation, anApproval({ id: "a-2" }))
  const opening = { ...later, next: { ...later.next, openedAt: noon + 1 } }
  await open.store.cases.commit({ ...opening, expectedVersion: 0 })
  const older = await committedCase(open)

  expect(await open.store.cases.unfinished(10)).toEqual([older.id, later.next.id])
  expect(await open.store.cases.unfinished(1)).toEqual([older.id])
  expect(await open.store.cases.unfinished(0)).toEqual([])
})

test("a settled case leaves the list and stays unfinished until it is closed", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  await open.store.cases.commit({ ...settle(current, elsewhere, elsewhereEvent), expectedVersion: 1 })

  expect((await open.store.cases.listOpen({ offset: 0, limit: 9 })).total).toBe(0)
  expect(await open.store.cases.unfinished(9)).toEqual([current.id])
})

test("R14 a case that was changed in Redis reads as tampered, and stays frozen", async () => {
  const open = await openStore()
  const { commands } = open.connection
  const current = await committedCase(open)
  const key = open.store.keys.case(current.id)
  await commands.hset(key, "sealed", Buffer.from("not ours, and long enough to be decrypted"))

  expect(await open.store.cases.read(current.id)).toEqual({
    kind: "tampered",
    why: expect.any(String),
    caseId: current.id,
  })
  await open.store.cases.freeze(current.id, [{ kind: "frozen", at: noon, why: "bad seal" }])
  await open.store.cases.freeze(current.id, [{ kind: "frozen", at: noon, why: "bad seal" }])

  expect(await open.store.cases.read(current.id)).toEqual({
    kind: "tampered",
    why: expect.any(String),
    caseId: current.id,
  })
  expect(await commands.lrange(open.store.keys.chain(`case:${current.id}`), 0, -1)).toHaveLength(2)
  const late = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })
  expect(late).toEqual({ kind: "frozen" })
  expect(await open.store.cases.unfinished(9)).toEqual([])
})

test("R14 a record of an earlier version does not open under the newer one", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const key = open.store.keys.case(current.id)
  const old = await open.connection.commands.hgetBuffer(key, "sealed")
  await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  await open.connection.commands.hset(key, "sealed", old ?? "")

  expect(await open.store.cases.read(current.id)).toEqual({
    kind: "tampered",
    why: expect.any(String),
    caseId: current.id,
  })
})

test("R14 a record moved to another case does not open there", async () => {
  const open = await openStore()
  const one = await committedCase(open, anApproval({ id: "a-1" }))
  const two = await committedCase(open, anApproval({ id: "a-2" }))
  const { keys } = open.store
  const sealed = await open.connection.commands.hgetBuffer(keys.case(one.id), "sealed")

  await open.connection.commands.hset(keys.case(two.id), "sealed", sealed ?? "")

  expect(await open.store.cases.read(two.id)).toEqual({ kind: "tampered", why: expect.any(String), caseId: two.id })
})

test("a case frozen by its own step can still be read", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  await open.store.cases.commit({ ...freeze(current, "a vote's MAC is bad", noon), expectedVersion: 1 })

  expect(await open.store.cases.read(current.id)).toMatchObject({ state: "frozen" })
})

test("a key of another type refuses the whole commit and writes nothing", async () => {
  const open = await openStore()
  const { keys } = open.store
  await open.connection.commands.set(keys.list, "no sorted set")
  const before = await open.connection.commands.get(keys.sequence)

  const opening = openingOf(open.installation)
  const refused = open.store.cases.commit({ ...opening, expectedVersion: 0 })

  await expect(refused).rejects.toMatchObject({ code: "ledger-damaged", retryable: false })
  expect(await open.connection.commands.get(keys.sequence)).toBe(before)
  expect(await open.store.cases.read(opening.next.id)).toBeNull()
})

test("R17 what was judged on a case that Redis forgot is stale, though what happened since has the same version", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const { cases } = open.store
  const forget = await asItIs(open)
  const missed = await cases.commit({ ...miss(current, noon), expectedVersion: 1 })
  if (missed.kind !== "committed") throw new Error(missed.kind)
  await forget()
  await cases.commit({ next: current, events: [], expectedVersion: 1 })

  const late = await cases.commit({ ...miss(missed.case, noon), expectedVersion: 2 })

  expect(late).toMatchObject({ kind: "stale", case: { version: 2, chain: { count: current.chain.count } } })
})

test("a sequence that was set back refuses the commit instead of writing over the ledger", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.connection.commands.set(open.store.keys.sequence, "1")

  const refused = open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  await expect(refused).rejects.toThrow(/was changed by somebody else; run `countersign ledger verify`/)
})

test("R14 a case whose record was deleted is not opened a second time", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.connection.commands.del(open.store.keys.case(current.id))

  const again = open.store.cases.commit({ ...openingOf(open.installation), expectedVersion: 0 })

  await expect(again).rejects.toMatchObject({ code: "ledger-damaged" })
})

test("a server that forgot its scripts is told them again", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.connection.commands.script("FLUSH")

  const done = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  expect(done.kind).toBe("committed")
})

test("R17 a step from before Redis came back as it was earlier is not joined to what happened since", async () => {
  const open = await openStore()
  const before = await committedCase(open)
  const restore = await asItIs(open)
  const lost = await open.store.cases.commit({ ...miss(before, noon), expectedVersion: 1 })
  await restore()
  const since = await open.store.cases.commit({ ...miss(before, noon + 1), expectedVersion: 1 })
  if (lost.kind !== "committed" || since.kind !== "committed") throw new Error("not committed")

  const late = await open.store.cases.commit({ ...miss(lost.case, noon + 2), expectedVersion: lost.case.version })

  expect(since.case.version).toBe(lost.case.version)
  expect(late).toEqual({ kind: "stale", case: since.case })
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("a case whose last entry was changed takes no more: the ledger is damaged", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const redis = open.connection.commands
  const key = open.store.keys.chain(`case:${current.id}`)
  await redis.lset(key, -1, Number(await redis.lindex(key, -1)) - 1)

  const commit = open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  await expect(commit).rejects.toMatchObject({ code: "ledger-damaged" })
})
