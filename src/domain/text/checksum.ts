// Finds numbers that carry a checksum: payment cards (Luhn, ISO/IEC 7812) and bank accounts (IBAN, ISO 13616). People
// write both in groups, as in "4111 1111 1111 1111, until 12/27"; so we try each row of groups.

/** What we find by its checksum. */
export type Checksum = "card_number" | "iban"

/** A number as people may write it: groups, with one to four characters between them that are no letters or digits. */
interface Form {
  /** One group. */
  readonly group: RegExp
  /** The most characters of all groups together. */
  readonly max: number
  /** Where a number may begin inside a group, besides its first character. */
  readonly starts?: RegExp
  /** The number in joined groups: from their start to the end of the last group, or into it. Null: there is none. */
  readonly found: (joined: string) => string | null
  /** The lengths of the groups as such a number is printed; absent: any. */
  readonly printed?: RegExp
}

/**
 * How the numbers of cards begin, and how many digits they have (ISO/IEC 7812, as Visa, Mastercard, American Express,
 * Diners, JCB, Mir, Discover, UnionPay and Maestro use it). So no time stamp passes: Luhn alone takes a tenth of them.
 */
const cardNumber = new RegExp(
  [
    String.raw`^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}`,
    String.raw`220[0-4]\d{12,15}|3[47]\d{13}|3(?:0[0-5]|09|[689]\d)\d{11,16}|35(?:2[89]|[3-8]\d)\d{12,15}`,
    String.raw`(?:50|5[6-9]|6\d)\d{11,17})$`,
  ].join("|"),
)

/** How many characters an account has, by its country (the IBAN registry, release 99). */
const accountLengths: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
  FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
  LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
  RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
)

/** How an account may begin after other letters. */
const accountStarts = new RegExp(String.raw`(?:${[...accountLengths.keys()].join("|")})(?=\d{2})`, "gi")

const forms: Readonly<Record<Checksum, Form>> = {
  card_number: {
    group: /\d+/g,
    max: 19,
    found: (digits) => (cardNumber.test(digits) && luhnHolds(digits) ? digits : null),
    printed: /^(?:(?:4,)+[1-4]|4,6,[45]|8,8)$/,
  },
  iban: { group: /[A-Z0-9]+/gi, max: 34, starts: accountStarts, found: accountIn },
}

/** What may stand between two groups. */
const gap = /^[^\p{L}\p{N}]{1,4}$/u

/**
 * The numbers of this kind in a text, each once, without what stands between their groups; letters in capitals. Digits
 * of a group count all or not at all, so a number with more digits is another number. Takes linear time.
 */
export function numbersIn(text: string, checksum: Checksum): ReadonlySet<string> {
  return rowsOfGroups(text, { ...forms[checksum], printed: /^/ })
}

/** Like `numbersIn`, for texts that stand side by side. A card's number counts only in groups as cards print it. */
export function numbersAcross(neighbours: readonly string[], checksum: Checksum): ReadonlySet<string> {
  return rowsOfGroups(neighbours.join(" "), forms[checksum])
}

/** A group, and where it stands. */
interface Group {
  readonly text: string
  readonly start: number
}

function rowsOfGroups(text: string, form: Form): ReadonlySet<string> {
  const groups = [...text.matchAll(form.group)].map((match) => ({ text: match[0], start: match.index }))
  const isJoined = (before: Group, next: Group) => gap.test(text.slice(before.start + before.text.length, next.start))
  const found = new Set<string>()
  groups.forEach((first, index) => {
    for (const from of startsIn(first, form)) {
      const begun = { text: first.text.slice(from), start: first.start + from }
      for (const one of numbersFrom([begun, ...groups.slice(index + 1, index + form.max)], isJoined, form))
        found.add(one)
    }
  })
  return found
}

function startsIn({ text }: Group, { starts }: Form): readonly number[] {
  const within = starts === undefined ? [] : [...text.matchAll(starts)].map(({ index }) => index)
  return [0, ...within.filter((index) => index > 0)]
}

/** The numbers that begin with the first of these groups. */
function* numbersFrom(
  groups: readonly Group[],
  isJoined: (before: Group, next: Group) => boolean,
  { max, found, printed = /^/ }: Form,
): Iterable<string> {
  let joined = ""
  const lengths: number[] = []
  for (const [index, group] of groups.entries()) {
    const before = groups[index - 1]
    if (joined.length >= max || (before !== undefined && !isJoined(before, group))) return
    joined += group.text.slice(0, max + 1)
    lengths.push(group.text.length)
    const number = found(joined)
    if (number !== null && printed.test(lengths.join())) yield number.toUpperCase()
  }
}

/** The account at the start of letters and digits: as long as its country says, and not followed by a digit. */
function accountIn(joined: string): string | null {
  if (!/^[A-Z]{2}\d{2}/i.test(joined)) return null
  const length = accountLengths.get(joined.slice(0, 2).toUpperCase()) ?? joined.length
  const account = joined.slice(0, length)
  const isWhole = account.length === length && length >= 15 && length <= 34 && !/\d/.test(joined.charAt(length))
  return isWhole && ibanHolds(account.toUpperCase()) ? account : null
}

/** True if Luhn's sum ends in 0: that of all digits, where every second one from the right counts double. */
function luhnHolds(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

/** True if the number leaves 1 when divided by 97: with its first four characters at the end, letters as 10 to 35. */
function ibanHolds(letters: string): boolean {
  const moved = Array.from(letters.slice(4) + letters.slice(0, 4))
  const rest = moved.reduce((left, letter) => Number(`${left}${Number.parseInt(letter, 36)}`) % 97, 0)
  return rest === 1
}
