// Buttons and menus that tell the app at once when somebody uses them.
import { useState } from "react"
import type { Block } from "../../../blockkit/blocks.ts"
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { Choice } from "../../user-actions/values.ts"
import { Confirm } from "../confirm.tsx"
import { initialOf, keyOf } from "../forms/form.ts"
import { Entry } from "../forms/input.tsx"
import { optionsOf } from "../forms/options.ts"
import { useDesk } from "../page-context.ts"
import type { BlockPlace } from "./blocks.tsx"

type ControlProps = BlockPlace & { readonly element: InteractiveElement; readonly block: Block }

/** The element; where it asks "are you sure?", nothing is sent before the answer. */
export function Control(props: ControlProps) {
  const { element, block, form } = props
  const { use, asking, answer, busy } = usePress(props)
  const confirm = "confirm" in element ? element.confirm : undefined
  const key = keyOf(block, element)
  return (
    <>
      {element.type === "button" && <Button button={element} busy={busy} press={() => use(undefined)} />}
      {element.type === "overflow" && <Overflow element={element} choose={use} />}
      {element.type !== "button" && element.type !== "overflow" && (
        <Entry
          element={element}
          value={form?.changed[key] ?? initialOf(element)}
          label={"placeholder" in element ? (element.placeholder?.text ?? "Choose") : "Choose"}
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

/** Sends the press, after the confirmation if there is one, and says while it is under way. */
function usePress({ element, block, place, form }: ControlProps) {
  const { acts } = useDesk()
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState<{ readonly choice: Choice | undefined }>()
  const send = async (choice: Choice | undefined) => {
    setBusy(true)
    await acts.press({
      place,
      action: element.action_id ?? "",
      block: block.block_id ?? "",
      ...(choice === undefined ? {} : { choose: choice }),
      ...(form ? { values: form.changed } : {}),
    })
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

interface ButtonProps {
  readonly button: Extract<InteractiveElement, { type: "button" }>
  readonly busy: boolean
  readonly press: () => void
}

function Button({ button, busy, press }: ButtonProps) {
  return (
    <button
      type="button"
      className={`control ${button.style ?? ""}`}
      aria-label={button.accessibility_label}
      aria-disabled={busy}
      aria-busy={busy}
      onClick={() => (busy ? undefined : press())}
    >
      {button.text.text}
    </button>
  )
}

interface OverflowProps {
  readonly element: Extract<InteractiveElement, { type: "overflow" }>
  readonly choose: (value: string) => void
}

function Overflow({ element, choose }: OverflowProps) {
  const { seen } = useDesk()
  return (
    <select
      className="entry overflow"
      aria-label="More actions"
      value=""
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">⋯</option>
      {optionsOf(seen, element)?.map(({ value, text }) => (
        <option key={value} value={value}>
          {text.text}
        </option>
      ))}
    </select>
  )
}
