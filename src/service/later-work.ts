// What goes on after its request was answered: nothing of it ends the process, and no failure of it stays untold.
import type { DatabaseSync } from "node:sqlite"

/** See the head. */
export interface LaterWork {
  /** Carries `work` out; nobody waits. A failure is logged and counted, and `tell` notes it in the row. */
  begin(what: string, work: () => unknown, tell?: (why: string) => void): void
  /** The same once the current request is answered; not at all if the service is closed by then. */
  soon(what: string, work: () => unknown): void
  /** Logs and counts a failure that nobody was told of. */
  failed(error: unknown, what: string): void
  /** How many there were since the start. */
  failures(): number
}

/** What a row says of work that broke; nothing of the failure itself, which may hold what its reader must not know. */
export const brokenOff = "It could not be carried out; the log of this service says why"

/** Makes it. `onFailure` logs. */
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
