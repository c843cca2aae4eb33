// The head of a pane: where you are and, on a phone, the way to the list of places.

interface PaneHeadProps {
  readonly title: string
  /** A quieter remark. */
  readonly about: string
  readonly showPlaces: () => void
}

/** The title and its remark. */
export function PaneHead({ title, about, showPlaces }: PaneHeadProps) {
  return (
    <header className="pane-head">
      <button type="button" className="menu" aria-label="Channels and people" onClick={showPlaces}>
        <span aria-hidden="true">☰</span>
      </button>
      <h1>{title}</h1>
      <small>{about}</small>
    </header>
  )
}
