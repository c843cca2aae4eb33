// The audit channel: each checkpoint of the ledger as a message, out of reach of whoever can write to Redis.
import { code, type Line, moment, mrkdwn, rich, say } from "./spans.ts"
import type { Call } from "./web.ts"

/** A signed checkpoint: the root over the first `size` entries. `signed` is a compact JWS, `at` is epoch ms. */
interface Checkpoint {
  readonly size: number
  readonly root: string
  readonly at: number
  readonly signed: string
}

/** What posts checkpoints to a channel. One that Slack did not take is not repeated: the next one vouches for all that it did. */
export interface Audit {
  readonly name: string
  /** Throws `ChatError`. */
  write(checkpoint: Checkpoint): Promise<void>
}

/** Makes it. The JWS stands on a line of its own, so that the channel's text is a file of anchors. */
export function createAudit(call: Call, channel: string): Audit {
  return {
    name: `audit channel ${channel}`,
    write: async (checkpoint) => {
      const { size, root, at, signed } = checkpoint
      const told: Line = [
        say(`Ledger checkpoint: the first ${size} entries, signed `),
        moment(at),
        say(", root "),
        code(root),
      ]
      const text = { type: "rich_text_preformatted" as const, elements: [{ type: "text" as const, text: signed }] }
      const blocks = [rich(told), { type: "rich_text" as const, elements: [text] }]
      await call("chat.postMessage", (client) =>
        client.chat.postMessage({ channel, text: `${mrkdwn(told)}\n${signed}`, blocks, unfurl_links: false }),
      )
    },
  }
}
