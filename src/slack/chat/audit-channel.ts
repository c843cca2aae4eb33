// The audit channel: each checkpoint of the ledger is a message there, out of reach of Redis. The next start reads it.
import { z } from "zod"
import type { SlackIdentity } from "../directory/identity.ts"
import { metadataTypes } from "../ids.ts"
import { mrkdwn, rich } from "../lines/spans.ts"
import { checkpointLine } from "../text/proof-words.ts"
import type { SlackCall } from "../transport/web-client.ts"

/** A signed checkpoint: the root over the first `size` entries. `signed` is a compact JWS, `at` is epoch ms. */
interface Checkpoint {
  readonly size: number
  readonly root: string
  readonly at: number
  readonly signed: string
  /** The part that the next start needs, under our MAC. */
  readonly sealed: { readonly bound: string; readonly installation: string; readonly seal: string }
}

/** Posts checkpoints to a channel. If Slack did not take one, we do not repeat it: the next covers the same entries. */
export interface Audit {
  readonly name: string
  readonly readable: true
  /** Throws `ChatError`. */
  write(checkpoint: Checkpoint): Promise<void>
  /** The data beside our own bot's newest checkpoints in the channel, as JSON, oldest first. Throws `ChatError`. */
  read(): Promise<readonly string[]>
  /** These checkpoints themselves, each a compact JWS that nobody has verified yet. Throws `ChatError`. */
  signed(): Promise<readonly string[]>
}

const checkpointMetadata = z.object({
  event_type: z.literal(metadataTypes.checkpoint),
  event_payload: z.object({ bound: z.string(), installation: z.string(), seal: z.string() }),
})

/** How many messages we look at: other installations may share the channel. */
const looked = 200

/** Makes the `Audit`. The JWS has a line of its own, so the channel's text can serve as a file of anchors. */
export function createAudit(call: SlackCall, identity: SlackIdentity, channel: string): Audit {
  const own = async () => {
    const asked = { channel, limit: looked, include_all_metadata: true }
    const { messages = [] } = await call("conversations.history", (client) => client.conversations.history(asked))
    const found = messages.flatMap(({ bot_id, metadata, text = "" }) => {
      const read = checkpointMetadata.safeParse(metadata)
      return bot_id === identity.bot && read.success ? [{ beside: read.data.event_payload, text }] : []
    })
    return found.toReversed()
  }
  return {
    name: `audit channel ${channel}`,
    readable: true,
    read: async () => (await own()).map(({ beside }) => JSON.stringify(beside)),
    signed: async () => (await own()).map(({ text }) => text.split("\n").at(-1) ?? ""),
    write: async (checkpoint) => {
      const { signed, sealed } = checkpoint
      const told = checkpointLine(checkpoint)
      const text = { type: "rich_text_preformatted" as const, elements: [{ type: "text" as const, text: signed }] }
      const blocks = [rich(told), { type: "rich_text" as const, elements: [text] }]
      const metadata = { event_type: metadataTypes.checkpoint, event_payload: { ...sealed } }
      const message = { channel, text: `${mrkdwn(told)}\n${signed}`, blocks, metadata, unfurl_links: false }
      await call("chat.postMessage", (client) => client.chat.postMessage(message))
    },
  }
}
