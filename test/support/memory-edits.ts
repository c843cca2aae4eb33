// Edits of messages in memory, also edits that Slack refuses.

import type { Place } from "../../src/domain/case/case.ts"
import { type Edited, isPortError } from "../../src/flow/ports.ts"
import { refusalOf } from "../../src/slack/chat/edit-refusals.ts"
import { chatFailure } from "./port-failure.ts"

/** Edits, and messages that take none. */
export interface MemoryEdits {
  /** From now on Slack refuses each edit of a message with this word; null: it takes them again. */
  freeze(place: Place, word: string | null): void
  /** Slack's word on an edit of this message; null if it takes one. */
  wordOn(place: Place): string | null
}

/** Makes them; at first every message takes edits. */
export function createMemoryEdits(): MemoryEdits {
  const frozen = new Map<string, string>()
  const keyOf = ({ channel, ts }: Place) => `${channel} ${ts}`
  return {
    freeze: (place, word) => void (word === null ? frozen.delete(keyOf(place)) : frozen.set(keyOf(place), word)),
    wordOn: (place) => frozen.get(keyOf(place)) ?? null,
  }
}

/** What an edit came to, as Slack's adapter tells it. `word`: Slack's refusal, or null. */
export async function editedAs(word: string | null, edit: () => Promise<void>): Promise<Edited> {
  try {
    if (word !== null) throw chatFailure(word, { retryable: false })
    await edit()
    return { kind: "updated" }
  } catch (error) {
    const kind = isPortError(error) && error.code !== "shared-channel" ? refusalOf(error) : null
    if (!isPortError(error) || kind === null) throw error
    return { kind, error }
  }
}
