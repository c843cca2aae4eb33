// Keeps the checkpoints coming while the bot runs.
import { readFile } from "node:fs/promises"
import type { Alarm, Clock, LedgerFeed, Log } from "../flow/ports.ts"
import { type Anchor, readAnchors } from "./anchors.ts"
import { createFileSink, createLogSink } from "./checkpoint-sinks.ts"
import { type CheckpointSink, createCheckpointer } from "./checkpointer.ts"
import { ProofError } from "./errors.ts"
import type { KeySet, Signer } from "./signed.ts"

/** What running checkpoints take. */
export interface CheckpointsOptions {
  readonly installation: string
  readonly feed: LedgerFeed
  readonly signer: Signer
  /** The keys that signed the checkpoints on file. */
  readonly keys: KeySet
  readonly file: string
  readonly everyMs: number
  readonly everyEntries: number
  /** Other places that keep checkpoints besides log and file, such as an audit channel. */
  readonly sinks?: readonly CheckpointSink[]
  /** How often the ledger is looked at, ms. Default 2000: longer than Redis may lose (R17). */
  readonly tickMs?: number
  readonly clock: Clock
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

/** Starts; gives back the closer, which waits for a tick that runs. A file whose checkpoints do not verify is an alarm. */
export async function startCheckpoints(options: CheckpointsOptions): Promise<() => Promise<void>> {
  const { file, keys, log, alarm, sinks = [], tickMs = 2_000, signer: receipts } = options
  const anchors = await anchorsOnFile(file, keys).catch((error: unknown) => {
    if (!(error instanceof ProofError)) throw error
    alarm({ code: "anchors-unusable", file, error })
    return []
  })
  const own = anchors.filter((anchor) => anchor.installation === options.installation)
  const all = [createLogSink(log), createFileSink(file), ...sinks]
  const checkpointer = createCheckpointer({ ...options, anchors: own, receipts, sinks: all })
  let running: Promise<void> | null = null
  const tick = async () => {
    await checkpointer.tick().catch((error: unknown) => log.warn("checkpoint-failed", { error }))
    running = null
  }
  const timer = setInterval(() => void (running ??= tick()), tickMs)
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** The checkpoints in a file, verified; none if there is no file. Throws `ProofError`. */
export async function anchorsOnFile(file: string, keys: KeySet): Promise<readonly Anchor[]> {
  try {
    return await readAnchors(await readFile(file, "utf8"), keys)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}
