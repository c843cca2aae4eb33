// Traces: one for each step of a case, with its calls. Without a collector they are off, and nothing is loaded.
import type { Log } from "../log.ts"

/** What a span says: ids and words of ours, never text of an agent or a person. */
export type Facts = Readonly<Record<string, string | number | boolean>>

/** Makes spans. Runs each function once, and passes on the function's outcome as it is. */
export interface Traces {
  /** Runs a step: as its own trace, or as a part of the step that runs now. */
  step<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T>
  /** Runs a call as a part of the step that runs now. Outside of any step nothing is recorded. */
  inside<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T>
  /** Adds to the span that runs now. */
  note(facts: Facts): void
  /** Sends the remaining spans, within two seconds. */
  close(): Promise<void>
}

/** Records nothing. */
export const noTraces: Traces = {
  step: (_name, _facts, run) => run(),
  inside: (_name, _facts, run) => run(),
  note: () => undefined,
  close: () => Promise.resolve(),
}

/** Opens traces that go to the collector at `endpoint` (OTLP over HTTP). Without an endpoint, nothing is recorded. */
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
