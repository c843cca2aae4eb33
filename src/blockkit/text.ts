// Safe text: makes what an agent wrote harmless, visible and short enough before it enters a block.
import { isInvisibleAt, isPlainText } from "../invisible.ts"

/** A plain_text object: Slack shows its text literally, without links or mentions. */
export interface PlainText {
  readonly type: "plain_text"
  readonly text: string
  /** False, so that `:white_check_mark:` in an agent's text stays these letters. */
  readonly emoji: false
}

/** A rich_text block with one preformatted element: the container in which untrusted text stays literal. */
export interface Preformatted {
  type: "rich_text"
  elements: { type: "rich_text_preformatted"; elements: { type: "text"; text: string }[] }[]
}

/** A text that was shortened; `cut` is the exact number of UTF-16 units left out, 0 if nothing was. */
export interface Clipped {
  readonly text: string
  readonly cut: number
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** What stands for an empty text, because Slack refuses an empty element. */
const emptyMark = "⟨empty⟩"

/**
 * Escapes the three characters that begin Slack's markup (mentions, links, dates), so that the text stays text in a
 * mrkdwn object and in a message's top-level `text`. Slack's rule:
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function escapeMrkdwn(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character] ?? character)
}

/** The length in UTF-16 units of the escaped text: this counts against a limit. */
export function escapedLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) length += extraUnits(text.charAt(at))
  return length
}

/**
 * Replaces every control, bidirectional, zero-width, unassignable, blank and otherwise invisible character, and every
 * lone surrogate, with its visible number, such as `⟨U+202E⟩`. Spaces, line feeds and tabs stay. Doing it twice changes
 * nothing more.
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

/** What stands for the character at a place, or "" if it is shown as it is. */
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

/** Where the longest part from a place ends, at most `max` units *visible and escaped*; at least one character on. */
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
 * The longest beginning of the text that is at most `max` units long *once escaped*, and that never ends between the
 * halves of a surrogate pair. `text.length + cut` is the length of the input. Clip after `visible` and before
 * `escapeMrkdwn`.
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

/** A plain_text object with every invisible character made visible. It does not shorten: clip first to hold a limit. */
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
