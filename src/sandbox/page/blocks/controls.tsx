// Buttons and menus that tell the app at once when somebody uses them.
import { useState } from "react"
import type { Block } from "../../../blockkit/blocks.ts"
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { Choice } from "../../user-actions/values.ts"
import { usePage } from "../state/page-context.ts"
import { Dialog } from "./dialog.tsx"
import { type BlockPlace, initialOf, keyOf } from "./form.ts"
import { Input } from "./input.tsx"
import { Text } from "./rich-text.tsx"

type OfType<T extends InteractiveElement["type"]> = Extract<InteractiveElement, { type: T }>
type ControlProps = BlockPlace & { readonly element: InteractiveElement; readonly block: Block }

/** The element. If it asks "are you sure?", nothing is sent until the person confirms. */
export function Control(props: ControlProps) {
  const { element, block, form } = props
  const { use, asking, answer, busy } = useClick(props)
  const confirm = "confirm" in element ? element.confirm : undefined
  const key = keyOf(block, element)
  return (
    <>
      {element.type === "button" && <Button button={element} busy={busy} click={() => use(undefined)} />}
      {element.type === "overflow" && <Overflow element={element} choose={use} />}
      {element.type !== "button" && element.type !== "overflow" && (
        <Input
          element={element}
          value={form?.changed[key] ?? initialOf(element)}
          change={(choice) => {
            form?.change(key, choice)
            use(choice)
          }}
        />
      )}
      {asking && confirm && <Confirm confirm={confirm} answer={answer} />}
    </>
  )
}

/** Sends the click, after the confirmation if there is one, and tells whether the click is on its way. */
function useClick({ element, block, place, form }: ControlProps) {
  const { sandbox } = usePage()
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState<{ readonly choice: Choice | undefined }>()
  const send = async (choose: Choice | undefined) => {
    setBusy(true)
    const [action, within] = [element.action_id ?? "", block.block_id ?? ""]
    await sandbox.click({ place, action, block: within, choose, values: form?.changed })
    setBusy(false)
  }
  const confirms = "confirm" in element && element.confirm !== undefined
  return {
    busy,
    asking: asked !== undefined,
    use: (choice: Choice | undefined) => (confirms ? setAsked({ choice }) : void send(choice)),
    answer: (yes: boolean) => {
      setAsked(undefined)
      if (yes) void send(asked?.choice)
    },
  }
}

const buttonStyles = { primary: "btn-success", danger: "btn-danger", default: "btn-light border-secondary-subtle" }

interface ButtonProps {
  readonly button: OfType<"button">
  readonly busy: boolean
  readonly click: () => void
}

function Button({ button, busy, click }: ButtonProps) {
  return (
    <button
      type="button"
      className={`btn ${buttonStyles[button.style ?? "default"]}`}
      aria-label={button.accessibility_label}
      aria-disabled={busy}
      aria-busy={busy}
      onClick={() => (busy ? undefined : click())}
    >
      {button.text.text}
    </button>
  )
}

interface OverflowProps {
  readonly element: OfType<"overflow">
  readonly choose: (value: string) => void
}

function Overflow({ element, choose }: OverflowProps) {
  return (
    <select className="form-control" aria-label="More actions" value="" onChange={({ target }) => choose(target.value)}>
      <option value="">⋯</option>
      {element.options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text.text}
        </option>
      ))}
    </select>
  )
}

interface ConfirmProps {
  readonly confirm: NonNullable<OfType<"button">["confirm"]>
  readonly answer: (yes: boolean) => void
}

/** Asks "are you sure?", and answers with the button that was clicked; Escape means no. */
function Confirm({ confirm, answer }: ConfirmProps) {
  const yes = (
    <button type="button" className={`btn ${buttonStyles[confirm.style ?? "primary"]}`} onClick={() => answer(true)}>
      {confirm.confirm?.text ?? "Yes"}
    </button>
  )
  return (
    <Dialog
      title={confirm.title?.text ?? "Are you sure?"}
      close={() => answer(false)}
      closeText={confirm.deny?.text ?? "Cancel"}
      action={yes}
    >
      <Text text={confirm.text} />
    </Dialog>
  )
}
