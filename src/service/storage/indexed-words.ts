// The words of a text as a search knows them: in the index, and in a question.

/** Letters that Unicode does not take apart, and how people type them. */
const typedAs: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l" }

/** Runs of scripts that set no blanks between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu

/**
 * A text as it is indexed: small letters without accents, and each run of a script without blanks as its pairs of
 * characters, so that a part of it is found.
 */
export function indexedWords(text: string): string {
  return folded(text).replace(unspaced, (run) => ` ${pairsOf(run).join(" ")} `)
}

function folded(text: string): string {
  const bare = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu, "")
  return bare.normalize("NFC").replace(/[ßæœøł]/g, (letter) => typedAs[letter] ?? letter)
}

/** `abc` as `ab` and `bc`; one character as itself. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run)
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}
