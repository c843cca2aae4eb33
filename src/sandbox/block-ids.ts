// Gives blocks and elements the ids that Slack makes up when an app sends none.

import type { Block } from "../blockkit/blocks.ts"
import { blocksWithin, elementsOf } from "../blockkit/elements-of.ts"
import type { Ids } from "./workspace/ids.ts"

/** A copy of the message or view in which every block has a block_id and every interactive element an action_id. */
export function withIds<T extends { readonly blocks: readonly Block[] }>(content: T, ids: Ids): T {
  const copy = structuredClone(content)
  for (const { block } of blocksWithin(copy.blocks)) block.block_id ??= ids.id("b")
  for (const { element } of elementsOf(copy.blocks)) element.action_id ??= ids.id("a")
  return copy
}
