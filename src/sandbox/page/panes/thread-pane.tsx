// The thread of a message, beside its channel; on a phone in front of it.
import { useEffect, useRef } from "react"
import type { SeenChannel } from "../../user-actions/snapshot.ts"
import { useDesk } from "../page-context.ts"
import { useEndInSight } from "./end-in-sight.ts"
import { MessageRow } from "./message.tsx"

type Thread = SeenChannel["messages"][number]

/** The message and its replies. Escape closes it; the focus begins at its title. */
export function ThreadPane({ thread, name }: { readonly thread: Thread; readonly name: string }) {
  const { openThread } = useDesk()
  const { message, replies } = thread
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [message.ts])
  const list = useEndInSight(`${message.ts} ${replies.length}`)
  const close = () => openThread("")
  return (
    <aside className="thread" aria-label={`Thread in ${name}`} onKeyDown={(event) => event.key === "Escape" && close()}>
      <header className="pane-head">
        <h1 ref={title} tabIndex={-1}>
          Thread
        </h1>
        <small>{name}</small>
        <button type="button" className="cross" aria-label="Close thread" onClick={close}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      <div className="messages" ref={list}>
        <MessageRow message={message} />
        <p className="count">{replies.length === 1 ? "1 reply" : `${replies.length} replies`}</p>
        {replies.map((reply) => (
          <MessageRow key={reply.ts} message={reply} />
        ))}
      </div>
    </aside>
  )
}
