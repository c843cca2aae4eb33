// Anchors read from text, and exactly what the checkpointer tells: to the log, and as alarms.
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type Hash, leafHash } from "../../src/domain/merkle.ts"
import type { Alarm, LedgerFeed, Log } from "../../src/flow/ports.ts"
import { readAnchors, verifyCheckpoint } from "../../src/proof/anchors.ts"
import { createFileSink, createLogSink } from "../../src/proof/checkpoint-sinks.ts"
import { type CheckpointerOptions, createCheckpointer } from "../../src/proof/checkpointer.ts"
import { ProofError } from "../../src/proof/errors.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const advice = "run `countersign ledger verify`"
const root = "0".repeat(64)

function signed(size: number, changes = {}): Promise<string> {
  return signer.sign("checkpoint", { version: 1, installation: "i", size, root, at: noon, ...changes })
}

test("a checkpoint says what was signed, and nothing else", async () => {
  const checkpoint = await signed(7)

  expect(await verifyCheckpoint(checkpoint, keys)).toEqual({ installation: "i", size: 7, root, at: noon, checkpoint })
})

test("anchors come oldest first, whatever stands around and between them", async () => {
  const leaf = leafHash("entry")
  const [nine, two, five] = await Promise.all([signed(9), signed(2), signed(5)])
  const [head, payload, signature] = five.split(".")
  const text = [
    `  ${JSON.stringify({ checkpoint: nine, leaves: [leaf.toString("base64url")] })}\t`,
    "",
    '{"event":"started","signed":{"protected":"a","payload":"b","signature":"c"}}',
    JSON.stringify({ event: "ledger-checkpoint", signed: { protected: head, payload, signature } }),
    '{"event":"ledger-checkpoint"}',
    "{cut off",
    `${two}  `,
  ].join("\n")

  const anchors = await readAnchors(text, keys)

  expect(anchors.map(({ size, leaves, checkpoint }) => [size, leaves, checkpoint])).toEqual([
    [2, [], two],
    [5, [], five],
    [9, [leaf], nine],
  ])
})

test("a line that does not verify is named, with what is wrong and its cause", async () => {
  const error = await readAnchors(`\n${await signed(1)}\nnonsense`, keys).catch((one: unknown) => one)

  expect(error).toBeInstanceOf(ProofError)
  expect(error).toMatchObject({
    name: "ProofError",
    code: "not-signed",
    retryable: false,
    message: "line 3 of the anchors: this is no checkpoint: it is no compact JWS",
    cause: { message: "this is no checkpoint: it is no compact JWS" },
  })
})

/** A checkpointer of every entry of a ledger with these leaves at each look. */
function checkpointing(looks: readonly (readonly Leaf[])[], changes: Partial<CheckpointerOptions> = {}) {
  let look = -1
  const feed: LedgerFeed = {
    length: async () => {
      look = Math.min(look + 1, looks.length - 1)
      return looks[look]?.length ?? 0
    },
    leaves: async function* (after, upTo) {
      yield* (looks[look] ?? []).slice(after, upTo)
    },
  }
  const alarms: Alarm[] = []
  const made = createCheckpointer({
    installation: "i",
    feed,
    receipts: signer,
    sinks: [],
    anchors: [],
    everyMs: 60_000,
    everyEntries: 1,
    clock: () => noon,
    alarm: (alarm) => void alarms.push(alarm),
    ...changes,
  })
  const ticks = async (count: number) => {
    for (let at = 0; at < count; at += 1) await made.tick()
    return alarms
  }
  return { ticks, feed, made }
}

type Leaf = { readonly number: number | null; readonly hash: Hash; readonly ours: boolean }
const leaf = (number: number, changes: Partial<Leaf> = {}): Leaf => ({
  number,
  hash: leafHash(`entry ${number}`),
  ours: true,
  ...changes,
})

test.each<[string, readonly Leaf[], object]>([
  ["not sealed by us", [leaf(1), leaf(2, { ours: false })], { problem: "entry 2 was not sealed by us" }],
  ["missing", [leaf(1), leaf(3)], { problem: "entry 2 is not there" }],
  ["without a number", [leaf(1), leaf(2, { number: null })], { problem: "entry 2 is not there" }],
])("an entry that is %s is an alarm that says so, and what to do", async (_what, leaves, fields) => {
  const { ticks } = checkpointing([leaves])

  expect(await ticks(3)).toEqual([{ code: "ledger-damaged", ...fields, advice }])
})

test("entries that end too early are an alarm, too", async () => {
  const { ticks, feed } = checkpointing([[leaf(1), leaf(2)]])
  feed.leaves = async function* () {
    yield leaf(1)
  }

  expect(await ticks(2)).toEqual([{ code: "ledger-damaged", problem: "entry 2 is not there", advice }])
})

test("a ledger that got shorter, or whose length nobody knows, is an alarm with both lengths", async () => {
  const three = [leaf(1), leaf(2), leaf(3)]

  expect(await checkpointing([three, three, three.slice(1)]).ticks(5)).toEqual([
    { code: "ledger-rolled-back", signed: 3, now: 2, advice },
  ])
  const unknown = checkpointing([three])
  unknown.feed.length = async () => Number.NaN
  expect(await unknown.ticks(2)).toEqual([{ code: "ledger-rolled-back", signed: 0, now: Number.NaN, advice }])
})

test("a ledger that ends just where it was signed is none", async () => {
  const anchor = { size: 1, root: leafHash("entry 1").toString("hex"), leaves: [] }

  expect(await checkpointing([[leaf(1)]], { anchors: [anchor] }).ticks(3)).toEqual([])
})

test("each checkpoint brings the hashes since the one before, and the time counts from it", async () => {
  const brought: (readonly [number, number, number])[] = []
  let now = noon
  const sink = {
    name: "test",
    write: async ({ size, leaves, at }: { size: number; leaves: readonly Hash[]; at: number }) =>
      void brought.push([size, leaves.length, at - noon]),
  }
  const all = [1, 2, 3, 4, 5].map((number) => leaf(number))
  const { made } = checkpointing([all.slice(0, 1), all.slice(0, 3), all.slice(0, 4), all], {
    everyEntries: 2,
    sinks: [sink],
    clock: () => now,
  })

  for (const at of [0, 1, 2, 59_999, 60_001, 60_002, 120_002]) {
    now = noon + at
    await made.tick()
  }

  expect(brought).toEqual([
    [3, 3, 2],
    [5, 2, 60_001],
  ])
})

test("the log is told size, root, time and signature, which no filter takes for a token", async () => {
  const told: unknown[] = []
  const none = () => undefined
  const log: Log = { debug: none, warn: none, error: none, info: (event, fields) => void told.push([event, fields]) }

  const sink = createLogSink(log)
  await sink.write({ signed: "head.payload.signature", size: 3, root, at: noon, leaves: [] })

  const parts = { protected: "head", payload: "payload", signature: "signature" }
  expect(told).toEqual([["ledger-checkpoint", { size: 3, root, at: noon, signed: parts }]])
  expect(sink.name).toBe("log")
})

test("a file's folder is made for us alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-anchors-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "a", "b", "checkpoints.jsonl")

  const sink = createFileSink(file)
  await sink.write({ signed: "a.b.c", size: 1, root, at: noon, leaves: [] })

  expect(sink.name).toBe(file)
  expect((await stat(join(folder, "a", "b"))).mode & 0o777).toBe(0o700)
})
