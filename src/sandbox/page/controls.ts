// Shows interactive elements: buttons, menus and fields.
import type { InteractiveElement } from "../../blockkit/schema/elements.ts"
import type { Workspace } from "../workspace.ts"
import { type Html, html } from "./html.ts"

/** What the page's script sends when the element is used: at once (`press`), or with the form under a name (`field`). */
export type Use =
  | { readonly kind: "press"; readonly click: Readonly<Record<string, unknown>> }
  | { readonly kind: "field"; readonly name: string }

interface Menu {
  readonly multiple: boolean
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly selected: readonly string[]
}

type Button = Extract<InteractiveElement, { type: "button" }>

/** The element as HTML. */
export function controlHtml(workspace: Workspace, element: InteractiveElement, use: Use): Html {
  if (element.type === "button") return buttonHtml(element, use)
  const menu = menuOf(workspace, element)
  return menu ? menuHtml(menu, use) : fieldHtml(element, use)
}

function buttonHtml(button: Button, use: Use): Html {
  const click = use.kind === "press" ? JSON.stringify(use.click) : ""
  const confirm = button.confirm ? `${button.confirm.title?.text ?? ""}\n${button.confirm.text.text}` : ""
  return html`<button type="button" class="${button.style ?? ""}" data-click="${click}" data-confirm="${confirm}"
    aria-label="${button.accessibility_label ?? button.text.text}">${button.text.text}</button>`
}

function menuHtml(menu: Menu, use: Use): Html {
  const options = menu.options.map(({ value, label }) => {
    const selected = menu.selected.includes(value) ? html` selected` : undefined
    return html`<option value="${value}"${selected}>${label}</option>`
  })
  const multiple = menu.multiple ? html` multiple` : undefined
  const none = menu.multiple ? undefined : html`<option value="">…</option>`
  return html`<select ${attributes(use)}${multiple}>${none}${options}</select>`
}

function fieldHtml(element: InteractiveElement, use: Use): Html {
  const value = initialText(element)
  if (element.type === "plain_text_input" && element.multiline) {
    return html`<textarea rows="4" ${attributes(use)}>${value}</textarea>`
  }
  const type = { datepicker: "date", timepicker: "time", email_text_input: "email", url_text_input: "url" }
  const kind = Object.entries(type).find(([name]) => name === element.type)?.[1] ?? "text"
  return html`<input type="${kind}" value="${value}" ${attributes(use)}>`
}

function attributes(use: Use): Html {
  return use.kind === "field" ? html`name="${use.name}"` : html`data-choose="${JSON.stringify(use.click)}"`
}

function initialText(element: InteractiveElement): string {
  if ("initial_value" in element) return element.initial_value ?? ""
  if (element.type === "datepicker") return element.initial_date ?? ""
  return element.type === "timepicker" ? (element.initial_time ?? "") : ""
}

function menuOf(workspace: Workspace, element: InteractiveElement): Menu | undefined {
  const multiple = element.type.startsWith("multi_") || element.type === "checkboxes"
  if (element.type === "users_select" || element.type === "multi_users_select") {
    const options = [...workspace.people.values()].map(({ id, name }) => ({ value: id, label: name }))
    return { multiple, options, selected: initialPeople(element) }
  }
  if (element.type === "channels_select") {
    const options = [...workspace.channels.values()].map(({ id, name }) => ({ value: id, label: `#${name}` }))
    return { multiple, options, selected: element.initial_channel === undefined ? [] : [element.initial_channel] }
  }
  const choices = choicesOf(element)
  if (!choices) return undefined
  const options = choices.map(({ text, value }) => ({ value, label: text.text }))
  return { multiple, options, selected: initialValues(element) }
}

function choicesOf(element: InteractiveElement): readonly { text: { text: string }; value: string }[] | undefined {
  if ("option_groups" in element && element.option_groups)
    return element.option_groups.flatMap((group) => group.options)
  return "options" in element ? element.options : undefined
}

function initialPeople(
  element: Extract<InteractiveElement, { type: "users_select" | "multi_users_select" }>,
): readonly string[] {
  if (element.type === "multi_users_select") return element.initial_users ?? []
  return element.initial_user === undefined ? [] : [element.initial_user]
}

function initialValues(element: InteractiveElement): readonly string[] {
  if ("initial_option" in element && element.initial_option) return [element.initial_option.value]
  if ("initial_options" in element) return (element.initial_options ?? []).map((option) => option.value)
  return []
}
