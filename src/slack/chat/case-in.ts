// The case that a message of ours is about, read off the message. Only a hint: what follows from it is judged.

/** Metadata, a button's value, or the mark at a card's end. */
const CASE = /(?:"case":"|cs1\\*",\\*"[^"]{1,63}",\\*"|\bCase )([0-9a-f]{20})\b/

/** The case's id, or null if the message names none. */
export function caseIn(message: object): string | null {
  return CASE.exec(JSON.stringify(message))?.[1] ?? null
}
