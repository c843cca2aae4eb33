// What Slack itself, or this page, has to say: it stays until it is dismissed.
import { useState } from "react"
import { useDesk } from "./page-context.ts"

/** A remark of the page. */
export interface Complaint {
  readonly id: string
  readonly text: string
}

const SHOWN = 3

/** The newest of Slack's notices that came since the page was opened, and the page's own. */
export function Notices({ complaints }: { readonly complaints: readonly Complaint[] }) {
  const { seen } = useDesk()
  const [gone, setGone] = useState<ReadonlySet<string>>(() => new Set(seen.notices.map(({ ts }) => ts)))
  const slacks = seen.notices.map(({ ts, text }) => ({ id: ts, text }))
  const shown = [...slacks, ...complaints].filter(({ id }) => !gone.has(id)).slice(-SHOWN)
  return (
    <div className="notices" role="alert">
      {shown.map(({ id, text }) => (
        <p key={id}>
          {text}
          <button
            type="button"
            className="cross"
            aria-label="Dismiss"
            onClick={() => setGone((before) => new Set([...before, id]))}
          >
            <span aria-hidden="true">✕</span>
          </button>
        </p>
      ))}
    </div>
  )
}
