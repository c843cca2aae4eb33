// What an export says of what its filter leaves out because nobody can tell whether it fits.
import { csvLine } from "./csv.ts"

/** Says so. `what`: how many of what. */
export function leftOutWords(what: string): string {
  const why = "what the filter looks at is masked, erased or in doubt there"
  return `Left out: ${what} that may fit. Nobody can tell: ${why}.`
}

/** Says so as the last line of a CSV of so many columns. Only its first cell has a text. */
export function leftOutLine(what: string, columns: number): string {
  return csvLine(Array.from({ length: columns }, (_, index) => (index === 0 ? leftOutWords(what) : null)))
}
