// The dialog that asks "are you sure?" before an action is sent.
import type { InteractiveElement } from "../../blockkit/elements.ts"
import { Text } from "./blocks/rich-text.tsx"
import { Dialog } from "./forms/dialog.tsx"

type ConfirmObject = NonNullable<Extract<InteractiveElement, { type: "button" }>["confirm"]>

interface ConfirmProps {
  readonly confirm: ConfirmObject
  readonly answer: (yes: boolean) => void
}

/** Asks, and answers with what was pressed; Escape is no. */
export function Confirm({ confirm, answer }: ConfirmProps) {
  const style = confirm.style === "danger" ? "danger" : "primary"
  return (
    <Dialog title={confirm.title?.text ?? "Are you sure?"} close={() => answer(false)}>
      <div className="view">
        <Text text={confirm.text} />
      </div>
      <footer>
        <button type="button" className="control" onClick={() => answer(false)}>
          {confirm.deny?.text ?? "Cancel"}
        </button>
        <button type="button" className={`control ${style}`} onClick={() => answer(true)}>
          {confirm.confirm?.text ?? "Yes"}
        </button>
      </footer>
    </Dialog>
  )
}
