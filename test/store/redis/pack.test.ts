// What records take in Redis, and that what was packed once opens for ever.

import { expect, test } from "vitest"
import { pack, unpack } from "../../../src/store/redis/pack.ts"
import { announced, pressed } from "../../flow/support.ts"
import { createWorld } from "../../support/memory-ports.ts"

test.each(["", "{}", '{"text":"für 你好 \u{1f600}"}', "x".repeat(100_000)])(
  "what is packed comes back as it was: %#",
  (text) => {
    expect(unpack(Buffer.from(pack(text)))).toBe(text)
  },
)

test("what was kept as plain JSON is read as it is", () => {
  expect(unpack(Buffer.from('{"id":"ü"}'))).toBe('{"id":"ü"}')
})

test("what was packed with these words opens: they never change", () => {
  const packed = "0183560fa6a9a91666a9499666899626a9892629c62649e6c855863146b10b4b6ab1c427e05a00"
  expect(unpack(Buffer.from(packed, "hex"))).toBe(
    '{"id":"5ee86eb96a94ea4d34b7","version":3,"state":"open","cards":[],"votes":[],"decision":null,"sending":null}',
  )
})

test("bytes that are not packed so do not open", () => {
  expect(() => unpack(Buffer.of(1, 255, 255, 255))).toThrow()
  expect(() => unpack(Buffer.from(pack("some text")).subarray(0, 5))).toThrow()
})

test("what is long is kept as it is: an agent may send what packs to nothing", () => {
  const long = JSON.stringify({ text: "x".repeat(100_000) })

  expect(pack(long)).toBe(long)
})

test("a case takes less than a third of its JSON", async () => {
  const world = createWorld()
  const json = [JSON.stringify(await announced(world)), JSON.stringify((await pressed(world)).case)]

  for (const text of json) expect(pack(text).length).toBeLessThan(text.length / 3)
})
