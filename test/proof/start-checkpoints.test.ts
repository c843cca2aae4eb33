// Checkpoints while the bot runs: they are signed by themselves, go on after a restart, and what is wrong with their file is an alarm.
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { leafHash } from "../../src/domain/merkle.ts"
import type { Alarm, LedgerFeed, Log } from "../../src/flow/ports.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { anchorsOnFile, type CheckpointsOptions, startCheckpoints } from "../../src/proof/start-checkpoints.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner("i")
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** A feed of this many entries. */
function feedOf(count: number): LedgerFeed {
  const hashes = Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    hash: leafHash(`entry ${at}`),
    ours: true,
  }))
  return {
    length: async () => count,
    leaves: async function* (after, upTo) {
      yield* hashes.slice(after, upTo)
    },
  }
}

/** Checkpoints of every entry, looked at each millisecond; what they tell is kept. */
async function started(changes: Partial<CheckpointsOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "countersign-checkpoints-"))
  closers.push(() => rm(folder, { recursive: true }))
  const alarms: Alarm[] = []
  const told: string[] = []
  const tell = (event: string) => void told.push(event)
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell }
  const file = join(folder, "checkpoints.jsonl")
  const start = async (more: Partial<CheckpointsOptions> = {}) => {
    const alarm = (one: Alarm) => void alarms.push(one)
    const every = { everyMs: 1, everyEntries: 1, tickMs: 1, clock: () => noon }
    const base = { installation: "i", feed: feedOf(3), signer, keys, file, log, alarm, ...every }
    const close = await startCheckpoints({ ...base, ...changes, ...more })
    closers.push(close)
    return close
  }
  const kept = async () => (await anchorsOnFile(file, keys)).map(({ size }) => size)
  return { start, kept, file, alarms, told }
}

test("a checkpoint is signed by itself, into the file, the log and wherever else", async () => {
  const written: number[] = []
  const sink = { name: "channel", write: async ({ size }: { readonly size: number }) => void written.push(size) }
  const { start, kept, alarms, told } = await started({ sinks: [sink] })

  await start()

  await vi.waitFor(() => expect(written).toEqual([3]))
  expect(await kept()).toEqual([3])
  expect(told).toEqual(["ledger-checkpoint"])
  expect(alarms).toEqual([])
})

test("after a restart the ledger must be as long as was signed", async () => {
  const { start, kept, alarms } = await started()
  const close = await start()
  await vi.waitFor(async () => expect(await kept()).toEqual([3]))
  await close()

  await start({ feed: feedOf(2) })

  await vi.waitFor(() => expect(alarms).toMatchObject([{ code: "ledger-rolled-back", signed: 3, now: 2 }]))
})

test("what another installation signed into the file is not held against this one", async () => {
  const { start, kept, file, alarms, told } = await started()
  const foreign = { version: 1, installation: "other", size: 9, root: "0".repeat(64), at: noon }
  await writeFile(file, `${JSON.stringify({ checkpoint: await signer.sign("checkpoint", foreign) })}\n`)

  await start()

  await vi.waitFor(() => expect(told).toEqual(["ledger-checkpoint"]))
  await vi.waitFor(async () => expect(await kept()).toEqual([3, 9]))
  expect(alarms).toEqual([])
})

test("a file whose checkpoints do not verify is an alarm, and checkpoints go on", async () => {
  const { start, file, alarms, told } = await started()
  await appendFile(file, "a.b.c\n")

  await start()

  await vi.waitFor(() => expect(told).toEqual(["ledger-checkpoint"]))
  expect(alarms).toMatchObject([{ code: "anchors-unusable", file, error: { code: "not-signed" } }])
  expect(await readFile(file, "utf8")).toMatch(/^a\.b\.c\n\{"checkpoint"/)
})

test("a file that cannot be read stops the start", async () => {
  const { start } = await started({ file: tmpdir() })

  await expect(start()).rejects.toMatchObject({ code: "EISDIR" })
})

test("a ledger that cannot be read is told and looked at again; closing waits for the look that runs, and ends them", async () => {
  let looks = 0
  let answer: (() => void) | undefined
  const feed: LedgerFeed = {
    ...feedOf(3),
    length: async () => {
      looks += 1
      if (looks === 1) throw new Error("Redis is gone")
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return 3
    },
  }
  const { start, told } = await started({ feed })
  const close = await start()
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
