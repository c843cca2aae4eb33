// The receipt on a case's page: whether the ledger names this very one, and what the page says of it.

import { expect, test } from "vitest"
import { type ReceiptClaims, receiptHash } from "../../../src/domain/case/receipt.ts"
import type { ShownEntry } from "../../../src/flow/ports.ts"
import { receiptOf, type ShownReceipt } from "../../../src/http/page/receipt.ts"
import { receiptWords } from "../../../src/http/page/receipt-words.ts"
import { tellCase } from "../../../src/http/reading/telling.ts"

const claims: ReceiptClaims = {
  version: 2,
  installation: "prod",
  instance: "i",
  approval: "a",
  revision: 2,
  digest: "d2",
  decision: "d",
  verdict: "approve",
  at: Date.UTC(2026, 10, 28, 10),
  votes: [{ person: "T1:U1", subject: "ann@example.com", verb: "approve", at: 1, surface: "card", rules: ["r"] }],
  rules: [{ name: "r", hash: "h", quorum: 1 }],
  filled: null,
  sandbox: false,
  calls: ["c1", "c2"],
  expires: Date.UTC(2026, 10, 29, 10),
}
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
    said: { chain: "case", n: index + 1, sandbox: false, event, text: null },
  }))
  return [...entries, { number: 900, mac: "m", said: null }]
}

function shownFor(entries: readonly ShownEntry[], receipt: string | null = signed) {
  const reading = {
    receipt: async () => receipt,
    entriesOf: async (_id: string, { after, limit }: { readonly after: number; readonly limit: number }) =>
      entries.slice(after, after + limit),
  }
  return receiptOf({ reading, verifyReceipt: async () => ({ ok: true, kid: "k", claims }) }, "case", "d")
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

const told = { ...tellCase({ kind: "tampered", caseId: "c", why: "" }, () => null), approval: "a", digest: "d2" }
const kept: ShownReceipt = {
  jws: signed,
  hash: receiptHash(signed),
  verdict: { ok: true, kid: "k", claims },
  entry: { number: 104, names: true },
}

/** The words as they are read, without the markup around them. */
async function said(changes: Partial<ShownReceipt>, names = new Map([["T1:U1", "Ann"]])): Promise<string> {
  const markup = await receiptWords({ ...kept, ...changes }, told, names)
  return markup
    .toString()
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/(?:\s|&nbsp;)+/g, " ")
}

/** The same with other claims. */
function saying(changes: Partial<ReceiptClaims>): Promise<string> {
  return said({ verdict: { ok: true, kid: "k", claims: { ...claims, ...changes } as ReceiptClaims } })
}

test("a receipt says in words what was decided, by whom, about what, until when, and how to check it", async () => {
  const words = await said({})

  expect(words).toContain("It says approved, 2026-11-28 10:00:00 UTC ")
  expect(words).toContain("Decided by Ann T1:U1 ann@example.com ")
  expect(words).toContain("About revision 2 of this approval, whose digest stands below ")
  expect(words).toContain("lets its 2 calls begin until 2026-11-29 10:00:00 UTC")
  expect(words).toContain(`Entry 104 of the ledger names it by its hash (SHA-256 of the signed text): ${kept.hash}`)
  expect(words).toContain("countersign receipt verify receipt.txt --keys keys.json")
  expect(words).toContain(`The signed text ${signed}`)
})

test("a receipt of an expiry names nobody and no gate; one of other content says its own digest", async () => {
  const { calls: _calls, expires: _expires, ...rejected } = claims
  const verdict = { ok: true, kid: "k", claims: { ...rejected, verdict: "reject", votes: [] } } as const

  expect(await said({ verdict })).toMatch(/It says rejected, .* Decided by nobody in time About /)
  expect(await said({ verdict })).not.toContain("Good until")
  expect(await saying({ digest: "d1", approval: "b" })).toContain("revision 2 of approval b , whose digest is d1")
})

test("a receipt by whoever had asked says that they called it back", async () => {
  const votes = claims.votes.map((vote) => ({ ...vote, calledBack: true }) as const)

  expect(await saying({ votes })).toContain("ann@example.com , who had asked for it and called it back")
})

test("a receipt that does not hold is not told in words, only shown", async () => {
  const words = await said({ verdict: { ok: false, why: "the signature does not hold" } })

  expect(words).toContain("Not verified: the signature does not hold")
  expect(words).not.toMatch(/It says|receipt verify/)
  expect(words).toContain(signed)
})

test("a receipt that the ledger does not name shows no hash", async () => {
  expect(await said({ entry: null })).toContain("No entry of the ledger tells of this decision.")
  expect(await said({ entry: { number: 104, names: false } })).toContain(
    "Entry 104 of the ledger names another receipt",
  )
  expect(await said({ entry: { number: 104, names: false } })).not.toContain(kept.hash)
})
