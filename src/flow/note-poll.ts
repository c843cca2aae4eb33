// Noting: how a poll went is told to all replicas, since any of them may run the next one.
import { isCredentialRefused, isPortError, type Ports } from "./ports.ts"

/** A poll that is about to run. */
export interface PollRun {
  readonly instance: string
  readonly run: () => Promise<void>
  /** Host and cause of what it failed with, in words. */
  readonly wordsOf: (error: unknown) => string
}

/** Runs a poll and notes how it went. Throws what the poll throws; a note that Redis does not take is logged. */
export async function notePoll(
  ports: Pick<Ports, "polls" | "store" | "log">,
  { instance, run, wordsOf }: PollRun,
): Promise<void> {
  const note = async (write: (at: number) => Promise<void>): Promise<void> => {
    try {
      const clock = await ports.store.sharedClock()
      await write(clock())
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("poll-not-noted", { instance, error })
    }
  }
  try {
    await run()
  } catch (error) {
    const failure = { why: wordsOf(error), refused: isCredentialRefused(error) }
    await note((at) => ports.polls.failed(instance, { at, ...failure }))
    throw error
  }
  await note((at) => ports.polls.succeeded(instance, at))
}
