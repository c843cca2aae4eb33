// What operators see, the clock, and what measures calls to other services.

/** Epoch milliseconds. */
export type Clock = () => number

/**
 * Runs something in this process after this many ms, unless somebody calls the returned function first. If the process
 * ends, it never runs.
 */
export type Later = (ms: number, run: () => void) => () => void

/** What an operator must see. Each code is stable. */
export interface Alarm {
  readonly code: string
  readonly caseId?: string
  readonly [field: string]: unknown
}

/** Writes one JSON line for each event, without secrets. */
export interface Log {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  error(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A call to an instance or to Slack, in a few words of ours that never vary. */
export interface OutsideCall {
  readonly to: "platform" | "slack"
  /** The instance that we call; absent for Slack. */
  readonly instance?: string
  /** A Web API method, or a method and a route such as `GET /approvals/{id}`. */
  readonly method: string
}

/** Measures calls. It runs each function once, and passes on what came of it, unchanged. */
export interface Meter {
  /** Runs a call, counts and times it by its result: the word of `resultOf` (default `ok`), or the error's code. */
  call<T>(call: OutsideCall, run: () => Promise<T>, resultOf?: (answer: T) => string): Promise<T>
}

/** Measures nothing. */
export const unmetered: Meter = { call: (_call, run) => run() }
