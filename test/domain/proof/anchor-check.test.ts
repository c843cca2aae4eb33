// A ledger under its anchors, entry by entry: which entry is named, with hashes of the entries and without.

import { expect, test } from "vitest"
import { type Anchored, createAnchorCheck } from "../../../src/domain/proof/anchor-check.ts"
import { createMerkleTree, type Hash, leafHash } from "../../../src/domain/proof/merkle.ts"

const leaves = [1, 2, 3, 4, 5, 6].map((number) => leafHash(`entry ${number}`))

/** The anchor over the first entries, with the hashes of the last of them. */
function anchor(size: number, brought = 0): Anchored {
  const tree = createMerkleTree()
  for (const leaf of leaves.slice(0, size)) tree.append(leaf)
  return { size, root: tree.root().toString("hex"), leaves: leaves.slice(size - brought, size) }
}

/** What is found first when this entry is another one. */
function foundAt(changed: number, ...anchors: readonly Anchored[]) {
  const check = createAnchorCheck(anchors)
  const ledger = leaves.map((leaf, at): Hash => (at + 1 === changed ? leafHash("another") : leaf))
  return ledger.map((leaf) => check.see(leaf)).find((problem) => problem !== null) ?? null
}

const range = (first: number, last: number) => ({
  number: first,
  message: `entries ${first} to ${last} are not the ones that were signed`,
})
const entry = (number: number) => ({ number, message: `entry ${number} is not the one that was signed` })

test("an untouched ledger holds under any anchors, and what they vouch for is the longest", () => {
  expect(foundAt(0, anchor(2), anchor(5, 5))).toBeNull()
  expect(createAnchorCheck([anchor(5), anchor(2)]).anchored).toBe(5)
  expect(createAnchorCheck([])).toMatchObject({ anchored: 0 })
})

test("without hashes the entries since the last good anchor are named", () => {
  expect(foundAt(2, anchor(4))).toEqual(range(1, 4))
  expect(foundAt(3, anchor(2), anchor(4))).toEqual(range(3, 4))
  expect(foundAt(5, anchor(2), anchor(4))).toBeNull()
})

test("with hashes the entry itself is named, as far as anchors bring them without a gap", () => {
  expect(foundAt(2, anchor(4, 4))).toEqual(entry(2))
  expect(foundAt(4, anchor(4, 2), anchor(2, 2))).toEqual(entry(4))
  expect(foundAt(4, anchor(2, 2), anchor(4, 4))).toEqual(entry(4))
  expect(foundAt(4, anchor(2, 2), anchor(4, 1))).toEqual(range(3, 4))
  expect(foundAt(4, anchor(2, 2), anchor(2, 2), anchor(4, 2))).toEqual(entry(4))
  expect(foundAt(6, anchor(2, 2), anchor(6))).toEqual(range(3, 6))
})

test("hashes that do not lead to the signed root are not believed, nor those after them", () => {
  const lying = { ...anchor(4), leaves: [leafHash("a lie"), ...leaves.slice(3, 4)] }

  expect(foundAt(3, anchor(2, 2), lying)).toEqual(range(3, 4))
  expect(foundAt(1, anchor(2, 2), lying)).toEqual(entry(1))
  expect(foundAt(0, anchor(2, 2), lying, anchor(6, 2))).toBeNull()
})

test("entries that agree are counted up to the last one that an anchor or its hashes confirm", () => {
  const agreed = (seen: number, ...anchors: readonly Anchored[]) => {
    const check = createAnchorCheck(anchors)
    for (const leaf of [...leaves.slice(0, seen), leafHash("another")]) if (check.see(leaf) !== null) break
    return check.agreed()
  }

  expect(agreed(3, anchor(4, 4))).toBe(3)
  expect(agreed(3, anchor(2), anchor(4))).toBe(2)
  expect(agreed(3)).toBe(0)
})

test("two anchors over as many entries must both hold", () => {
  const other = { ...anchor(4), root: "0".repeat(64) }

  expect(foundAt(0, anchor(4), other)).toEqual(range(1, 4))
  expect(foundAt(0, other, anchor(4))).toEqual(range(1, 4))
  expect(foundAt(0, other, anchor(4, 4))).toEqual(range(4, 4))
})

test("a ledger that ends before the last anchor does is told, one that goes on is not", () => {
  const ended = (count: number) => {
    const check = createAnchorCheck([anchor(4)])
    for (const leaf of leaves.slice(0, count)) check.see(leaf)
    return check.end()
  }

  expect(ended(3)).toEqual({ number: 4, message: "the ledger ends at entry 3, but 4 were signed" })
  expect([ended(4), ended(5)]).toEqual([null, null])
})
