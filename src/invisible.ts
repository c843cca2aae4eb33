// Invisible characters: those that draw nothing or a blank, or reorder their neighbours. Cards show them as numbers.

/**
 * All that draws nothing or a blank, reorders its neighbours or cannot be encoded, except space, line feed and tab. No
 * Unicode class covers U+2800 (Braille), U+13441 and U+13442 (hieroglyphs) and U+1D159 (a note without a head), which
 * look blank, nor U+FFFC, for which browsers draw nothing (`test/browser/ink.test.ts`).
 */
const invisiblePattern = new RegExp(
  String.raw`^(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}` +
    String.raw`\u2800\uFFFC\u{13441}\u{13442}\u{1D159}]$`,
  "u",
)

/** Plain text, in which every character is visible, so that one test is enough. */
const allVisiblePattern = /^[\n\t -~]*$/

/** Pictures of all kinds, by Unicode's property. */
const pictographPattern = /^\p{Extended_Pictographic}$/u

/** How a character looks, as a sum: 1 if we looked it up, 2 if nobody can see it, 4 if it is a picture. */
const looks = new Uint8Array(0x110000)

/** Looks each character up only once: a text may hold a million blanks. */
function lookOf(point: number): number {
  const known = looks[point] ?? 0
  if (known > 0) return known
  const character = String.fromCodePoint(point)
  const look = 1 + (invisiblePattern.test(character) ? 2 : 0) + (pictographPattern.test(character) ? 4 : 0)
  looks[point] = look
  return look
}

/** True for a text of printable ASCII, line feeds and tabs. People see every character of such a text. */
export function isPlainText(text: string): boolean {
  return allVisiblePattern.test(text)
}

/** True if nobody can see the character that begins at this place, or if it is half of one (a lone surrogate). */
export function isInvisibleAt(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0
  return (lookOf(point) & 2) > 0 && !(point === 0xfe0f && followsEmoji(text, at))
}

/** True if an emoji stands before this place. A variation selector here only colours it; agents write many. */
function followsEmoji(text: string, at: number): boolean {
  const pair = text.codePointAt(at - 2) ?? 0
  const before = pair > 0xffff ? pair : (text.codePointAt(at - 1) ?? 0)
  return (lookOf(before) & 4) > 0
}
