// Whether a key looks like one that people or programs can guess. No proof of strength: a random key never looks weak, a guessed one mostly does.

/** What lies side by side on a keyboard, in the alphabet or among the digits. */
const ROWS = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm"

/** The most frequent pairs of letters in English. */
const COMMON = new Set(
  "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur".split(
    " ",
  ),
)

/** Why a key looks weak, in words that follow its name; null if it does not. */
export function weaknessOf(key: string): string | null {
  if (Buffer.byteLength(key) < 32) return "has fewer than 32 bytes"
  if (share(slicesOf(key, 3), (three, at, all) => all.indexOf(three) < at) > 0.25) return "repeats itself"
  if (entropyOf(key) * key.length < 80) return "has few different characters"
  if (share(slicesOf(key.toLowerCase(), 2), runsOn) > 0.7) return "runs along the alphabet or a keyboard"
  return isMadeOfWords(key) ? "is made of words" : null
}

/** Every part of a text that is so long. */
function slicesOf(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length + 1 - length) }, (_, at) => text.slice(at, at + length))
}

function runsOn(pair: string): boolean {
  const back = `${pair.charAt(1)}${pair.charAt(0)}`
  return pair === back || ROWS.includes(pair) || ROWS.includes(back)
}

/** Bits a character, by how often each stands in the text. */
function entropyOf(text: string): number {
  const counts = [...Map.groupBy(text, (letter) => letter).values()].map(({ length }) => length / text.length)
  return counts.reduce((sum, part) => sum - part * Math.log2(part), 0)
}

/** Mostly letters, in pairs that English is full of: random letters make one of these pairs in fourteen. */
function isMadeOfWords(key: string): boolean {
  const runs: readonly string[] = key.toLowerCase().match(/[a-z]{2,}/g) ?? []
  const pairs = runs.flatMap((run) => slicesOf(run, 2))
  const letters = key.replaceAll(/[^a-z]/gi, "").length / key.length
  return letters > 0.75 && pairs.length > 14 && share(pairs, (pair) => COMMON.has(pair)) > 0.36
}

function share<T>(all: readonly T[], is: (one: T, at: number, all: readonly T[]) => boolean): number {
  return all.filter(is).length / all.length
}
