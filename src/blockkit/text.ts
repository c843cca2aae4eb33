// Safe text: makes what an agent wrote harmless, visible and short enough for a block.
import { isInvisibleAt, isPlainText } from "../invisible.ts"

/** A plain_text object: Slack shows its text literally, without links or mentions. */
export interface PlainText {
  readonly type: "plain_text"
  readonly text: string
  /** False, so that `:white_check_mark:` in an agent's text is shown as these letters. */
  readonly emoji: false
}

/** A rich_text block with one preformatted element, in which untrusted text stays literal. */
export interface Preformatted {
  type: "rich_text"
  elements: { type: "rich_text_preformatted"; elements: { type: "text"; text: string }[] }[]
}

/** A text that was shortened. `cut`: how many UTF-16 units were left out, exactly; 0 if none. */
export interface Clipped {
  readonly text: string
  readonly cut: number
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Shown for an empty text, because Slack refuses an empty element. */
const emptyMark = "⟨empty⟩"

/**
 * Escapes the three characters that begin Slack's markup (mentions, links, dates), so that text stays text in a mrkdwn
 * object and in a message's top-level `text`. Slack's rule: https://docs.slack.dev/messaging/formatting-message-text
 */
export function escapeMrkdwn(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character] ?? character)
}

/** The length of the escaped text in UTF-16 units, which counts against a limit. */
export function escapedLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) length += extraUnits(text.charAt(at))
  return length
}

/**
 * Replaces each character that nobody sees with its visible number, such as `⟨U+202E⟩`: control, bidirectional,
 * zero-width, unassignable, blank and other invisible characters, and lone surrogates. Spaces, line feeds and tabs
 * stay. A second run changes nothing.
 */
export function visible(text: string): string {
  if (isPlainText(text)) return text
  const pieces: string[] = []
  let done = 0
  for (let at = 0; at < text.length; at += widthAt(text, at)) {
    const shown = instead(text, at)
    if (shown === "") continue
    if (at > done) pieces.push(text.slice(done, at))
    pieces.push(shown)
    done = at + widthAt(text, at)
  }
  return done === 0 ? text : pieces.join("") + text.slice(done)
}

/** What replaces the character at a place; "" if we show the character as it is. */
function instead(text: string, at: number): string {
  if (!isInvisibleAt(text, at)) return ""
  const point = text.codePointAt(at) ?? 0
  const known = numbers.get(point)
  if (known !== undefined) return known
  const shown = `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`
  if (numbers.size >= maxNumbers) numbers.clear()
  numbers.set(point, shown)
  return shown
}

const numbers = new Map<number, string>()
const maxNumbers = 10_000

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** The end of the longest part from `from` with at most `max` units *visible and escaped*; at least one character. */
export function partEnd(text: string, from: number, max: number): number {
  let end = from
  for (let weight = 0; end < text.length; end += widthAt(text, end)) {
    const shown = instead(text, end)
    weight += shown === "" ? widthAt(text, end) + extraUnits(text.charAt(end)) : shown.length
    if (weight > max && end > from) break
  }
  return end
}

/**
 * The longest beginning of the text that is at most `max` units long *once escaped*. It never ends between the halves
 * of a surrogate pair. `text.length + cut` is the length of the input. Clip after `visible` and before `escapeMrkdwn`.
 */
export function clip(text: string, max: number): Clipped {
  let used = 0
  let weight = 0
  while (used < text.length) {
    const width = widthAt(text, used)
    weight += width + extraUnits(text.charAt(used))
    if (weight > max) break
    used += width
  }
  return { text: text.slice(0, used), cut: text.length - used }
}

/** A plain_text object in which every invisible character is visible. It does not shorten: clip first for a limit. */
export function plain(text: string): PlainText {
  return { type: "plain_text", text: text === "" ? emptyMark : visible(text), emoji: false }
}

/** A rich_text block that shows the text literally in a preformatted box. It does not shorten: clip first. */
export function preformatted(text: string): Preformatted {
  const shown = text === "" ? emptyMark : visible(text)
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: shown }] }],
  }
}

function extraUnits(character: string): number {
  if (character === "&") return 4
  return character === "<" || character === ">" ? 3 : 0
}
