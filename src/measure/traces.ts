// Traces: one for each step of a case, with its calls. Off without a collector; then nothing is loaded.
import type { Log } from "../log.ts"

/** What a span says: ids and words of ours, never what an agent or a person wrote. */
export type Facts = Readonly<Record<string, string | number | boolean>>

/** Makes spans. It runs what it is handed once, and passes the outcome on as it is. */
export interface Traces {
  /** Runs a step: a trace of its own, or a part of the step in which it runs. */
  step<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T>
  /** Runs a call as a part of the step in which it runs; outside of any step nothing is recorded. */
  inside<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T>
  /** Adds to the span that runs now. */
  note(facts: Facts): void
  /** Sends what is left, within two seconds. */
  close(): Promise<void>
}

/** Records nothing. */
export const noTraces: Traces = {
  step: (_name, _facts, run) => run(),
  inside: (_name, _facts, run) => run(),
  note: () => undefined,
  close: () => Promise.resolve(),
}

/** Traces to the collector at `endpoint` (OTLP over HTTP), or none where there is no endpoint. */
export async function openTraces(options: {
  readonly endpoint: string | undefined
  readonly installation: string
  readonly log: Log
}): Promise<Traces> {
  const { endpoint, installation, log } = options
  if (endpoint === undefined) return noTraces
  const { startExport } = await import("./otlp.ts")
  return startExport({ endpoint, installation, log })
}
