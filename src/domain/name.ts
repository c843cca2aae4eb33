// Names of people, cleaned so that what looks the same compares the same (R6, R7).

/** What draws nothing, or only a blank: it may stand anywhere in a name without being seen. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u{1D159}]/gu

/** The name in Unicode's form NFKC, without what nobody sees and without white space around it; capitals stay. */
export function cleanName(name: string): string {
  return name.normalize("NFKC").replace(UNSEEN, "").normalize("NFKC").trim()
}

/** What two spellings of one name have in common: cleaned, and without regard to capitals. Empty for a name that nobody sees. */
export function foldName(name: string): string {
  // There and back, since some letters have a capital of two letters, or two small forms.
  return cleanName(cleanName(name).toUpperCase().toLowerCase())
}
