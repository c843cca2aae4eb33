// Globs: the words of rules and filters in which `*` and `?` stand for others. Matched without a RegExp, so that no text can stall it (R20).

/** No name is as long; whoever writes a longer one in a filter looks for nothing. */
const longestFilter = 200

/** `*` stands for any text, `?` for one character; everything else is itself, in the case it is written in. Takes linear time in the text. */
export function globMatches(glob: string, text: string): boolean {
  let [inGlob, inText] = [0, 0]
  /** Where the last star was, and up to where it stands for the text; a mismatch lets it stand for one character more. */
  let star: { readonly inGlob: number; readonly inText: number } | null = null
  while (inText < text.length) {
    if (glob[inGlob] === "*") {
      star = { inGlob: inGlob + 1, inText }
      inGlob += 1
    } else if (glob[inGlob] === "?") {
      inGlob += 1
      inText += widthAt(text, inText)
    } else if (glob[inGlob] === text[inText]) {
      inGlob += 1
      inText += 1
    } else if (star === null) return false
    else {
      inText = star.inText + widthAt(text, star.inText)
      inGlob = star.inGlob
      star = { inGlob, inText }
    }
  }
  return /^\**$/.test(glob.slice(inGlob))
}

/** True if one of the names is like a filter's word, capitals apart; without a word all are. */
export function isLike(glob: string | undefined, names: readonly (string | null | undefined)[]): boolean {
  if (glob === undefined) return true
  if (glob.length > longestFilter) return false
  const wanted = glob.toLowerCase()
  return names.some((name) => typeof name === "string" && globMatches(wanted, name.toLowerCase()))
}

/** UTF-16 units of the character at a place. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
