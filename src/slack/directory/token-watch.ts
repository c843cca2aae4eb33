// Whether Slack still takes our bot token: asked each minute, and at once when Slack says that the app was removed or a token revoked.
import type { Alarm, Log } from "../../flow/ports.ts"
import { type Closer, repeat } from "../../repeat.ts"
import { ChatError } from "../transport/errors.ts"

/** The watch over the token. */
export interface TokenWatch {
  /** Why Slack does not take the token, in words; null while it does. */
  problem(): string | null
  /** Asks Slack now. Never rejects. */
  look(): Promise<void>
  /** Asks from now on, every so many ms. */
  watch(everyMs: number): Closer
}

/** Makes it. `ask` throws what Slack refuses as a `ChatError`; a Slack that cannot be reached says nothing about the token. */
export function createTokenWatch(options: {
  readonly ask: () => Promise<unknown>
  readonly alarm: (alarm: Alarm) => void
  readonly log: Log
}): TokenWatch {
  const { ask, alarm, log } = options
  let problem: string | null = null
  const note = (refused: ChatError | null) => {
    const before = problem
    problem = refused?.message ?? null
    if (refused === null && before !== null) log.info("slack-token-taken-again")
    if (refused === null || before !== null) return
    alarm({ code: "slack-token-refused", reason: refused.slackCode ?? refused.code, why: refused.message })
  }
  const failed = (error: unknown) => {
    if (error instanceof ChatError && !error.retryable) note(error)
    else log.warn("slack-token-not-looked-at", { error })
  }
  const look = () => ask().then(() => note(null), failed)
  return { look, problem: () => problem, watch: (everyMs) => repeat(everyMs, look, failed) }
}
