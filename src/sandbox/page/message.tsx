// One message: who wrote it, when, what it says, and what can be done with it.
import { type RefObject, useEffect, useRef } from "react"
import type { PostedMessage } from "../workspace/messages.ts"
import { Blocks } from "./blocks/blocks.tsx"
import { clockTime, fullTime } from "./blocks/dates.ts"
import { Text } from "./blocks/rich-text.tsx"
import { type MessagePlace, nameOf, usePage } from "./state/page-context.ts"

interface MessageProps {
  readonly message: PostedMessage
  /** The replies in its thread; undefined if it offers no thread. */
  readonly replies?: readonly PostedMessage[] | undefined
  /** Whether only this person sees it. */
  readonly whispered?: boolean
}

/** The message. If an update removes the button that had the focus, the focus stays at the message. */
export function MessageRow({ message, replies, whispered = false }: MessageProps) {
  const { seen, tries, pointed } = usePage()
  const row = useFocusThatStays()
  const place = { channel: message.channelId, ts: message.ts }
  const leads = useWayTo(row, place, tries.lead?.place)
  const isPointed = useWayTo(row, place, pointed)
  const looks = [whispered && "whispered", leads && "led", isPointed && "pointed"].filter(Boolean).join(" ")
  const author = nameOf(seen, message.authorId)
  const isApp = message.authorId === seen.app.botUserId
  return (
    <article
      ref={row}
      className={`message d-flex gap-2 px-3 py-2 ${looks}`}
      tabIndex={-1}
      data-ts={message.ts}
      aria-label={`${author} at ${clockTime(message.ts)}${whispered ? ", only visible to you" : ""}`}
    >
      <span className={`avatar rounded-3 fs-5 ${isApp ? "bg-success" : "bg-secondary"}`} aria-hidden="true">
        {isApp ? "✓" : author.charAt(0)}
      </span>
      <div className="body flex-fill">
        {whispered && <p className="m-0 small text-body-secondary">Only visible to you</p>}
        <p className="d-flex align-items-baseline gap-2 m-0">
          <b>{author}</b>
          {isApp && <span className="badge bg-body-secondary text-body-secondary">App</span>}
          <time className="small text-body-secondary" title={fullTime(message.ts)}>
            {clockTime(message.ts)}
          </time>
        </p>
        {message.blocks.length > 0 && <Blocks blocks={message.blocks} place={place} />}
        {message.blocks.length === 0 && <Text text={{ type: "mrkdwn", text: message.text }} />}
        {replies && <Footer message={message} replies={replies} />}
      </div>
    </article>
  )
}

function Footer({ message, replies }: { readonly message: PostedMessage; readonly replies: readonly PostedMessage[] }) {
  const { seen, sandbox, openThread } = usePage()
  const last = replies.at(-1)
  const place = { channel: message.channelId, ts: message.ts }
  const look = "btn btn-sm px-0 border-0 fw-normal text-body-secondary"
  return (
    <div className="d-flex flex-wrap gap-3">
      {last && (
        <button type="button" className={look} onClick={() => openThread(message.ts)}>
          <b className="text-primary">{replies.length === 1 ? "1 reply" : `${replies.length} replies`}</b>
          <span className="d-none d-md-inline"> Last at {clockTime(last.ts)}</span>
        </button>
      )}
      {seen.app.shortcuts.map(({ name, callbackId }) => (
        <button
          type="button"
          className={look}
          key={callbackId}
          onClick={() => void sandbox.shortcut(callbackId, place)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

/** Brings the message in sight if something leads to its place; again for each new `to`. Returns whether it does. */
function useWayTo(row: RefObject<HTMLElement | null>, place: MessagePlace, to: MessagePlace | undefined): boolean {
  const leads = to?.channel === place.channel && to.ts === place.ts
  useEffect(() => {
    if (!leads) return
    row.current?.scrollIntoView({ block: "start" })
    row.current?.focus({ preventScroll: true })
  }, [leads, to, row])
  return leads
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
