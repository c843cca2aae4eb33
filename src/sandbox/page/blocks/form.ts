// The contents of a view's inputs: what the person typed or chose, else what the app put there; and an input's choices.
import { useState } from "react"
import type { Block } from "../../../blockkit/blocks.ts"
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import { elementsOf } from "../../../blockkit/elements-of.ts"
import type { ClickPlace } from "../../user-actions/clicks.ts"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import type { Choice, Choices } from "../../user-actions/values.ts"
import type { OpenView } from "../../workspace/views.ts"
import type { TextObject } from "./mrkdwn.ts"

/** The state of one view's inputs. */
export interface Form {
  /** By `block_id/action_id`. Holds only what the person changed. */
  readonly changed: Choices
  readonly change: (key: string, choice: Choice) => void
  /** What is wrong, by block_id. */
  readonly errors: Readonly<Record<string, string>>
}

/** Where blocks are, and the view's form that they belong to. */
export interface BlockPlace {
  readonly place: ClickPlace
  readonly form?: Form
}

/**
 * The form of the view; an empty form if there is no view. If the app updates the view, what was typed stays in each
 * input that the view still has.
 */
export function useForm(view: OpenView | undefined): Form {
  const [changed, setChanged] = useState<Choices>({})
  const keys = new Set(elementsOf(view?.definition.blocks ?? []).map(({ block, element }) => keyOf(block, element)))
  return {
    changed: Object.fromEntries(Object.entries(changed).filter(([key]) => keys.has(key))),
    change: (key, choice) => setChanged((all) => ({ ...all, [key]: choice })),
    errors: view?.errors ?? {},
  }
}

/** The key of an element in a form. */
export function keyOf(block: Block, element: InteractiveElement): string {
  return `${block.block_id}/${element.action_id}`
}

/** What the app put into the element: one text or value, or several of them. */
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

/** One choice of a menu. */
export interface Option {
  readonly value: string
  readonly text: TextObject
  readonly description?: TextObject | undefined
}

/** The element's choices, which the app or the workspace lists; undefined if the element is no menu. */
export function optionsOf(seen: Snapshot, element: InteractiveElement): readonly Option[] | undefined {
  const named = (value: string, text: string) => ({ value, text: { type: "plain_text" as const, text, emoji: false } })
  if (element.type === "users_select" || element.type === "multi_users_select") {
    return seen.people.filter(({ deleted }) => !deleted).map(({ id, realName }) => named(id, realName))
  }
  if (element.type === "channels_select") {
    const rooms = seen.channels.filter(({ channel }) => channel.kind !== "im")
    return rooms.map(({ channel }) => named(channel.id, `#${channel.name}`))
  }
  if ("option_groups" in element) return element.option_groups?.flatMap((group) => group.options)
  return "options" in element ? element.options : undefined
}
