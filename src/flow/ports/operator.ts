// What operators see, the clock, and what measures the calls that leave the process.

/** Epoch milliseconds. */
export type Clock = () => number

/**
 * Runs something here after this many ms, unless somebody calls the returned function before. If the process ends, it
 * is forgotten.
 */
export type Later = (ms: number, run: () => void) => () => void

/** What an operator must see. Each code is stable. */
export interface Alarm {
  readonly code: string
  readonly caseId?: string
  readonly [field: string]: unknown
}

/** One JSON line per event; secrets are removed. */
export interface Log {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  error(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A call to an instance or to Slack, in few words of ours, without any part that varies. */
export interface OutsideCall {
  readonly to: "platform" | "slack"
  /** The instance that is called; absent for Slack. */
  readonly instance?: string
  /** A Web API method, or a method and a route such as `GET /approvals/{id}`. */
  readonly method: string
}

/** Measures. It runs what it is handed once, and passes the outcome on as it is. */
export interface Meter {
  /** Runs a call, counts and times it by result: the word of `resultOf` (default `ok`), else the error's code. */
  call<T>(call: OutsideCall, run: () => Promise<T>, resultOf?: (answer: T) => string): Promise<T>
}

/** Measures nothing. */
export const unmetered: Meter = { call: (_call, run) => run() }
