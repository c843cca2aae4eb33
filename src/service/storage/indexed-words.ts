// The words of a text, in the form in which both the index and a search use them.

/** Letters that Unicode does not decompose, and how people type them. */
const typedAs: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l" }

/** Runs of characters in scripts that have no blanks between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu

/**
 * A text as it is indexed: in lower case, without accents. A script without blanks becomes pairs of characters, so that
 * a part of it is found.
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

/** `abc` becomes `ab` and `bc`; a single character stays as it is. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run)
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}
