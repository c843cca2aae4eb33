// Tells what people can see of a text. They see nothing of blanks and invisible characters.
import { isInvisibleAt, isPlainText } from "../../invisible.ts"

/** True if there is something to see in a text. Only such a text counts if a person has to write one. */
export function hasVisibleText(text: string): boolean {
  if (text.trim() === "") return false
  if (isPlainText(text)) return true
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    if (!isInvisibleAt(text, at) && !/\s/.test(text.charAt(at))) return true
  return false
}

/** A text with the number of each invisible character in its place, as in `\u{200b}`. Line feeds and tabs stay. */
export function withInvisibleAsNumbers(text: string): string {
  if (isPlainText(text)) return text
  const numberOf = (one: string) => String.raw`\u{${(one.codePointAt(0) ?? 0).toString(16)}}`
  return Array.from(text, (one) => (isInvisibleAt(one, 0) ? numberOf(one) : one)).join("")
}
