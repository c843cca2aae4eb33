// The two forms in which an entry stands in the stream. What is sealed is the text.
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { miss } from "../../../src/domain/case/verdict.ts"
import { extendChain, noEntries } from "../../../src/store/ledger/entry.ts"
import { entryOf, fieldsOf } from "../../../src/store/ledger/entry-form.ts"
import type { LedgerEvent } from "../../../src/store/ledger/ledger-event.ts"
import { readChain } from "../../../src/store/ledger/read-ledger.ts"
import { aReplica } from "../freshness-support.ts"
import { anApproval, aSeal, committedCase, noon } from "../support.ts"

const digest = createHash("sha256").update("what is decided").digest("hex")
const chain = "case:7605d534eb42f3b80bca"

function anEntry(event: LedgerEvent) {
  const [entry] = extendChain(aSeal("forms"), { chain, head: noEntries, sandbox: false }, [event]).entries
  if (entry === undefined) throw new Error("no entry was made")
  return entry
}

const opened = anEntry({
  kind: "opened",
  at: noon,
  approval: "00000000-0000-4000-8000-000000000099",
  instance: "main",
  revision: 1,
  digest,
  rules: ["all"],
  asked: [{ rule: "all", quorum: 1, approvers: ["U1"] }],
})

const buffers = (fields: readonly (string | Buffer)[]) => fields.map((field) => Buffer.from(field))

describe("an entry's form", () => {
  test("an entry is the same from both forms, and condensed it takes a third", () => {
    const [condensed, plain] = [buffers(fieldsOf(opened, false)), buffers(fieldsOf(opened, true))]

    expect(entryOf(condensed)).toEqual(opened)
    expect(entryOf(plain)).toEqual(opened)
    expect(condensed[1]?.length).toBeLessThan(opened.body.length / 3)
  })

  test("what was condensed once is read for ever: the phrases keep their codes", () => {
    const bytes =
      "06030a7605d534eb42f3b80bca0d01000000000000400080000000000000990e55310f616c6c100401a1fdfa" +
      "46000c0320847fb2c33a0510a8b4f606d8392fdac8659fe657b3206b7e0f99b6d432ff4f7d11616c6c120b"

    expect(fieldsOf(opened, false)[1].toString("hex")).toBe(bytes)
  })

  test("an entry that is too long, or whose MAC is none of ours, stands as text", () => {
    const long = anEntry({ kind: "frozen", at: noon, why: "w".repeat(70_000) })

    expect(fieldsOf(long, false)[0]).toBe("body")
    expect(fieldsOf({ body: "{}", mac: "x" }, false)).toEqual(["body", "{}", "mac", "x"])
  })

  test.each([
    ["names of another form", ["e", Buffer.of(), "mac", Buffer.alloc(32)]],
    ["a MAC that is too short", ["e", Buffer.from("{}"), "m", Buffer.alloc(31)]],
    ["bytes that nothing is condensed to", ["e", Buffer.of(0), "m", Buffer.alloc(32)]],
    ["a field too many", [...fieldsOf(opened, false), "note", "x"]],
  ])("fields with %s are no entry", (_, fields) => {
    expect(entryOf(buffers(fields))).toBeNull()
  })
})

test("while a replica of an older version runs, entries and chains are written as it reads them", async () => {
  const replica = await aReplica()
  const { store, connection, seal } = replica
  const { commands } = connection
  const { keys } = store
  const older = { at: noon, left: false }
  await commands.hset(keys.replicas, "old-1", seal.encrypt("vouching", JSON.stringify(older), "old-1"))
  await store.freshness.look()

  const made = await committedCase(replica, anApproval())

  expect(await commands.lrange(keys.chain(`case:${made.id}`), 0, -1)).toHaveLength(1)
  const first = async () => (await commands.xrevrangeBuffer(keys.ledger, "+", "-", "COUNT", 1))[0]?.[1].map(String)[0]
  expect(await first()).toBe("body")

  const left = { ...older, left: true }
  await commands.hset(keys.replicas, "old-1", seal.encrypt("vouching", JSON.stringify(left), "old-1"))
  await store.freshness.look()
  await store.cases.commit({ ...miss(made, noon), expectedVersion: 1 })

  expect(await first()).toBe("e")
  expect(await readChain({ redis: commands, keys }, `case:${made.id}`)).toHaveLength(2)
  expect(await commands.exists(keys.chain(`case:${made.id}`))).toBe(0)
  expect((await store.verifyLedger()).problem).toBeNull()
})
