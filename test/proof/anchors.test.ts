// Anchors read from text, and exactly what the checkpointer tells: to the log, and as alarms.
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { leafHash } from "../../src/domain/proof/merkle.ts"
import type { Log } from "../../src/flow/ports.ts"
import { readAnchors, verifyCheckpoint } from "../../src/proof/anchors.ts"
import { createFileSink, createLogSink } from "../../src/proof/checkpoint-sinks.ts"
import { type CheckpointSink, createCheckpointer } from "../../src/proof/checkpointer.ts"
import { ProofError } from "../../src/proof/errors.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aSeal } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"
import { aSigner } from "../support/signer.ts"
import { aFeed } from "./feed.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const root = "0".repeat(64)
const sealed = { bound: "{}", installation: "i", seal: "" }

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

test("each checkpoint brings the hashes since the one before, and the time counts from it", async () => {
  const brought: (readonly [number, number, number])[] = []
  let now = noon
  const feed = aFeed()
  const sink: CheckpointSink = {
    name: "test",
    readable: true,
    write: async ({ size, leaves, at }) => void brought.push([size, leaves.length, at - noon]),
  }
  const seal = aSeal({ installation: "i" })
  const clock = () => now
  const alarm = () => undefined
  const every = { everyMs: 60_000, everyEntries: 2 }
  const made = createCheckpointer({
    installation: "i",
    feed,
    seal,
    receipts: signer,
    sinks: [sink],
    clock,
    alarm,
    ...every,
  })

  const looks = [
    [0, 1],
    [1, 2],
    [2, 1],
    [59_999, 0],
    [60_001, 0],
    [60_002, 1],
    [120_002, 0],
  ] as const
  await made.tick()
  for (const [at, more] of looks) {
    now = noon + at
    feed.grow(more)
    await made.tick()
  }

  expect(brought).toEqual([
    [3, 3, 1],
    [4, 1, 60_001],
    [5, 1, 120_002],
  ])
})

test("the log is told size, root, time and signature, which no filter takes for a token", async () => {
  const told: unknown[] = []
  const none = () => undefined
  const log: Log = { debug: none, warn: none, error: none, info: (event, fields) => void told.push([event, fields]) }

  const sink = createLogSink(log)
  await sink.write({ signed: "head.payload.signature", size: 3, root, at: noon, leaves: [], sealed })

  const parts = { protected: "head", payload: "payload", signature: "signature" }
  expect(told).toEqual([["ledger-checkpoint", { size: 3, root, at: noon, signed: parts }]])
  expect(sink.name).toBe("log")
})

test("a file's folder is made for us alone", async () => {
  const folder = aFolder("anchors")
  const file = join(folder, "a", "b", "checkpoints.jsonl")

  const sink = createFileSink(file)
  await sink.write({ signed: "a.b.c", size: 1, root, at: noon, leaves: [], sealed })

  expect(sink.name).toBe(file)
  expect((await stat(join(folder, "a", "b"))).mode & 0o777).toBe(0o700)
})
