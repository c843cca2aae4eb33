// What Slack said a moment ago: nobody is given an older answer than they allow, also where somebody more patient asked
// first.

import { expect, test } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { createCache } from "../../../src/slack/directory/cache.ts"

/** A cache whose other replica asked `agoMs` before now (10,000 ms), and got "theirs". */
function besideAnAnswer(agoMs: number) {
  const reads: string[] = []
  const cache = createCache<string>({
    clock: () => 10_000,
    size: 10,
    read: async (key) => {
      reads.push(key)
      return "own"
    },
    shared: {
      answers: {
        read: async () => ({ at: 10_000 - agoMs, value: "theirs" as Json }),
        keep: async () => undefined,
      },
      nameOf: (key) => key,
      write: (value) => value,
      parse: String,
    },
  })
  return { cache, reads }
}

test("who joins a patient reader's question is given no older answer than they allow", async () => {
  const { cache, reads } = besideAnAnswer(5_000)

  const answers = await Promise.all([cache.get("S1", 8_000), cache.get("S1", 2_000)])

  expect(answers).toEqual(["theirs", "own"])
  expect(reads).toEqual(["S1"])
})

test("an answer that is fresh enough for both is read once, and asked of nobody", async () => {
  const { cache, reads } = besideAnAnswer(1_000)

  expect(await Promise.all([cache.get("S1", 8_000), cache.get("S1", 2_000)])).toEqual(["theirs", "theirs"])
  expect(reads).toEqual([])
})

test("nobody joins a read that leaves its place to others, and it takes what they have read", async () => {
  const slow = Promise.withResolvers<string>()
  const reads: (true | undefined)[] = []
  const cache = createCache<string>({
    clock: () => 10_000,
    size: 10,
    read: (_key, _at, spare) => {
      reads.push(spare)
      return spare === true ? slow.promise : Promise.resolve("own")
    },
  })
  const spared = cache.get("S1", 30_000, { spare: true }).catch(String)

  expect(await cache.get("S1", 30_000)).toBe("own")
  expect(await cache.get("S1", 30_000, { spare: true })).toBe("own")
  slow.reject(new Error("no slot is left"))
  expect(await spared).toBe("Error: no slot is left")
  expect(reads).toEqual([true, undefined])
})
