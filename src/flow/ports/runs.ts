// The runs of one instance, read and continued with a credential of their own, and what an instance lets us do about them.
import type { Explicit } from "../../domain/case/ruling.ts"
import type { Run, RunAddress } from "../../domain/content/run.ts"

/** What the operator chose for an instance. */
export interface Conduct {
  /** Which decided runs are continued. */
  readonly resume: "off" | "approved" | "decided"
  /** What becomes of a rejection that the platform would not enforce (R12). */
  readonly rejectUserInput: "hold" | "send"
  /** True if runs of AgentOS's own Slack interface are continued too. */
  readonly besideAgnoSlack: boolean
  /** How long a continue may take before the run is asked how it ended, in ms. */
  readonly resumeMs: number
  /** How often it is polled, in ms. */
  readonly pollMs: number
}

/** What a continue came to. `refused` had no effect for certain; `unsure`, like what threw, is told by the run alone. */
export type Continued =
  | { readonly kind: "run"; readonly run: Run }
  | { readonly kind: "accepted" }
  /** The durable queue owns the run: nothing was done, and `background=true` is asked for. */
  | { readonly kind: "queued"; readonly detail: string }
  | { readonly kind: "refused"; readonly status: number; readonly detail: string }
  | { readonly kind: "unsure"; readonly status: number; readonly detail: string }

/** The team's run to which a member's belongs. */
export interface TeamRun {
  readonly teamId: string
  readonly runId: string
}

/** Runs of one instance. Throws `PlatformError` (a `PortError`) as `Platform` does. */
export interface Runs {
  /** The run as its component has it, or null on 404 (believed only when repeated). */
  read(address: RunAddress): Promise<Run | null>
  /** The team's run behind a member's run; null if the session knows none. */
  teamOf(sessionId: string, runId: string): Promise<TeamRun | null>
  /** Sends one continue with `stream=false` and waits for it. Never repeats it by itself. */
  continue(address: RunAddress, form: { readonly explicit: Explicit; readonly background: boolean }): Promise<Continued>
}

/** In whose name a decided run is continued, over all replicas: the lock of R10 and trap 54. Throws `StoreError`. */
export interface Continues {
  /** Takes all these decisions in the name of a case, or none. True also where they are its own already. */
  take(decisions: readonly string[], caseId: string): Promise<boolean>
  /** The case that took a decision, or null. */
  takenBy(decision: string): Promise<string | null>
}
