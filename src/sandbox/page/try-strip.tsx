// The strip "Try": a button for each thing that the app does, and a line that says what to do after it.
import { useRef, useState } from "react"
import type { Lead } from "../user-actions/tour.ts"
import { CloseButton } from "./blocks/dialog.tsx"
import { usePage } from "./state/page-context.ts"

interface TryStripProps {
  readonly lead: Lead | null
  readonly follow: (lead: Lead | null) => void
}

/** The strip, with the hint of the newest try below it. It draws nothing if the sandbox has no tour. */
export function TryStrip({ lead, follow }: TryStripProps) {
  const { seen, sandbox } = usePage()
  const [busy, setBusy] = useState("")
  const newest = useRef("")
  if (seen.tries === null) return null
  // A second press of the same button waits for the first. If several buttons were pressed, the newest decides.
  const start = async (id: string) => {
    if (newest.current === id) return
    newest.current = id
    setBusy(id)
    const found = await sandbox.tryOut(id)
    if (newest.current !== id) return
    newest.current = ""
    setBusy("")
    if (found) follow(found)
  }
  return (
    <section className="tries border-bottom" aria-label="Try">
      <div className="d-flex align-items-center gap-2 px-3 py-2 overflow-x-auto">
        <b aria-hidden="true">Try</b>
        {seen.tries.map(({ id, label, about }) => (
          <button
            type="button"
            key={id}
            className="btn btn-sm btn-light border-secondary-subtle flex-shrink-0 text-nowrap"
            title={about}
            aria-label={`${label}: ${about}`}
            aria-busy={busy === id}
            onClick={() => void start(id)}
          >
            {label}
          </button>
        ))}
      </div>
      <div role="status">{lead && <Hint lead={lead} start={start} busy={busy} close={() => follow(null)} />}</div>
    </section>
  )
}

interface HintProps {
  readonly lead: Lead
  readonly start: (id: string) => Promise<void>
  readonly busy: string
  readonly close: () => void
}

function Hint({ lead: { hint, next }, start, busy, close }: HintProps) {
  return (
    <div className="hint d-flex align-items-center gap-3 px-3 py-1">
      <span>{hint}</span>
      {next && (
        <button
          type="button"
          className="btn btn-sm btn-success flex-shrink-0 text-nowrap"
          aria-busy={busy === next.id}
          onClick={() => void start(next.id)}
        >
          {next.label}
        </button>
      )}
      <CloseButton label="Close hint" close={close} />
    </div>
  )
}
