// The settler: settles the ledger's end when it has to be, once for all who wait for that.
import { StoreError } from "../errors.ts"
import type { Break } from "./reader.ts"
import { settleEnd } from "./settling.ts"
import type { Watch } from "./watch.ts"

/** So long a commit waits while the end of the ledger is asked for, in ms; then it is made again later. */
const settlingMs = 6_000
/** How soon is asked again where Redis does not answer, in ms. */
const againMs = 200

/** Settles the end in the background. */
export interface Settler {
  /** True while it is being settled. */
  readonly running: () => boolean
  /** Settles the end anew if another run of Redis answers. */
  lookAtRun(): Promise<void>
  /** Settles the end anew if there is a break. */
  mend(found: Break | null): void
  /** Waits until nothing is being settled. Throws `StoreError` `unsettled` when that takes too long. */
  settled(): Promise<void>
  /** Ends what is being settled, soon: it is tried again no more. Whoever waits hears that it is unsettled. */
  close(): void
}

/** Makes it. `first`: the run of Redis that answered at the start. */
export function createSettler(watch: Watch, first: string): Settler {
  const { options } = watch
  let epoch = first
  let run: Promise<void> | null = null
  let open = true
  /** Redis may be away: then it is tried again for as long as that lasts. */
  const untilAnswered = async (next: string): Promise<void> => {
    while (open) {
      try {
        await settleEnd(watch)
        epoch = next
        return
      } catch (error) {
        options.log.warn("ledger-not-settled", { error })
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
    throw unsettled()
  }
  const begin = (next: string): void => {
    run ??= untilAnswered(next).finally(() => {
      run = null
    })
    // Whoever waits for it hears of it.
    run.catch(() => undefined)
  }
  return {
    running: () => run !== null,
    lookAtRun: async () => {
      const now = await options.epoch()
      if (now !== epoch) begin(now)
    },
    mend: (found) => {
      if (found !== null) begin(epoch)
    },
    settled: async () => {
      if (run === null) return
      const late = Promise.withResolvers<"late">()
      const timer = setTimeout(() => late.resolve("late"), settlingMs)
      const first = await Promise.race([run.then(() => "done"), late.promise]).finally(() => clearTimeout(timer))
      if (first === "late") throw unsettled()
    },
    close: () => {
      open = false
    },
  }
}

function unsettled(): StoreError {
  return new StoreError("unsettled", "whether Redis lost anything is not known yet")
}
