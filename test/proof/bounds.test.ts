// Bounds: the newest checkpoint that a start can reach, of file and channel, and what is no checkpoint of ours (R17).
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Alarm, Bound } from "../../src/flow/ports.ts"
import { type BoundsOptions, createBounds, sealBound } from "../../src/proof/bounds.ts"
import { aSeal } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"

const seal = aSeal({ installation: "i" })
const otherKey = aSeal({ installation: "i", key: Buffer.alloc(32, 9) })

function aBound(size: number): Bound {
  return { size, mac: "m", root: "r", peaks: [[size, "h"]], heads: "list.0", era: 1, at: noon + size }
}

/** A line as the file sink writes it. */
function lineOf(size: number, by = seal, installation = "i"): string {
  return JSON.stringify({ checkpoint: "a.b.c", leaves: [], sealed: sealBound(by, installation, aBound(size)) })
}

async function aFile(...lines: readonly string[]): Promise<string> {
  const folder = aFolder("bounds")
  const file = join(folder, "checkpoints.jsonl")
  await writeFile(file, lines.join("\n"))
  return file
}

function aChannel(...lines: readonly string[]): NonNullable<BoundsOptions["audit"]> {
  return { name: "channel C1", read: async () => lines }
}

/** The bounds of file and channel, and the alarms that they raise. */
function boundsOf(changes: Partial<BoundsOptions>) {
  const alarms: Alarm[] = []
  const alarm = (one: Alarm) => void alarms.push(one)
  const bounds = createBounds({ seal, installation: "i", file: null, audit: null, alarm, ...changes })
  return { newest: (by?: number) => bounds.newest(by), alarms }
}

test.each([
  ["the file", 9, 7],
  ["the channel", 7, 9],
])("R17 the newest of both counts, here of %s", async (_, filed, posted) => {
  const file = await aFile(lineOf(3), lineOf(filed), "")
  const { newest, alarms } = boundsOf({ file, audit: aChannel(lineOf(2), lineOf(posted)) })

  expect(await newest()).toEqual(aBound(9))
  expect(alarms).toEqual([])
})

test("R17 the last line counts, not the one over most entries: an accepted roll-back makes the ledger shorter", async () => {
  expect(await boundsOf({ file: await aFile(lineOf(9), lineOf(4), "") }).newest()).toEqual(aBound(4))
})

test("the newest of those made by a moment is asked for too", async () => {
  const { newest } = boundsOf({ file: await aFile(lineOf(3), lineOf(5), lineOf(8)), audit: aChannel(lineOf(6)) })

  expect(await Promise.all([2, 7, 9].map((size) => newest(noon + size)))).toEqual([null, aBound(6), aBound(8)])
})

test("a bound that stands on a line of its own is one too", async () => {
  const { newest } = boundsOf({ audit: aChannel("a.b.c", JSON.stringify(sealBound(seal, "i", aBound(3)))) })

  expect(await newest()).toEqual(aBound(3))
})

test("there is no bound without file and channel, nor before the first checkpoint", async () => {
  const file = join(await aFile(), "..", "not there yet.jsonl")

  expect(await boundsOf({}).newest()).toBeNull()
  expect(await boundsOf({ file, audit: aChannel() }).newest()).toBeNull()
})

test("a file that cannot be read is no file that is not there yet", async () => {
  const file = join(await aFile(), "below a file")

  await expect(boundsOf({ file }).newest()).rejects.toMatchObject({ code: "ENOTDIR" })
})

test("R17 a channel that cannot be read is an alarm, and the file counts", async () => {
  const error = new Error("Slack is away")
  const audit = { name: "channel C1", read: () => Promise.reject(error) }
  const { newest, alarms } = boundsOf({ file: await aFile(lineOf(3)), audit })

  expect(await newest()).toEqual(aBound(3))
  expect(alarms).toEqual([{ code: "checkpoints-not-read", from: "channel C1", error }])
})

test.each([
  ["was cut off", lineOf(9).slice(0, -9)],
  ["is of another installation", lineOf(9, aSeal({ installation: "j" }), "j")],
  ["has no bound, as before this version", JSON.stringify({ checkpoint: "a.b.c", leaves: [] })],
  ["is no line of ours", "a word"],
])("R17 a last line that %s is passed over", async (_, last) => {
  expect(await boundsOf({ file: await aFile(lineOf(3), last) }).newest()).toEqual(aBound(3))
  expect(await boundsOf({ audit: aChannel(lineOf(3), last) }).newest()).toEqual(aBound(3))
})

test.each([
  ["of another key", lineOf(9, otherKey)],
  ["that somebody changed", lineOf(9).replace(String.raw`\"size\":9`, String.raw`\"size\":2`)],
  ["of another installation under our name", JSON.stringify(sealBound(seal, "j", aBound(9))).replace('"j"', '"i"')],
])("R17 a newest line %s ends the start, and is named", async (_, line) => {
  const file = await aFile(lineOf(3), line, "cut o")
  const inFile = { code: "bad-bound", message: expect.stringContaining(`line 2 of ${file} is a checkpoint`) }
  const inChannel = { code: "bad-bound", message: expect.stringContaining("line 2 of channel C1 is a checkpoint") }

  await expect(boundsOf({ file }).newest()).rejects.toMatchObject(inFile)
  await expect(boundsOf({ audit: aChannel(lineOf(3), line) }).newest()).rejects.toMatchObject(inChannel)
})

test("R17 an older line that is not ours ends nothing", async () => {
  expect(await boundsOf({ file: await aFile(lineOf(3, otherKey), lineOf(4)) }).newest()).toEqual(aBound(4))
})
