// Inclusion proofs: one entry among those that a checkpoint vouches for, and everything that is no such proof.
import { describe, expect, test } from "vitest"
import { createMerkleTree, entryLeaf } from "../../src/domain/proof/merkle.ts"
import { isInclusionProof, proveInclusion, verifyInclusion } from "../../src/proof/inclusion.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const entries = [1, 2, 3, 4, 5].map((n) => ({ body: JSON.stringify({ chain: "config", n }), mac: `m${n}` }))
const leaves = entries.map(entryLeaf)

async function aCheckpoint(claims = {}): Promise<string> {
  const tree = createMerkleTree()
  for (const leaf of leaves) tree.append(leaf)
  const root = tree.root().toString("hex")
  return signer.sign("checkpoint", { version: 1, installation: "i", size: 5, root, at: noon, ...claims })
}

async function aProof(number: number) {
  const entry = entries[number - 1] ?? { body: "", mac: "" }
  return proveInclusion({ number, entry, leaves, anchor: { checkpoint: await aCheckpoint() } })
}

test.each([1, 2, 3, 4, 5])("entry %i of five is proved, and what it says is given back", async (number) => {
  const proof = await aProof(number)

  const { root, ...anchor } = (await verifyInclusion(proof, keys)).anchor

  expect(proof).toMatchObject({ kind: "countersign-inclusion", version: 1, number })
  expect(await verifyInclusion(proof, keys)).toMatchObject({ number, entry: { chain: "config", n: number } })
  expect(anchor).toEqual({ installation: "i", size: 5, at: noon, checkpoint: proof.checkpoint })
  expect(root).toMatch(/^[0-9a-f]{64}$/)
})

test("what stands beside body and mac of an entry is no part of its proof", () => {
  const entry = { body: "b", mac: "m", id: "1-0" }

  expect(proveInclusion({ number: 1, entry, leaves: [entryLeaf(entry)], anchor: { checkpoint: "c" } })).toEqual({
    kind: "countersign-inclusion",
    version: 1,
    number: 1,
    entry: { body: "b", mac: "m" },
    path: [],
    checkpoint: "c",
  })
})

describe("a proof is refused", () => {
  const elsewhere = { code: "bad-proof", message: "entry 2 is not among the 5 entries that were signed" }

  test.each<[string, object]>([
    ["of another entry", { entry: { body: "{}", mac: "m2" } }],
    ["with another MAC", { entry: { ...entries[1], mac: "m3" } }],
    ["without its way", { path: [] }],
    ["with another way", { path: ["0".repeat(64), "1".repeat(64), "2".repeat(64)] }],
  ])("a proof %s is refused", async (_what, changes) => {
    await expect(verifyInclusion({ ...(await aProof(2)), ...changes }, keys)).rejects.toMatchObject(elsewhere)
  })

  test("a proof of another place is refused", async () => {
    const moved = { ...(await aProof(2)), number: 3 }
    const outside = { ...(await aProof(2)), number: 6 }

    for (const proof of [moved, outside]) await expect(verifyInclusion(proof, keys)).rejects.toThrow("is not among")
  })

  test.each<[string, object]>([
    ["of another kind", { kind: "another" }],
    ["of another version", { version: 2 }],
    ["with number 0", { number: 0 }],
    ["with half a number", { number: 1.5 }],
    ["with a way that is no hash", { path: ["0".repeat(63)] }],
    ["with a way that is longer than a hash", { path: ["0".repeat(65)] }],
    ["with a checkpoint that is no text", { checkpoint: 1 }],
    ["with more than we would say", { note: "x" }],
    ["whose entry says more", { entry: { body: "b", mac: "m", note: "x" } }],
  ])("a proof that is no proof of ours is refused: it is one %s", async (_what, changes) => {
    await expect(verifyInclusion({ ...(await aProof(2)), ...changes }, keys)).rejects.toMatchObject({
      code: "bad-proof",
      message: "this is no inclusion proof that this version knows",
    })
  })

  test.each<[string, object]>([
    ["version", { version: 2 }],
    ["size", { size: 0 }],
    ["root", { root: "0".repeat(63) }],
    ["root with more", { root: `x${"0".repeat(64)}` }],
    ["root and more", { root: `${"0".repeat(64)}x` }],
    ["time", { at: "noon" }],
    ["installation", { installation: 1 }],
    ["claim of its own", { note: "x" }],
  ])("a proof is refused if its checkpoint has another %s than we would sign", async (_what, claims) => {
    const proof = { ...(await aProof(2)), checkpoint: await aCheckpoint(claims) }

    await expect(verifyInclusion(proof, keys)).rejects.toMatchObject({
      code: "bad-claims",
      message: "the checkpoint says something that this version does not know",
    })
  })
})

test("an entry whose body is no object says nothing", async () => {
  const entry = { body: "[1]", mac: "m" }
  const leaf = entryLeaf(entry)
  const tree = createMerkleTree()
  tree.append(leaf)
  const checkpoint = await aCheckpoint({ size: 1, root: tree.root().toString("hex") })

  const proof = proveInclusion({ number: 1, entry, leaves: [leaf], anchor: { checkpoint } })

  expect((await verifyInclusion(proof, keys)).entry).toEqual({})
})

test.each<[unknown, boolean]>([
  [{ kind: "countersign-inclusion" }, true],
  [{ kind: "another" }, false],
  [{}, false],
  [null, false],
  ["countersign-inclusion", false],
])("%j means to be an inclusion proof: %s", (value, means) => {
  expect(isInclusionProof(value)).toBe(means)
})
