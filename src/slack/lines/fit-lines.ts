// As many lines of an answer as one message holds. It counts the lines that it leaves out, and says where they are.
import { textUnits } from "../../blockkit/totals.ts"
import { type Line, rich, say } from "./spans.ts"
import { counted } from "./text-fitter.ts"

/** The top-level `text`, in UTF-16 units as sent; Slack accepts 4,000. */
export const maxTextUnits = 3_900
/** The lines of one message, a block each. With the blocks around them they stay below Slack's limit of 50. */
const maxLines = 40
/** All text of those blocks, in UTF-16 units; Slack refuses more than about 10,000 (undocumented). */
const maxLineUnits = 9_000
/** Room for the note that counts the lines left out. */
const noteUnits = 40

/** How many of the sizes, from the first, fit into the limit. */
export function fittingCount(sizes: readonly number[], room: number): number {
  let used = 0
  const over = sizes.findIndex((size) => {
    used += size
    return used > room
  })
  return over === -1 ? sizes.length : over
}

/** As many whole lines as the top-level text may hold, and a line that counts the others. */
export function fitting(lines: readonly string[]): string {
  const sizes = lines.map((line) => line.length + 1)
  const count = fittingCount(sizes, maxTextUnits - noteUnits)
  if (count === lines.length) return lines.join("\n")
  return [...lines.slice(0, count), `and ${counted(lines.length - count, "more line")}`].join("\n")
}

/** As many whole lines as the blocks of one message hold, together at most `max` units. */
export function fittingLines(lines: readonly Line[], max = maxLineUnits): readonly Line[] {
  const sizes = lines.slice(0, maxLines).map((line) => textUnits(rich(line)))
  return lines.slice(0, fittingCount(sizes, max))
}

/**
 * The lines in parts that each fit into a message. A part has at most `max` units, unless a single line has more. There
 * is at least one part.
 */
export function partsOf(lines: readonly Line[], max = maxLineUnits): readonly (readonly Line[])[] {
  const parts: (readonly Line[])[] = []
  for (let at = 0; at < lines.length; at += parts.at(-1)?.length ?? 1) {
    const part = fittingLines(lines.slice(at), max)
    parts.push(part.length === 0 ? lines.slice(at, at + 1) : part)
  }
  return parts.length === 0 ? [[]] : parts
}

/** The first lines, and a line that counts the others and says where they are, such as "in Details". */
export function firstLines(
  lines: readonly Line[],
  max: number,
  rest: { readonly noun: string; readonly where: Line },
): readonly Line[] {
  if (lines.length <= max) return lines
  const left = counted(lines.length - max, `more ${rest.noun}`)
  return [...lines.slice(0, max), [say(`and ${left}, `), ...rest.where]]
}
