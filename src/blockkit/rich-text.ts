// The rich_text block: sections, lists, quotes and literal preformatted text.
import { z } from "zod"
import { blockLimits } from "./limits.ts"
import { id, literalString, wireString } from "./text-objects.ts"

const flag = z.boolean().optional()
const style = z.strictObject({ bold: flag, italic: flag, strike: flag, code: flag, underline: flag }).optional()

const text = z.strictObject({ type: z.literal("text"), text: literalString(blockLimits.messageTextTotal), style })
const link = z.strictObject({
  type: z.literal("link"),
  url: wireString(blockLimits.url),
  text: literalString(blockLimits.text).optional(),
  unsafe: flag,
  style,
})
const inline = z.discriminatedUnion("type", [
  text,
  link,
  z.strictObject({ type: z.literal("user"), user_id: wireString(blockLimits.id), style }),
  z.strictObject({ type: z.literal("channel"), channel_id: wireString(blockLimits.id), style }),
  z.strictObject({ type: z.literal("usergroup"), usergroup_id: wireString(blockLimits.id), style }),
  z.strictObject({ type: z.literal("team"), team_id: wireString(blockLimits.id), style }),
  z.strictObject({ type: z.literal("broadcast"), range: z.enum(["here", "channel", "everyone"]), style }),
  z.strictObject({
    type: z.literal("emoji"),
    name: wireString(blockLimits.id),
    unicode: z.string().optional(),
    url: z.string().optional(),
    style,
  }),
  z.strictObject({
    type: z.literal("date"),
    timestamp: z.number().int(),
    format: wireString(blockLimits.text),
    url: wireString(blockLimits.url).optional(),
    fallback: literalString(blockLimits.text).optional(),
    style,
  }),
])

const border = z.union([z.literal(0), z.literal(1)]).optional()
const section = z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(inline).min(1) })
const part = z.discriminatedUnion("type", [
  section,
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    elements: z.array(section).min(1),
    indent: z.number().int().min(0).max(8).optional(),
    offset: z.number().int().min(0).optional(),
    border,
  }),
  z.strictObject({ type: z.literal("rich_text_quote"), elements: z.array(inline).min(1), border }),
  z.strictObject({
    type: z.literal("rich_text_preformatted"),
    elements: z.array(z.discriminatedUnion("type", [text, link])).min(1),
    border,
    language: wireString(blockLimits.id).optional(),
  }),
])

/** A rich_text block. */
export const richText = z.strictObject({
  type: z.literal("rich_text"),
  elements: z.array(part).min(1),
  block_id: id.optional(),
})

/** One run of text, a link, a mention or another inline element of a rich_text block. */
export type RichInline = z.infer<typeof inline>

/** One section, list, quote or preformatted part of a rich_text block. */
export type RichPart = z.infer<typeof part>
