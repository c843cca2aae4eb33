// Every character that counts as seen leaves ink in a browser: nobody can hide a word from a condition by one that does
// not.
import { expect, test } from "vitest"
import { isInvisibleAt } from "../../src/invisible.ts"
import { openBrowser } from "./browser.ts"

/** Draws characters, each in a cell of its own, and gives back those whose cell stays empty. */
const WITHOUT_INK = `(points) => {
  const [cells, size] = [64, 40]
  const pen = new OffscreenCanvas(cells * size, size).getContext("2d", { willReadFrequently: true })
  pen.font = "20px sans-serif"
  const found = []
  for (let first = 0; first < points.length; first += cells) {
    const row = points.slice(first, first + cells)
    pen.clearRect(0, 0, cells * size, size)
    row.forEach((point, cell) => pen.fillText(String.fromCodePoint(point), cell * size + 10, 28, 25))
    const drawn = new Uint32Array(pen.getImageData(0, 0, cells * size, size).data.buffer)
    const inked = new Set()
    drawn.forEach((pixel, at) => pixel !== 0 && inked.add(Math.floor((at % (cells * size)) / size)))
    found.push(...row.filter((_, cell) => !inked.has(cell)))
  }
  return found
}`

async function withoutInk(points: readonly number[]): Promise<readonly number[]> {
  const page = await (await openBrowser()).newPage()
  return page.evaluate<readonly number[]>(`(${WITHOUT_INK})(${JSON.stringify(points)})`)
}

test("a browser draws nothing of a character without ink, and something of a letter", async () => {
  expect(await withoutInk([0x61, 0x200b, 0xad, 0x20, 0x6f22])).toEqual([0x200b, 0xad, 0x20])
})

test("each character of Unicode that counts as seen leaves ink", async () => {
  // A blank is as it looks. Ideographs and syllables are alike: there are a hundred thousand, and all have strokes.
  const seen = Array.from({ length: 0x110000 }, (_, point) => point).filter((point) => {
    const character = String.fromCodePoint(point)
    return point > 0x20 && !/[\p{Cn}\p{Unified_Ideograph}가-힣]/u.test(character) && !isInvisibleAt(character, 0)
  })

  const blank = await withoutInk(seen)

  expect(seen.length).toBeGreaterThan(40_000)
  expect(blank.map((point) => `U+${point.toString(16).toUpperCase()}`)).toEqual([])
})
