// The blocks that Countersign uses, as strict schemas: an unknown key or type is an error.
import { z } from "zod"
import { actionsElement, inputElement } from "./elements.ts"
import { LIMITS } from "./limits.ts"
import { richText } from "./rich-text.ts"
import { id, literalString, plainText, textObject, wireString } from "./text-objects.ts"

const named = { block_id: id.optional() }
const imageSource = {
  image_url: wireString(LIMITS.url).optional(),
  slack_file: z.strictObject({ id: id.optional(), url: wireString(LIMITS.url).optional() }).optional(),
  alt_text: literalString(LIMITS.imageText),
}
const imageElement = z.strictObject({ type: z.literal("image"), ...imageSource })

const section = z.strictObject({
  type: z.literal("section"),
  ...named,
  text: textObject(LIMITS.text).optional(),
  fields: z.array(textObject(LIMITS.sectionField)).min(1).max(LIMITS.sectionFields).optional(),
  accessory: z.discriminatedUnion("type", [...actionsElement.options, imageElement]).optional(),
  expand: z.boolean().optional(),
})
const header = z.strictObject({ type: z.literal("header"), ...named, text: plainText(LIMITS.header) })
const divider = z.strictObject({ type: z.literal("divider"), ...named })
const context = z.strictObject({
  type: z.literal("context"),
  ...named,
  elements: z
    .array(z.discriminatedUnion("type", [...textObject(LIMITS.text).options, imageElement]))
    .min(1)
    .max(LIMITS.contextElements),
})
const actions = z.strictObject({
  type: z.literal("actions"),
  ...named,
  elements: z.array(actionsElement).min(1).max(LIMITS.actionsElements),
})
const input = z.strictObject({
  type: z.literal("input"),
  ...named,
  label: plainText(LIMITS.inputLabel),
  element: inputElement,
  hint: plainText(LIMITS.inputHint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
})
const image = z.strictObject({
  type: z.literal("image"),
  ...named,
  ...imageSource,
  title: plainText(LIMITS.imageText).optional(),
})
const markdown = z.strictObject({ type: z.literal("markdown"), ...named, text: wireString(LIMITS.markdown) })

const cell = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("raw_text"), text: literalString(LIMITS.tableText) }),
  z.strictObject({ type: z.literal("raw_number"), value: z.number(), text: literalString(LIMITS.tableText) }),
  richText,
])
const column = z.strictObject({
  align: z.enum(["left", "center", "right"]).optional(),
  is_wrapped: z.boolean().optional(),
})
const table = z.strictObject({
  type: z.literal("table"),
  ...named,
  rows: z.array(z.array(cell).min(1).max(LIMITS.tableCells)).min(1).max(LIMITS.tableRows),
  column_settings: z.array(column.nullable()).max(LIMITS.tableCells).optional(),
})
const alert = z.strictObject({
  type: z.literal("alert"),
  ...named,
  text: textObject(LIMITS.alert),
  level: z.enum(["default", "info", "warning", "error", "success"]).optional(),
})

const flag = z.boolean().optional()
const container = z.strictObject({
  type: z.literal("container"),
  ...named,
  title: plainText(LIMITS.containerTitle).optional(),
  rich_text_title: richText.optional(),
  subtitle: textObject(LIMITS.containerTitle).optional(),
  child_blocks: z
    .array(z.discriminatedUnion("type", [section, header, divider, context, actions, input, image, richText, table]))
    .min(1)
    .max(LIMITS.containerChildren),
  width: z.enum(["narrow", "standard", "wide", "full"]).optional(),
  icon: imageElement.optional(),
  is_collapsible: flag,
  default_collapsed: flag,
  has_header_divider: flag,
})

/** The blocks that are welcome on every surface. */
const everywhere = [section, header, divider, context, actions, input, image, richText, container] as const

/** A block of a message. */
export const messageBlock = z.discriminatedUnion("type", [...everywhere, markdown, table])

/** A block of a modal. */
export const modalBlock = z.discriminatedUnion("type", [...everywhere, table, alert])

/** A block of a Home tab. */
export const homeBlock = z.discriminatedUnion("type", [...everywhere, table])

/** Any block that this validator knows, on any surface. */
export type Block = z.infer<typeof messageBlock> | z.infer<typeof modalBlock>
