// The text fitter: shows what others wrote, visibly and within a length, and remembers if that changed anything (R4).
import { clip, visible } from "../../blockkit/text.ts"

/** Shows texts on one surface. */
export interface TextFitter {
  /** A name or another text of one line: at most `max` UTF-16 units once escaped, the rest counted and left out. */
  word(text: string, max: number): string
  /** A text of several lines, folded in the same way. */
  text(text: string, max: number): string
  /** Something is not shown at all. */
  omit(): void
  /** True while everything was shown in full and as it is. */
  whole(): boolean
}

const number = new Intl.NumberFormat("en-US")

/** Makes a fitter for one surface. */
export function createTextFitter(): TextFitter {
  let whole = true
  const fit = (text: string, max: number, show: (text: string) => string): string => {
    // No character becomes shorter, so of a text of a megabyte only its head has to be made visible.
    const head = text.slice(0, max + 2)
    const seen = show(head)
    const { text: kept, cut: cutOfHead } = clip(seen, max)
    const cut = cutOfHead + text.length - head.length
    if (seen !== text || cut > 0) whole = false
    return cut === 0 ? seen : `${kept}${leftOut(cut)}`
  }
  return {
    word: (text, max) => fit(text, max, (one) => oneLine(visible(one))),
    text: (text, max) => fit(text, max, visible),
    omit: () => {
      whole = false
    },
    whole: () => whole,
  }
}

/** Says how many characters (UTF-16 units) are missing. */
export function leftOut(cut: number): string {
  return `… (${number.format(cut)} characters left out)`
}

/** Text that should be one line stays one: a line feed would let it fake the next. Shown in the way of `visible`. */
export function oneLine(text: string): string {
  return text.replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩")
}
