// Inputs and menus of our own, each with a name that is read out: those of slack-blocks-to-jsx have no working labels.
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { Choice } from "../../user-actions/values.ts"
import { Text } from "../blocks/rich-text.tsx"
import { useDesk } from "../page-context.ts"
import { type Option, optionsOf, takesSeveral } from "./options.ts"

interface EntryProps {
  readonly element: InteractiveElement
  readonly value: Choice
  readonly change: (choice: Choice) => void
  /** What is read out where no label points here. */
  readonly label?: string
  readonly id?: string
  /** The id of what explains it or says what is wrong. */
  readonly describedBy?: string | undefined
  readonly wrong?: boolean
}

/** The element as a field of the browser's own. */
export function Entry(props: EntryProps) {
  const { seen } = useDesk()
  const { element } = props
  const options = optionsOf(seen, element)
  if (!options) return <Typed {...props} />
  if (element.type === "radio_buttons" || takesSeveral(element)) return <Marks {...props} options={options} />
  return <Select {...props} options={options} />
}

function attributes({ element, label, id, describedBy, wrong }: EntryProps) {
  return {
    id,
    className: "entry",
    "aria-label": id === undefined ? label : undefined,
    "aria-describedby": describedBy,
    "aria-invalid": wrong ?? false,
    ...("focus_on_load" in element && element.focus_on_load ? { "data-first": true } : {}),
  }
}

const KINDS: Readonly<Record<string, string>> = {
  datepicker: "date",
  timepicker: "time",
  email_text_input: "email",
  url_text_input: "url",
}

function Typed(props: EntryProps) {
  const { element, value, change } = props
  const common = {
    ...attributes(props),
    value: typeof value === "string" ? value : "",
    placeholder: "placeholder" in element ? element.placeholder?.text : undefined,
  }
  if (element.type === "plain_text_input" && element.multiline) {
    return <textarea rows={4} {...common} onChange={(event) => change(event.target.value)} />
  }
  return (
    <input
      type={KINDS[element.type] ?? "text"}
      inputMode={element.type === "number_input" ? "decimal" : undefined}
      {...common}
      onChange={(event) => change(event.target.value)}
    />
  )
}

type WithOptions = EntryProps & { readonly options: readonly Option[] }

function Select({ options, ...props }: WithOptions) {
  const { element, value, change } = props
  const placeholder = "placeholder" in element ? element.placeholder?.text : undefined
  return (
    <select {...attributes(props)} value={value} onChange={(event) => change(event.target.value)}>
      <option value="" disabled>
        {placeholder ?? "Choose…"}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text.text}
        </option>
      ))}
    </select>
  )
}

/** Radio buttons, or boxes of which several can be ticked. */
function Marks({ options, ...props }: WithOptions) {
  const { element, value, change, id, label, describedBy } = props
  const several = takesSeveral(element)
  const chosen = typeof value === "string" ? [value] : value
  const toggled = (one: string, on: boolean) => (on ? [...chosen, one] : chosen.filter((other) => other !== one))
  return (
    <div
      className="marks"
      role={several ? "group" : "radiogroup"}
      aria-labelledby={id === undefined ? undefined : `${id}-label`}
      aria-label={id === undefined ? label : undefined}
      aria-describedby={describedBy}
    >
      {options.map((option) => (
        <label key={option.value}>
          <input
            type={several ? "checkbox" : "radio"}
            checked={chosen.includes(option.value)}
            onChange={(event) => change(several ? toggled(option.value, event.target.checked) : option.value)}
          />
          <span>
            <Text text={option.text} />
            {option.description && <small>{option.description.text}</small>}
          </span>
        </label>
      ))}
    </div>
  )
}
