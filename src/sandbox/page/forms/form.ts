// What stands in the inputs of a view: what was typed or chosen, else what the app put there.
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { Choice, Choices } from "../../user-actions/values.ts"

/** The state of one view's inputs. */
export interface Form {
  /** By `block_id/action_id`; only what the person changed. */
  readonly changed: Choices
  readonly change: (key: string, choice: Choice) => void
  /** What is wrong, by block_id. */
  readonly errors: Readonly<Record<string, string>>
}

/** The key of an element in a form. */
export function keyOf(block: { readonly block_id?: string | undefined }, element: InteractiveElement): string {
  return `${block.block_id}/${element.action_id}`
}

/** What the element holds: one text or value, or several. */
export function valueOf(form: Form, key: string, element: InteractiveElement): Choice {
  return form.changed[key] ?? initialOf(element)
}

/** What the app put into the element. */
export function initialOf(element: InteractiveElement): Choice {
  switch (element.type) {
    case "button":
    case "overflow":
      return ""
    case "static_select":
    case "radio_buttons":
      return element.initial_option?.value ?? ""
    case "multi_static_select":
    case "checkboxes":
      return (element.initial_options ?? []).map((option) => option.value)
    case "users_select":
      return element.initial_user ?? ""
    case "multi_users_select":
      return element.initial_users ?? []
    case "channels_select":
      return element.initial_channel ?? ""
    case "datepicker":
      return element.initial_date ?? ""
    case "timepicker":
      return element.initial_time ?? ""
    case "plain_text_input":
    case "number_input":
    case "email_text_input":
    case "url_text_input":
      return element.initial_value ?? ""
  }
}
