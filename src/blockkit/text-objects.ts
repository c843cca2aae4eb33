// Text objects, options and confirm dialogs: the small parts that all blocks share.
import { z } from "zod"
import { blockLimits } from "./limits.ts"
import { escapedLength } from "./text.ts"

/** A string that Slack takes as it is (ids, values, URLs, mrkdwn), of `min` to `max` units. */
export const wireString = (max: number, min = 1) => z.string().min(min).max(max)

/** A string that Slack escapes itself, so its length counts after escaping. */
export const literalString = (max: number, min = 1) =>
  z
    .string()
    .min(min)
    .refine((text) => escapedLength(text) <= max, { error: `must be less than ${max + 1} characters` })

/** A block_id, action_id or callback_id. */
export const id = wireString(blockLimits.id)

/** A plain_text object of at most `max` units. */
export const plainText = (max: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: literalString(max), emoji: z.boolean().optional() })

/** A mrkdwn object of at most `max` units. */
export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: wireString(max), verbatim: z.boolean().optional() })

/** Either of the two text objects. */
export const textObject = (max: number) => z.discriminatedUnion("type", [plainText(max), mrkdwn(max)])

/** The dialog "are you sure?" before an action is sent. */
export const confirm = z.strictObject({
  title: plainText(blockLimits.confirmTitle).optional(),
  text: textObject(blockLimits.confirmText),
  confirm: plainText(blockLimits.confirmButton).optional(),
  deny: plainText(blockLimits.confirmButton).optional(),
  style: z.enum(["primary", "danger"]).optional(),
})

/** One choice of a select or an overflow menu. */
export const option = z.strictObject({
  text: plainText(blockLimits.optionText),
  value: wireString(blockLimits.optionValue),
  description: plainText(blockLimits.optionDescription).optional(),
})

/** One choice of checkboxes or radio buttons; its text may be mrkdwn. */
export const markedOption = z.strictObject({
  text: textObject(blockLimits.optionText),
  value: wireString(blockLimits.optionValue),
  description: textObject(blockLimits.optionDescription).optional(),
})

/** One choice of an overflow menu; it may also be a link. */
export const menuOption = z.strictObject({ ...option.shape, url: wireString(blockLimits.url).optional() })

/** A titled group of choices. */
export const optionGroup = z.strictObject({
  label: plainText(blockLimits.optionGroupLabel),
  options: z.array(option).min(1).max(blockLimits.selectOptions),
})
