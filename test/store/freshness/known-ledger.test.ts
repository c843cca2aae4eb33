// What a process knows of the ledger: where each chain ends, what may be lost of it, and what an era touches (R14,
// R17).

import { expect, test } from "vitest"
import { createMerkleTree, leafHash } from "../../../src/domain/proof/merkle.ts"
import { type EntryProblem, knowFrom, theBeginning } from "../../../src/store/freshness/known-ledger.ts"
import type { BegunEra, OpenEntry } from "../../../src/store/freshness/open-entry.ts"
import { compareMarks } from "../../../src/store/freshness/start.ts"

const a = "case:a"
const b = "case:b"
const link = "link:ann"

/** A ledger that is known from its first entry on. */
function aLedger() {
  const known = knowFrom(theBeginning())
  let readAt = 0
  /** The next entry of a chain, as an honest process makes it, but for the changes. */
  const add = (chain: string, kind: string, changes: Partial<OpenEntry> = {}): EntryProblem | null => {
    const head = known.head(chain)
    const number = known.end().number + 1
    const n = (head?.count ?? 0) + 1
    const own = { number, mac: `m${number}`, at: 0, vote: null, era: null, leaf: leafHash(`entry ${number}`) }
    readAt += 1
    return known.see({ ...own, chain, kind, n, prev: head?.mac ?? "", ...changes }, readAt)
  }
  const begin = (chains: BegunEra["chains"], id = 1) =>
    add("installation", "era", { era: { id, chains, accepts: false, config: null } })
  return { known, add, begin }
}

test("the last entry of each chain is its head", () => {
  const { known, add } = aLedger()
  expect(known.end()).toEqual({ number: 0, mac: "" })
  expect(known.macAt(0)).toBe("")

  for (const [chain, kind] of [
    [a, "opened"],
    ["config", "activated"],
    [a, "posted"],
    ["config", "activated"],
  ] as const)
    expect(add(chain, kind)).toBeNull()

  expect(known.end()).toMatchObject({ number: 4, mac: "m4" })
  expect(known.head(a)).toEqual({ count: 2, mac: "m3", era: 0, state: "open", voted: [] })
  expect(known.head(b)).toBeNull()
  expect([0, 1, 4, 5].map((number) => known.macAt(number))).toEqual(["", "m1", "m4", null])
})

test("what is old is settled under one root, and what is younger may still be lost", () => {
  const { known, add } = aLedger()
  for (const kind of ["opened", "posted", "posted"]) add(a, kind)
  expect(known.settle(0)).toEqual([])

  const settled = known.settle(2)

  expect(settled.map(({ number }) => number)).toEqual([1, 2])
  expect(known.recent().map(({ number }) => number)).toEqual([3])
  expect(known.settled.end()).toEqual({ number: 2, mac: "m2" })
  expect(known.settled.heads.get(a)).toMatchObject({ count: 2, mac: "m2" })
  expect(known.head(a)).toMatchObject({ count: 3, mac: "m3" })
  const tree = createMerkleTree()
  for (const number of [1, 2]) tree.append(leafHash(`entry ${number}`))
  expect(known.settled.tree.root()).toEqual(tree.root())
  expect([1, 2, 3, 4].map((number) => known.macAt(number))).toEqual([null, "m2", "m3", null])
  expect(known.settle(9).map(({ number }) => number)).toEqual([3])
  expect(known.settle(9)).toEqual([])
})

test("R16 where the config's chain ended is known of every number, settled or not, and forgotten with what is cut off", () => {
  const { known, add } = aLedger()
  const configs = () => [1, 2, 3, 4].map((number) => known.configAt(number)?.mac)
  add(a, "opened")
  for (const kind of ["activated", "activated"]) add("config", kind)
  add(a, "posted")
  expect(configs()).toEqual([undefined, "m2", "m3", "m3"])

  known.settle(2)
  expect(configs()).toEqual([undefined, "m2", "m3", "m3"])

  known.cut(2)
  expect(configs()).toEqual([undefined, "m2", "m2", "m2"])
})

test("R17 what is cut off is forgotten: heads, and an era that began with it", () => {
  const { known, add, begin } = aLedger()
  add(a, "opened")
  known.settle(9)
  add(a, "posted")
  begin(null)
  expect(known.isTouched(a)).toBe(true)

  const lost = known.cut(1)

  expect(lost.map(({ number, chain }) => [number, chain])).toEqual([
    [2, a],
    [3, "installation"],
  ])
  expect(known.end()).toMatchObject({ number: 1, mac: "m1" })
  expect(known.head(a)).toMatchObject({ count: 1, mac: "m1" })
  expect([known.eras(), known.isTouched(a)]).toEqual([[], false])
  expect(add(a, "posted")).toBeNull()
})

test.each([
  ["leaves one out", { n: 4 }],
  ["is of the same number as one before", { n: 2 }],
  ["follows another one", { prev: "m1" }],
])("R14 an entry that %s freezes its chain, and no other", (_, changes) => {
  const { known, add } = aLedger()
  for (const chain of [a, b]) for (const kind of ["opened", "posted"]) add(chain, kind)

  const problem = add(a, "voted", changes)
  add(a, "renewed")

  expect(problem).toEqual({ code: "behind", number: 5, chain: a })
  expect(known.head(a)).toMatchObject({ state: "frozen" })
  expect(known.head(b)).toMatchObject({ state: "open" })
})

test("R14 a chain that begins in its middle is frozen, unless it is a case's that was over", () => {
  const { known, add } = aLedger()

  expect(add(link, "linked", { n: 2, prev: "gone" })).toMatchObject({ code: "behind", chain: link })
  expect(add(a, "opened", { n: 5, prev: "closed" })).toBeNull()
  expect(add(b, "opened", { n: 1, prev: "another" })).toMatchObject({ code: "behind", chain: b })
  expect([link, a, b].map((chain) => known.head(chain)?.state)).toEqual(["frozen", "open", "frozen"])
})

test("R7 a link that is frozen counts again once an operator makes it anew", () => {
  const { known, add } = aLedger()
  add(link, "pinned")
  add(link, "contested", { n: 9 })
  expect(known.head(link)).toMatchObject({ state: "frozen" })

  expect(add(link, "linked")).toBeNull()

  expect(known.head(link)).toMatchObject({ state: "open" })
})

test("R11 an interaction that votes twice on a case freezes it; on another case it is another vote", () => {
  const { known, add } = aLedger()
  const press = "p".repeat(64)
  for (const chain of [a, b]) add(chain, "opened")
  expect(add(a, "voted", { vote: press })).toBeNull()
  expect(add(a, "voted", { vote: "q".repeat(64) })).toBeNull()
  expect(add(a, "withdrawn")).toBeNull()

  expect(add(b, "voted", { vote: press })).toBeNull()
  expect(add(a, "voted", { vote: press })).toEqual({ code: "twice", number: 7, chain: a })
  expect([a, b].map((chain) => known.head(chain)?.state)).toEqual(["frozen", "open"])
})

test("R11 who voted is known of what is settled too, and of a case whose approval was gone for a while", () => {
  const { known, add } = aLedger()
  const press = "p".repeat(64)
  add(a, "opened")
  add(a, "voted", { vote: press })
  add(a, "vanished")
  add(a, "closed")
  known.settle(9)
  expect(known.head(a)).toMatchObject({ state: "vanished" })
  add(a, "opened")
  expect(known.head(a)).toMatchObject({ state: "open" })

  expect(add(a, "voted", { vote: press })).toMatchObject({ code: "twice" })
})

test("what was asked of it need not be asked again before a chain ends elsewhere", () => {
  const { known, add } = aLedger()
  add(a, "opened")
  const first = known.asOf()
  known.settle(9)
  expect(known.asOf()).toBe(first)

  add(b, "opened")
  const second = known.asOf()
  expect(second).not.toBe(first)
  known.cut(1)
  expect(known.asOf()).not.toBe(second)
})

test.each(["without-effect", "paused-again", "run-over", "ran-otherwise", "decided-outside-rules"])(
  "a case that was over is not over while its thread is told of it once more: %s",
  (notice) => {
    const { known, add } = aLedger()
    add(a, "opened")
    add(a, "closed")

    expect(add(a, notice, { n: 3, prev: "m2" })).toBeNull()

    expect(known.head(a)).toMatchObject({ count: 3, mac: "m3", state: "open" })
    add(a, "closed")
    expect(known.head(a)).toBeNull()
  },
)

test("of a case that is over nobody keeps the end, whatever else is said of it after", () => {
  const { known, add } = aLedger()
  add(a, "opened")
  add(a, "closed")
  expect(known.head(a)).toBeNull()

  expect(add(a, "erased", { n: 3, prev: "m2" })).toBeNull()

  expect(known.head(a)).toBeNull()
  known.settle(9)
  expect([...known.settled.heads.chains()]).toEqual([])
})

test("R17 an era touches the cases that are open, none that is closed, and none that is opened or begun anew after it", () => {
  const { known, add, begin } = aLedger()
  for (const chain of ["case:open", "case:closed", "case:renewed"]) add(chain, "opened")
  add("case:closed", "closed")
  expect(known.touched(9)).toEqual([])

  begin(null)
  add("case:open", "posted")
  add("case:renewed", "renewed")
  add("case:after", "opened")

  const all = ["case:open", "case:closed", "case:renewed", "case:after", link]
  expect(all.filter((chain) => known.isTouched(chain))).toEqual(["case:open"])
  expect(known.touched(9)).toEqual(["case:open"])
})

test("R17 an era that names chains touches these, settled or not, and a link that is gone until it is made anew", () => {
  const { known, add, begin } = aLedger()
  for (const chain of [a, b]) add(chain, "opened")
  known.settle(9)

  begin([a, link])

  expect([a, b, link, "link:bob"].filter((chain) => known.isTouched(chain))).toEqual([a, link])
  expect(known.touched(9)).toEqual([a])
  add(link, "linked")
  expect(known.isTouched(link)).toBe(false)
  begin([link, b], 2)
  expect([a, b, link].filter((chain) => known.isTouched(chain))).toEqual([a, b, link])
})

test("so many touched cases are told as were asked for", () => {
  const { known, add, begin } = aLedger()
  for (const chain of [a, b, "case:c"]) add(chain, "opened")
  begin(null)

  expect(known.touched(2)).toHaveLength(2)
  expect(known.touched(9)).toHaveLength(3)
})

test("R17 a checkpoint covers the eras that are settled, and no later one", () => {
  const { known, begin } = aLedger()
  begin(null)
  known.settle(9)
  begin([a], 2)

  expect(known.eras().map(({ id }) => id)).toEqual([1, 2])
  expect(known.settled.eras().map(({ id }) => id)).toEqual([1])
})

/** What an old mark comes to, beside a new one that holds, in a ledger of three entries. */
function marked(number: number, mac: string, heads: Readonly<Record<string, readonly [number, string]>>) {
  const { add, known } = aLedger()
  add(a, "opened")
  add("fingerprint:f", "fingerprint-begun")
  add(link, "linked")
  const old = { number, mac, at: 0, era: 0, heads }
  const last = { number: 1, mac: "m1", at: 60_000, era: 0, heads: { [a]: [1, "m1"] } } as const
  const standing = new Map([1, 2, 3].map((one) => [one, `m${one}`]))
  return compareMarks(known, [{ replica: "r1", marks: [old, last] }], standing)
}

test("a mark of a fingerprint that was begun anew is no roll-back; of anything else, or beyond the ledger's end, it is", () => {
  const gone = (number: number) => ({ why: `entry ${number} was noted by a process, and is gone`, number: 1 })

  expect(marked(2, "m2", { "fingerprint:f": [1, "another"] })).toEqual({ any: true, lost: { chains: [], config: [] } })
  expect(marked(2, "m2", { "fingerprint:f": [1, "another"], [a]: [2, "gone"] })).toEqual(gone(2))
  expect(marked(3, "m3", { [link]: [1, "another"] })).toEqual(gone(3))
  expect(marked(4, "m4", { "fingerprint:f": [2, "gone"] })).toEqual(gone(4))
})

test("R17 a mark whose entry stands otherwise is a roll-back, though ledger and chains grew beyond it since", () => {
  expect(marked(3, "m3", { [a]: [1, "m1"], [b]: [4, "over"] })).toEqual({ any: true, lost: { chains: [], config: [] } })
  expect(marked(3, "another", { [a]: [1, "m1"], [b]: [4, "over"] })).toMatchObject({ why: expect.any(String) })
  expect(marked(2, "another", { "fingerprint:f": [1, "another"] })).toMatchObject({ why: expect.any(String) })
})
