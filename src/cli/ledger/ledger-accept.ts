// countersign ledger accept: an operator accepts a Redis that was put back to an earlier moment (R17).
import { StoreError } from "../../store/errors.ts"
import type { LedgerFreshness } from "../../store/freshness/freshness.ts"
import { type Watched, withWatchedStore } from "../installation/watched-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"

/** Compares Redis with what is known outside it. With size and root, accepts Redis as it is. Throws `CommandError`. */
export async function ledgerAccept(
  terminal: Terminal,
  size: string | undefined,
  root: string | undefined,
): Promise<void> {
  await withWatchedStore(
    terminal,
    async (watched) =>
      size === undefined ? showStanding(terminal, watched) : accept(terminal, watched, { size, root }),
    { rolledBack: "allowed" },
  )
}

function showStanding(terminal: Terminal, { store }: Watched): void {
  const standing = store.freshness.standing()
  const { size, root } = store.freshness.shown()
  if (standing.kind !== "rolled-back")
    return terminal.out(`Redis holds all that is known of the ledger: ${size} entries. There is nothing to accept.`)
  terminal.out(`Redis is older than what is known of it: ${standing.why}.`)
  terminal.out(`The ledger had at least ${standing.known.number} entries, and has ${size} now.`)
  terminal.out("A bot that runs goes on with what is there: it appends what it finds, and approves nothing.")
  terminal.out(
    "If you restored a backup, accept it: all open cases are then asked for again, " +
      "and what the platform has is taken up.",
  )
  terminal.out(commandFor({ size, root }))
  process.exitCode = 1
}

/** The command that accepts exactly this state. */
function commandFor({ size, root }: { readonly size: number; readonly root: string }): string {
  return `countersign ledger accept ${size} ${root}`
}

async function accept(
  terminal: Terminal,
  { store, keep }: Watched,
  { size, root = "" }: { readonly size: string; readonly root: string | undefined },
): Promise<void> {
  if (!/^\d{1,15}$/.test(size) || !/^[0-9a-f]{64}$/.test(root))
    throw new CommandError("give size and root just as countersign ledger accept shows them")
  if (store.freshness.standing().kind !== "rolled-back")
    throw new CommandError("Redis holds all that is known of the ledger: there is nothing to accept")
  await store.freshness.accept({ size: Number(size), root }).catch((error: unknown) => {
    throw error instanceof StoreError && error.code === "not-as-shown" ? notAsShown(error, store.freshness) : error
  })
  await keep()
  terminal.out("accepted: all open cases are asked for again")
  terminal.out("Everything is stopped as soon as a bot runs: the backup may lack a stop. countersign stops lists it")
}

function notAsShown(error: StoreError, freshness: LedgerFreshness): CommandError {
  const why = `${error.message}: a bot appended something since you looked, or these are not the printed values`
  const now = commandFor(freshness.shown())
  return new CommandError(`${why}. Nothing is accepted. This accepts it as it is now:\n${now}`)
}
