// Receipts as Redis holds them: without base64, and the same text when they are read.
import { expect, test } from "vitest"
import { decide } from "../../../src/domain/case/verdict.ts"
import { sha256 } from "../../../src/domain/content/canonical.ts"
import { aVote } from "../../support/builders.ts"
import { aSigner } from "../../support/signer.ts"
import { committedCase, noon, type OpenStore, openStore } from "../support.ts"

const decision = "9c464d14ee1affa2757de68b64848567"
const claims = {
  version: 2,
  approval: "00000000-0000-4000-8000-000000000105",
  at: noon,
  calls: ["3c".repeat(32)],
  decision,
  expires: noon + 86_400_000,
  digest: "2921a9e1a7c59d080b26f7ff03792ca912a05cd711805b9ff1d8baffdab2b651",
  filled: null,
  installation: "size",
  instance: "main",
  revision: 1,
  rules: [{ hash: "54622e9fb05e066fa668f5ed907f6c5c14c2cc2de4979729a8d5e13f73078d3c", name: "*", quorum: 1 }],
  sandbox: false,
  verdict: "approve",
  votes: [{ at: noon, person: "T1:U1", rules: ["*"], subject: "ann@example.com", surface: "card", verb: "approve" }],
}

/** A case decided with this receipt; gives back what Redis holds of it, opened. */
async function kept(open: OpenStore, receipt: string): Promise<Buffer> {
  const { store, connection, seal } = open
  const current = await committedCase(open)
  const votes = [aVote({ user: "U1", caseId: current.id })]
  const decided = decide(current, { id: decision, verb: "approve", votes, at: noon }, "{}", receipt)
  await store.cases.commit({ ...decided, expectedVersion: 1 })
  const key = store.keys.receipt(decision)
  return seal.decrypt("receipt", (await connection.commands.hgetBuffer(key, "sealed")) ?? Buffer.of(), key)
}

test("a receipt is the same again, and takes less than a third", async () => {
  const open = await openStore()
  const receipt = await (await aSigner(open.installation)).sign("approval", claims)

  const bytes = await kept(open, receipt)

  expect(bytes.length).toBeLessThan(receipt.length / 3)
  expect(await open.store.receipt(decision)).toBe(receipt)
})

test.each(["no JWS", "a.b.c", `e30.e30.${"A".repeat(400)}`, "e30.e30.AA.AA", "e30.e30.AB"])(
  "a receipt that is not as we sign it is kept as it is: %s",
  async (receipt) => {
    const open = await openStore()

    const bytes = await kept(open, receipt)

    expect(bytes.toString()).toBe(receipt)
    expect(await open.store.receipt(decision)).toBe(receipt)
  },
)

test("what was packed with these phrases opens: they keep their codes", async () => {
  const open = await openStore()
  const key = open.store.keys.receipt(decision)
  const short = Array.from({ length: 26 }, (_, at) => 6 + at)
  const long = Array.from({ length: 12 }, (_, at) => [5, at]).flat()
  const packed = Buffer.of(1, 2, 255, 255, ...short, ...long)

  await open.connection.commands.hset(key, "sealed", open.seal.encrypt("receipt", packed, key))

  expect(sha256((await open.store.receipt(decision)) ?? "")).toBe(
    "b6c71105215e23bdc3510b989772ac12ad385751a283520a1589b9cdde6038a4",
  )
})
