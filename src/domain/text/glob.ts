// Globs: words of rules and filters with `*` and `?`. Matched without a RegExp, so that no text can stall us (R20).

/** A longer filter finds nothing, because no name is as long. */
const longestFilter = 200

/** `*` is any text, `?` one character, all else itself; upper and lower case differ. Takes linear time in the text. */
export function globMatches(glob: string, text: string): boolean {
  let [inGlob, inText] = [0, 0]
  /** Where the last star is (-1: nowhere), and where its text ends; after a mismatch it takes one more character. */
  let [star, starred] = [-1, 0]
  while (inText < text.length) {
    if (glob[inGlob] === "*") {
      if (inGlob === glob.length - 1) return true
      star = inGlob
      starred = inText
      inGlob += 1
    } else if (glob[inGlob] === "?") {
      inGlob += 1
      inText += widthAt(text, inText)
    } else if (glob[inGlob] === text[inText]) {
      inGlob += 1
      inText += 1
    } else if (star < 0) return false
    else {
      starred = nextPlace(text, starred + widthAt(text, starred), glob[star + 1])
      if (starred < 0) return false
      inText = starred
      inGlob = star + 1
    }
  }
  return /^\**$/.test(glob.slice(inGlob))
}

/** The next place at which the part after a star may begin; -1: none. The engine's own search is the fastest. */
function nextPlace(text: string, from: number, first: string | undefined): number {
  return first === undefined || first === "?" || first === "*" ? from : text.indexOf(first, from)
}

/** True if one of the names matches a filter's word, in any case. Without a word all names match. */
export function isLike(glob: string | undefined, names: readonly (string | null | undefined)[]): boolean {
  if (glob === undefined) return true
  if (glob.length > longestFilter) return false
  const wanted = glob.toLowerCase()
  return names.some((name) => typeof name === "string" && globMatches(wanted, name.toLowerCase()))
}

/** How many UTF-16 units the character at a place has. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
