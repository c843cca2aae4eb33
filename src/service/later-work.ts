// Work that goes on after its request was answered. Its failures never end the process, and are always reported.
import type { DatabaseSync } from "node:sqlite"

/** Carries out work that nobody waits for. */
export interface LaterWork {
  /** Carries `work` out; nobody waits for it. A failure is logged and counted; `tell` may write it to the database. */
  begin(what: string, work: () => unknown, tell?: (why: string) => void): void
  /** Begins `work` after the current request was answered, unless the service is closed by then. */
  soon(what: string, work: () => unknown): void
  /** Logs and counts a failure that nobody was told of. */
  failed(error: unknown, what: string): void
  /** How many failures there were since the start. */
  failures(): number
}

/** What a row says about work that failed. The failure itself may hold what the row's reader must not know. */
export const brokenOff = "It could not be carried out; the log of this service says why"

/** Makes `LaterWork`. `onFailure` logs. */
export function createLaterWork(database: DatabaseSync, onFailure: (error: unknown, what: string) => void): LaterWork {
  let failures = 0
  const failed: LaterWork["failed"] = (error, what) => {
    failures += 1
    onFailure(error, what)
  }
  const carryOut = async (...[what, work, tell]: Parameters<LaterWork["begin"]>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      failed(error, what)
      tell?.(brokenOff)
    }
  }
  const begin: LaterWork["begin"] = (what, work, tell) =>
    void carryOut(what, work, tell).catch((error: unknown) => failed(error, `noting a failure: ${what}`))
  const soon: LaterWork["soon"] = (what, work) =>
    void setImmediate(() => (database.isOpen ? begin(what, work) : undefined))
  return { begin, soon, failed, failures: () => failures }
}
