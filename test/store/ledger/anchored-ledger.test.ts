// The ledger under its anchors: whatever somebody does to Redis is found, up to the last checkpoint.

import fc from "fast-check"
import { expect, test } from "vitest"
import { runsOf } from "../../support/runs.ts"
import { manipulations } from "../manipulations.ts"
import { aSignedLedger, restore, type SignedLedger, snapshotOf } from "../signed-ledger.ts"
import { anApproval, committedCase, plainLedger, renumber } from "../support.ts"

const entries = 32

/** How often is tried. */
const runs = runsOf(300)

async function problemOf(ledger: SignedLedger) {
  return (await ledger.store.verifyLedger(ledger.checkpoints)).problem
}

test("a ledger under its anchors holds, and entries after the last are counted", async () => {
  const ledger = await aSignedLedger()
  expect(await ledger.store.verifyLedger(ledger.checkpoints)).toMatchObject({
    entries,
    anchored: entries,
    // Bob's pin, vote, decision and outcome with their receipt, and as much of the removed case but for the pin.
    erased: 9,
    problem: null,
  })

  await committedCase(ledger, anApproval({ id: "later" }))

  const after = await ledger.store.verifyLedger(ledger.checkpoints)
  expect(after).toMatchObject({ entries: entries + 1, anchored: entries, problem: null })
})

test(`R14 every manipulation of Redis is found (${runs} at random)`, async () => {
  const ledger = await aSignedLedger()
  const whole = ledger.snapshots.at(-1) ?? new Map<string, Buffer>()

  await fc.assert(
    fc.asyncProperty(manipulations({ entries, snapshots: ledger.snapshots.length }), async ({ what, act }) => {
      await restore(ledger, whole)
      await act(ledger)
      const touched = !isSame(await snapshotOf(ledger), whole)
      const problem = await problemOf(ledger)
      if (touched && problem === null) throw new Error(`not found: ${what}`)
    }),
    { numRuns: runs },
  )

  await restore(ledger, whole)
  expect(await problemOf(ledger)).toBeNull()
})

function isSame(one: ReadonlyMap<string, Buffer>, other: ReadonlyMap<string, Buffer>): boolean {
  return one.size === other.size && [...one].every(([name, dump]) => other.get(name)?.equals(dump) === true)
}

/** Swaps what two numbers hold, lists included: each entry's own MAC and chain still hold. */
async function swap(ledger: SignedLedger, one: number, other: number): Promise<void> {
  const { connection, store } = ledger
  const { commands } = connection
  const all = await plainLedger(ledger)
  const [first, second] = [all[one - 1], all[other - 1]]
  const pipeline = commands.pipeline().del(store.keys.ledger)
  for (const [id, fields] of all) {
    const now = id === `${one}-0` ? second?.[1] : id === `${other}-0` ? first?.[1] : fields
    pipeline.xadd(store.keys.ledger, id, ...(now ?? []))
  }
  await pipeline.exec()
  for (const [chain, number] of [
    [first, other],
    [second, one],
  ] as const) {
    const name = /"chain":"([^"]+)"/.exec(chain?.[1][1] ?? "")?.[1] ?? ""
    await renumber(ledger, name, (numbers) => numbers.with(0, String(number)))
  }
}

test("two entries of different chains that changed places are named, though every MAC and chain holds", async () => {
  const ledger = await aSignedLedger()
  await swap(ledger, 4, 5)

  expect((await ledger.store.verifyLedger()).problem).toBeNull()
  expect(await problemOf(ledger)).toMatchObject({ code: "not-as-signed", number: 4 })
})

test("without the entries' hashes the anchors still name the first range that is not as signed", async () => {
  const ledger = await aSignedLedger()
  await swap(ledger, 4, 5)
  const bare = ledger.checkpoints.map((checkpoint) => ({ ...checkpoint, leaves: [] }))

  const { problem } = await ledger.store.verifyLedger(bare)

  expect(problem).toMatchObject({ code: "not-as-signed", number: 4 })
})

test("R17 Redis brought back as a whole is found: too short at first, later not as signed", async () => {
  const ledger = await aSignedLedger()
  await restore(ledger, ledger.snapshots[3] ?? new Map())
  expect((await ledger.store.verifyLedger()).problem).toBeNull()
  expect(await problemOf(ledger)).toMatchObject({ code: "rolled-back", number: 9 })

  for (let one = 0; one < 6; one += 1) await committedCase(ledger, anApproval({ id: `later-${one}` }))

  expect(await problemOf(ledger)).toMatchObject({ code: "not-as-signed", number: 9 })
})

test("a receipt that is gone, or another one in its place, is named", async () => {
  const ledger = await aSignedLedger()
  const { commands } = ledger.connection
  const key = ledger.store.keys.receipt("decision-a-2")
  expect(await ledger.store.receipt("decision-a-2")).toBe("receipt of a-2")

  await commands.hset(key, "sealed", "another")
  expect(await problemOf(ledger)).toMatchObject({
    code: "receipt-changed",
    number: 11,
    message: "the receipt of decision decision-a-2, named by entry 11, is not the one that entry names",
  })
  await commands.del(key)
  expect(await problemOf(ledger)).toMatchObject({
    code: "receipt-missing",
    number: 11,
    message: "the receipt of decision decision-a-2, named by entry 11, is gone, and nobody erased it",
  })
  expect(await ledger.store.receipt("decision-a-2")).toBeNull()
})
