// The two forms in which an entry stands in the stream. What is sealed is the text.
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { extendChain, noEntries } from "../../../src/store/ledger/entry.ts"
import { entryOf, fieldsOf } from "../../../src/store/ledger/entry-form.ts"
import type { LedgerEvent } from "../../../src/store/ledger/ledger-event.ts"
import { aSeal, noon } from "../support.ts"

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
    const condensed = buffers(fieldsOf(opened))
    const plain = buffers(["body", opened.body, "mac", opened.mac])

    expect(entryOf(condensed)).toEqual(opened)
    expect(entryOf(plain)).toEqual(opened)
    expect(condensed[1]?.length).toBeLessThan(opened.body.length / 3)
  })

  test("what was condensed once is read for ever: the phrases keep their codes", () => {
    const bytes =
      "06030a7605d534eb42f3b80bca0d01000000000000400080000000000000990e55310f616c6c100401a1fdfa" +
      "46000c0320847fb2c33a0510a8b4f606d8392fdac8659fe657b3206b7e0f99b6d432ff4f7d11616c6c120b"

    expect(fieldsOf(opened)[1].toString("hex")).toBe(bytes)
  })

  test("an entry that is too long, or whose MAC is none of ours, stands as text", () => {
    const long = anEntry({ kind: "frozen", at: noon, why: "w".repeat(70_000) })

    expect(fieldsOf(long)[0]).toBe("body")
    expect(fieldsOf({ body: "{}", mac: "x" })).toEqual(["body", "{}", "mac", "x"])
  })

  test.each([
    ["names of another form", ["e", Buffer.of(), "mac", Buffer.alloc(32)]],
    ["a MAC that is too short", ["e", Buffer.from("{}"), "m", Buffer.alloc(31)]],
    ["bytes that nothing is condensed to", ["e", Buffer.of(0), "m", Buffer.alloc(32)]],
    ["a field too many", [...fieldsOf(opened), "note", "x"]],
  ])("fields with %s are no entry", (_, fields) => {
    expect(entryOf(buffers(fields))).toBeNull()
  })
})
