// Turns our checked blocks into those that slack-blocks-to-jsx draws: without ids, which it would put into the document, and with links
// only where a browser may safely follow them.
import type { Block as Drawn, RichTextBlock, RichTextBlockElement, RichTextSectionElement } from "slack-blocks-to-jsx"
import type { Block } from "../../blockkit/blocks.ts"
import type { RichInline, RichPart } from "../../blockkit/rich-text.ts"
import { partsOf } from "./blocks/mrkdwn.ts"

/** Blocks that are drawn by the library: those that hold no controls and whose words are rich_text or Markdown. */
export type Display = Extract<Block, { type: "rich_text" | "table" | "markdown" | "divider" }>

/** The block as the library takes it. */
export function drawable(block: Display): Drawn {
  switch (block.type) {
    case "rich_text":
      return richText(block.elements)
    case "table":
      return { type: "table", rows: block.rows.map((row) => row.map(cellOf)) }
    case "markdown":
      return { type: "markdown", text: block.text }
    case "divider":
      return { type: "divider" }
  }
}

/** A rich_text block of these parts. */
export function richText(parts: readonly RichPart[]): RichTextBlock {
  return { type: "rich_text", elements: parts.map(partOf) }
}

const INDENTS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const

function cellOf(cell: Extract<Display, { type: "table" }>["rows"][number][number]): RichTextBlock {
  if (cell.type === "rich_text") return richText(cell.elements)
  return richText(partsOf({ type: "plain_text", text: cell.text, emoji: false }))
}

function partOf(part: RichPart): RichTextBlockElement {
  switch (part.type) {
    case "rich_text_section":
      return { type: part.type, elements: part.elements.map(inlineOf) }
    case "rich_text_preformatted":
    case "rich_text_quote":
      return { type: part.type, elements: part.elements.map(inlineOf) }
    case "rich_text_list":
      return {
        type: part.type,
        style: part.style,
        indent: INDENTS[part.indent ?? 0] ?? 0,
        elements: part.elements.map((item) => ({ type: item.type, elements: item.elements.map(inlineOf) })),
      }
  }
}

function inlineOf(inline: RichInline): RichTextSectionElement {
  const style = styleOf(inline.style)
  switch (inline.type) {
    case "text":
      return { type: "text", text: inline.text, style }
    case "link":
      return linkOf(inline.url, inline.text ?? inline.url, style)
    case "user":
      return { type: "user", user_id: inline.user_id, style: withoutCode(style) }
    case "channel":
      return { type: "channel", channel_id: inline.channel_id, style: withoutCode(style) }
    case "usergroup":
      return { type: "usergroup", usergroup_id: inline.usergroup_id, style: withoutCode(style) }
    case "team":
      return { type: "text", text: inline.team_id, style }
    case "broadcast":
      return { type: "broadcast", range: inline.range, style }
    case "emoji":
      return { type: "emoji", name: inline.name }
    case "date":
      return { type: "date", timestamp: inline.timestamp, format: inline.format, style }
  }
}

/** A link, if the address is one for browsers or mail; else its text. */
function linkOf(url: string, text: string, style: ReturnType<typeof styleOf>): RichTextSectionElement {
  return /^(https?|mailto):/i.test(url) ? { type: "link", url, text, style } : { type: "text", text, style }
}

function styleOf(style: RichInline["style"]) {
  const { bold = false, italic = false, strike = false, code = false, underline = false } = style ?? {}
  return { bold, italic, strike, code, underline }
}

function withoutCode({ bold, italic, strike, underline }: ReturnType<typeof styleOf>) {
  return { bold, italic, strike, underline }
}
