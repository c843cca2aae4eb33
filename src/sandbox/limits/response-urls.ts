// Response URLs: each lets the app answer an interaction five times within half an hour.

/** Where the interaction happened. This decides what `replace_original` and `delete_original` mean. */
export interface ResponseOrigin {
  readonly personId: string
  readonly channelId: string
  /** The message, or the ephemeral message, with the pressed button; null for a command. */
  readonly message: { readonly ts: string; readonly ephemeral: boolean; readonly threadTs: string | undefined } | null
}

/** Gives out the tokens of response URLs, and counts how often each was used. */
export type ResponseUrls = ReturnType<typeof createResponseUrls>

/** Slack's limits: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const maxUses = 5
/** Milliseconds. */
const lifeMs = 30 * 60_000

/** Makes response URLs that live by `clock` (epoch ms). */
export function createResponseUrls(options: { clock: () => number; random: () => string }) {
  const issued = new Map<string, { origin: ResponseOrigin; at: number; uses: number }>()
  return {
    issue: (origin: ResponseOrigin): string => {
      const token = options.random()
      issued.set(token, { origin, at: options.clock(), uses: 0 })
      return token
    },
    /** Counts one use. Undefined if the token is unknown, used up or too old: then Slack answers 404. */
    use: (token: string): ResponseOrigin | undefined => {
      const entry = issued.get(token)
      if (!entry || entry.uses >= maxUses || options.clock() - entry.at > lifeMs) return undefined
      entry.uses += 1
      return entry.origin
    },
  }
}
