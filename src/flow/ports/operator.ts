// What operators see, and the clock.

/** Epoch milliseconds. */
export type Clock = () => number

/** Runs something in this process after so many ms, unless what comes back is called before. A process that ends forgets it. */
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
