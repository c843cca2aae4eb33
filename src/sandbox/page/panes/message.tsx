// One message: who, when, what, and what can be done with it.
import { useEffect, useRef } from "react"
import type { PostedMessage } from "../../workspace/messages.ts"
import { Avatar } from "../avatar.tsx"
import { Blocks } from "../blocks/blocks.tsx"
import { clockTime, fullTime } from "../blocks/dates.ts"
import { Text } from "../blocks/rich-text.tsx"
import { nameOf, useDesk } from "../page-context.ts"

interface MessageProps {
  readonly message: PostedMessage
  /** The replies in its thread; none where threads are not offered. */
  readonly replies?: readonly PostedMessage[]
  /** Whether only this person sees it. */
  readonly whispered?: boolean
}

/** The message. When the button that had the focus goes away with an update, the focus stays at the message. */
export function MessageRow({ message, replies, whispered = false }: MessageProps) {
  const { seen } = useDesk()
  const row = useFocusThatStays()
  const author = nameOf(seen, message.authorId)
  return (
    <article
      ref={row}
      className={whispered ? "message whispered" : "message"}
      tabIndex={-1}
      data-ts={message.ts}
      aria-label={`${author} at ${clockTime(message.ts)}${whispered ? ", only visible to you" : ""}`}
    >
      {whispered && <p className="whisper">Only visible to you</p>}
      <Avatar id={message.authorId} name={author} />
      <div className="body">
        <p className="by">
          <b>{author}</b>
          {message.authorId === seen.app.botUserId && <span className="badge">App</span>}
          <time title={fullTime(message.ts)}>{clockTime(message.ts)}</time>
        </p>
        <Body message={message} />
        {replies && <Footer message={message} replies={replies} />}
      </div>
    </article>
  )
}

function Body({ message }: { readonly message: PostedMessage }) {
  const place = { channel: message.channelId, ts: message.ts }
  if (message.blocks.length > 0) return <Blocks blocks={message.blocks} place={place} />
  return message.text === "" ? null : <Text text={{ type: "mrkdwn", text: message.text }} />
}

function Footer({ message, replies }: { readonly message: PostedMessage; readonly replies: readonly PostedMessage[] }) {
  const { seen, acts, openThread } = useDesk()
  const last = replies.at(-1)
  const place = { channel: message.channelId, ts: message.ts }
  return (
    <div className="below">
      {last && (
        <button type="button" className="replies" onClick={() => openThread(message.ts)}>
          <b>{replies.length === 1 ? "1 reply" : `${replies.length} replies`}</b> Last at {clockTime(last.ts)}
        </button>
      )}
      {seen.app.shortcuts.map(({ name, callbackId }) => (
        <button type="button" className="quiet" key={callbackId} onClick={() => void acts.shortcut(callbackId, place)}>
          {name}
        </button>
      ))}
    </div>
  )
}

function useFocusThatStays() {
  const row = useRef<HTMLElement>(null)
  const inside = useRef(false)
  useEffect(() => {
    const note = () => {
      const active = document.activeElement
      if (active !== document.body) inside.current = row.current?.contains(active) ?? false
    }
    document.addEventListener("focusin", note)
    return () => document.removeEventListener("focusin", note)
  }, [])
  useEffect(() => {
    if (inside.current && document.activeElement === document.body) row.current?.focus({ preventScroll: true })
  })
  return row
}
