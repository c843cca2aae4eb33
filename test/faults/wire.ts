// The messages between the run and its lanes, and between the driver and its replicas.
import type { Schedule } from "./schedule.ts"

/** To a lane. It answers a schedule with how it ended. */
export type LaneOrder =
  /** What takes longer than `hangMs`, in real time, hangs. */
  | { readonly kind: "play"; readonly schedule: Schedule; readonly plant: string | null; readonly hangMs: number }
  | { readonly kind: "end" }

/** Where a replica does something by itself: it dies, or stands still until it is told to go on. */
export interface Trap {
  readonly id: number
  readonly label: string
  readonly nth: number
  readonly act: "die" | "stop"
}

/** What a replica is made of. */
export interface ReplicaOptions {
  readonly env: Readonly<Record<string, string>>
  readonly yaml: string
  readonly redisUrl: string
  readonly skewMs: number
  /** True when an operator said `--activate`. */
  readonly activate: boolean
  /** The planted bug, if one is. */
  readonly plant: string | null
  readonly traps: readonly Trap[]
}

/** To a replica. */
export type Order =
  | { readonly kind: "start"; readonly options: ReplicaOptions }
  | { readonly kind: "stop" }
  | { readonly kind: "tick"; readonly now: number }
  | { readonly kind: "trap"; readonly trap: Trap }
  | { readonly kind: "disarm"; readonly id: number }
  | { readonly kind: "go"; readonly id: number }

/** From a replica. `dying` is the last that is heard of it; points and log lines wait for the next of the others. */
export type News =
  | { readonly kind: "ready" }
  | { readonly kind: "tock" }
  | { readonly kind: "up"; readonly url: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "dying" | "reached"; readonly id: number; readonly label: string }
  | { readonly kind: "point"; readonly label: string; readonly when: Instant }
  | { readonly kind: "log"; readonly line: Readonly<Record<string, unknown>>; readonly when: Instant }

/** A moment on both clocks: simulated, and real (which puts what several processes did in order). Epoch ms. */
export interface Instant {
  readonly at: number
  readonly real: number
}
