// The receipt on a case's page: whether the ledger names this very one.

import { expect, test } from "vitest"
import { receiptHash } from "../../../src/domain/case/receipt.ts"
import type { ShownEntry } from "../../../src/flow/ports.ts"
import { receiptOf } from "../../../src/http/page/receipt.ts"

const signed = "header.payload.signature"

/** Entries of a chain: so many looks, the decision `d` naming a receipt by its hash, and one that nobody can read. */
function chainOf(looks: number, receipt: string | null): readonly ShownEntry[] {
  const events = [
    ...Array.from({ length: looks }, () => ({ kind: "revealed" })),
    { kind: "decided", decision: "before", receipt: "another" },
    ...(receipt === null ? [] : [{ kind: "decided", decision: "d", receipt }]),
  ]
  const entries = events.map((event, index) => ({
    number: 100 + index,
    mac: "m",
    said: { chain: "case", n: index + 1, sandbox: false, event },
  }))
  return [...entries, { number: 900, mac: "m", said: null }]
}

function shownFor(entries: readonly ShownEntry[], receipt: string | null = signed) {
  const reading = {
    receipt: async () => receipt,
    entriesOf: async (_id: string, { after, limit }: { readonly after: number; readonly limit: number }) =>
      entries.slice(after, after + limit),
  }
  return receiptOf({ reading, verifyReceipt: async () => ({ ok: true, kid: "k", claims: {} }) }, "case", "d")
}

test.each([0, 198, 199, 450])("the entry that names it is found behind %i others", async (looks) => {
  const shown = await shownFor(chainOf(looks, receiptHash(signed)))

  expect(shown).toMatchObject({ jws: signed, entry: { number: 101 + looks, names: true } })
})

test("another receipt than the ledger names is told, however well it is signed", async () => {
  expect(await shownFor(chainOf(3, receiptHash("header.payload.other")))).toMatchObject({
    verdict: { ok: true },
    entry: { number: 104, names: false },
  })
})

test.each([0, 197])("a ledger that tells of no such decision is told, after %i entries", async (looks) => {
  expect((await shownFor(chainOf(looks, null)))?.entry).toBeNull()
})

test("a text that is no receipt is told as none", async () => {
  expect(await shownFor(chainOf(0, null), null)).toBeNull()
})
