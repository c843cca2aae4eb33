// Checkpoints: when they are signed, what they refuse to sign, and where they are kept.
import { readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Alarm, LedgerFeed } from "../../src/flow/ports.ts"
import { createLog } from "../../src/log.ts"
import { readAnchors } from "../../src/proof/anchors.ts"
import { createFileSink, createLogSink } from "../../src/proof/checkpoint-sinks.ts"
import { type Checkpoint, type CheckpointerOptions, createCheckpointer } from "../../src/proof/checkpointer.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aSeal } from "../support/builders.ts"
import { aClock } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"
import { aSigner } from "../support/signer.ts"
import { aFeed } from "./feed.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
function aCheckpointer(feed: LedgerFeed, changes: Partial<CheckpointerOptions> = {}) {
  const clock = aClock()
  const checkpoints: Checkpoint[] = []
  const alarms: Alarm[] = []
  const made = createCheckpointer({
    installation: "i",
    feed,
    seal: aSeal({ installation: "i" }),
    receipts: signer,
    sinks: [{ name: "test", readable: true, write: async (checkpoint) => void checkpoints.push(checkpoint) }],
    everyMs: 60_000,
    everyEntries: 100,
    clock: clock.now,
    alarm: (alarm) => void alarms.push(alarm),
    ...changes,
  })
  return { made, clock, checkpoints, alarms }
}

test("a hundred entries are signed at once, fewer after a minute, none never", async () => {
  const feed = aFeed()
  const { made, clock, checkpoints } = aCheckpointer(feed)
  await made.tick()
  feed.grow(99)
  await made.tick()
  expect(checkpoints).toEqual([])

  feed.grow(1)
  await made.tick()
  expect(checkpoints.map(({ size }) => size)).toEqual([100])

  feed.grow(1)
  await made.tick()
  clock.forward(60_000)
  await made.tick()
  expect(checkpoints.map(({ size }) => size)).toEqual([100, 101])
  clock.forward(600_000)
  await made.tick()
  expect(checkpoints).toHaveLength(2)
})

test("R16 a change of rules or links is covered as soon as it is settled", async () => {
  const feed = aFeed()
  const { made, checkpoints } = aCheckpointer(feed)
  await made.tick()
  feed.grow(2, "rare")

  await made.tick()

  expect(checkpoints.map(({ size }) => size)).toEqual([2])
})

test("R17 a ledger that an accepted roll-back made shorter is signed at once, though less than was signed before", async () => {
  const [long, short] = [aFeed(), aFeed()]
  long.grow(9)
  short.grow(4)
  let now = long
  const feed = { ...long, size: () => now.size(), state: () => now.state() }
  const running = aCheckpointer(feed, { everyEntries: 9 })
  await running.made.tick()
  now = short
  const started = aCheckpointer({ ...feed, from: () => 9 })

  for (const { made } of [running, started, running, started]) await made.tick()

  expect(running.checkpoints.map(({ size }) => size)).toEqual([9, 4])
  expect(started.checkpoints.map(({ size }) => size)).toEqual([4])
})

test("R17 while nothing may be vouched for nothing is signed", async () => {
  const feed = aFeed(3)
  const { made, checkpoints } = aCheckpointer(feed, { everyEntries: 1 })
  feed.spoil()

  await made.tick()
  await made.sign()

  expect(checkpoints).toEqual([])
})

test("a start can go on only from what it can read back", async () => {
  const feed = aFeed(3)
  const log = { name: "log", readable: false, write: async () => undefined }
  const told = aCheckpointer(feed, { sinks: [log] })
  expect(await told.made.cover(1)).toBe(false)
  expect(feed.kept).toEqual([])

  const kept = aCheckpointer(feed)

  expect(await kept.made.cover(1)).toBe(true)
  expect(feed.kept).toEqual([3])
})

test("what is not settled yet is covered as soon as it is; what came later is not waited for", async () => {
  const feed = aFeed(3)
  const { made } = aCheckpointer({ ...feed, end: () => 4 })
  const covered = made.cover(20_000)
  feed.grow(1)

  expect(await covered).toBe(true)
  expect(feed.kept).toEqual([4])
  feed.grow(1)
  expect(await made.cover(0)).toBe(true)
})

test("who waits for a checkpoint hears that Redis does not answer", async () => {
  const feed = { ...aFeed(3), state: () => Promise.reject(new Error("Redis is gone")) }

  await expect(aCheckpointer(feed).made.cover(20_000)).rejects.toThrow("Redis is gone")
})

test("a signed checkpoint says installation, size, root and time", async () => {
  const feed = aFeed()
  const { made, clock, checkpoints } = aCheckpointer(feed, { everyEntries: 1 })
  feed.grow(3)
  await made.sign()

  const [anchor] = await readAnchors(checkpoints[0]?.signed ?? "", keys)

  expect(anchor).toMatchObject({ installation: "i", size: 3, root: checkpoints[0]?.root, at: clock.now(), leaves: [] })
})

test("a place that does not take a checkpoint is an alarm, and the others get it", async () => {
  const feed = aFeed()
  const kept: Checkpoint[] = []
  const full = { name: "full", readable: true, write: () => Promise.reject(new Error("no space")) }
  const other = { name: "other", readable: true, write: async (checkpoint: Checkpoint) => void kept.push(checkpoint) }
  const { made, alarms } = aCheckpointer(feed, { everyEntries: 1, sinks: [full, other] })
  feed.grow(1)
  await made.sign()

  expect(kept).toHaveLength(1)
  expect(alarms).toEqual([expect.objectContaining({ code: "checkpoint-not-kept", sink: "full" })])
})

test("file and log keep checkpoints that verify, and bring the hashes of all entries in the file", async () => {
  const folder = aFolder("checkpoints")
  const file = join(folder, "data", "checkpoints.jsonl")
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), clock: () => 0, secrets: [] })
  const feed = aFeed()
  const { made } = aCheckpointer(feed, { everyEntries: 1, sinks: [createFileSink(file), createLogSink(log)] })
  for (const count of [3, 2]) {
    feed.grow(count)
    await made.sign()
  }

  const filed = await readAnchors(await readFile(file, "utf8"), keys)
  const logged = await readAnchors([...lines, '{"event":"started"}', "", "{cut off"].join("\n"), keys)

  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(filed.map(({ size, leaves }) => [size, leaves.length])).toEqual([
    [3, 3],
    [5, 2],
  ])
  expect(logged.map(({ size, root }) => [size, root])).toEqual(filed.map(({ size, root }) => [size, root]))
})

test("a file that could not be written gets all lines later", async () => {
  const folder = aFolder("checkpoints")
  const feed = aFeed()
  const blocked = join(folder, "blocked")
  await writeFile(blocked, "")
  const sink = createFileSink(join(blocked, "checkpoints.jsonl"))
  const { made, alarms } = aCheckpointer(feed, { everyEntries: 1, sinks: [sink] })
  feed.grow(1)
  await made.sign()
  expect(alarms).toHaveLength(1)

  await rm(blocked)
  feed.grow(1)
  await made.sign()

  const kept = await readAnchors(await readFile(join(blocked, "checkpoints.jsonl"), "utf8"), keys)
  expect(kept.map(({ size }) => size)).toEqual([1, 2])
})

test("a checkpoint that was changed, or signed by a stranger, is named by its line", async () => {
  const stranger = await aSigner("stranger")
  const claims = { version: 1, installation: "i", size: 1, root: "0".repeat(64), at: 0 }
  const good = await signer.sign("checkpoint", claims)

  await expect(readAnchors(`${good}\n${await stranger.sign("checkpoint", claims)}`, keys)).rejects.toMatchObject({
    code: "unknown-key",
    message: expect.stringContaining("line 2 of the anchors"),
  })
  await expect(readAnchors(`${good.slice(0, -4)}AAAA`, keys)).rejects.toMatchObject({ code: "bad-signature" })
  const odd = await signer.sign("checkpoint", { ...claims, size: 0 })
  await expect(readAnchors(odd, keys)).rejects.toMatchObject({ code: "bad-claims" })
})
