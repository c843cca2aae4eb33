// Whether anybody sees a text: blanks and invisible characters alone say nothing.
import { isInvisibleAt, isPlainText } from "../../invisible.ts"

/** True if there is something to see in a text. What a person has to write counts only then. */
export function hasVisibleText(text: string): boolean {
  if (text.trim() === "") return false
  if (isPlainText(text)) return true
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    if (!isInvisibleAt(text, at) && !/\s/.test(text.charAt(at))) return true
  return false
}
