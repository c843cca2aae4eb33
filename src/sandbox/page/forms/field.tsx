// One input of a form with its label, its hint and what is wrong with it.
import { useId } from "react"
import type { Block } from "../../../blockkit/blocks.ts"
import { type Form, keyOf, valueOf } from "./form.ts"
import { Entry } from "./input.tsx"

interface FieldProps {
  readonly block: Extract<Block, { type: "input" }>
  readonly form: Form
}

/** The input block. */
export function Field({ block, form }: FieldProps) {
  const id = useId()
  const { element, label, hint, optional } = block
  const error = form.errors[block.block_id ?? ""]
  const described = [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div className="field">
      <label id={`${id}-label`} htmlFor={id}>
        {label.text}
        {optional && <small> (optional)</small>}
      </label>
      <Entry
        id={id}
        element={element}
        value={valueOf(form, keyOf(block, element), element)}
        change={(choice) => form.change(keyOf(block, element), choice)}
        describedBy={described || undefined}
        wrong={error !== undefined}
      />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint.text}
        </p>
      )}
      {error !== undefined && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
