// Paused runs as the sweep remembers them from look to look, over all replicas. It says who is told what; no vote hangs on it.
import type { Runner } from "../../domain/content/run.ts"

/** A run that was seen paused and has no approval. Times are epoch ms by the clock that all replicas share. */
export interface PausedRun {
  readonly runId: string
  readonly sessionId: string
  readonly runner: Runner | "workflows"
  /** The id of agent, team or workflow; null where the platform names none. */
  readonly component: string | null
  /** The ids of the calls that it waits for. Another set is another pause. */
  readonly calls: readonly string[]
  readonly tools: readonly string[]
  /** Since when its session has not changed. */
  readonly since: number
  /** When the operator was told; null: not yet. */
  readonly toldAt: number | null
}

/** A session that has still to be read, and when it changed last. */
export interface UnreadSession {
  readonly sessionId: string
  readonly changedAt: number
}

/** What is remembered of an instance's sessions. */
export interface Pauses {
  /** When the session changed that was listed last, by the platform's clock. */
  readonly listedTo: number
  /** The one that changed last comes first. */
  readonly unread: readonly UnreadSession[]
  /** The one that was read longest ago comes first. */
  readonly paused: readonly PausedRun[]
}

/** The memory of an installation. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface PauseMemory {
  /** True for one asker in so many ms, over all replicas. */
  takeTurn(instance: string, everyMs: number): Promise<boolean>
  /** Null before the first look, or if nothing was looked at for 30 days. */
  read(instance: string): Promise<Pauses | null>
  save(instance: string, pauses: Pauses): Promise<void>
}
