// A dialog over everything else: keeps the focus inside, and closes by Escape or its cross.
import { type ReactNode, useEffect, useId, useRef } from "react"

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly close: () => void
}

/**
 * Opens when it is drawn. The focus begins at the first field, else at the title, never on a button that decides something; in the end it
 * returns to where it was, or to the message around it when the button has gone.
 */
export function Dialog({ title, children, close }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const node = dialog.current
    const before = document.activeElement
    const around = before?.closest<HTMLElement>("article")
    node?.showModal()
    const first = node?.querySelector<HTMLElement>("[data-first]") ?? node?.querySelector<HTMLElement>(FIELDS)
    ;(first ?? node?.querySelector("h2"))?.focus()
    return () => {
      node?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else around?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <header>
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="cross" aria-label={`Close ${title}`} onClick={close}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      {children}
    </dialog>
  )
}

const FIELDS = ".view :is(input, textarea, select)"
