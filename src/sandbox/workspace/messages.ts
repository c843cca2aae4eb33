// The messages of all channels, and the ephemeral ones that only one person sees.
import type { Block } from "../../blockkit/blocks.ts"
import type { CheckedMessage } from "../../blockkit/validate.ts"
import { microsOf } from "./ids.ts"

/** What a message says. */
export interface MessageContent {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly metadata: CheckedMessage["metadata"]
}

/** A message as it is now. A later version is another object, so a test can keep what a person saw. */
export interface PostedMessage extends MessageContent {
  readonly ts: string
  readonly channelId: string
  readonly authorId: string
  /** The `ts` of the message whose thread this is in. */
  readonly threadTs: string | undefined
  /** A thread reply that is also shown in the channel. */
  readonly broadcast: boolean
  /** When it was last changed. */
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
    /** Replaces what the message says. Returns false if there is no such message. */
    change: (channelId: string, ts: string, content: MessageContent, editedTs: string) => {
      const index = indexOf(channelId, ts)
      const before = messages[index]
      return before ? put(index, { ...before, ...content, editedTs }) : false
    },
    /** Takes the message away, as its app or a moderator does. Returns false if there is no such message. */
    remove: (channelId: string, ts: string) => put(indexOf(channelId, ts), null),
    /** All of a channel, threads included, oldest first. */
    inChannel: (channelId: string): readonly M[] => messages.filter((message) => message.channelId === channelId),
    all: (): readonly M[] => [...messages],
  }
}

/** The messages that stand in the channel itself: no thread replies, except those also sent to the channel. */
export function topLevel<M extends PostedMessage>(messages: readonly M[]): M[] {
  return messages.filter(
    (message) => message.threadTs === undefined || message.threadTs === message.ts || message.broadcast,
  )
}

/** The replies under a message, oldest first, without the message. */
export function repliesTo<M extends PostedMessage>(messages: readonly M[], ts: string): M[] {
  return messages.filter((message) => message.threadTs === ts && message.ts !== ts)
}

/** The messages whose time lies between two time stamps, each left out unless `inclusive`. */
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
