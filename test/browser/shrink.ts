// Makes the PNG of a screenshot smaller: flat surfaces compress best without the filters that browsers choose for
// photographs.
import { crc32, deflateSync, inflateSync } from "node:zlib"

const SIGNATURE = 8
const COLOURS = 3

interface Chunk {
  readonly type: string
  readonly body: Buffer
}

/**
 * The same picture, with every row unfiltered and packed as tightly as zlib can. For screenshots: 8 bits, RGB, not
 * interlaced.
 */
export function shrunk(png: Buffer): Buffer {
  const chunks = chunksOf(png)
  const header = chunks.find(({ type }) => type === "IHDR")?.body ?? Buffer.alloc(0)
  if (header.readUInt16BE(8) !== 0x0802 || header[12] !== 0) throw new Error("only 8-bit RGB pictures can be shrunk")
  const rows = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ body }) => body)))
  const data = deflateSync(unfiltered(rows, header.readUInt32BE(0) * COLOURS + 1), { level: 9, memLevel: 9 })
  const made = [
    { type: "IHDR", body: header },
    { type: "IDAT", body: data },
    { type: "IEND", body: Buffer.alloc(0) },
  ]
  return Buffer.concat([png.subarray(0, SIGNATURE), ...made.map(bytesOf)])
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const found: Chunk[] = []
  for (let at = SIGNATURE; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    found.push({ type: png.toString("latin1", at + 4, at + 8), body: png.subarray(at + 8, end) })
    at = end + 4
  }
  return found
}

function bytesOf({ type, body }: Chunk): Buffer {
  const length = Buffer.alloc(4)
  const check = Buffer.alloc(4)
  const named = Buffer.concat([Buffer.from(type, "latin1"), body])
  length.writeUInt32BE(body.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** Undoes the filter of each row, whose number is the row's first byte: https://www.w3.org/TR/png-3/#9Filters */
function unfiltered(rows: Buffer, stride: number): Buffer {
  const plain = Buffer.alloc(rows.length)
  const at = (row: number, x: number) => (row < 0 || x < 1 ? 0 : (plain[row * stride + x] ?? 0))
  for (let row = 0; row * stride < rows.length; row++) {
    const filter = rows[row * stride] ?? 0
    for (let x = 1; x < stride; x++) {
      const guess = predicted(filter, at(row, x - COLOURS), at(row - 1, x), at(row - 1, x - COLOURS))
      plain[row * stride + x] = (rows[row * stride + x] ?? 0) + guess
    }
  }
  return plain
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter < 3) return [0, left, up][filter] ?? 0
  if (filter === 3) return Math.floor((left + up) / 2)
  const [byLeft, byUp, byCorner] = [left, up, corner].map((value) => Math.abs(left + up - corner - value))
  if (byLeft === undefined || byUp === undefined || byCorner === undefined) return 0
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}
