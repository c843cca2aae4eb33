// Prompt work: begun in the process that asks, without Redis. Work that does not end there becomes a job. If the
// process dies, the sweep finds the work, since its commit marked the case as unfinished.
import type { Log, OpenedCase } from "../flow/ports.ts"
import { shortestMs } from "../repeat.ts"
import type { StepResult } from "./steps.ts"

/** What prompt work needs. */
export interface PromptOptions {
  /** So many at once; more become jobs. */
  readonly max: number
  readonly run: (id: string, opened?: OpenedCase) => Promise<StepResult>
  /** Makes it a job, due in so many ms. */
  readonly leave: (id: string, delayMs: number) => Promise<void>
  readonly log: Log
}

/** Work of one kind. For one id at most one runs here; if you ask while it runs, one more follows. */
export type Prompt = ReturnType<typeof createPrompt>

interface Running {
  /** True once it was asked for while it ran. */
  again: boolean
}

/** Makes it; nothing runs yet. Work that fails waits like a job that failed once; longer waits are left to jobs. */
export function createPrompt({ max, run, leave, log }: PromptOptions) {
  const running = new Map<string, Running>()
  const ending = new Set<Promise<void>>()
  let open = true
  const runAll = async (id: string, own: Running, opened?: OpenedCase): Promise<StepResult> => {
    try {
      let result = await run(id, opened)
      while (isAskedAgain(own)) result = await run(id)
      return result
    } finally {
      // In one go with the last look at `again`: else whoever asks in between would hear that it runs, and nothing
      // would run.
      running.delete(id)
    }
  }
  const carryOut = async (id: string, own: Running, opened?: OpenedCase): Promise<void> => {
    try {
      const result = await runAll(id, own, opened)
      if (result) await leave(id, result.againInMs)
    } catch (error) {
      log.warn("prompt-failed", { id, error })
      await leave(id, shortestMs).catch((cause: unknown) => log.warn("left-to-the-sweep", { id, error: cause }))
    }
  }
  return {
    /** Begins, and waits for nothing. False if this process has too much running. */
    begin: (id: string, opened?: OpenedCase): boolean => {
      const own = running.get(id)
      if (own !== undefined) own.again = true
      if (own !== undefined || !open || running.size >= max) return own !== undefined
      const entry: Running = { again: false }
      running.set(id, entry)
      const ended: Promise<void> = carryOut(id, entry, opened).finally(() => ending.delete(ended))
      ending.add(ended)
      return true
    },
    isFree: (): boolean => open && running.size < max,
    /** Begins nothing more. Resolves when all that runs has ended or is left to a job. */
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
