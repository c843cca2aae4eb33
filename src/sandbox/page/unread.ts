// Which messages have come since a channel was last in front of somebody.
import { useEffect, useState } from "react"
import type { SeenChannel, Snapshot } from "../user-actions/snapshot.ts"

/** Counts new messages by channel id; what was there when the page was opened counts as read, and so does the channel `at`. */
export function useUnread(seen: Snapshot, at: string): (channelId: string) => number {
  const [read, setRead] = useState<Readonly<Record<string, number>>>(() =>
    Object.fromEntries(seen.channels.map((one) => [one.channel.id, newest(one)])),
  )
  const front = seen.channels.find(({ channel }) => channel.id === at)
  const latest = front ? newest(front) : 0
  useEffect(() => setRead((before) => ({ ...before, [at]: latest })), [at, latest])
  return (channelId) => {
    const found = seen.channels.find(({ channel }) => channel.id === channelId)
    if (!found || channelId === at) return 0
    return found.messages.filter(({ message }) => Number(message.ts) > (read[channelId] ?? 0)).length
  }
}

function newest({ messages }: SeenChannel): number {
  return Number(messages.at(-1)?.message.ts ?? 0)
}
