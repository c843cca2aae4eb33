// Prompt work: begins in the process that asks, without Redis. Work that cannot end there becomes a job. If the process
// dies, the sweep finds the work, because its commit marked the case as unfinished.
import type { Log } from "../flow/ports.ts"
import { shortestMs } from "../repeat.ts"
import type { StepResult } from "./steps.ts"

/** What prompt work needs. */
export interface PromptOptions<Given> {
  /** At most this much work runs at once; the rest becomes jobs. */
  readonly max: number
  /** Does the work. `given`: what the caller that asked for the first run knows. */
  readonly run: (id: string, given?: Given) => Promise<StepResult>
  /** Makes the work a job, due in this many ms. */
  readonly leave: (id: string, delayMs: number) => Promise<void>
  readonly log: Log
}

/** Work of one kind. For one id at most one run is under way here; a call meanwhile lets one more follow. */
export type Prompt<Given> = ReturnType<typeof createPrompt<Given>>

interface Running {
  /** True if somebody asked for the work again while it ran. */
  again: boolean
}

/** Makes prompt work; nothing runs yet. Work that fails becomes a job that waits as after one failure. */
export function createPrompt<Given>({ max, run, leave, log }: PromptOptions<Given>) {
  const running = new Map<string, Running>()
  const ending = new Set<Promise<void>>()
  let open = true
  const runAll = async (id: string, own: Running, given?: Given): Promise<StepResult> => {
    try {
      let result = await run(id, given)
      while (isAskedAgain(own)) result = await run(id)
      return result
    } finally {
      // No wait may come between the last look at `again` and this line. Else a caller in between would hear that the
      // work runs, and it would not.
      running.delete(id)
    }
  }
  const carryOut = async (id: string, own: Running, given?: Given): Promise<void> => {
    try {
      const result = await runAll(id, own, given)
      if (result) await leave(id, result.againInMs)
    } catch (error) {
      log.warn("prompt-failed", { id, error })
      await leave(id, shortestMs).catch((cause: unknown) => log.warn("left-to-the-sweep", { id, error: cause }))
    }
  }
  return {
    /** Begins work, and returns at once. False if too much runs in this process already. */
    begin: (id: string, given?: Given): boolean => {
      const own = running.get(id)
      if (own !== undefined) own.again = true
      if (own !== undefined || !open || running.size >= max) return own !== undefined
      const entry: Running = { again: false }
      running.set(id, entry)
      const ended: Promise<void> = carryOut(id, entry, given).finally(() => ending.delete(ended))
      ending.add(ended)
      return true
    },
    isFree: (): boolean => open && running.size < max,
    /** Begins no more work. Resolves when all that runs has ended, or has become a job. */
    end: async (): Promise<void> => {
      open = false
      await Promise.all(ending)
    },
  }
}

function isAskedAgain(own: Running): boolean {
  const { again } = own
  own.again = false
  return again
}
