// Spans: a sentence in parts. Text of others stays literal; only our own mentions, dates and links are active.
import type { ContextBlock, RichTextBlock, RichTextElement, RichTextSection } from "@slack/types"
import { clip, escapeMrkdwn, plain, visible } from "../../blockkit/text.ts"
import { leftOut } from "./text-fitter.ts"

/** One part of a sentence. `at` is epoch ms; `user`, `group` and `channel` are Slack's ids; `url` is Slack's own. */
export type Span =
  | { readonly kind: "text"; readonly text: string; readonly style?: "bold" | "code" | "italic" }
  | { readonly kind: "user"; readonly user: string }
  | { readonly kind: "group"; readonly group: string }
  | { readonly kind: "channel"; readonly channel: string }
  | { readonly kind: "date"; readonly at: number }
  | { readonly kind: "link"; readonly url: string; readonly text: string }

/** A sentence, or several with line feeds between them. */
export type Line = readonly Span[]

const dateFormat = "{date_short_pretty} at {time}"
/** Room for the note that counts what a line leaves out. */
const noteUnits = 50

/** Plain words of ours or of others: never a mention, link or date. */
export function say(text: string): Span {
  return { kind: "text", text }
}

/** Words of ours that stand out. */
export function bold(text: string): Span {
  return { kind: "text", text, style: "bold" }
}

/** A name as the platform has it: a tool, a rule, an agent. */
export function code(text: string): Span {
  return { kind: "text", text: text === "" ? "⟨empty⟩" : text, style: "code" }
}

/** What a person wrote. */
export function quote(text: string): Span {
  return { kind: "text", text: `“${text}”`, style: "italic" }
}

/** A mention of a Slack user, built by us. Anything but a user id is shown as text. */
export function mention(user: string): Span {
  return /^[UW][A-Z0-9]{1,30}$/.test(user) ? { kind: "user", user } : code(user.slice(0, 30))
}

/** Somebody by the key `team:user`. */
export function mentionOf(key: string): Span {
  return mention(key.slice(key.indexOf(":") + 1))
}

/** Whose vote it is: the voter, and for whom they stood in. */
export function voterLine(voter: Span, forWhom: readonly string[] = []): Line {
  return forWhom.length === 0 ? [voter] : sentence`${voter} for ${listed(forWhom.map(mentionOf))}`
}

/** A user group that a rule lists. Anything but a group id is shown as text. */
export function group(id: string): Span {
  return /^S[A-Z0-9]{1,30}$/.test(id) ? { kind: "group", group: id } : code(id.slice(0, 30))
}

/** A channel that a rule routes to. Anything but a channel id is shown as text. */
export function channel(id: string): Span {
  return /^[CGD][A-Z0-9]{1,30}$/.test(id) ? { kind: "channel", channel: id } : code(id.slice(0, 30))
}

/** A link to a message of ours, as Slack gave it. If it is no web address, only its words are shown. */
export function link(url: string, text: string): Span {
  return /^https?:\/\/[^\s<>|]{1,2900}$/.test(url) ? { kind: "link", url, text } : say(text)
}

/** A moment, shown in the reader's own time zone; epoch ms. */
export function moment(at: number): Span {
  return { kind: "date", at }
}

/** A sentence as people read it: texts and numbers become our words; spans and lines stay as they are. */
export function sentence(words: TemplateStringsArray, ...values: readonly (string | number | Span | Line)[]): Line {
  const spans: Span[] = []
  let text = words[0] ?? ""
  const flush = () => {
    if (text !== "") spans.push(say(text))
    text = ""
  }
  for (const [index, value] of values.entries()) {
    if (typeof value === "object") {
      flush()
      for (const one of lineOf(value)) spans.push(one)
    } else text += value
    text += words[index + 1] ?? ""
  }
  flush()
  return spans
}

function lineOf(part: Span | Line): Line {
  return "kind" in part ? [part] : part
}

/** Joins lines by line feeds. */
export function stack(lines: readonly Line[]): Line {
  return joined(lines, "\n")
}

/** Joins words or lines with a text between them. */
export function joined(parts: readonly (Span | Line)[], between: string): Line {
  return parts.flatMap((part, index) => (index === 0 ? lineOf(part) : [say(between), ...lineOf(part)]))
}

/** Joins words with commas and, before the last, "and" or "or". */
export function listed(items: readonly (Span | Line)[], last: "and" | "or" = "and"): Line {
  if (items.length <= 2) return joined(items, ` ${last} `)
  return sentence`${joined(items.slice(0, -1), ", ")} ${last} ${joined(items.slice(-1), "")}`
}

/** Like `listed`, but names at most `max` items and counts the others. */
export function listedUpTo(items: readonly (Span | Line)[], max: number): Line {
  const rest = items.length - max
  return listed(rest > 0 ? [...items.slice(0, max), say(`${rest} more`)] : items)
}

/** The line as a section of a rich_text block. */
export function section(line: Line): RichTextSection {
  return { type: "rich_text_section", elements: line.filter(isShown).map(element) }
}

/** The line as a rich_text block. */
export function rich(line: Line, blockId?: string): RichTextBlock {
  return { type: "rich_text", elements: [section(line)], ...(blockId === undefined ? {} : { block_id: blockId }) }
}

/** The same line with all words of ours bold; what the platform says stays code. */
export function strong(line: Line): Line {
  return line.map((span) => (span.kind === "text" && span.style === undefined ? { ...span, style: "bold" } : span))
}

/** The line in small grey letters. Text stays literal; only our dates, links and mentions are active. */
export function grey(line: Line, blockId: string): ContextBlock {
  const parts = line.filter(isShown).reduce<Line[]>((found, span) => {
    const last = found.at(-1)
    if (last?.every(({ kind }) => kind === "text") !== true) return [...found, [span]]
    if (span.kind === "text") return [...found.slice(0, -1), [...last, span]]
    const [before, lead] = withoutLead(last)
    return [...found.slice(0, -1), ...(before.length > 0 ? [before] : []), [...lead, span]]
  }, [])
  const elements = parts.map((part) =>
    part.every(({ kind }) => kind === "text")
      ? plain(plainWords(part).trim())
      : { type: "mrkdwn" as const, text: mrkdwn(part) },
  )
  return { type: "context", elements, block_id: blockId }
}

/** Words of ours that lead to a date or a link. No other text goes where Slack reads markup. */
const leads = /^(.*· )?( ?(?:since|decide by|in) )$/s

/** A text, and the plain word or two at its end, such as "since": these stay beside the date or link that follows. */
function withoutLead(text: Line): readonly [before: Line, lead: Line] {
  const last = text.at(-1)
  const [, before = "", lead] = last?.kind === "text" ? (leads.exec(last.text) ?? []) : []
  if (last?.kind !== "text" || lead === undefined) return [text, []]
  return [[...text.slice(0, -1), ...(before === "" ? [] : [{ ...last, text: before }])], [say(lead.trimStart())]]
}

/** Lines as a rich_text block. If there are several, each is a bullet point, because most lines wrap on a phone. */
export function points(lines: readonly Line[]): RichTextBlock {
  const [first = []] = lines
  if (lines.length <= 1) return rich(first)
  return { type: "rich_text", elements: [{ type: "rich_text_list", style: "bullet", elements: lines.map(section) }] }
}

/** The line for a message's top-level `text`, escaped. Dates have a fallback for programs that cannot localise them. */
export function mrkdwn(line: Line): string {
  return line.map(written).join("")
}

/** The line, shortened to `units` of `mrkdwn`. It counts what it leaves out, and never cuts a mention, date or link. */
export function shortened(line: Line, units: number): Line {
  if (mrkdwn(line).length <= units) return line
  const room = units - noteUnits
  let used = 0
  const over = line.findIndex((span) => {
    used += written(span).length
    return used > room
  })
  const whole = line.slice(0, over)
  const [part, cut] = beginningOf(line[over], room - mrkdwn(whole).length)
  return [...whole, ...part, say(leftOut(cut + plainWords(line.slice(over + 1)).length))]
}

/** As much of a span as fits, and how many characters are left out. */
function beginningOf(span: Span | undefined, room: number): readonly [Line, number] {
  if (span?.kind !== "text") return [[], span === undefined ? 0 : plainly(span).length]
  const { text, cut } = clip(visible(span.text), room)
  return [text === "" ? [] : [{ ...span, text }], cut]
}

/** The line for a plain_text object. */
export function plainWords(line: Line): string {
  return line.map(plainly).join("")
}

function plainly(span: Span): string {
  switch (span.kind) {
    case "text":
    case "link":
      return span.text
    case "user":
      return `@${span.user}`
    case "group":
      return `@${span.group}`
    case "channel":
      return `#${span.channel}`
    case "date":
      return utc(span.at)
  }
}

function isShown(span: Span): boolean {
  return span.kind !== "text" || span.text !== ""
}

function element(span: Span): RichTextElement {
  switch (span.kind) {
    case "text":
      return { type: "text", text: visible(span.text), ...(span.style ? { style: { [span.style]: true } } : {}) }
    case "user":
      return { type: "user", user_id: span.user }
    case "group":
      return { type: "usergroup", usergroup_id: span.group }
    case "channel":
      return { type: "channel", channel_id: span.channel }
    case "link":
      return { type: "link", url: span.url, text: span.text }
    case "date":
      return { type: "date", timestamp: seconds(span.at), format: dateFormat, fallback: utc(span.at) }
  }
}

function written(span: Span): string {
  switch (span.kind) {
    case "text":
      return escapeMrkdwn(visible(span.text))
    case "user":
      return `<@${span.user}>`
    case "group":
      return `<!subteam^${span.group}>`
    case "channel":
      return `<#${span.channel}>`
    case "link":
      return `<${span.url.replaceAll("&", "&amp;")}|${escapeMrkdwn(span.text)}>`
    case "date":
      return `<!date^${seconds(span.at)}^${dateFormat}|${utc(span.at)}>`
  }
}

function seconds(at: number): number {
  return Math.floor(at / 1_000)
}

function utc(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? "an unknown time" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`
}
