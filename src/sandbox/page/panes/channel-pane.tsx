// A channel or a direct conversation: its messages in order, those that only this person sees among them, and the command box.

import type { SeenChannel } from "../../user-actions/snapshot.ts"
import type { PostedMessage } from "../../workspace/messages.ts"
import { useDesk } from "../page-context.ts"
import { PaneHead } from "../pane-head.tsx"
import { Composer } from "./composer.tsx"
import { useEndInSight } from "./end-in-sight.ts"
import { MessageRow } from "./message.tsx"

interface Entry {
  readonly message: PostedMessage
  readonly replies?: readonly PostedMessage[]
  readonly whispered: boolean
}

interface ChannelPaneProps {
  readonly shown: SeenChannel
  readonly showPlaces: () => void
}

/** The channel in front. */
export function ChannelPane({ shown, showPlaces }: ChannelPaneProps) {
  const { seen } = useDesk()
  const { channel } = shown
  const entries = entriesOf(
    shown,
    seen.ephemerals.filter((one) => one.channelId === channel.id),
  )
  const name = channel.kind === "im" ? seen.app.name : `#${channel.name}`
  const list = useEndInSight(`${channel.id} ${entries.at(-1)?.message.ts}`)
  const about = channel.kind === "im" ? "Direct messages" : `${channel.memberIds.length} members`
  return (
    <main className="pane" aria-label={name}>
      <PaneHead title={name} about={about} showPlaces={showPlaces} />
      <div className="messages" ref={list} role="log" aria-label={`Messages in ${name}`} tabIndex={0}>
        {entries.length === 0 && <p className="empty">Nothing here yet. Messages appear as soon as they are posted.</p>}
        {entries.map(({ message, ...rest }) => (
          <MessageRow key={message.ts} message={message} {...rest} />
        ))}
      </div>
      <Composer key={channel.id} channel={channel.id} name={name} />
    </main>
  )
}

function entriesOf(shown: SeenChannel, whispers: readonly PostedMessage[]): readonly Entry[] {
  const open = shown.messages.map(({ message, replies }) => ({ message, replies, whispered: false }))
  const hidden = whispers.map((message) => ({ message, whispered: true }))
  return [...open, ...hidden].toSorted((a, b) => Number(a.message.ts) - Number(b.message.ts))
}
