// The text fitter: makes what others wrote visible, limits its length, and remembers if that changed anything (R4).
import { clip, visible } from "../../blockkit/text.ts"

/** Shows texts on one surface. */
export interface TextFitter {
  /** A name or other text of one line, at most `max` UTF-16 units once escaped. Leaves out the rest, and counts it. */
  word(text: string, max: number): string
  /** Like `word`, for a text of several lines. */
  text(text: string, max: number): string
  /** As many whole lines of a text as fit both limits. `left` says what is missing, or is null. */
  lines(text: string, max: { readonly units: number; readonly lines: number }): FittedLines
  /** Notes that something is left out. */
  omit(): void
  /** True if everything was shown in full and as it is. */
  whole(): boolean
}

/** The first lines of a text, made visible, and how much is missing: "38 more lines". */
export interface FittedLines {
  readonly shown: string
  readonly left: string | null
}

let format: Intl.NumberFormat | undefined

/** "1,200". Making the format takes 10 ms, so we make it for the first number. */
export function grouped(count: number): string {
  format ??= new Intl.NumberFormat("en-US")
  return format.format(count)
}

/** "1 call", "2 calls". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** Makes a fitter for one surface. */
export function createTextFitter(): TextFitter {
  let whole = true
  const fit = (text: string, max: number, show: (text: string) => string): string => {
    // No character becomes shorter. So we make only the beginning of a long text visible.
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
    lines: (text, max) => {
      const fitted = fitLines(text, max)
      if (fitted.left !== null || fitted.shown !== text) whole = false
      return fitted
    },
    omit: () => {
      whole = false
    },
    whole: () => whole,
  }
}

/** Cuts between lines; if not even the first line fits, cuts within it. */
function fitLines(text: string, max: { readonly units: number; readonly lines: number }): FittedLines {
  const head = text.slice(0, max.units + 2)
  const { text: kept, cut } = clip(visible(head), max.units)
  const all = text.split("\n").length
  const seen = kept.split("\n")
  const isCut = cut > 0 || head !== text
  if (isCut && seen.length === 1) return { shown: kept, left: moreOf(cut + text.length - head.length, "character") }
  const shown = seen.slice(0, Math.min(max.lines, isCut ? seen.length - 1 : seen.length))
  return { shown: shown.join("\n"), left: shown.length === all ? null : moreOf(all - shown.length, "line") }
}

function moreOf(count: number, noun: string): string {
  return `${grouped(count)} more ${noun}${count === 1 ? "" : "s"}`
}

/** Says how many characters (UTF-16 units) are missing. */
export function leftOut(cut: number): string {
  return `… (${grouped(cut)} characters left out)`
}

/**
 * A text that should be one line, as one line: with a line feed it could fake the next one. Shows line feeds as
 * `visible` shows other characters that nobody sees.
 */
export function oneLine(text: string): string {
  return text.replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩")
}

/** The beginning of a text as one line of at most `units`; an ellipsis says that it goes on. */
export function cutTo(text: string, units: number): string {
  const { text: kept, cut } = clip(oneLine(visible(text)), units - 1)
  return cut === 0 ? kept : `${kept}…`
}
