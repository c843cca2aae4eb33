// Encodings that nobody asked for are undone, or named.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { expect, test } from "vitest"
import { decoded } from "../../src/outgoing/decode.ts"

const text = Buffer.from(`{"text":"${"für ".repeat(500)}"}`)
const limit = 10_000

test.each([
  [undefined, text],
  ["identity", text],
  ["gzip", gzipSync(text)],
  ["X-GZip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["zstd", zstdCompressSync(text)],
  ["gzip, br", brotliCompressSync(gzipSync(text))],
  [["gzip", "br"], brotliCompressSync(gzipSync(text))],
])("an answer in the encoding %s is undone", async (header, bytes) => {
  expect(Buffer.from(await decoded(bytes, { header, limit })).toString()).toBe(text.toString())
})

test.each([
  ["compress", text, "unknown-encoding", 'the encoding "compress", which nobody asked for and we do not know'],
  ["gzip", text, "wrong-encoding", "bytes that are no gzip, as its header says"],
  ["br", gzipSync(text).subarray(0, 50), "wrong-encoding", "bytes that are no br, as its header says"],
  ["gzip", gzipSync(Buffer.alloc(1_000_000)), "too-large", "more than 10000 bytes"],
])("an answer in the encoding %s that cannot be undone is named", async (header, bytes, code, message) => {
  await expect(decoded(bytes, { header, limit })).rejects.toMatchObject({ code, message })
})
