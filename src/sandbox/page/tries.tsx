// The tries: a demo's first page, which lists them, and the bar that says what to do in the newest one.
import { useEffect, useRef } from "react"
import type { Snapshot } from "../user-actions/snapshot.ts"
import type { Try } from "../user-actions/tour.ts"
import { CloseButton } from "./blocks/dialog.tsx"
import { PaneHead, type PaneProps } from "./panes.tsx"
import { auditAddress } from "./sidebar.tsx"
import { usePage } from "./state/page-context.ts"

/**
 * What this is, what to press first, and the tries, marked once they were done. The next one is in sight. Draws nothing
 * without a tour.
 */
export function TryPane({ token, showPlaces }: PaneProps & { readonly token: string }) {
  const { tour } = usePage().seen
  const list = useNextInSight()
  if (tour === null) return null
  const done = tour.tries.filter(isDone).length
  return (
    <main className="pane" id="main" tabIndex={-1} aria-label="Start here">
      <PaneHead title="Start here" about={`${done} of ${tour.tries.length} tried`} showPlaces={showPlaces} />
      <div className="messages px-3" ref={list}>
        <p className="block fs-6">
          {tour.welcome} <NextWords tour={tour} token={token} />
        </p>
        <ol className="try-list list-group list-group-numbered">
          {tour.tries.map((one) => (
            <TryRow key={one.id} one={one} />
          ))}
        </ol>
      </div>
    </main>
  )
}

function isDone({ ended }: Try): boolean {
  return ended.length > 0
}

/** Says what to press first, while nothing was tried. Once all was tried, leads to the auditor's page. */
function NextWords({ tour, token }: { readonly tour: NonNullable<Snapshot["tour"]>; readonly token: string }) {
  if (!tour.tries.some(isDone)) return tour.first
  if (!tour.tries.every(isDone)) return null
  return (
    <>
      {tour.last}{" "}
      <a href={auditAddress(token)} target="_blank" rel="noopener">
        the auditor's page
      </a>
      .
    </>
  )
}

/** Once something was tried, the list begins where it goes on: what comes before it is done. */
function useNextInSight() {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const next = list.current?.querySelector("li:not([data-done])")
    if (list.current?.querySelector("[data-done]")) next?.scrollIntoView({ block: "center" })
  }, [])
  return list
}

function TryRow({ one }: { readonly one: Try }) {
  const { tries } = usePage()
  const { id, label, about, was } = one
  const done = isDone(one)
  return (
    <li className="list-group-item d-flex align-items-center gap-2 p-0 ps-3" data-done={done || undefined}>
      <button
        type="button"
        className="btn border-0 rounded-0 flex-fill text-start fw-normal py-2"
        aria-busy={tries.busy === id}
        onClick={() => void tries.start(id)}
      >
        <b>{label}</b>{" "}
        {done && (
          <span className="badge rounded-pill text-bg-success">
            <span aria-hidden="true">✓ </span>Done
          </span>
        )}
        <span className="d-block text-body-secondary">{about}</span>
        {done && <span className="d-block text-success-emphasis">That was: {was}.</span>}
      </button>
    </li>
  )
}

interface TryBarProps {
  /** Goes to the list of tries. */
  readonly showTries: () => void
}

/** The bar above a place: the hint, or what the try was, and the way to the list. Draws nothing without a tour. */
export function TryBar({ showTries }: TryBarProps) {
  const { seen, tries } = usePage()
  if (seen.tour === null) return null
  const { lead, busy, start, close } = tries
  const found = seen.tour.tries.find((one) => one.id === lead?.try)
  const ended = lead !== null && found?.ended.includes(lead.round) === true
  const following = ended ? seen.tour.tries.find((one) => !isDone(one)) : undefined
  const step = ended ? following && { id: following.id, label: `Next: ${following.label}` } : lead?.next
  return (
    <section className="tries border-bottom d-flex flex-wrap align-items-center gap-2 px-3 py-2" aria-label="Try">
      <div className="flex-fill" role="status">
        {lead === null && "This is a demo of Countersign."}
        {lead !== null && (ended ? <b>✓ That was: {found.was}.</b> : lead.hint)}
      </div>
      {step && (
        <button
          type="button"
          className="btn btn-sm btn-success flex-shrink-0"
          aria-busy={busy === step.id}
          onClick={() => void start(step.id)}
        >
          {step.label}
        </button>
      )}
      <button type="button" className="btn btn-sm btn-light border-secondary-subtle flex-shrink-0" onClick={showTries}>
        All tries
      </button>
      {lead !== null && <CloseButton label="Close hint" close={close} />}
    </section>
  )
}
