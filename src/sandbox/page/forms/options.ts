// The choices that an element offers, whether the app listed them or the workspace does.
import type { InteractiveElement } from "../../../blockkit/elements.ts"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import type { TextObject } from "../blocks/mrkdwn.ts"

/** One choice. */
export interface Option {
  readonly value: string
  readonly text: TextObject
  readonly description?: TextObject | undefined
}

/** The element's choices; undefined if it is no menu. */
export function optionsOf(seen: Snapshot, element: InteractiveElement): readonly Option[] | undefined {
  switch (element.type) {
    case "users_select":
    case "multi_users_select":
      return seen.people.filter(({ deleted }) => !deleted).map(({ id, realName }) => named(id, realName))
    case "channels_select":
      return seen.channels.flatMap(({ channel }) =>
        channel.kind === "im" ? [] : [named(channel.id, `#${channel.name}`)],
      )
    case "static_select":
    case "multi_static_select":
      return element.options ?? (element.option_groups ?? []).flatMap((group) => group.options)
    case "radio_buttons":
    case "checkboxes":
    case "overflow":
      return element.options
    case "button":
    case "datepicker":
    case "timepicker":
    case "plain_text_input":
    case "number_input":
    case "email_text_input":
    case "url_text_input":
      return undefined
  }
}

/** Whether several choices can be made at once. */
export function takesSeveral(element: InteractiveElement): boolean {
  return element.type.startsWith("multi_") || element.type === "checkboxes"
}

function named(value: string, name: string): Option {
  return { value, text: { type: "plain_text", text: name, emoji: false } }
}
