// What a verification says of each way in which ledger, lists and records can disagree: code, entry, chain and
// sentence.

import { describe, expect, test } from "vitest"
import { miss } from "../../../src/domain/case/verdict.ts"
import { verifyLedger } from "../../../src/store/admin/verify-ledger.ts"
import { type ChainHead, extendChain } from "../../../src/store/ledger/entry.ts"
import type { LedgerProblem } from "../../../src/store/ledger/ledger-walk.ts"
import { readLedger } from "../../../src/store/ledger/read-ledger.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { keysLike } from "../../support/redis.ts"
import {
  anApproval,
  committedCase,
  holding,
  noon,
  type OpenStore,
  openStore,
  plainLedger,
  redisBefore,
  renumber,
} from "../support.ts"

/** A ledger of five entries: installation, config, an identity link, and two of one case. */
async function aLedger() {
  const open = await openStore()
  await open.store.identityLinks.pin("ann@example.com", { team: "T1", user: "U1" }, noon)
  const first = await committedCase(open, anApproval())
  await open.store.cases.commit({ ...miss(first, noon), expectedVersion: 1 })
  const { commands } = open.connection
  const { keys } = open.store
  return { open, commands, keys, chain: `case:${first.id}`, record: keys.case(first.id) }
}

type Ledger = Awaited<ReturnType<typeof aLedger>>

async function problemOf({ open }: Ledger): Promise<LedgerProblem | null> {
  return (await open.store.verifyLedger()).problem
}

/** Takes the last entry away from stream, list and sequence. */
async function cutLast({ open, commands, keys, chain }: Ledger): Promise<void> {
  // Written anew, since newer servers let no stream go back to before an entry that it had.
  const kept = (await plainLedger(open)).slice(0, -1)
  await commands.del(keys.ledger)
  for (const [id, fields] of kept) await commands.xadd(keys.ledger, id, ...fields)
  await renumber(open, chain, (numbers) => numbers.slice(0, -1))
  await commands.set(keys.sequence, "4")
}

/** Appends an entry that we could have sealed, with its number in the list and the sequence. */
async function forge({ open, commands, keys }: Ledger, number: number, end: { chain: string; head: ChainHead }) {
  const event = { kind: "found", at: noon + 9 } as const
  const [entry] = extendChain(open.seal, { ...end, sandbox: false }, [event]).entries
  await commands.xadd(keys.ledger, `${number}-0`, "body", entry?.body ?? "", "mac", entry?.mac ?? "")
  await renumber(open, end.chain, (numbers) => [...numbers, String(number)])
  await commands.set(keys.sequence, String(number))
}

async function macOf({ open }: { readonly open: OpenStore }, number: number): Promise<string> {
  for await (const page of readLedger(open.connection.commands, open.store.keys, { after: "0-0", pageSize: 9 }))
    return page[number - 1]?.mac ?? ""
  return ""
}

test("an untouched ledger holds, and its chains and cases are counted", async () => {
  const { open } = await aLedger()

  expect(await open.store.verifyLedger()).toEqual({ entries: 5, chains: 4, cases: 1, ...holding })
})

describe("the sequence", () => {
  test.each([
    ["7", "the ledger ends at entry 5, the sequence says 7"],
    ["6", "the ledger ends at entry 5, the sequence says 6"],
    ["4", "the ledger ends at entry 5, the sequence says 4"],
    ["many", "the ledger ends at entry 5, the sequence says NaN"],
    ["-5", "the ledger ends at entry 5, the sequence says NaN"],
    ["5e0", "the ledger ends at entry 5, the sequence says NaN"],
  ])("the sequence that says %s is told", async (says, message) => {
    const ledger = await aLedger()
    await ledger.commands.set(ledger.keys.sequence, says)

    expect(await problemOf(ledger)).toEqual({ code: "cut-off", number: 6, chain: null, message })
  })
})

describe("the list of a chain's entries", () => {
  const changed = (chain: string, number: number | null) => ({
    code: "numbers-changed",
    number,
    chain,
    message: `the list of ${chain} is not that of its entries, at entry ${number}`,
  })

  test("the list of a chain's entries that names another entry is told at the first that differs", async () => {
    const ledger = await aLedger()
    const { open, chain } = ledger

    await renumber(open, chain, (numbers) => numbers.with(1, "77"))
    expect(await problemOf(ledger)).toEqual(changed(chain, 5))
    await renumber(open, chain, (numbers) => numbers.with(0, "77"))
    expect(await problemOf(ledger)).toEqual(changed(chain, 4))
  })

  test("the list of a chain's entries that lacks its last, or all, is told at the first that is missing", async () => {
    const ledger = await aLedger()
    const { open, chain } = ledger

    await renumber(open, chain, (numbers) => numbers.slice(0, -1))
    expect(await problemOf(ledger)).toEqual(changed(chain, 5))
    await renumber(open, chain, () => null)
    expect(await problemOf(ledger)).toEqual(changed(chain, 4))
  })

  test("the list of a chain's entries that names more than there are is told at the last", async () => {
    const ledger = await aLedger()
    await renumber(ledger.open, ledger.chain, (numbers) => [...numbers, "6"])

    expect(await problemOf(ledger)).toEqual(changed(ledger.chain, 5))
  })
})

describe("a record", () => {
  test("a record that is gone is told, whatever it is of", async () => {
    for (const which of ["config", "installation", "link", "case"] as const) {
      const ledger = await aLedger()
      const { commands, keys } = ledger
      const [link = ""] = await keysLike(commands, `${keys.tag}:link:*`)
      const key = { config: keys.config, installation: keys.installation, link, case: ledger.record }[which]
      const chain = key.slice(keys.tag.length + 1)
      await commands.del(key)

      expect(await problemOf(ledger)).toEqual({
        code: "record-missing",
        number: null,
        chain,
        message: `the record of ${chain} is gone`,
      })
    }
  })

  test("a record that was changed is told", async () => {
    const ledger = await aLedger()
    await ledger.commands.hset(ledger.record, "version", "9")

    expect(await problemOf(ledger)).toEqual({
      code: "record-tampered",
      number: null,
      chain: ledger.chain,
      message: `the record of ${ledger.chain} was not sealed by us, or was changed since`,
    })
  })

  test("a record that names an entry which was cut off is told", async () => {
    const ledger = await aLedger()
    await cutLast(ledger)

    expect(await problemOf(ledger)).toEqual({
      code: "record-ahead",
      number: 4,
      chain: ledger.chain,
      message: `the record of ${ledger.chain} names entries that are not there`,
    })
  })

  test("a record that names another last entry is told", async () => {
    const ledger = await aLedger()
    const { chain } = ledger
    await cutLast(ledger)
    await forge(ledger, 5, { chain, head: { count: 1, mac: await macOf(ledger, 4) } })

    expect(await problemOf(ledger)).toEqual({
      code: "record-differs",
      number: 5,
      chain,
      message: `the record of ${chain} names another last entry`,
    })
  })

  test("a record that is older than its last entry is told", async () => {
    const ledger = await aLedger()
    const { chain } = ledger
    await forge(ledger, 6, { chain, head: { count: 2, mac: await macOf(ledger, 5) } })

    expect(await problemOf(ledger)).toEqual({
      code: "record-behind",
      number: 6,
      chain,
      message: `the record of ${chain} is older than its entry 6`,
    })
  })

  test("a record that no entry speaks of is told, whatever it is of", async () => {
    for (const which of ["config", "installation", "signing-keys", "link:bob@example.com", "case:stray"]) {
      const ledger = await aLedger()
      const { commands, keys } = ledger
      await commands.del(...(await keysLike(commands, `${keys.tag}:*`)))
      await commands.hset(`${keys.tag}:${which}`, "sealed", "x")

      expect(await problemOf(ledger)).toEqual({
        code: "record-without-entries",
        number: null,
        chain: which,
        message: `no entry speaks of ${which}`,
      })
    }
  })
})

test.each(["weather", "a case:1", "a link:1", "case:", "link:"])(
  "an entry about %s, which we do not keep, is told",
  async (chain) => {
    const ledger = await aLedger()
    await forge(ledger, 6, { chain, head: { count: 0, mac: "" } })

    expect(await problemOf(ledger)).toEqual({
      code: "unknown-subject",
      number: null,
      chain,
      message: `an entry speaks of ${chain}, which is nothing we keep`,
    })
  },
)

test("a key that is no record needs no entry", async () => {
  const ledger = await aLedger()
  await ledger.commands.rpush(ledger.keys.chain("case:stray"), "1")

  expect(await problemOf(ledger)).toBeNull()
})

test.each([
  ["get", "read the sequence"],
  ["xrangeBuffer", "read the ledger"],
  ["lrange", "read chain installation"],
  ["hmgetBuffer", "installation"],
  ["scan", "scan records"],
])("a Redis that does not answer to %s is no finding, but an error", async (command, tried) => {
  const { open, commands, keys } = await aLedger()
  const redis = redisBefore(commands, async (sent) => {
    if (sent === command) throw new Error("Connection is closed.")
  })
  const { seal, installation } = open

  const verified = verifyLedger({ redis, keys, seal, installation, schema: ourSchema, anchors: [] })

  await expect(verified).rejects.toMatchObject({ message: expect.stringContaining(tried) as string, retryable: true })
})

test("a ledger is read page by page, however small the pages are", async () => {
  const { open, commands: redis, keys } = await aLedger()
  const { seal, installation } = open
  const options = { redis, keys, seal, installation, schema: ourSchema, anchors: [] }

  expect(await verifyLedger({ ...options, pageSize: 1 })).toMatchObject({ entries: 5, problem: null })
})
