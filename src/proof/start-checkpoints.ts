// Keeps the checkpoints coming while the bot runs.
import type { Log } from "../flow/ports.ts"
import { repeat } from "../repeat.ts"
import { createFileSink, createLogSink } from "./checkpoint-sinks.ts"
import { type CheckpointerOptions, type CheckpointSink, createCheckpointer } from "./checkpointer.ts"
import type { Signer } from "./signed.ts"

/** What running checkpoints take. */
export interface CheckpointsOptions extends Omit<CheckpointerOptions, "sinks" | "receipts"> {
  readonly signer: Signer
  /** Null: no file. */
  readonly file: string | null
  /** Other places that keep checkpoints besides log and file, such as an audit channel. */
  readonly sinks?: readonly CheckpointSink[]
  /** How often is looked whether one is due, ms. Default 1000. */
  readonly tickMs?: number
  readonly log: Log
}

/** So long an end waits for a checkpoint that covers what this process did last, in ms, where nothing else can be read back. */
const lastMs = 7_000

/** Starts; gives back the closer, which waits for a tick that runs, and, where checkpoints are kept in the sinks alone, for one that covers the end. */
export function startCheckpoints(options: CheckpointsOptions): () => Promise<void> {
  const { file, log, sinks = [], tickMs = 1_000, signer: receipts } = options
  const all = [createLogSink(log), ...(file === null ? [] : [createFileSink(file)]), ...sinks]
  const checkpointer = createCheckpointer({ ...options, receipts, sinks: all })
  const failed = (error: unknown) => log.warn("checkpoint-failed", { error })
  const stop = repeat(tickMs, () => checkpointer.tick(), failed)
  return async () => {
    await stop()
    if (file === null && sinks.length > 0) await checkpointer.cover(lastMs).catch(failed)
  }
}
