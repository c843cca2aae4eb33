// Safe text: makes what an agent wrote harmless, visible and short enough before it enters a block.

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

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** All that draws nothing, reorders its neighbours or cannot be encoded; a line feed and a tab are as they look. */
const INVISIBLE =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu

/** Text of the plain kind, of which nothing is invisible: seen at once. */
const ALL_VISIBLE = /^[\n\t -~]*$/

/** What stands for an empty text, because Slack refuses an empty element. */
const EMPTY = "⟨empty⟩"

/**
 * Escapes the three characters that begin Slack's markup (mentions, links, dates), so that the text stays text in a
 * mrkdwn object and in a message's top-level `text`. Slack's rule: https://docs.slack.dev/messaging/formatting-message-text
 */
export function escapeMrkdwn(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character)
}

/** The length in UTF-16 units that the text has once escaped: what counts against a limit. */
export function escapedLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) length += extraUnits(text.charAt(at))
  return length
}

/**
 * Replaces every control, bidirectional, zero-width, unassignable and otherwise invisible character, and every lone
 * surrogate, with its visible number, such as `⟨U+202E⟩`. Line feeds and tabs stay. Doing it twice changes nothing more.
 */
export function visible(text: string): string {
  if (ALL_VISIBLE.test(text)) return text
  return text.replace(INVISIBLE, (character, at: number) => {
    if (character === "\uFE0F" && followsEmoji(text, at)) return character
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  })
}

/**
 * The longest beginning of the text that is at most `max` units long *once escaped*, never ending between the halves of
 * a surrogate pair. `text.length + cut` is the length of what came in. Clip after `visible` and before `escapeMrkdwn`.
 */
export function clip(text: string, max: number): Clipped {
  let used = 0
  let weight = 0
  for (const character of text) {
    weight += character.length + extraUnits(character)
    if (weight > max) break
    used += character.length
  }
  return { text: text.slice(0, used), cut: text.length - used }
}

/** A plain_text object with every invisible character made visible. It does not shorten: clip first where a limit holds. */
export function plain(text: string): PlainText {
  return { type: "plain_text", text: text === "" ? EMPTY : visible(text), emoji: false }
}

/** A rich_text block that shows the text literally in a preformatted box. It does not shorten: clip first. */
export function preformatted(text: string): Preformatted {
  const shown = text === "" ? EMPTY : visible(text)
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: shown }] }],
  }
}

function extraUnits(character: string): number {
  if (character === "&") return 4
  return character === "<" || character === ">" ? 3 : 0
}

/** The variation selector after an emoji only colours it, and agents write it all the time. */
function followsEmoji(text: string, at: number): boolean {
  return /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))
}
