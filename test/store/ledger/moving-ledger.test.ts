// Verifying while others commit, at each moment at which that makes a difference: between what is read first and what
// is read next.

import { describe, expect, test } from "vitest"
import { miss } from "../../../src/domain/case/verdict.ts"
import { verifyLedger } from "../../../src/store/admin/verify-ledger.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { aSettledCase } from "../signed-ledger.ts"
import { anApproval, committedCase, noon, openStore, redisBefore } from "../support.ts"

/** Something that somebody else does just before a command is sent; without a key, whatever it is sent for. */
interface Act {
  readonly command: string
  readonly key?: string
  readonly act: () => Promise<unknown>
}

/** A ledger of three entries, installation, config and a case's, and what may be done to it. */
async function aLedger() {
  const open = await openStore()
  const { commands } = open.connection
  const { keys, cases } = open.store
  let current = await committedCase(open)
  let garbage = 0
  return {
    record: keys.case(current.id),
    sequence: (value: string) => () => commands.set(keys.sequence, value),
    commit: async () => {
      const done = await cases.commit({ ...miss(current, noon), expectedVersion: current.version })
      if (done.kind !== "committed") throw new Error(done.kind)
      current = done.case
    },
    openAnother: () => committedCase(open, anApproval({ id: "a-2" })),
    /** An entry that is not ours, at the end. */
    spoil: async () => {
      garbage = 1 + Number(await commands.get(keys.sequence))
      await commands.xadd(keys.ledger, `${garbage}-0`, "body", "{}", "mac", "x")
    },
    spoilt: () => ({ code: "bad-seal", number: garbage }),
    settle: () => aSettledCase(open, { id: "a-3", user: "BOB" }),
    erase: () => open.store.erase({ person: "T1:BOB", names: [], by: "operator", at: noon }),
    /** Verifies while each of these happens once, in this order. */
    verifyWhile: async (acts: readonly Act[]) => {
      const left = [...acts]
      const redis = redisBefore(commands, async (command, key) => {
        const [next] = left
        if (next?.command !== command || (next.key !== undefined && next.key !== key)) return
        left.shift()
        await next.act()
      })
      const { seal, installation } = open
      const found = await verifyLedger({ redis, keys, seal, installation, schema: ourSchema, anchors: [] })
      expect(left).toEqual([])
      return found
    },
  }
}

describe("the ledger holds", () => {
  test("the ledger holds when a case goes on between its entries and their list", async () => {
    const { verifyWhile, commit, record } = await aLedger()

    const found = await verifyWhile([{ command: "hget", key: record, act: commit }])

    expect(found).toMatchObject({ entries: 4, problem: null })
  })

  test("the ledger holds when it goes on once more before the entries that its list names are read", async () => {
    const { verifyWhile, commit, record } = await aLedger()

    const found = await verifyWhile([
      { command: "hget", key: record, act: commit },
      { command: "xrangeBuffer", act: commit },
    ])

    expect(found).toMatchObject({ entries: 5, problem: null })
  })

  test("the ledger holds when it goes on between its entries and its record", async () => {
    const { verifyWhile, commit, record } = await aLedger()

    const found = await verifyWhile([{ command: "hmgetBuffer", key: record, act: commit }])

    expect(found).toMatchObject({ entries: 4, problem: null })
  })

  test("the ledger holds when it goes on once more before the entries that its record names are read", async () => {
    const { verifyWhile, commit, record } = await aLedger()

    const found = await verifyWhile([
      { command: "hmgetBuffer", key: record, act: commit },
      { command: "xrangeBuffer", act: commit },
    ])

    expect(found).toMatchObject({ entries: 5, problem: null })
  })

  test("the ledger holds when another case is opened before records without entries are looked for", async () => {
    const { verifyWhile, openAnother } = await aLedger()

    const found = await verifyWhile([{ command: "scan", act: openAnother }])

    expect(found).toMatchObject({ entries: 4, problem: null })
  })

  test("the ledger holds when somebody is erased before erasable records are looked at", async () => {
    const { verifyWhile, settle, erase } = await aLedger()
    await settle()

    const found = await verifyWhile([{ command: "hgetBuffer", act: erase }])

    expect(found).toMatchObject({ erased: 4, problem: null })
  })
})

describe("an entry that is not ours is named, however late it comes", () => {
  test("an entry that is not ours is named, however late it comes, with one more in a case's list", async () => {
    const ledger = await aLedger()
    const act = async () => {
      await ledger.commit()
      await ledger.spoil()
    }

    const found = await ledger.verifyWhile([{ command: "hget", key: ledger.record, act }])

    expect(found.problem).toMatchObject(ledger.spoilt())
  })

  test("an entry that is not ours is named, however late it comes, with one more in a case's record", async () => {
    const ledger = await aLedger()
    const act = async () => {
      await ledger.commit()
      await ledger.spoil()
    }

    const found = await ledger.verifyWhile([{ command: "hmgetBuffer", key: ledger.record, act }])

    expect(found.problem).toMatchObject(ledger.spoilt())
  })

  test("an entry that is not ours is named, however late it comes, with another case", async () => {
    const ledger = await aLedger()
    const act = async () => {
      await ledger.openAnother()
      await ledger.spoil()
    }

    const found = await ledger.verifyWhile([{ command: "scan", act }])

    expect(found.problem).toMatchObject(ledger.spoilt())
  })

  test("an entry that is not ours is named, however late it comes, with an erasure", async () => {
    const ledger = await aLedger()
    await ledger.settle()
    const act = async () => {
      await ledger.erase()
      await ledger.spoil()
    }

    const found = await ledger.verifyWhile([{ command: "hgetBuffer", act }])

    expect(found.problem).toMatchObject(ledger.spoilt())
  })
})

test("a sequence that changes between is told as what the ledger does not reach, or goes beyond", async () => {
  const { verifyWhile, sequence } = await aLedger()

  const short = await verifyWhile([
    { command: "get", act: sequence("7") },
    { command: "get", act: sequence("9") },
  ])
  const long = await verifyWhile([
    { command: "get", act: sequence("3") },
    { command: "get", act: sequence("2") },
  ])

  expect(short.problem?.message).toBe("the ledger ends at entry 3, the sequence says 7")
  expect(long.problem?.message).toBe("the ledger ends at entry 3, the sequence says 2")
})
