// A dialog above everything else. It keeps the focus inside, and closes by Escape or its cross.
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react"

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly close: () => void
  readonly closeText: string
  /** The button that submits or confirms, if there is one. */
  readonly action?: ReactNode
  /** Set: the dialog is a form, and this submits it. */
  readonly submit?: (event: FormEvent) => void
}

/** A dialog. It opens when it is drawn. */
export function Dialog({ title, children, close, closeText, action, submit }: DialogProps) {
  const dialog = useModal()
  const heading = useId()
  const inside = (
    <>
      <div className="view flex-fill overflow-auto px-3 py-2">{children}</div>
      <footer className="d-flex justify-content-end gap-2 p-3 border-top">
        <button type="button" className="btn btn-light border-secondary-subtle" onClick={close}>
          {closeText}
        </button>
        {action}
      </footer>
    </>
  )
  return (
    <dialog
      ref={dialog}
      className="p-0 border-0 shadow-lg"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <header className="d-flex align-items-center px-3 py-2 border-bottom">
        <h2 className="m-0 fs-5 fw-bold" id={heading} tabIndex={-1}>
          {title}
        </h2>
        <CloseButton label={`Close ${title}`} close={close} />
      </header>
      {submit ? (
        <form noValidate onSubmit={submit}>
          {inside}
        </form>
      ) : (
        inside
      )}
    </dialog>
  )
}

/**
 * Opens the dialog. The focus begins at the first field, else at the title, never on a button that decides something.
 * After the dialog, the focus returns to where it was. If nothing is there any more, it goes to the message around.
 */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const node = dialog.current
    const before = document.activeElement
    const around = before?.closest<HTMLElement>("article")
    node?.showModal()
    ;(firstField(node) ?? node?.querySelector("h2"))?.focus()
    return () => {
      node?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else around?.focus({ preventScroll: true })
    }
  }, [])
  // A view that was still loading got its fields: nobody has moved the focus from its title yet.
  useEffect(() => {
    const node = dialog.current
    if (node !== null && document.activeElement === node.querySelector("h2")) firstField(node)?.focus()
  })
  return dialog
}

function firstField(node: HTMLElement | null): HTMLElement | null {
  return node?.querySelector<HTMLElement>("[data-first]") ?? node?.querySelector<HTMLElement>(fieldSelector) ?? null
}

const fieldSelector = ".view :is(input, textarea, select)"

interface CloseButtonProps {
  /** The words for screen readers. */
  readonly label: string
  readonly close: () => void
  readonly className?: string
}

/** The cross at the end of a line. */
export function CloseButton({ label, close, className = "" }: CloseButtonProps) {
  return (
    <button type="button" className={`btn border-0 ms-auto ${className}`} aria-label={label} onClick={close}>
      <span aria-hidden="true">✕</span>
    </button>
  )
}
