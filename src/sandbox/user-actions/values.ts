// Turns what a person chose or typed into the values that Slack sends, and checks forms as Slack's client does.

import type { Block } from "../../blockkit/blocks.ts"
import type { InteractiveElement } from "../../blockkit/elements.ts"
import { elementsOf, type PlacedElement } from "../../blockkit/elements-of.ts"
import { blockLimits } from "../../blockkit/limits.ts"
import { SandboxError } from "../workspace/error.ts"
import type { StateValues } from "../workspace/view-json.ts"

/** The text that a person typed, or what they chose: values of options, or ids of people. */
export type Choice = string | readonly string[]

/** Choices by action_id, by block_id or, if these are not unique, by `block_id/action_id`. */
export type Choices = Readonly<Record<string, Choice>>

/**
 * What the element holds after this choice; without a choice, what it held at first. Throws `not_possible` if the
 * choice is none of its options.
 */
export function chosen(element: InteractiveElement, choice: Choice | undefined): Record<string, unknown> {
  const { type } = element
  const one = typeof choice === "string" ? choice : choice?.[0]
  const many = typeof choice === "string" ? [choice] : choice
  switch (element.type) {
    case "button":
      return { type, text: element.text, ...defined({ value: element.value, style: element.style }) }
    case "overflow":
      return { type, selected_option: one === undefined ? null : pick(element, one) }
    case "static_select":
    case "radio_buttons":
      return { type, selected_option: one === undefined ? (element.initial_option ?? null) : pick(element, one) }
    case "multi_static_select":
    case "checkboxes":
      return { type, selected_options: many?.map((value) => pick(element, value)) ?? element.initial_options ?? [] }
    case "users_select":
      return { type, selected_user: one ?? element.initial_user ?? null }
    case "multi_users_select":
      return { type, selected_users: many ?? element.initial_users ?? [] }
    case "channels_select":
      return { type, selected_channel: one ?? element.initial_channel ?? null }
    case "datepicker":
      return { type, selected_date: one ?? element.initial_date ?? null }
    case "timepicker":
      return { type, selected_time: one ?? element.initial_time ?? null }
    case "plain_text_input":
      return { type, value: typedInto(element, one ?? element.initial_value ?? "") || null }
    case "number_input":
    case "email_text_input":
    case "url_text_input":
      return { type, value: (one ?? element.initial_value) || null }
  }
}

/** The text as a browser keeps it: an input of one line drops line ends, one of several lines makes them line feeds. */
function typedInto({ multiline = false }: { readonly multiline?: boolean | undefined }, text: string): string {
  return multiline ? text.replace(/\r\n?/g, "\n") : text.replace(/[\r\n]/g, "")
}

/** The state of all inputs and choices in the blocks. Throws `not_possible` if a choice names no element. */
export function stateOf(blocks: readonly Block[], choices: Choices): StateValues {
  const placed = elementsOf(blocks).filter(({ element }) => element.type !== "button" && element.type !== "overflow")
  for (const key of Object.keys(choices)) {
    if (!placed.some((entry) => keysOf(entry).includes(key))) {
      throw new SandboxError("not_possible", `There is no input ${key} to fill in`)
    }
  }
  const values: Record<string, Record<string, unknown>> = {}
  for (const entry of placed) {
    const block = (values[entry.block.block_id ?? ""] ??= {})
    block[entry.element.action_id ?? ""] = chosen(entry.element, choiceFor(entry, choices))
  }
  return values
}

/** What Slack's client itself refuses before it sends a form, by block_id. */
export function formErrors(blocks: readonly Block[], choices: Choices): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const entry of elementsOf(blocks)) {
    if (entry.block.type !== "input") continue
    const value = Object.entries(chosen(entry.element, choiceFor(entry, choices))).find(([key]) => key !== "type")?.[1]
    const empty = value === null || value === "" || (Array.isArray(value) && value.length === 0)
    const error = empty
      ? missing(entry.block.optional)
      : typeof value === "string"
        ? wrong(entry.element, value)
        : undefined
    if (error !== undefined) errors[entry.block.block_id ?? ""] = error
  }
  return errors
}

function missing(optional: boolean | undefined): string | undefined {
  return optional ? undefined : "This is a required field"
}

function wrong(element: InteractiveElement, value: string): string | undefined {
  if (element.type === "plain_text_input") {
    const { min_length = 0, max_length = blockLimits.inputLength } = element
    if (value.length < min_length) return `Please enter at least ${min_length} characters`
    if (value.length > max_length) return `Please enter at most ${max_length} characters`
  }
  if (element.type === "number_input") return wrongNumber(element, value)
  if (element.type === "email_text_input" && !/^\S+@\S+$/.test(value)) return "Please enter a valid email address"
  if (element.type === "url_text_input" && !URL.canParse(value)) return "Please enter a valid URL"
  return undefined
}

function wrongNumber(
  element: Extract<InteractiveElement, { type: "number_input" }>,
  value: string,
): string | undefined {
  const pattern = element.is_decimal_allowed ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/
  if (!pattern.test(value)) return "Please enter a valid number"
  if (element.min_value !== undefined && Number(value) < Number(element.min_value)) {
    return `Please enter at least ${element.min_value}`
  }
  if (element.max_value !== undefined && Number(value) > Number(element.max_value)) {
    return `Please enter at most ${element.max_value}`
  }
  return undefined
}

function keysOf({ element, block }: PlacedElement): string[] {
  return [`${block.block_id}/${element.action_id}`, element.action_id ?? "", block.block_id ?? ""]
}

function choiceFor(entry: PlacedElement, choices: Choices): Choice | undefined {
  return keysOf(entry)
    .map((key) => choices[key])
    .find((choice) => choice !== undefined)
}

function pick(element: InteractiveElement, value: string): unknown {
  const grouped = "option_groups" in element ? (element.option_groups ?? []).flatMap((group) => group.options) : []
  const options: readonly { value: string }[] = "options" in element ? (element.options ?? grouped) : grouped
  const found = options.find((option) => option.value === value)
  if (!found) throw new SandboxError("not_possible", `${element.action_id} has no option ${value}`)
  return found
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
