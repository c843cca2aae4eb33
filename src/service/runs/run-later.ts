// Carries out accepted runs after the answer that accepted them.
import type { Parts } from "../parts.ts"
import { carryOutAccepted } from "./start-run.ts"

/** Carries out all accepted runs as soon as the current request is answered. Called at start, too: a restart loses none. */
export function carryOutSoon(parts: Parts): void {
  setImmediate(() => {
    // The service may have been closed in between; the next start takes them up.
    if (!parts.database.isOpen) return
    try {
      carryOutAccepted(parts)
    } catch (error) {
      process.emitWarning(`accepted runs: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  })
}
