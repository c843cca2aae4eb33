// Checkpoints: when they are signed, what they refuse to sign, and where they are kept.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { type Hash, leafHash } from "../../src/domain/merkle.ts"
import type { Alarm, LedgerFeed } from "../../src/flow/ports.ts"
import { createLog } from "../../src/log.ts"
import { readAnchors } from "../../src/proof/anchors.ts"
import { createFileSink, createLogSink } from "../../src/proof/checkpoint-sinks.ts"
import {
  type Checkpoint,
  type Checkpointer,
  type CheckpointerOptions,
  createCheckpointer,
} from "../../src/proof/checkpointer.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aClock } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-checkpoints-"))
  folders.push(folder)
  return folder
}

/** A ledger in memory that a test may grow and bend. */
function aFeed() {
  const entries: { hash: Hash; ours: boolean; number: number | null }[] = []
  const feed: { -readonly [Method in keyof LedgerFeed]: LedgerFeed[Method] } = {
    length: async () => entries.length,
    leaves: async function* (after, upTo) {
      yield* entries.slice(after, upTo)
    },
  }
  const grow = (count: number) => {
    for (let one = 0; one < count; one += 1) {
      const number = entries.length + 1
      entries.push({ hash: leafHash(`entry ${number}`), ours: true, number })
    }
  }
  return { feed, entries, grow }
}

function aCheckpointer(feed: LedgerFeed, changes: Partial<CheckpointerOptions> = {}) {
  const clock = aClock()
  const checkpoints: Checkpoint[] = []
  const alarms: Alarm[] = []
  const made = createCheckpointer({
    installation: "i",
    feed,
    receipts: signer,
    sinks: [{ name: "test", write: async (checkpoint) => void checkpoints.push(checkpoint) }],
    anchors: [],
    everyMs: 60_000,
    everyEntries: 100,
    clock: clock.now,
    alarm: (alarm) => void alarms.push(alarm),
    ...changes,
  })
  return { made, clock, checkpoints, alarms }
}

async function twice(checkpointer: Checkpointer): Promise<void> {
  await checkpointer.tick()
  await checkpointer.tick()
}

test("a hundred entries are signed at once, fewer after a minute, none never", async () => {
  const { feed, grow } = aFeed()
  const { made, clock, checkpoints } = aCheckpointer(feed)
  await twice(made)
  grow(99)
  await twice(made)
  expect(checkpoints).toEqual([])

  grow(1)
  await twice(made)
  expect(checkpoints.map(({ size }) => size)).toEqual([100])

  grow(1)
  await twice(made)
  clock.forward(60_000)
  await made.tick()
  await made.tick()
  expect(checkpoints.map(({ size }) => size)).toEqual([100, 101])
  clock.forward(600_000)
  await twice(made)
  expect(checkpoints).toHaveLength(2)
})

test("R17 what came since the last look is not signed yet, since Redis may still lose it", async () => {
  const { feed, grow } = aFeed()
  const { made, checkpoints } = aCheckpointer(feed, { everyEntries: 1 })
  grow(3)
  await made.tick()
  grow(2)
  await made.tick()

  expect(checkpoints.map(({ size }) => size)).toEqual([3])
})

test("a signed checkpoint says installation, size, root and time", async () => {
  const { feed, grow } = aFeed()
  const { made, clock, checkpoints } = aCheckpointer(feed, { everyEntries: 1 })
  grow(3)
  await twice(made)

  const [anchor] = await readAnchors(checkpoints[0]?.signed ?? "", keys)

  expect(anchor).toMatchObject({ installation: "i", size: 3, root: checkpoints[0]?.root, at: clock.now(), leaves: [] })
})

test.each<[string, string, (feed: ReturnType<typeof aFeed>) => void]>([
  ["an entry that is not ours", "ledger-damaged", ({ entries }) => Object.assign(entries[3] ?? {}, { ours: false })],
  ["a gap", "ledger-damaged", ({ entries }) => Object.assign(entries[3] ?? {}, { number: 9 })],
  [
    "a missing entry",
    "ledger-damaged",
    ({ entries, feed }) => {
      feed.leaves = async function* (after, upTo) {
        yield* entries.slice(after, upTo - 1)
      }
    },
  ],
  ["a ledger shorter than what was signed", "ledger-rolled-back", ({ entries }) => void entries.splice(1)],
])("after %s nothing more is signed, and there is one alarm", async (_what, code, bend) => {
  const ledger = aFeed()
  const { made, checkpoints, alarms } = aCheckpointer(ledger.feed, { everyEntries: 1 })
  ledger.grow(3)
  await twice(made)
  ledger.grow(3)
  bend(ledger)
  await twice(made)
  await twice(made)

  expect(checkpoints.map(({ size }) => size)).toEqual([3])
  expect(alarms.map((alarm) => alarm.code)).toEqual([code])
})

test("after a restart the checkpoints on file must still hold", async () => {
  const { feed, entries, grow } = aFeed()
  const before = aCheckpointer(feed, { everyEntries: 1 })
  grow(4)
  await twice(before.made)
  const anchors = before.checkpoints

  const honest = aCheckpointer(feed, { anchors, everyEntries: 1 })
  grow(2)
  await twice(honest.made)
  expect(honest.checkpoints.map(({ size, leaves }) => [size, leaves.length])).toEqual([[6, 2]])

  Object.assign(entries[1] ?? {}, { hash: leafHash("another") })
  const bent = aCheckpointer(feed, { anchors, everyEntries: 1 })
  await twice(bent.made)
  expect(bent.alarms).toEqual([
    expect.objectContaining({ code: "ledger-damaged", problem: expect.stringContaining("entry 2") }),
  ])

  entries.splice(2)
  const short = aCheckpointer(feed, { anchors })
  await short.made.tick()
  expect(short.alarms).toEqual([expect.objectContaining({ code: "ledger-rolled-back", signed: 4, now: 2 })])
})

test("a place that does not take a checkpoint is an alarm, and the others get it", async () => {
  const { feed, grow } = aFeed()
  const kept: Checkpoint[] = []
  const full = { name: "full", write: () => Promise.reject(new Error("no space")) }
  const other = { name: "other", write: async (checkpoint: Checkpoint) => void kept.push(checkpoint) }
  const { made, alarms } = aCheckpointer(feed, { everyEntries: 1, sinks: [full, other] })
  grow(1)
  await twice(made)

  expect(kept).toHaveLength(1)
  expect(alarms).toEqual([expect.objectContaining({ code: "checkpoint-not-kept", sink: "full" })])
})

test("file and log keep checkpoints that verify, and bring the hashes of all entries in the file", async () => {
  const folder = await aFolder()
  const file = join(folder, "data", "checkpoints.jsonl")
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), clock: () => 0, secrets: [] })
  const { feed, grow } = aFeed()
  const { made } = aCheckpointer(feed, { everyEntries: 1, sinks: [createFileSink(file), createLogSink(log)] })
  for (const count of [3, 2]) {
    grow(count)
    await twice(made)
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
  const folder = await aFolder()
  const { feed, grow } = aFeed()
  const blocked = join(folder, "blocked")
  await writeFile(blocked, "")
  const sink = createFileSink(join(blocked, "checkpoints.jsonl"))
  const { made, alarms } = aCheckpointer(feed, { everyEntries: 1, sinks: [sink] })
  grow(1)
  await twice(made)
  expect(alarms).toHaveLength(1)

  await rm(blocked)
  grow(1)
  await twice(made)

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
