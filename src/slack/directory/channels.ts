// Channels as Slack describes them. All replicas share one answer, and ask Slack at most twice a minute for a channel.
import { z } from "zod"
import type { Json } from "../../domain/content/json.ts"
import type { Clock, SharedAnswers } from "../../flow/ports.ts"
import { slackCodeOf } from "../transport/errors.ts"
import type { SlackCall } from "../transport/web-client.ts"
import { createCache } from "./cache.ts"

/** A channel as the bot sees it. */
export interface ChannelFacts {
  readonly name: string
  readonly member: boolean
  readonly archived: boolean
  /** Shared with another organization, or with an open invitation to share it. */
  readonly external: boolean
}

const keptChannel = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("channel"),
    // Missing if an older replica shared the channel.
    name: z.string().exactOptional(),
    member: z.boolean(),
    archived: z.boolean(),
    external: z.boolean(),
  }),
  z.object({ kind: z.literal("refused"), why: z.string() }),
])

/** What Slack said about a channel, or Slack's word for why it tells nothing until somebody changes something. */
export type ChannelAnswer = z.infer<typeof keptChannel>

/** Slack's answers about channels. */
export interface Channels {
  /**
   * Slack's answer, at most `maxAgeMs` old. Also uses the answers of other replicas, which it read at most `heardMs`
   * ago (default: it reads them now). Throws `ChatError` for a failure that may pass.
   */
  get(channel: string, maxAgeMs: number, heardMs?: number): Promise<ChannelAnswer>
}

const cacheSize = 2_000
/** Slack's words for a channel about which it tells the app nothing. */
const untold: ReadonlySet<string> = new Set(["not_in_channel", "channel_not_found", "missing_scope"])

/** Makes the `Channels`. */
export function createChannels(options: {
  readonly call: SlackCall
  readonly clock: Clock
  /** Default: each process asks by itself. */
  readonly answers?: SharedAnswers | undefined
}): Channels {
  const { call, clock, answers } = options
  const nameOf = (channel: string) => `channel ${channel}`
  const parse = (value: Json) => keptChannel.safeParse(value).data ?? null
  const cache = createCache<ChannelAnswer>({
    clock,
    size: cacheSize,
    read: (channel) => tellOf(call, channel),
    shared: answers && { answers, nameOf, write: (told) => ({ ...told }), parse },
  })
  const told = createCache({
    clock,
    size: cacheSize,
    read: async (channel) => (await answers?.read(nameOf(channel))) ?? null,
  })
  return {
    get: async (channel, maxAgeMs, heardMs = -1) => {
      // A later answer of another replica counts before our own: only one replica hears of a change.
      const theirs = await told.get(channel, heardMs)
      const ageMs = clock() - (theirs?.at ?? Number.NEGATIVE_INFINITY)
      const fresh = theirs !== null && ageMs >= 0 && ageMs <= maxAgeMs ? parse(theirs.value) : null
      return fresh ?? cache.get(channel, maxAgeMs)
    },
  }
}

async function tellOf(call: SlackCall, id: string): Promise<ChannelAnswer> {
  try {
    return { kind: "channel", ...(await readChannel(call, id)) }
  } catch (error) {
    const why = slackCodeOf(error) ?? ""
    if (untold.has(why)) return { kind: "refused", why }
    throw error
  }
}

/** Asks Slack. Throws `ChatError`. https://docs.slack.dev/reference/methods/conversations.info */
export async function readChannel(call: SlackCall, channel: string): Promise<ChannelFacts> {
  const { channel: found } = await call("conversations.info", (client) => client.conversations.info({ channel }))
  const shared = found?.is_shared === true && found.is_org_shared !== true
  return {
    name: found?.name ?? channel,
    member: found?.is_member === true,
    archived: found?.is_archived === true,
    external: shared || found?.is_ext_shared === true || found?.is_pending_ext_shared === true,
  }
}
