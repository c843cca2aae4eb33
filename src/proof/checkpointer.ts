// Signs the ledger as it grows: every so many entries, or after a while, one checkpoint over all entries so far.
import { type AnchorCheck, type Anchored, createAnchorCheck } from "../domain/anchor-check.ts"
import type { Hash } from "../domain/merkle.ts"
import type { Alarm, Clock, LedgerFeed, Receipts } from "../flow/ports.ts"

/** A signed checkpoint, as it is kept. `leaves` are the hashes of the entries that came since the one before. */
export interface Checkpoint extends Anchored {
  /** Compact JWS. */
  readonly signed: string
  /** Epoch ms. */
  readonly at: number
}

/** A place outside Redis that keeps checkpoints: the log, a file, a channel. What it throws is an alarm, and stops nothing. */
export interface CheckpointSink {
  readonly name: string
  write(checkpoint: Checkpoint): Promise<void>
}

/** What a checkpointer is made of. */
export interface CheckpointerOptions {
  readonly installation: string
  readonly feed: LedgerFeed
  readonly receipts: Receipts
  readonly sinks: readonly CheckpointSink[]
  /** The checkpoints that are on file already, verified. */
  readonly anchors: readonly Anchored[]
  readonly everyMs: number
  readonly everyEntries: number
  readonly clock: Clock
  readonly alarm: (alarm: Alarm) => void
}

/** A checkpointer. */
export interface Checkpointer {
  /**
   * Signs a checkpoint if one is due, over what was in the ledger at the tick before: what is younger may be lost with Redis' last second
   * (R17), and a checkpoint over it would accuse an honest ledger. After an alarm it signs nothing more. Throws when Redis does not answer.
   */
  tick(): Promise<void>
}

/** Makes a checkpointer. Not for ticks that overlap. */
export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { feed, clock, everyMs, everyEntries } = options
  const check = createAnchorCheck(options.anchors)
  const state = { signedSize: check.anchored, signedAt: clock(), settled: 0, stopped: false, leaves: [] as Hash[] }
  const stop = (code: string, fields: Readonly<Record<string, unknown>>) => {
    state.stopped = true
    options.alarm({ code, ...fields, advice: "run `countersign ledger verify`" })
  }
  return {
    tick: async () => {
      if (state.stopped) return
      const settled = state.settled
      const length = await feed.length()
      state.settled = length
      const needed = Math.max(check.tree.size(), check.anchored)
      if (!(length >= needed)) return stop("ledger-rolled-back", { signed: needed, now: length })
      const fresh = settled - state.signedSize
      if (fresh <= 0 || (fresh < everyEntries && clock() - state.signedAt < everyMs)) return
      const problem = await grow({ feed, check, state }, settled)
      if (problem !== null) return stop("ledger-damaged", { problem })
      await signOver(options, check, state)
    },
  }
}

interface State {
  signedSize: number
  signedAt: number
  /** How long the ledger was at the tick before. */
  settled: number
  stopped: boolean
  /** Hashes that no checkpoint has brought yet. */
  leaves: Hash[]
}

/** Takes in the entries up to a size; what is wrong with them, or null. */
async function grow(
  { feed, check, state }: { readonly feed: LedgerFeed; readonly check: AnchorCheck; readonly state: State },
  size: number,
): Promise<string | null> {
  for await (const leaf of feed.leaves(check.tree.size(), size)) {
    const number = check.tree.size() + 1
    if (leaf.number !== number) return `entry ${number} is not there`
    if (!leaf.ours) return `entry ${number} was not sealed by us`
    const problem = check.see(leaf.hash)
    if (problem !== null) return problem.message
    if (number > state.signedSize) state.leaves.push(leaf.hash)
  }
  return check.tree.size() === size ? null : `entry ${check.tree.size() + 1} is not there`
}

async function signOver(options: CheckpointerOptions, check: AnchorCheck, state: State): Promise<void> {
  const { installation, receipts, sinks, clock, alarm } = options
  const at = clock()
  const size = check.tree.size()
  const root = check.tree.root().toString("hex")
  const signed = await receipts.sign("checkpoint", { version: 1, installation, size, root, at })
  const checkpoint = { size, root, at, signed, leaves: state.leaves }
  Object.assign(state, { signedSize: size, signedAt: at, leaves: [] })
  for (const sink of sinks) {
    await sink
      .write(checkpoint)
      .catch((error: unknown) => alarm({ code: "checkpoint-not-kept", sink: sink.name, error }))
  }
}
