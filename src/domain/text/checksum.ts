// Numbers that carry a checksum, found in texts: payment cards (Luhn, ISO/IEC 7812) and bank accounts (IBAN, ISO
// 13616). People write both in groups, as in "4111 1111 1111 1111, until 12/27"; so each row of whole groups is tried.

/** What is found by its checksum. */
export type Checksum = "card_number" | "iban"

/** A number as it may be written: its groups, one to three blanks, dots or dashes apart. */
interface Form {
  /** One group. */
  readonly group: RegExp
  /** How many characters its groups have together. */
  readonly min: number
  readonly max: number
  /**
   * Whether the groups, joined, are such a number. By chance one number in ten passes for a card, and one in 97 for an
   * account.
   */
  readonly holds: (joined: string) => boolean
}

const forms: Readonly<Record<Checksum, Form>> = {
  card_number: { group: /\d+/g, min: 13, max: 19, holds: (digits) => /^[2-6]/.test(digits) && luhnHolds(digits) },
  iban: {
    group: /[A-Z0-9]+/gi,
    min: 15,
    max: 34,
    holds: (letters) => /^[A-Z]{2}\d{2}/i.test(letters) && ibanHolds(letters.toUpperCase()),
  },
}

/** What may stand between two groups. */
const gap = /^[\s.\p{Pd}]{1,3}$/u

/**
 * The numbers of this kind in a text, each once and without what stands between its groups; letters in capitals. A
 * group counts whole, so a number that goes on with more digits is another one. Takes linear time.
 */
export function numbersIn(text: string, checksum: Checksum): ReadonlySet<string> {
  const { group, min, max, holds } = forms[checksum]
  const groups = [...text.matchAll(group)].map((match) => ({ text: match[0], start: match.index }))
  const found = new Set<string>()
  for (let first = 0; first < groups.length; first += 1) {
    let joined = ""
    for (let next = first; next < groups.length; next += 1) {
      const one = groups[next]
      const before = groups[next - 1]
      if (one === undefined || joined.length + one.text.length > max) break
      if (next > first && before !== undefined && !gap.test(text.slice(before.start + before.text.length, one.start)))
        break
      joined += one.text
      if (joined.length >= min && holds(joined)) found.add(joined.toUpperCase())
    }
  }
  return found
}

/** From the right, every second digit counts double; the sum of all digits ends in 0. */
function luhnHolds(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

/** With the first four characters at the end and letters as 10 to 35, the number leaves 1 when divided by 97. */
function ibanHolds(letters: string): boolean {
  const moved = Array.from(letters.slice(4) + letters.slice(0, 4))
  const rest = moved.reduce((left, letter) => Number(`${left}${Number.parseInt(letter, 36)}`) % 97, 0)
  return rest === 1
}
