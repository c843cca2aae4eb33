// Cases in a real Redis: what its keys, its scripts and its losses do to them. What every store of cases promises is in
// contract.test.ts.

import { expect, test } from "vitest"
import { rulesSchema } from "../../../src/config.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { readChain } from "../../../src/store/ledger/read-ledger.ts"
import { createStore } from "../../../src/store/store.ts"
import {
  anApproval,
  asItIs,
  committedCase,
  noon,
  openingOf,
  openStore,
  redisBefore,
  renumber,
  silentLog,
} from "../support.ts"

test("R11 an interaction is remembered for 24 hours", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1, interaction: "i-1" })

  const ttl = await open.connection.commands.ttl(open.store.keys.interaction("i-1"))
  expect(ttl).toBeGreaterThan(86_000)
})

test("R14 a case that was changed in Redis is frozen with one entry, whoever freezes it again", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.connection.commands.hset(open.store.keys.case(current.id), "sealed", Buffer.alloc(64))

  await open.store.cases.freeze(current.id, [{ kind: "frozen", at: noon, why: "bad seal" }])
  await open.store.cases.freeze(current.id, [{ kind: "frozen", at: noon, why: "bad seal" }])

  const { connection, store } = open
  expect(await readChain({ redis: connection.commands, keys: store.keys }, `case:${current.id}`)).toHaveLength(2)
})

test("one of many open cases is found by the beginning of an id with a handful of commands", async () => {
  const open = await openStore()
  const made = await Promise.all(
    Array.from({ length: 300 }, (_, at) => committedCase(open, anApproval({ id: `${String(at).padStart(4, "0")}-x` }))),
  )
  const sent: string[] = []
  const commands = redisBefore(open.connection.commands, async (command) => sent.push(command))
  const { installation, seal } = open
  const connection = { ...open.connection, commands }
  const store = createStore({ connection, installation, seal, rulesSchema, log: silentLog, sandbox: false, paceMs: 0 })
  const find = (beginning: string) => store.casesUnder(store.config).listOpen({ offset: 0, limit: 500, beginning })

  const [byApproval, byCase] = [await find("0123"), await find(made[7]?.id.slice(0, 16) ?? "")]

  expect(byApproval.cases.map((one) => one.approvalId)).toEqual(["0123-x"])
  expect(byCase.cases.map((one) => one.id)).toEqual([made[7]?.id])
  expect(sent.length).toBeLessThan(12)
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
  expect(late).toEqual({ kind: "stale", caseId: since.case.id, case: since.case })
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("a case whose last entry was changed takes no more: the ledger is damaged", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await renumber(open, `case:${current.id}`, (numbers) => numbers.map((number) => String(Number(number) - 1)))

  const commit = open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  await expect(commit).rejects.toMatchObject({ code: "ledger-damaged" })
})
