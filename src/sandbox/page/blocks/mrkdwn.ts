// Reads mrkdwn and plain text into rich_text parts. Text that is no markup of Slack stays literal, and so does code.
import type { RichInline, RichPart } from "../../../blockkit/rich-text.ts"

type Style = NonNullable<Extract<RichInline, { type: "text" }>["style"]>

/** A mrkdwn or plain_text object. */
export type TextObject =
  | { readonly type: "plain_text"; readonly text: string; readonly emoji?: boolean | undefined }
  | { readonly type: "mrkdwn"; readonly text: string; readonly verbatim?: boolean | undefined }

/** The text as parts of a rich_text block that look as Slack shows it. */
export function partsOf(text: TextObject): RichPart[] {
  if (text.type === "mrkdwn") return mrkdwnParts(text.text)
  const elements = text.emoji === false ? [plain(text.text)] : withEmoji(text.text, {})
  return [{ type: "rich_text_section", elements }]
}

/** The parts of a mrkdwn text: fenced code, quotes, and lines with mentions, links, dates and styles. */
export function mrkdwnParts(text: string): RichPart[] {
  const parts = text.split(/```([\s\S]+?)```/).flatMap((piece, index): RichPart[] => {
    if (index % 2 === 0) return linesOf(piece)
    return [{ type: "rich_text_preformatted", elements: [plain(unescape(piece).replace(/^\n|\n$/g, ""))] }]
  })
  return parts.length === 0 ? [{ type: "rich_text_section", elements: [plain(text)] }] : parts
}

function linesOf(text: string): RichPart[] {
  const pieces = text.split(/^((?:&gt;.*(?:\n|$))+)/m)
  return pieces.flatMap((piece, index): RichPart[] => {
    const quoted = index % 2 === 1
    const words = quoted ? piece.replace(/^&gt; ?/gm, "").replace(/\n$/, "") : piece.replace(/^\n|\n$/g, "")
    if (words === "") return []
    return [{ type: quoted ? "rich_text_quote" : "rich_text_section", elements: inlineParts(words, {}) }]
  })
}

/** Code, `<…>` markup, bold, italic, struck out. The first that matches wins. */
const spans = [
  /`([^`\n]+)`/,
  /<([^<>\n]+)>/,
  /(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])/,
  /(?<![\w_])_(?=\S)([^_\n]+)(?<=\S)_(?![\w_])/,
  /(?<![\w~])~(?=\S)([^~\n]+)(?<=\S)~(?![\w~])/,
]
const spanPattern = new RegExp(spans.map(({ source }) => source).join("|"), "g")

function inlineParts(text: string, style: Style): RichInline[] {
  const found: RichInline[] = []
  let from = 0
  for (const match of text.matchAll(spanPattern)) {
    for (const one of withEmoji(unescape(text.slice(from, match.index)), style)) found.push(one)
    for (const one of spanOf(match, style)) found.push(one)
    from = match.index + match[0].length
  }
  return [...found, ...withEmoji(unescape(text.slice(from)), style)]
}

function spanOf([, code, markup, bold, italic, strike]: RegExpExecArray, style: Style): RichInline[] {
  if (code !== undefined) return [plain(unescape(code), { ...style, code: true })]
  if (markup !== undefined) return [markupOf(markup, style)]
  if (bold !== undefined) return inlineParts(bold, { ...style, bold: true })
  if (italic !== undefined) return inlineParts(italic, { ...style, italic: true })
  return inlineParts(strike ?? "", { ...style, strike: true })
}

function markupOf(inner: string, style: Style): RichInline {
  const [target = "", label] = inner.split("|", 2).map(unescape)
  const id = target.slice(1)
  if (/^@[UW]/.test(target)) return { type: "user", user_id: id, style }
  if (target.startsWith("#C")) return { type: "channel", channel_id: id, style }
  if (target.startsWith("!subteam^")) return { type: "usergroup", usergroup_id: target.slice(9), style }
  if (target === "!here" || target === "!channel" || target === "!everyone") return broadcast(id)
  const [, timestamp, format = ""] = /^!date\^(\d+)\^([^^]*)/.exec(target) ?? []
  if (timestamp !== undefined) return { type: "date", timestamp: Number(timestamp), format, fallback: label ?? target }
  return { type: "link", url: target, text: label ?? target, style }
}

function broadcast(range: string): RichInline {
  return { type: "broadcast", range: range === "here" || range === "channel" ? range : "everyone" }
}

function withEmoji(text: string, style: Style): RichInline[] {
  return text.split(/:([a-z][a-z0-9_+-]*):/).flatMap((piece, index): RichInline[] => {
    if (index % 2 === 1) return [{ type: "emoji", name: piece, style }]
    return piece === "" ? [] : [plain(piece, style)]
  })
}

function plain(text: string, style: Style = {}): Extract<RichInline, { type: "text" }> {
  return { type: "text", text, style }
}

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}
