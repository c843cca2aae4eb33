// The messages of all channels, also the ephemeral ones that only one person sees.
import type { CheckedMessage } from "../../blockkit/validate.ts"
import { microsOf } from "./ids.ts"

/** A message as it is now. Each later version is another object, so a test can keep the one that a person saw. */
export interface PostedMessage extends CheckedMessage {
  readonly ts: string
  readonly channelId: string
  readonly authorId: string
  /** The `ts` of the message that began the thread. */
  readonly threadTs: string | undefined
  /** True for a thread reply that is also shown in the channel. */
  readonly broadcast: boolean
  readonly editedTs: string | undefined
}

/** A message that only one person sees. */
export interface Ephemeral extends PostedMessage {
  readonly personId: string
}

/** Messages in the order in which they came. */
export type MessageStore<M extends PostedMessage> = ReturnType<typeof createMessages<M>>

/** Makes an empty store that calls `changed` after every change. */
export function createMessages<M extends PostedMessage>(changed: () => void) {
  const messages: M[] = []
  const indexOf = (channelId: string, ts: string) =>
    messages.findIndex((message) => message.channelId === channelId && message.ts === ts)
  const put = (index: number, by: M | null) => {
    if (index === -1) return false
    if (by === null) messages.splice(index, 1)
    else messages[index] = by
    changed()
    return true
  }
  return {
    add: (message: M) => {
      messages.push(message)
      changed()
    },
    find: (channelId: string, ts: string) => messages[indexOf(channelId, ts)],
    /** Replaces the content of a message. Returns false if there is no such message. */
    change: (channelId: string, ts: string, content: CheckedMessage, editedTs: string) => {
      const index = indexOf(channelId, ts)
      const before = messages[index]
      return before ? put(index, { ...before, ...content, editedTs }) : false
    },
    /** Removes a message, as its app or a moderator does. Returns false if there is no such message. */
    remove: (channelId: string, ts: string) => put(indexOf(channelId, ts), null),
    /** All messages of a channel, those in threads included, oldest first. */
    inChannel: (channelId: string): readonly M[] => messages.filter((message) => message.channelId === channelId),
    all: (): readonly M[] => [...messages],
  }
}

/** The messages in the channel itself: no thread replies, except those that were also sent to the channel. */
export function topLevel<M extends PostedMessage>(messages: readonly M[]): M[] {
  return messages.filter(
    (message) => message.threadTs === undefined || message.threadTs === message.ts || message.broadcast,
  )
}

/** The replies to a message, oldest first, without the message itself. */
export function repliesTo<M extends PostedMessage>(messages: readonly M[], ts: string): M[] {
  return messages.filter((message) => message.threadTs === ts && message.ts !== ts)
}

/** The messages between two time stamps. A message at one of these two times counts only if `inclusive`. */
export function between<M extends PostedMessage>(
  messages: readonly M[],
  range: { readonly oldest?: string | undefined; readonly latest?: string | undefined; readonly inclusive: boolean },
): M[] {
  const from = microsOf(range.oldest ?? "0")
  const to = range.latest === undefined ? Number.POSITIVE_INFINITY : microsOf(range.latest)
  return messages.filter((message) => {
    const at = microsOf(message.ts)
    return (at > from && at < to) || (range.inclusive && (at === from || at === to))
  })
}
