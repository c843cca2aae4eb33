// The blocks that Countersign uses, as strict schemas: an unknown key or type is an error.
import { z } from "zod"
import { actionsElement, inputElement } from "./elements.ts"
import { blockLimits } from "./limits.ts"
import { richText } from "./rich-text.ts"
import { id, literalString, plainText, textObject, wireString } from "./text-objects.ts"

const named = { block_id: id.optional() }
const imageSource = {
  image_url: wireString(blockLimits.url).optional(),
  slack_file: z.strictObject({ id: id.optional(), url: wireString(blockLimits.url).optional() }).optional(),
  alt_text: literalString(blockLimits.imageText),
}
const imageElement = z.strictObject({ type: z.literal("image"), ...imageSource })

const section = z.strictObject({
  type: z.literal("section"),
  ...named,
  text: textObject(blockLimits.text).optional(),
  fields: z.array(textObject(blockLimits.sectionField)).min(1).max(blockLimits.sectionFields).optional(),
  accessory: z.discriminatedUnion("type", [...actionsElement.options, imageElement]).optional(),
  expand: z.boolean().optional(),
})
const header = z.strictObject({ type: z.literal("header"), ...named, text: plainText(blockLimits.header) })
const divider = z.strictObject({ type: z.literal("divider"), ...named })
const context = z.strictObject({
  type: z.literal("context"),
  ...named,
  elements: z
    .array(z.discriminatedUnion("type", [...textObject(blockLimits.text).options, imageElement]))
    .min(1)
    .max(blockLimits.contextElements),
})
const actions = z.strictObject({
  type: z.literal("actions"),
  ...named,
  elements: z.array(actionsElement).min(1).max(blockLimits.actionsElements),
})
const input = z.strictObject({
  type: z.literal("input"),
  ...named,
  label: plainText(blockLimits.inputLabel),
  element: inputElement,
  hint: plainText(blockLimits.inputHint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
})
const image = z.strictObject({
  type: z.literal("image"),
  ...named,
  ...imageSource,
  title: plainText(blockLimits.imageText).optional(),
})
const markdown = z.strictObject({ type: z.literal("markdown"), ...named, text: wireString(blockLimits.markdown) })

const cell = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("raw_text"), text: literalString(blockLimits.tableText) }),
  z.strictObject({ type: z.literal("raw_number"), value: z.number(), text: literalString(blockLimits.tableText) }),
  richText,
])
const column = z.strictObject({
  align: z.enum(["left", "center", "right"]).optional(),
  is_wrapped: z.boolean().optional(),
})
const table = z.strictObject({
  type: z.literal("table"),
  ...named,
  rows: z.array(z.array(cell).min(1).max(blockLimits.tableCells)).min(1).max(blockLimits.tableRows),
  column_settings: z.array(column.nullable()).max(blockLimits.tableCells).optional(),
})
const alert = z.strictObject({
  type: z.literal("alert"),
  ...named,
  text: textObject(blockLimits.alert),
  level: z.enum(["default", "info", "warning", "error", "success"]).optional(),
})

const flag = z.boolean().optional()
/**
 * The blocks that both of Slack's lists allow in a container: its reference page and its validator. The validator
 * refuses `rich_text` and `input`, though the page names them (reported).
 */
const contained = z.discriminatedUnion("type", [section, header, divider, context, actions, image, table])
const container = z.strictObject({
  type: z.literal("container"),
  ...named,
  title: plainText(blockLimits.containerTitle).optional(),
  rich_text_title: richText.optional(),
  subtitle: textObject(blockLimits.containerTitle).optional(),
  child_blocks: z.array(contained).min(1).max(blockLimits.containerChildren),
  width: z.enum(["narrow", "standard", "wide", "full"]).optional(),
  icon: imageElement.optional(),
  is_collapsible: flag,
  default_collapsed: flag,
  has_header_divider: flag,
})

/** The blocks that every surface takes. */
const everywhere = [section, header, divider, context, actions, input, image, richText, container] as const

/** A block of a message. */
export const messageBlock = z.discriminatedUnion("type", [...everywhere, markdown, table])

/** A block of a modal. */
export const modalBlock = z.discriminatedUnion("type", [...everywhere, table, alert])

/** A block of a Home tab. */
export const homeBlock = z.discriminatedUnion("type", [...everywhere, table])

/** Any block that this validator knows, on any surface. */
export type Block = z.infer<typeof messageBlock> | z.infer<typeof modalBlock>
