// What the workers carry out: the flow's steps, by name.
import type { Ticket } from "../flow/ports/inbound.ts"
import type { OpenedCase, SettledCase } from "../flow/ports.ts"
import { QueueError } from "./errors.ts"

/** What a step comes to: nothing more to do, or one more run in this many ms. */
export type StepResult = { readonly againInMs: number } | void

/** The steps. A step that throws a retryable `PortError` runs again by itself; any other error ends its job. */
export interface Steps {
  readonly poll: (instance: string) => Promise<void>
  readonly sweep: () => Promise<void>
  readonly webhook: (name: string) => Promise<void>
  readonly remind: () => Promise<StepResult>
  readonly present: (caseId: string, opened?: OpenedCase) => Promise<StepResult>
  readonly resolve: (caseId: string) => Promise<StepResult>
  readonly resume: (caseId: string, settled?: SettledCase) => Promise<StepResult>
  readonly reconcile: (caseId: string) => Promise<StepResult>
  readonly summarise: (route: string) => Promise<StepResult>
  readonly ticket: (ticket: Ticket) => Promise<StepResult>
}

const names = [
  "poll",
  "sweep",
  "webhook",
  "present",
  "resolve",
  "resume",
  "reconcile",
  "remind",
  "summarise",
  "ticket",
] as const

/** Throws `QueueError` (`no-handler`) unless every job has a step: a job without one would wait for ever. */
export function demandSteps(steps: Partial<Steps>): void {
  const missing = names.filter((name) => typeof steps[name] !== "function")
  if (missing.length > 0) throw new QueueError("no-handler", `no step carries out the jobs ${missing.join(", ")}`)
}
