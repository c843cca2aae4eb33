// Who we are in Slack, by `auth.test`, which decides what "ours" means; and whether Slack still accepts our token.
import type { Alarm, Log } from "../../flow/ports.ts"
import { type Closer, repeat } from "../../repeat.ts"
import { badSetting, ChatError, notSlack } from "../transport/errors.ts"
import { pacedBefore, type SlackCall } from "../transport/web-client.ts"

/** The app in its workspace. */
export interface SlackIdentity {
  readonly team: string
  readonly enterprise: string | null
  readonly botUser: string
  readonly bot: string
  readonly app: string | null
  /** The workspace's name, for the start-up line. */
  readonly teamName: string
  /** The workspace's own address, with a slash at the end, or null. */
  readonly url: string | null
  /** The token's scopes. Slack names them with every answer. */
  readonly scopes: readonly string[]
}

/**
 * Asks Slack whose token it is. For a refused token, or one of a whole organization, throws a `ChatError` that names
 * the setting.
 */
export async function identify(call: SlackCall): Promise<SlackIdentity> {
  const answer = await call("auth.test", (client) => client.auth.test({})).catch((error: unknown) => {
    throw tokenError(error)
  })
  if (answer.is_enterprise_install === true) throw orgInstall()
  const { team_id: team, user_id: botUser, bot_id: bot, app_id: app, enterprise_id: enterprise } = answer
  if (team === undefined && botUser === undefined) throw notSlack("auth.test", "it names no workspace")
  if (team === undefined || botUser === undefined || bot === undefined) {
    throw badSetting("SLACK_BOT_TOKEN (slack.bot_token) is no bot token: Slack knows no bot behind it")
  }
  const scopes = answer.response_metadata?.scopes ?? []
  const { team: teamName = team, url = null } = answer
  return { team, enterprise: enterprise ?? null, botUser, bot, app: app ?? null, teamName, url, scopes }
}

/** The error for an install that has no workspace of its own: nobody could tell who is ours. */
function orgInstall(): ChatError {
  const install =
    "an install on the whole organization (is_enterprise_install), and Countersign works in one workspace only"
  const message = `SLACK_BOT_TOKEN (slack.bot_token) belongs to ${install}`
  return new ChatError({ code: "org-install", method: "auth.test", message })
}

/** Words for a token that Slack refused; other failures come back as they are. */
function tokenError(error: unknown): unknown {
  if (!(error instanceof ChatError) || error.slackCode === null || error.retryable) return error
  const remedy = "Set it to the app's Bot User OAuth Token, which begins with xoxb-"
  return badSetting(`Slack did not accept SLACK_BOT_TOKEN (slack.bot_token): ${error.slackCode}. ${remedy}`, error)
}

/**
 * Whether Slack still accepts our token. We ask each minute, and at once if Slack says that it was revoked, or refuses
 * a call because of it. While it is refused, we ask every few seconds.
 */
export interface TokenWatch {
  /** Why Slack does not accept the token, in words; null while it does. */
  problem(): string | null
  /** Asks Slack now. Never rejects. */
  look(): Promise<void>
  /** Asks from now on, every `everyMs`. */
  watch(everyMs: number): Closer
  /**
   * Wraps a call: its answers also show whether Slack accepts the token. While Slack refuses it, a call to post or edit
   * fails at once, with Slack's word.
   */
  guard(call: SlackCall): SlackCall
}

/** How often we ask while the token is refused, in ms. */
const refusedMs = 3_000

/** Makes a `TokenWatch`. If Slack refuses the token, `ask` throws `ChatError`; an unreachable Slack tells nothing. */
export function createTokenWatch(options: {
  readonly ask: () => Promise<unknown>
  readonly alarm: (alarm: Alarm) => void
  readonly log: Log
}): TokenWatch {
  const { ask, alarm, log } = options
  let refusal: ChatError | null = null
  const note = (refused: ChatError | null) => {
    const before = refusal
    refusal = refused
    if (refused === null && before !== null) log.info("slack-token-taken-again")
    if (refused === null || before !== null) return
    alarm({ code: "slack-token-refused", reason: refused.slackCode ?? refused.code, why: refused.message })
  }
  const failed = (error: unknown) => {
    if (error instanceof ChatError && !error.retryable) note(error)
    else log.warn("slack-token-not-looked-at", { error })
  }
  let looking: Promise<void> | null = null
  const look = () => {
    looking ??= ask()
      .then(() => note(null), failed)
      .finally(() => {
        looking = null
      })
    return looking
  }
  return {
    look,
    problem: () => refusal?.message ?? null,
    watch: (everyMs) => {
      const tickMs = Math.min(everyMs, refusedMs)
      let waitedMs = 0
      const tick = async () => {
        waitedMs += tickMs
        if (refusal === null && waitedMs < everyMs) return
        waitedMs = 0
        await look()
      }
      return repeat(tickMs, tick, failed)
    },
    guard: (call) => async (method, run, how) => {
      if (refusal !== null && pacedBefore.has(method)) throw notTaken(method, refusal)
      try {
        const answer = await call(method, run, how)
        if (refusal !== null) void look()
        return answer
      } catch (error) {
        if (refusal === null && error instanceof ChatError && error.barred) void look()
        throw error
      }
    },
  }
}

function notTaken(method: string, { slackCode, code }: ChatError): ChatError {
  const message = `${method}: Slack does not take our token: ${slackCode ?? code}`
  return new ChatError({ code: "refused", method, message, slackCode })
}
