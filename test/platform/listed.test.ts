// The list as it is remembered: a page whose text is the same is not read again, and what nobody asks for any more
// makes room.
import { expect, test } from "vitest"
import { readList } from "../../src/platform/envelope.ts"
import { createListMemory } from "../../src/platform/listed.ts"

/** A memory, and how often it had to read a page. */
function aMemory() {
  const remembered = createListMemory("main")
  let reads = 0
  const ask = (path: string, text = '{"data":[],"meta":{"total_count":0}}', status = 200) =>
    remembered(
      path,
      { status, text, bytes: Buffer.from(text), date: null, leadsTo: null, ofUpstream: null, token: undefined },
      ({ text: body }) => {
        reads += 1
        const envelope = readList(body)
        if (envelope === undefined) throw new Error("no list")
        return envelope
      },
    )
  return { ask, reads: () => reads }
}

test("a page is read once as long as its text stays the same", async () => {
  const { ask, reads } = aMemory()

  await ask("/approvals?page=1")
  await ask("/approvals?page=1")
  expect(reads()).toBe(1)

  await ask("/approvals?page=1", '{"data":[],"meta":{"total_count":1}}')
  expect(reads()).toBe(2)
})

test("pages of a time that is over make room for those of today, and these are kept", async () => {
  const { ask, reads } = aMemory()
  for (let page = 0; page < 1_000; page += 1) await ask(`/approvals?limit=1&page=${page}`)
  const before = reads()

  for (let poll = 0; poll < 2_100; poll += 1) await ask("/approvals?limit=100&page=1")
  const late = reads()
  await ask("/approvals?limit=100&page=1")

  expect(late).toBeGreaterThan(before)
  expect(reads()).toBe(late)
})

test("a list that is longer than the memory keeps its first pages from poll to poll", async () => {
  const { ask, reads } = aMemory()
  const poll = async () => {
    for (let page = 0; page < 1_200; page += 1) await ask(`/approvals?page=${page}`)
  }
  await poll()
  const first = reads()
  await poll()

  expect([first, reads() - first]).toEqual([1_200, 200])
})
