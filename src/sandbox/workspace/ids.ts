// Makes ids and time stamps as Slack would.

import type { Block } from "../../blockkit/blocks.ts"
import { blocksWithin, elementsOf } from "../../blockkit/elements-of.ts"

/** A source of new ids. */
export type Ids = ReturnType<typeof createIds>

/** Where time and chance come from. */
export interface IdOptions {
  /** Epoch milliseconds. */
  readonly clock: () => number
  /** A new unguessable string of at least 16 hexadecimal characters, at every call. */
  readonly random: () => string
}

/** Makes ids from the given clock and randomness. */
export function createIds({ clock, random }: IdOptions) {
  let last = 0
  return {
    /** A message's time stamp and id, `seconds.micros`. Each is larger than the one before. */
    ts: () => {
      last = Math.max(Math.floor(clock() * 1000), last + 1)
      return `${Math.floor(last / 1e6)}.${String(last % 1e6).padStart(6, "0")}`
    },
    /** An id such as `V7F3A…` with the given first letter(s). */
    id: (prefix: string) => `${prefix}${random().slice(0, 10).toUpperCase()}`,
    /** An unguessable string. */
    secret: random,
  }
}

/** A time stamp as microseconds since 1970, for comparing. It takes `"0"` and whole seconds, too. Else NaN. */
export function microsOf(ts: string): number {
  const [seconds = "", micros = ""] = ts.split(".")
  return Number(seconds) * 1e6 + Number(micros.padEnd(6, "0").slice(0, 6))
}

/** A copy of the message or view in which every block has a block_id and every interactive element an action_id. */
export function withIds<T extends { readonly blocks: readonly Block[] }>(content: T, ids: Ids): T {
  const copy = structuredClone(content)
  for (const { block } of blocksWithin(copy.blocks)) block.block_id ??= ids.id("b")
  for (const { element } of elementsOf(copy.blocks)) element.action_id ??= ids.id("a")
  return copy
}
