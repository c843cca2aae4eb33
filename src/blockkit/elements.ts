// Interactive elements: what a person can press, choose or fill in.
import { z } from "zod"
import { blockLimits } from "./limits.ts"
import {
  confirm,
  id,
  literalString,
  markedOption,
  menuOption,
  option,
  optionGroup,
  plainText,
  wireString,
} from "./text-objects.ts"

const action = { action_id: id.optional() }
const confirmable = { ...action, confirm: confirm.optional() }
const focusable = { focus_on_load: z.boolean().optional() }
const placeholdable = { placeholder: plainText(blockLimits.placeholder).optional() }
const picker = { ...confirmable, ...focusable, ...placeholdable }
const trigger = z.enum(["on_enter_pressed", "on_character_entered"])
const typing = {
  ...action,
  ...focusable,
  ...placeholdable,
  dispatch_action_config: z.strictObject({ trigger_actions_on: z.array(trigger).optional() }).optional(),
}
const several = { max_selected_items: z.number().int().min(1).optional() }
const options = z.array(option).min(1).max(blockLimits.selectOptions)
const offered = {
  options: options.optional(),
  option_groups: z.array(optionGroup).min(1).max(blockLimits.optionGroups).optional(),
}
const choices = z.array(markedOption).min(1).max(blockLimits.choiceOptions)
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const time = z.string().regex(/^\d{2}:\d{2}$/)

const button = z.strictObject({
  type: z.literal("button"),
  ...confirmable,
  text: plainText(blockLimits.buttonText),
  value: wireString(blockLimits.buttonValue, 0).optional(),
  url: wireString(blockLimits.url).optional(),
  style: z.enum(["primary", "danger"]).optional(),
  accessibility_label: literalString(blockLimits.accessibilityLabel).optional(),
})
const overflow = z.strictObject({
  type: z.literal("overflow"),
  ...confirmable,
  options: z.array(menuOption).min(1).max(blockLimits.overflowOptions),
})
const staticSelect = z.strictObject({
  type: z.literal("static_select"),
  ...picker,
  ...offered,
  initial_option: option.optional(),
})
const multiStaticSelect = z.strictObject({
  type: z.literal("multi_static_select"),
  ...picker,
  ...several,
  ...offered,
  initial_options: options.optional(),
})
const usersSelect = z.strictObject({ type: z.literal("users_select"), ...picker, initial_user: id.optional() })
const multiUsersSelect = z.strictObject({
  type: z.literal("multi_users_select"),
  ...picker,
  ...several,
  initial_users: z.array(id).optional(),
})
const channelsSelect = z.strictObject({ type: z.literal("channels_select"), ...picker, initial_channel: id.optional() })
const checkboxes = z.strictObject({
  type: z.literal("checkboxes"),
  ...confirmable,
  ...focusable,
  options: choices,
  initial_options: choices.optional(),
})
const radioButtons = z.strictObject({
  type: z.literal("radio_buttons"),
  ...confirmable,
  ...focusable,
  options: choices,
  initial_option: markedOption.optional(),
})
const datepicker = z.strictObject({ type: z.literal("datepicker"), ...picker, initial_date: date.optional() })
const timepicker = z.strictObject({
  type: z.literal("timepicker"),
  ...picker,
  initial_time: time.optional(),
  timezone: z.string().optional(),
})

const length = z.number().int().max(blockLimits.inputLength)
const plainTextInput = z.strictObject({
  type: z.literal("plain_text_input"),
  ...typing,
  multiline: z.boolean().optional(),
  initial_value: wireString(blockLimits.inputLength, 0).optional(),
  min_length: length.min(0).optional(),
  max_length: length.min(1).optional(),
})
const numberInput = z.strictObject({
  type: z.literal("number_input"),
  ...typing,
  is_decimal_allowed: z.boolean(),
  initial_value: z.string().optional(),
  min_value: z.string().optional(),
  max_value: z.string().optional(),
})
const written = { ...typing, initial_value: wireString(blockLimits.inputLength, 0).optional() }
const emailInput = z.strictObject({ type: z.literal("email_text_input"), ...written })
const urlInput = z.strictObject({ type: z.literal("url_text_input"), ...written })

const selects = [staticSelect, multiStaticSelect, usersSelect, multiUsersSelect, channelsSelect] as const
const choosers = [...selects, checkboxes, radioButtons, datepicker, timepicker] as const

/** What an actions block may hold. */
export const actionsElement = z.discriminatedUnion("type", [button, overflow, ...choosers])

/** What an input block may hold. */
export const inputElement = z.discriminatedUnion("type", [
  plainTextInput,
  numberInput,
  emailInput,
  urlInput,
  ...choosers,
])

/** Any element that sends something when a person uses it. */
export type InteractiveElement = z.infer<typeof actionsElement> | z.infer<typeof inputElement>
