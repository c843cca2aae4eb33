// Inputs and menus as the browser's own fields, each with a name for screen readers.
import { useId } from "react"
import type { Block } from "../../../blockkit/blocks.ts"
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { ClickPlace } from "../../user-actions/clicks.ts"
import type { Choice } from "../../user-actions/values.ts"
import { usePage } from "../state/page-context.ts"
import { type Form, initialOf, keyOf, type Option, optionsOf } from "./form.ts"
import { Text } from "./rich-text.tsx"

interface InputBlockProps {
  readonly block: Extract<Block, { type: "input" }>
  readonly place: ClickPlace
  readonly form: Form
}

/** An input block: the input with its label, its hint, and what is wrong with it. Enter may tell the app at once. */
export function InputBlock({ block, place, form }: InputBlockProps) {
  const { sandbox } = usePage()
  const id = useId()
  const { element, label, hint, optional } = block
  const key = keyOf(block, element)
  const error = form.errors[block.block_id ?? ""]
  const value = form.changed[key] ?? initialOf(element)
  const [action, within] = [element.action_id ?? "", block.block_id ?? ""]
  const tell = () => void sandbox.click({ place, action, block: within, choose: value, values: form.changed })
  return (
    <div className="mb-3">
      <label className="form-label fw-semibold" id={`${id}-label`} htmlFor={id}>
        {label.text}
        {optional && <small className="fw-normal text-body-secondary"> (optional)</small>}
      </label>
      <Input
        id={id}
        element={element}
        value={value}
        change={(choice) => form.change(key, choice)}
        wrong={error !== undefined}
        enter={tellsOnEnter(block) ? tell : undefined}
      />
      <div id={`${id}-about`}>
        {hint && <p className="form-text m-0">{hint.text}</p>}
        {error !== undefined && (
          <p className="m-0 fw-semibold text-danger" role="alert">
            {error}
          </p>
        )}
      </div>
    </div>
  )
}

/** True if Slack tells the app on Enter: always, unless the app wants to hear of each character alone. */
function tellsOnEnter({ dispatch_action: tells, element }: InputBlockProps["block"]): boolean {
  if (!tells || element.type !== "plain_text_input" || element.multiline) return false
  return element.dispatch_action_config?.trigger_actions_on?.includes("on_enter_pressed") ?? true
}

interface InputProps {
  readonly element: InteractiveElement
  readonly value: Choice
  readonly change: (choice: Choice) => void
  /** Set in an input block; around it stand `ID-label` and `ID-about`. Elsewhere screen readers get the placeholder. */
  readonly id?: string
  readonly wrong?: boolean
  /** What Enter does in a text of one line. Undefined: what the browser does. */
  readonly enter?: (() => void) | undefined
}

/** The input of an element, without a label. */
export function Input(props: InputProps) {
  const { seen } = usePage()
  const { element } = props
  const options = optionsOf(seen, element)
  if (!options) return <Typed {...props} />
  if (element.type === "radio_buttons" || takesSeveral(element)) return <Marks {...props} options={options} />
  return <Select {...props} options={options} />
}

function takesSeveral(element: InteractiveElement): boolean {
  return element.type.startsWith("multi_") || element.type === "checkboxes"
}

function placeholderOf(element: InteractiveElement): string | undefined {
  return "placeholder" in element ? element.placeholder?.text : undefined
}

function attributes({ element, id, wrong = false }: InputProps) {
  return {
    id,
    className: wrong ? "form-control border-danger" : "form-control",
    "aria-label": id === undefined ? (placeholderOf(element) ?? "Choose") : undefined,
    "aria-describedby": id && `${id}-about`,
    "aria-invalid": wrong,
    "data-first": ("focus_on_load" in element && element.focus_on_load) || undefined,
  }
}

const inputTypes: Readonly<Record<string, string>> = {
  datepicker: "date",
  timepicker: "time",
  email_text_input: "email",
  url_text_input: "url",
}

function Typed(props: InputProps) {
  const { element, value, change, enter } = props
  const common = {
    ...attributes(props),
    value: typeof value === "string" ? value : "",
    placeholder: placeholderOf(element),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => change(target.value),
  }
  if (element.type === "plain_text_input" && element.multiline) return <textarea rows={4} {...common} />
  const inputMode = element.type === "number_input" ? "decimal" : undefined
  const onKeyDown = ({ key }: { readonly key: string }) => key === "Enter" && enter?.()
  return <input type={inputTypes[element.type] ?? "text"} inputMode={inputMode} onKeyDown={onKeyDown} {...common} />
}

type WithOptions = InputProps & { readonly options: readonly Option[] }

function Select({ options, ...props }: WithOptions) {
  const { element, value, change } = props
  return (
    <select {...attributes(props)} value={value} onChange={(event) => change(event.target.value)}>
      <option value="" disabled>
        {placeholderOf(element) ?? "Choose…"}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text.text}
        </option>
      ))}
    </select>
  )
}

/** Radio buttons, or checkboxes. */
function Marks({ options, ...props }: WithOptions) {
  const { element, value, change, id } = props
  const several = takesSeveral(element)
  const chosen = typeof value === "string" ? [value] : value
  const toggled = (one: string, on: boolean) => (on ? [...chosen, one] : chosen.filter((other) => other !== one))
  return (
    <div
      className="marks overflow-auto"
      role={several ? "group" : "radiogroup"}
      aria-labelledby={id && `${id}-label`}
      aria-label={id === undefined ? (placeholderOf(element) ?? "Choose") : undefined}
      aria-describedby={id && `${id}-about`}
    >
      {options.map((option) => (
        <label key={option.value} className="d-flex align-items-baseline gap-2 py-1">
          <input
            type={several ? "checkbox" : "radio"}
            checked={chosen.includes(option.value)}
            onChange={(event) => change(several ? toggled(option.value, event.target.checked) : option.value)}
          />
          <span>
            <Text text={option.text} />
            {option.description && <small className="text-body-secondary">{option.description.text}</small>}
          </span>
        </label>
      ))}
    </div>
  )
}
