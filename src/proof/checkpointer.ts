// Signs the ledger after some entries or some time. A checkpoint covers all entries that no honest failover takes away.
import { setTimeout as delay } from "node:timers/promises"
import type { Anchored } from "../domain/proof/anchor-check.ts"
import type { Seal } from "../domain/proof/seal.ts"
import type { Alarm, Clock, LedgerFeed, Log, Receipts } from "../flow/ports.ts"
import { repeat } from "../repeat.ts"
import { type SealedBound, sealBound } from "./bounds.ts"
import { createFileSink, createLogSink } from "./checkpoint-sinks.ts"
import type { Signer } from "./signed.ts"

/** A signed checkpoint, as we keep it. `leaves` are the hashes of the entries since the checkpoint before. */
export interface Checkpoint extends Anchored {
  /** Compact JWS. */
  readonly signed: string
  /** What the next start needs of the checkpoint, under our MAC. */
  readonly sealed: SealedBound
  /** Epoch ms. */
  readonly at: number
}

/** A place outside Redis that keeps checkpoints. If it throws, we raise an alarm, and go on. */
export interface CheckpointSink {
  readonly name: string
  /** True if a start can read checkpoints back from there. Else the place protects nothing. */
  readonly readable: boolean
  write(checkpoint: Checkpoint): Promise<void>
}

/** What a checkpointer needs. */
export interface CheckpointerOptions {
  readonly installation: string
  readonly feed: LedgerFeed
  readonly seal: Seal
  readonly receipts: Receipts
  readonly sinks: readonly CheckpointSink[]
  readonly everyMs: number
  readonly everyEntries: number
  readonly clock: Clock
  readonly alarm: (alarm: Alarm) => void
}

/** How often we look whether the entries that a checkpoint should cover have settled, in ms. */
const againMs = 200

/** Makes a checkpointer. Its ticks must not overlap. */
export function createCheckpointer(options: CheckpointerOptions) {
  const { feed, clock, everyMs, everyEntries } = options
  let signedSize: number | null = null
  let signedAt = clock()
  let covered = 0
  /** Signs a checkpoint over all that has settled, due or not. */
  const sign = async (): Promise<void> => {
    const state = await feed.state()
    if (state === null || state.size === 0 || state.size === signedSize) return
    const at = clock()
    if (await keep(options, state, at)) {
      covered = state.size
      await feed.covered(state.size)
    }
    signedSize = state.size
    signedAt = at
  }
  return {
    sign,
    /**
     * Waits until a checkpoint that somebody can read back covers all that the ledger holds now. False if that takes
     * longer than this many ms. Throws if Redis does not answer.
     */
    cover: async (withinMs: number): Promise<boolean> => {
      const end = feed.end()
      for (const until = performance.now() + withinMs; covered < end; await delay(againMs)) {
        if (performance.now() > until) return false
        if (feed.size() >= end) await sign()
      }
      return true
    },
    /** Signs a checkpoint if one is due. Throws if Redis does not answer. */
    tick: async (): Promise<void> => {
      const size = feed.size()
      signedSize ??= feed.from()
      // An operator accepted a shorter ledger: that is another ledger, and we have signed nothing of it.
      if (size > 0 && size < signedSize) return sign()
      const fresh = size - signedSize
      const soon = feed.rareAt() > signedSize
      if (fresh <= 0 || (!soon && fresh < everyEntries && clock() - signedAt < everyMs)) return
      await sign()
    },
  }
}

/** Keeps a checkpoint. True if a start can read it back from one of the places. */
async function keep(
  options: CheckpointerOptions,
  state: NonNullable<Awaited<ReturnType<LedgerFeed["state"]>>>,
  at: number,
): Promise<boolean> {
  const { installation, receipts, seal, sinks, alarm } = options
  const { leaves, ...rest } = state
  const { size, root } = rest
  const signed = await receipts.sign("checkpoint", { version: 1, installation, size, root, at })
  const checkpoint = { size, root, at, signed, leaves, sealed: sealBound(seal, installation, { ...rest, at }) }
  let kept = false
  for (const sink of sinks) {
    try {
      await sink.write(checkpoint)
      kept ||= sink.readable
    } catch (error) {
      alarm({ code: "checkpoint-not-kept", sink: sink.name, error })
    }
  }
  return kept
}

/** What `startCheckpoints` needs. */
export interface CheckpointsOptions extends Omit<CheckpointerOptions, "sinks" | "receipts"> {
  readonly signer: Signer
  /** Null: no file. */
  readonly file: string | null
  /** Further places that keep checkpoints, such as an audit channel. */
  readonly sinks?: readonly CheckpointSink[]
  /** How often we look whether a checkpoint is due, ms. Default 1000. */
  readonly tickMs?: number
  readonly log: Log
}

/** How long, in ms, the process waits at its end for a checkpoint over its last acts, if only sinks can be read. */
const lastMs = 7_000

/**
 * Signs checkpoints from now on. Returns the closer: it waits for a running tick and, if only the sinks keep
 * checkpoints, for a checkpoint that covers the end.
 */
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
