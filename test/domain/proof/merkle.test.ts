// The Merkle tree of RFC 6962: known roots, and proofs that hold for their own place only.

import fc from "fast-check"
import { expect, test } from "vitest"
import { createMerkleTree, type Hash, inclusionPath, leafHash, rootFromPath } from "../../../src/domain/proof/merkle.ts"

/** The leaves of Certificate Transparency's own tests, as hex, and the roots over the first of them. */
const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map(
  (hex) => leafHash(Buffer.from(hex, "hex").toString("latin1")),
)
const roots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

function rootOf(hashes: readonly Hash[]): string {
  const tree = createMerkleTree()
  for (const hash of hashes) tree.append(hash)
  expect(tree.size()).toBe(hashes.length)
  return tree.root().toString("hex")
}

test.each(roots.map((root, index) => [index + 1, root] as const))("%i leaves have their known root", (count, root) => {
  expect(rootOf(leaves.slice(0, count))).toBe(root)
})

test("no leaves have the hash of nothing", () => {
  expect(rootOf([])).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
})

const grown = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1) }))
const listOf = (size: number) => Array.from({ length: size }, (_, index) => leafHash(`entry ${index}`))

test("every proof leads to the root", () => {
  fc.assert(
    fc.property(grown, ({ size, index }) => {
      const all = listOf(size)
      const path = inclusionPath(all, index)
      const root = rootFromPath({ leaf: all[index] ?? Buffer.alloc(0), index, size, path })
      expect(root?.toString("hex")).toBe(rootOf(all))
    }),
  )
})

test("a proof leads elsewhere from another leaf, place or path", () => {
  fc.assert(
    fc.property(grown, fc.nat(69), ({ size, index }, other) => {
      const all = listOf(size)
      const leaf = all[index] ?? Buffer.alloc(0)
      const path = inclusionPath(all, index)
      const lead = (change: Partial<Parameters<typeof rootFromPath>[0]>) =>
        rootFromPath({ leaf, index, size, path, ...change })?.toString("hex")
      expect(lead({ leaf: leafHash("another") })).not.toBe(rootOf(all))
      expect(lead({ path: [...path, leaf] })).toBeUndefined()
      if (other !== index) expect(lead({ index: other })).not.toBe(rootOf(all))
      if (path.length > 0) expect(lead({ path: path.slice(1) })).not.toBe(rootOf(all))
    }),
  )
})

test("a leaf that is not there has no proof", () => {
  expect(() => inclusionPath(leaves, 8)).toThrow(RangeError)
  expect(() => inclusionPath(leaves, -1)).toThrow("there is no leaf -1 among 8")
})
