// Checkpoints while the bot runs: they are signed by themselves, go on after a restart, and what is wrong with their
// file is an alarm.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Alarm, Log } from "../../src/flow/ports.ts"
import { readAnchors } from "../../src/proof/anchors.ts"
import { createBounds } from "../../src/proof/bounds.ts"
import { type CheckpointsOptions, startCheckpoints } from "../../src/proof/checkpointer.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aSeal } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"
import { aSigner } from "../support/signer.ts"
import { aFeed } from "./feed.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")

/** Checkpoints of every entry, looked at each millisecond; what they tell is kept. */
async function started(changes: Partial<CheckpointsOptions> = {}) {
  const folder = aFolder("checkpoints")
  const alarms: Alarm[] = []
  const told: string[] = []
  const tell = (event: string) => void told.push(event)
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell }
  const file = join(folder, "checkpoints.jsonl")
  const start = async (more: Partial<CheckpointsOptions> = {}) => {
    const alarm = (one: Alarm) => void alarms.push(one)
    const every = { everyMs: 1, everyEntries: 1, tickMs: 1, clock: () => noon }
    const base = {
      installation: "i",
      feed: aFeed(3),
      seal: aSeal({ installation: "i" }),
      signer,
      file,
      log,
      alarm,
      ...every,
    }
    const close = startCheckpoints({ ...base, ...changes, ...more })
    onTestFinished(close)
    return close
  }
  const kept = async () => (await readAnchors(await readFile(file, "utf8"), keys)).map(({ size }) => size)
  return { start, kept, file, alarms, told }
}

/** A place that is read back, such as a channel. */
function aChannel() {
  const written: number[] = []
  const write = async ({ size }: { readonly size: number }) => void written.push(size)
  return { written, sink: { name: "channel", readable: true, write } }
}

test("a checkpoint is signed by itself, into the file, the log and wherever else", async () => {
  const { written, sink } = aChannel()
  const feed = aFeed()
  const { start, kept, alarms, told } = await started({ feed, sinks: [sink] })

  await start()
  await vi.waitFor(() => expect(feed.looks()).toBeGreaterThan(0))
  feed.grow(3, "rare")

  await vi.waitFor(() => expect(written).toEqual([3]))
  expect(await kept()).toEqual([3])
  expect(told).toEqual(["ledger-checkpoint"])
  expect(alarms).toEqual([])
})

test("what the file keeps is read back at the next start", async () => {
  const feed = aFeed()
  const { start, file } = await started({ feed })
  await start()
  await vi.waitFor(() => expect(feed.looks()).toBeGreaterThan(0))
  feed.grow(3)
  await vi.waitFor(async () => expect(await readFile(file, "utf8")).toContain("checkpoint"))

  const seal = aSeal({ installation: "i" })
  const bound = await createBounds({ seal, installation: "i", file, audit: null, alarm: () => undefined }).newest()

  expect(bound).toMatchObject({ size: 3, mac: "mac-3", heads: "list.0", era: 0, at: noon })
})

test("an end waits for a checkpoint over all there is where a channel alone keeps them", async () => {
  const { written, sink } = aChannel()
  const feed = aFeed()
  const { start } = await started({ feed, file: null, sinks: [sink], everyEntries: 1_000, everyMs: 3_600_000 })
  const close = await start()
  feed.grow(2)

  await close()

  expect(written.at(-1)).toBe(2)
})

test("a ledger that cannot be read is told and looked at again; closing waits for the look that runs, and ends them", async () => {
  let looks = 0
  let answer: (() => void) | undefined
  const feed = aFeed()
  const state = () => aFeed(3).state()
  feed.state = async () => {
    looks += 1
    if (looks === 1) throw new Error("Redis is gone")
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return state()
  }
  const { start, told } = await started({ feed })
  const close = await start()
  await vi.waitFor(() => expect(feed.looks()).toBeGreaterThan(0))
  feed.grow(3)
  await vi.waitFor(() => expect(answer).toBeDefined())
  expect(told).toEqual(["checkpoint-failed"])

  let closed = false
  const closing = close().then(() => {
    closed = true
  })
  await Promise.resolve()
  expect([closed, looks]).toEqual([false, 2])
  answer?.()
  await closing

  expect(looks).toBe(2)
})
