// The ledger's entries: how they are read back, walked over and shown to the checkpoints, also where somebody else
// wrote.

import type { Redis } from "ioredis"
import { describe, expect, test } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import type { Json } from "../../../src/domain/content/json.ts"
import { type ChainHead, extendChain, noEntries, openEntry } from "../../../src/store/ledger/entry.ts"
import type { LedgerProblem } from "../../../src/store/ledger/ledger-walk.ts"
import {
  type NumberedEntry,
  readEntries,
  readEntry,
  readLedger,
  readSequence,
} from "../../../src/store/ledger/read-ledger.ts"
import { createKeys } from "../../../src/store/redis/keys.ts"
import { anApproval, aSeal, committedCase, noon, type OpenStore, openStore } from "../support.ts"

/** A ledger of five entries: the installation, its config and three cases. */
async function fiveEntries(): Promise<OpenStore> {
  const open = await openStore()
  for (const id of ["a-1", "a-2", "a-3"]) await committedCase(open, anApproval({ id }))
  return open
}

async function entriesOf({ connection, store }: OpenStore, pageSize = 2): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = []
  for await (const page of readLedger(connection.commands, store.keys, { after: "0-0", pageSize })) {
    expect(page.length).toBeLessThanOrEqual(pageSize)
    entries.push(...page)
  }
  return entries
}

async function add({ connection, store }: OpenStore, id: string, ...fields: readonly string[]) {
  await connection.commands.xadd(store.keys.ledger, id, ...fields)
}

describe("what is sealed and opened again", () => {
  const seal = aSeal("i")
  const whole = { chain: "config", n: 1, prev: "", event: { kind: "frozen" } }
  const sealed = (value: Json) => ({ body: canonicalJson(value), mac: seal.mac("entry", canonicalJson(value)) })

  test("is an entry of ours, marked only if it was made in the sandbox", () => {
    expect(openEntry(seal, sealed(whole))).toEqual({ ...whole, sandbox: false })
    expect(openEntry(seal, sealed({ ...whole, sandbox: true }))).toEqual({ ...whole, sandbox: true })
    expect(openEntry(seal, sealed({ ...whole, sandbox: "true" }))).toMatchObject({ sandbox: false })
  })

  test.each<[string, Json]>([
    ["a chain without a name", { ...whole, chain: 1 }],
    ["no chain", { n: 1, prev: "", event: {} }],
    ["a place that is no number", { ...whole, n: "1" }],
    ["nothing before it", { ...whole, prev: null }],
    ["nothing that happened", { ...whole, event: "frozen" }],
    ["no object at all", [whole]],
  ])("is no entry with %s, although we sealed it", (_what, value) => {
    expect(openEntry(seal, sealed(value))).toBeNull()
  })
})

describe("entries that are read back", () => {
  test("come in order, page by page, with number, id and both texts", async () => {
    const open = await fiveEntries()

    const entries = await entriesOf(open)

    expect(entries.map(({ number, id, whole }) => [number, id, whole])).toEqual(
      [1, 2, 3, 4, 5].map((number) => [number, `${number}-0`, true]),
    )
    expect(entries.every((entry) => openEntry(open.seal, entry) !== null)).toBe(true)
  })

  test("are found by their numbers, in the order asked for; what is not there is left out", async () => {
    const open = await fiveEntries()
    const { commands } = open.connection
    const [, second, , , fifth] = await entriesOf(open)

    expect(await readEntries(commands, open.store.keys, ["5", "9", "2"])).toEqual([fifth, second])
    expect(await readEntry(commands, open.store.keys, "2")).toEqual(second)
    expect(await readEntry(commands, open.store.keys, "9")).toBeNull()
  })

  test("entries that somebody else wrote have no number of ours, or are not whole", async () => {
    const open = await fiveEntries()
    await add(open, "5-1", "body", "b", "mac", "m")
    await add(open, "6-0", "note", "x")
    await add(open, "7-0", "mac", "m", "body", "b")
    await add(open, "8-0", "body", "b", "note", "m")

    expect((await entriesOf(open)).slice(5)).toEqual([
      { number: null, id: "5-1", body: "b", mac: "m", whole: true },
      { number: 6, id: "6-0", body: "", mac: "", whole: false },
      { number: 7, id: "7-0", body: "", mac: "", whole: false },
      { number: 8, id: "8-0", body: "", mac: "", whole: false },
    ])
  })

  test("say what was tried when Redis does not answer", async () => {
    const gone = () => Promise.reject(new Error("Connection is closed."))
    const redis = { xrangeBuffer: gone, get: gone } as unknown as Redis
    const keys = createKeys("i")
    const ledger = async () => {
      for await (const page of readLedger(redis, keys, { after: "0-0", pageSize: 2 })) expect(page).toBeNull()
    }

    await expect(ledger()).rejects.toThrow(/read the ledger/)
    await expect(readEntry(redis, keys, "1")).rejects.toThrow(/read a ledger entry/)
    await expect(readEntries(redis, keys, ["1"])).rejects.toThrow(/read ledger entries/)
    await expect(readSequence(redis, keys)).rejects.toThrow(/read the sequence/)
  })
})

describe("a walk over entries that do not hold", () => {
  /** What is found once an entry of ours was added to the chain `config` after this head. */
  async function problemAfter(change: (head: ChainHead) => ChainHead): Promise<LedgerProblem | null> {
    const open = await fiveEntries()
    const second = (await entriesOf(open))[1]
    const head = change({ count: 1, mac: second?.mac ?? "" })
    const [entry] = extendChain(open.seal, { chain: "config", head, sandbox: false }, [
      { kind: "installed", at: noon, installation: "i", keyId: "k" },
    ]).entries
    await add(open, "6-0", "body", entry?.body ?? "", "mac", entry?.mac ?? "")
    await open.connection.commands.set(open.store.keys.sequence, "6")
    return (await open.store.verifyLedger()).problem
  }
  const broken = (how: string) => ({
    code: "broken-chain",
    number: 6,
    chain: "config",
    message: `entry 6 ${how}`,
  })

  test("finds one that follows another entry, or at another place, or begins its chain anew", async () => {
    expect(await problemAfter((head) => ({ ...head, mac: "another" }))).toEqual(
      broken("does not follow the last entry of config"),
    )
    expect(await problemAfter((head) => ({ ...head, count: 2 }))).toEqual(
      broken("is number 3 of config, after number 1: 1 of its entries are missing"),
    )
    expect(await problemAfter(() => noEntries)).toEqual(
      broken("is number 1 of config, which has 1 by then: it was written on an older record"),
    )
    expect((await problemAfter((head) => head))?.code).toBe("record-behind")
  })

  test("names the first number that is missing, and what follows instead", async () => {
    const open = await fiveEntries()
    await open.connection.commands.xdel(open.store.keys.ledger, "3-0")
    const other = await fiveEntries()
    await add(other, "5-1", "body", "b", "mac", "m")

    expect((await open.store.verifyLedger()).problem).toEqual({
      code: "gap",
      number: 4,
      chain: null,
      message: "entry 3 is not there: 4-0 follows 2",
    })
    expect((await other.store.verifyLedger()).problem).toEqual({
      code: "gap",
      number: 6,
      chain: null,
      message: "entry 6 is not there: 5-1 follows 5",
    })
  })

  test("names one that we did not seal", async () => {
    const open = await fiveEntries()
    await add(open, "6-0", "body", "b", "mac", "m")

    expect((await open.store.verifyLedger()).problem).toEqual({
      code: "bad-seal",
      number: 6,
      chain: null,
      message: "entry 6 was not sealed by us",
    })
  })
})
