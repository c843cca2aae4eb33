// The ledger's proof: whatever somebody else changes in Redis is found and named.

import fc from "fast-check"
import { expect, test } from "vitest"
import { castVote } from "../../../src/domain/case/steps.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { extendChain, noEntries } from "../../../src/store/ledger/entry.ts"
import { aVote } from "../../support/builders.ts"
import { keysLike } from "../../support/redis.ts"
import { runsOf } from "../../support/runs.ts"
import {
  anApproval,
  aSeal,
  committedCase,
  entriesOf,
  holding,
  noon,
  type OpenStore,
  openStore,
  plainLedger,
  renumber,
} from "../support.ts"

/** A ledger with an installation, a config, two cases (one committed twice) and a pin: six entries. */
async function aLedger(options: Parameters<typeof openStore>[0] = {}): Promise<OpenStore> {
  const open = await openStore(options)
  const one = await committedCase(open, anApproval({ id: "a-1" }))
  await committedCase(open, anApproval({ id: "a-2" }))
  await open.store.cases.commit({ ...miss(one, noon), expectedVersion: 1 })
  await open.store.identityLinks.pin("ann@example.com", { team: "T1", user: "U1" }, noon)
  return open
}

async function replaceEntry(open: OpenStore, number: number, change: (fields: string[]) => string[]) {
  const { connection, store } = open
  const { commands } = connection
  const all = await plainLedger(open)
  await commands.del(store.keys.ledger)
  for (const [id, fields] of all) {
    const next = id === `${number}-0` ? change(fields) : fields
    if (next.length > 0) await commands.xadd(store.keys.ledger, id, ...next)
  }
}

test("an untouched ledger holds", async () => {
  const open = await aLedger()

  expect(await open.store.verifyLedger()).toEqual({ entries: 6, chains: 5, cases: 2, ...holding })
})

test("an empty Redis holds", async () => {
  const open = await openStore({ revision: null })
  await open.connection.commands.del(...(await keysLike(open.connection.commands, `${open.store.keys.tag}:*`)))

  expect(await open.store.verifyLedger()).toEqual({ entries: 0, chains: 0, cases: 0, ...holding })
})

test.each(["condensed", "plain"])("R14 any changed byte of a %s entry is found and named", async (form) => {
  const open = await aLedger()
  const { commands } = open.connection
  const key = open.store.keys.ledger
  const plain = await plainLedger(open)
  const all =
    form === "condensed"
      ? await commands.xrangeBuffer(key, "-", "+")
      : plain.map(([id, fields]): [Buffer, Buffer[]] => [Buffer.from(id), fields.map((field) => Buffer.from(field))])
  const restore = async (entries: typeof all) => {
    const pipeline = commands.pipeline().del(key)
    for (const [id, fields] of entries) pipeline.xadd(key, id, ...fields)
    await pipeline.exec()
  }
  const flips = fc.record({
    number: fc.integer({ min: 1, max: all.length }),
    field: fc.constantFrom(0, 1, 2, 3),
    at: fc.nat(),
    by: fc.integer({ min: 1, max: 127 }),
  })

  await fc.assert(
    fc.asyncProperty(flips, async ({ number, field, at, by }) => {
      const changed = all.map(([id, fields]): [Buffer, Buffer[]] =>
        id.toString() === `${number}-0`
          ? [id, fields.with(field, flipped(fields[field] ?? Buffer.of(), at, by))]
          : [id, fields],
      )
      await restore(changed)
      expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "bad-seal", number })
    }),
    { numRuns: runsOf(150) },
  )
  await restore(all)
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

function flipped(given: Buffer, at: number, by: number): Buffer {
  const bytes = Buffer.from(given)
  const index = at % bytes.length
  bytes[index] = (bytes[index] ?? 0) ^ by
  return bytes
}

test("R14 any changed byte of a record is found and named", async () => {
  const open = await aLedger()
  const { commands } = open.connection
  const { keys } = open.store
  const names = await keysLike(commands, `${keys.tag}:case:*`)
  const links = await keysLike(commands, `${keys.tag}:link:*`)
  const records = [...names, ...links, keys.config, keys.installation]
  const changes = fc.record({
    key: fc.constantFrom(...records),
    field: fc.constantFrom("version", "sealed"),
    at: fc.nat(),
    by: fc.integer({ min: 1, max: 255 }),
  })

  await fc.assert(
    fc.asyncProperty(changes, async ({ key, field, at, by }) => {
      const before = (await commands.hgetBuffer(key, field)) ?? Buffer.alloc(0)
      const bytes = Buffer.from(before)
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by
      await commands.hset(key, field, bytes)
      const { problem } = await open.store.verifyLedger()
      await commands.hset(key, field, before)
      expect(problem).toMatchObject({ code: "record-tampered", chain: key.slice(keys.tag.length + 1) })
    }),
    { numRuns: runsOf(100) },
  )
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("a missing entry is a gap", async () => {
  const open = await aLedger()
  await open.connection.commands.xdel(open.store.keys.ledger, "4-0")

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "gap", number: 5 })
})

test("entries cut off at the end are missed by the sequence", async () => {
  const open = await aLedger()
  await open.connection.commands.xdel(open.store.keys.ledger, "6-0")

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "cut-off", number: 6 })
})

test("entries cut off together with their numbers are missed by the record", async () => {
  const open = await aLedger()
  await open.connection.commands.xdel(open.store.keys.ledger, "6-0")
  await open.connection.commands.set(open.store.keys.sequence, "5")

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "record-without-entries" })
})

test("an entry that changed places with another breaks its chain", async () => {
  const open = await aLedger()
  const all = await plainLedger(open)
  await replaceEntry(open, 3, () => all[4]?.[1] ?? [])
  await replaceEntry(open, 5, () => all[2]?.[1] ?? [])

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "broken-chain", number: 3 })
})

test("a field that we would not write makes an entry bad", async () => {
  const open = await aLedger()
  await replaceEntry(open, 3, (fields) => [...fields, "note", "x"])

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "bad-seal", number: 3 })
})

test("an older record, brought back whole, is behind its chain", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const key = open.store.keys.case(current.id)
  const sealed = (await open.connection.commands.hgetBuffer(key, "sealed")) ?? ""
  await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  await open.connection.commands.hset(key, "sealed", sealed, "version", "1")

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "record-behind", number: 4 })
})

test("a deleted record, a changed list of numbers and a record without entries are found", async () => {
  const open = await aLedger()
  const { commands } = open.connection
  const { keys } = open.store
  const [name = ""] = await keysLike(commands, `${keys.tag}:case:*`)
  const chain = name.slice(keys.tag.length + 1)

  await renumber(open, chain, (numbers) => numbers.with(0, "77"))
  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "numbers-changed", chain })
  await renumber(open, chain, () => null)
  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "numbers-changed", chain })
  await commands.del(name)
  expect((await open.store.verifyLedger()).problem).toMatchObject({ chain })

  const other = await aLedger()
  await other.connection.commands.hset(other.store.keys.case("stray"), "version", "1")
  expect((await other.store.verifyLedger()).problem).toMatchObject({
    code: "record-without-entries",
    chain: "case:stray",
  })
})

test("R14 a frozen case is named even though its entries hold", async () => {
  const open = await aLedger()
  const [name = ""] = await keysLike(open.connection.commands, `${open.store.keys.tag}:case:*`)
  await open.connection.commands.hset(name, "version", "9")
  await open.store.cases.freeze(name.split(":").at(-1) ?? "", [{ kind: "frozen", at: noon, why: "bad seal" }])

  const { problem, entries } = await open.store.verifyLedger()

  expect(entries).toBe(7)
  expect(problem).toMatchObject({ code: "record-tampered", chain: name.slice(open.store.keys.tag.length + 1) })
})

test("the ledger holds while others commit", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation })
  let current = await committedCase(open)
  const rounds = runsOf(60)
  const commits = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const done = await other.store.cases.commit({ ...miss(current, noon), expectedVersion: current.version })
      if (done.kind === "committed") current = done.case
      await committedCase(other, anApproval({ id: `b-${round}` }))
    }
  }

  const verified: unknown[] = []
  const writing = commits()
  for (let round = 0; round < 10; round += 1) verified.push((await open.store.verifyLedger()).problem)
  await writing

  expect(verified.filter((problem) => problem !== null)).toEqual([])
  expect((await open.store.verifyLedger()).entries).toBe(2 + 1 + 2 * rounds)
})

test("R19 entries made in the sandbox are marked", async () => {
  const marked = await aLedger({ sandbox: true })
  const plain = await aLedger()

  const marks = async (open: OpenStore) => (await entriesOf(open)).map((entry) => entry?.sandbox)
  expect(await marks(marked)).toEqual([true, true, true, true, true, true])
  expect(await marks(plain)).toEqual([false, false, false, false, false, false])
})

test("R14 entries that are missing from a chain are counted, and one that was written on an older record is called that", async () => {
  const open = await openStore()
  const seal = aSeal(open.installation)
  const event = { kind: "missed", at: noon, times: 1 } as const
  const chain = { chain: "case:x", head: noEntries, sandbox: false }
  const all = extendChain(seal, chain, [event, event, event, event]).entries
  const messageOf = async (picked: readonly number[]) => {
    const { commands } = open.connection
    await commands.del(open.store.keys.ledger)
    for (const [index, at] of picked.entries()) {
      const { body = "", mac = "" } = all[at] ?? {}
      await commands.xadd(open.store.keys.ledger, `${index + 1}-0`, "body", body, "mac", mac)
    }
    return (await open.store.verifyLedger()).problem?.message
  }

  expect(await messageOf([0, 3])).toBe("entry 2 is number 4 of case:x, after number 1: 2 of its entries are missing")
  expect(await messageOf([0, 1, 1])).toBe(
    "entry 3 is number 2 of case:x, which has 2 by then: it was written on an older record",
  )
})

test("R11 a press that votes twice on a case is found", async () => {
  const open = await openStore()
  let current = await committedCase(open)
  for (const _ of [1, 2]) {
    const step = castVote(current, aVote({ caseId: current.id, interaction: "the same" }), current.revision.quotas)
    const done = await open.store.cases.commit({ ...step, expectedVersion: current.version })
    if (done.kind !== "committed") throw new Error(done.kind)
    current = done.case
  }

  expect((await open.store.verifyLedger()).problem).toMatchObject({
    code: "voted-twice",
    message: `entry 5 is a vote by a press that voted on case:${current.id} before`,
  })
})
