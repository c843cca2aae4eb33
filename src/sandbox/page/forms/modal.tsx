// The topmost modal of somebody, with its form.
import { type FormEvent, useState } from "react"
import type { OpenView } from "../../workspace/views.ts"
import { Blocks } from "../blocks/blocks.tsx"
import { useDesk } from "../page-context.ts"
import { Dialog } from "./dialog.tsx"
import { useForm } from "./use-form.ts"

/** The view as a dialog. */
export function Modal({ view }: { readonly view: OpenView }) {
  const { acts } = useDesk()
  const form = useForm(view)
  const [busy, setBusy] = useState(false)
  const { definition } = view
  if (definition.type !== "modal") return null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    await acts.submit(view.id, form.changed)
    setBusy(false)
  }
  const close = () => void acts.close(view.id)
  return (
    <Dialog title={definition.title.text} close={close}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <div className="view">
          <Blocks blocks={definition.blocks} place={view.id} form={form} />
        </div>
        <footer>
          <button type="button" className="control" onClick={close}>
            {definition.close?.text ?? "Close"}
          </button>
          {definition.submit && (
            <button className="control primary" aria-disabled={busy} aria-busy={busy}>
              {definition.submit.text}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  )
}
