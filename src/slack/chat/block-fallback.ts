// Some Slacks may not accept alert and container blocks yet. If one refuses them, we send the message without them.
import type { AlertBlock, AnyBlock, ContainerBlock } from "@slack/types"
import type { Log } from "../../flow/ports.ts"
import { slackCodeOf } from "../transport/errors.ts"

/**
 * Sends a message or view. If Slack refuses new blocks in it, sends it once more without them, and leaves them out
 * until the next start. Throws as `send` does.
 */
export type SendWithFallback = <C extends { readonly blocks: AnyBlock[] }, T>(
  content: C,
  send: (content: C) => Promise<T>,
) => Promise<T>

/** Slack's words for blocks that it does not accept: in messages, and in views. */
const notTaken = new Set(["invalid_blocks", "invalid_blocks_format", "invalid_arguments"])

/** Makes a `SendWithFallback`. At first no block counts as refused. */
export function createBlockFallback(log: Log): SendWithFallback {
  const refused = new Set<string>()
  return async (content, send) => {
    const first = {
      ...content,
      blocks: content.blocks.flatMap((one) => (refused.has(one.type) ? plainBlocks(one) : [one])),
    }
    const tried = new Set(first.blocks.filter(isNew).map(({ type }) => type))
    try {
      return await send(first)
    } catch (error) {
      if (tried.size === 0 || !notTaken.has(slackCodeOf(error) ?? "")) throw error
      const answer = await send({ ...content, blocks: content.blocks.flatMap(plainBlocks) })
      log.warn("new-blocks-refused", { types: [...tried], error })
      for (const type of tried) refused.add(type)
      return answer
    }
  }
}

/** A block as blocks that every Slack accepts. */
function plainBlocks(block: AnyBlock): AnyBlock[] {
  if (!isNew(block)) return [block]
  return block.type === "alert" ? [{ type: "section", text: block.text }] : block.child_blocks
}

function isNew(block: AnyBlock): block is AlertBlock | ContainerBlock {
  return block.type === "alert" || block.type === "container"
}
