// Checks messages that were posted: are they still there, can people act on them, and what is their link?
import type { Place } from "../../domain/case/case.ts"
import type { CardSight, Chat, Clock } from "../../flow/ports.ts"
import { createCache } from "../directory/cache.ts"
import type { ChannelAnswer, Channels } from "../directory/channels.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { ChatError, insteadOf } from "../transport/errors.ts"
import type { SlackCall } from "../transport/web-client.ts"

/** What the checks need. */
export interface MessageCheckOptions {
  readonly call: SlackCall
  readonly identity: SlackIdentity
  readonly channels: Channels
  /** How old Slack's answer about a route may be, in ms. */
  readonly freshMs: number
  readonly clock: Clock
}

/** A link never changes. We keep it for a day, because people may read a thread for longer than we remember it. */
const linkMs = 86_400_000
const cacheSize = 2_000

/** Makes the checks. They remember recent answers. */
export function createMessageCheck(options: MessageCheckOptions): Pick<Chat, "look" | "linkTo"> {
  const { call, identity, channels, freshMs, clock } = options
  const people = createCache({ clock, size: cacheSize, read: (user) => whyUnreached(call, user) })
  const links = createCache({ clock, size: cacheSize, read: (key) => readLink(call, key) })
  return {
    look: async (place, route) => {
      const id = route.slice(route.indexOf(":") + 1)
      const why = route.startsWith("person:") ? await people.get(id, freshMs) : whyShut(await channels.get(id, freshMs))
      return why === null ? lookAt(call, identity, place) : { kind: "shut", why }
    },
    linkTo: async ({ channel, ts }) => {
      try {
        return await links.get(`${channel} ${ts}`, linkMs)
      } catch (error) {
        if (error instanceof ChatError) return null
        throw error
      }
    },
  }
}

/** Slack's word for why nobody can act in a channel; null if they can, or if we may not ask. */
function whyShut(told: ChannelAnswer): string | null {
  if (told.kind === "refused") return told.why === "missing_scope" ? null : told.why
  if (told.archived) return "is_archived"
  return told.member ? null : "not_in_channel"
}

/**
 * Slack's word for why nobody reaches a person; null if their account is active. Throws other failures: we ask again
 * later.
 */
function whyUnreached(call: SlackCall, user: string): Promise<string | null> {
  return call("users.info", (client) => client.users.info({ user }))
    .then((told) => (told.user?.deleted === true ? "user_disabled" : null))
    .catch(insteadOf(["missing_scope"], null))
}

/** Looks at a message of ours. It is gone if it is not in the history, or if only a tombstone is left of it. */
function lookAt(call: SlackCall, identity: SlackIdentity, { channel, ts }: Place): Promise<CardSight> {
  const only = { channel, latest: ts, oldest: ts, inclusive: true, limit: 1 }
  const isOurs = (message: { readonly ts?: string; readonly bot_id?: string }) =>
    message.ts === ts && message.bot_id === identity.bot
  return call("conversations.history", (client) => client.conversations.history(only), "reserved")
    .then(({ messages = [] }): CardSight => ({ kind: messages.some(isOurs) ? "there" : "gone" }))
    .catch(insteadOf<CardSight>(["missing_scope"], { kind: "unknown" }))
}

async function readLink(call: SlackCall, key: string): Promise<string | null> {
  const [channel = "", message_ts = ""] = key.split(" ")
  const answer = await call("chat.getPermalink", (client) => client.chat.getPermalink({ channel, message_ts }))
  return answer.permalink ?? null
}
