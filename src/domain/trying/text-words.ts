// Makes words that try patterns: one word for each set of patterns that a single text can match.
import { carelessly } from "../condition/careless.ts"

/** One piece of a pattern: a character by itself, one character of any kind (`one`), or any text (`any`). */
export type Piece = string

/** What we compare texts with. */
export interface Patterns {
  /** Patterns of a rule's `match`: they read the text as it is. */
  readonly globs: readonly (readonly Piece[])[]
  /** Patterns of conditions: they read the text exactly and carelessly, if it can be trusted. */
  readonly asked: readonly { readonly exact: readonly Piece[]; readonly careless: readonly Piece[] }[]
  /** Words that people can read easily. They come first. */
  readonly seeds: readonly string[]
}

/** The words, and whether these are all that we need to try. */
export interface Words {
  readonly words: readonly string[]
  readonly complete: boolean
}

/** A machine that reads a text character by character, and knows at each place whether the text fits so far. */
interface Reader {
  readonly start: string
  readonly step: (state: string, char: string) => string
  readonly accepts: (state: string) => boolean
}

const maxStates = 2_000
const one = "one"
const any = "any"

/** The pieces of a glob of a rule. */
export function piecesOfGlob(glob: string): readonly Piece[] {
  return Array.from(glob, (char) => (char === "*" ? any : char === "?" ? one : char))
}

/** The pieces of a text that stands for itself. With `before` or `after`, any text may stand there. */
export function piecesOfText(text: string, loose: { readonly before?: true; readonly after?: true } = {}) {
  return [...(loose.before ? [any] : []), ...Array.from(text), ...(loose.after ? [any] : [])]
}

/**
 * A word for every set of patterns that one text can fit, the shortest first. Each next character leads to one of
 * finitely many states of all readers, so this ends. If there are too many states, the list is not complete.
 */
export function wordsFor({ globs, asked, seeds }: Patterns): Words {
  const alphabet = alphabetOf({ globs, asked })
  const readers = [
    ...globs.map(exactReader),
    ...(asked.length === 0 ? [] : [trustReader]),
    ...asked.flatMap(({ exact, careless }) => [exactReader(exact), carelessReader(careless)]),
  ].map((reader) => countedReader(reader, alphabet))
  const found = new Map<string, string>()
  const note = (states: readonly number[], word: string): void => {
    const fits = readers.map((reader, index) => (reader.accepts(states[index] ?? 0) ? "1" : "0")).join("")
    if (!found.has(fits)) found.set(fits, word)
  }
  const goOn = (states: readonly number[], char: string) =>
    readers.map((reader, index) => reader.step(states[index] ?? 0, char))
  const start = readers.map(() => 0)
  for (const seed of seeds) note(Array.from(seed).reduce(goOn, start), seed)
  const complete = walk({ start, goOn, note, alphabet })
  note(start, "")
  return { words: [...found.values()], complete: complete && asked.every(isAsciiPlain) }
}

/** Visits every state that can be reached, nearest first. False if there are too many. */
function walk(options: {
  readonly start: readonly number[]
  readonly goOn: (states: readonly number[], char: string) => readonly number[]
  readonly note: (states: readonly number[], word: string) => void
  readonly alphabet: readonly string[]
}): boolean {
  const { start, goOn, note, alphabet } = options
  const seen = new Set<string>()
  const open: { readonly states: readonly number[]; readonly word: string }[] = [{ states: start, word: "" }]
  for (const { states, word } of open) {
    for (const char of alphabet) {
      const next = goOn(states, char)
      const key = next.join()
      if (seen.has(key)) continue
      if (seen.size >= maxStates) return false
      seen.add(key)
      note(next, word + char)
      open.push({ states: next, word: word + char })
    }
  }
  return true
}

/** The reader with numbers for its states (0 is the start). It makes each step only once. */
function countedReader(reader: Reader, alphabet: readonly string[]) {
  const numbers = new Map([[reader.start, 0]])
  const states = [reader.start]
  const steps = new Map(alphabet.map((char) => [char, new Array<number>()]))
  const numberOf = (state: string): number => {
    const known = numbers.get(state) ?? states.push(state) - 1
    numbers.set(state, known)
    return known
  }
  return {
    accepts: (state: number): boolean => reader.accepts(states[state] ?? ""),
    step: (state: number, char: string): number => {
      const known = steps.get(char) ?? []
      return (known[state] ??= numberOf(reader.step(states[state] ?? "", char)))
    },
  }
}

/** Reads exactly. Its state lists all places in the pattern where the text may have arrived, such as `1,4`. */
function exactReader(pieces: readonly Piece[]): Reader {
  const spread = (places: readonly number[]): string => {
    const all = new Set(places)
    // The loop also reaches the places that it adds.
    for (const place of all) if (pieces[place] === any) all.add(place + 1)
    return [...all].toSorted((a, b) => a - b).join()
  }
  const placesOf = (state: string) => (state === "" ? [] : state.split(",").map(Number))
  const after = (place: number, char: string): readonly number[] => {
    const piece = pieces[place]
    if (piece === any) return [place]
    return piece === one || piece === char ? [place + 1] : []
  }
  return {
    start: spread([0]),
    step: (state, char) => spread(placesOf(state).flatMap((place) => after(place, char))),
    accepts: (state) => placesOf(state).includes(pieces.length),
  }
}

/** Reads carelessly: blanks at both ends do not count. Keeps the states up to the last letter, and up to the end. */
function carelessReader(pieces: readonly Piece[]): Reader {
  const exact = exactReader(pieces)
  return {
    start: `${exact.start}|`,
    step: (state, char) => {
      const [last = "", all = ""] = state.split("|")
      const begun = all !== ""
      if (isBlank(char)) return begun ? `${last}|.${exact.step(all.slice(1), char)}` : state
      const next = exact.step(begun ? all.slice(1) : exact.start, carelessly(char))
      return `${next}|.${next}`
    },
    accepts: (state) => exact.accepts(state.split("|")[0] ?? ""),
  }
}

const hidden = "\u200B"
const trustReader: Reader = {
  start: "yes",
  step: (state, char) => (char === hidden ? "no" : state),
  accepts: (state) => state === "yes",
}

/** The characters that matter, in all forms that are the same to a careless reader, and one that no pattern names. */
function alphabetOf({ globs, asked }: Pick<Patterns, "globs" | "asked">): readonly string[] {
  const isChar = (piece: Piece): boolean => piece !== one && piece !== any
  const named = globs.flat().filter(isChar)
  const compared = asked.flatMap(({ exact, careless }) => [...exact, ...careless]).filter(isChar)
  const forms = compared.flatMap((char) => [char, char.toLowerCase(), char.toUpperCase(), ...wideOf(char)])
  const taken = new Set([...named, ...forms])
  const other = Array.from("xyzwvqjkabcdefghilmnoprstu0123456789").find((char) => !taken.has(char)) ?? "\u2603"
  const extra = asked.length === 0 ? [] : [" ", "\n", hidden]
  return [...taken, other, ...extra].filter(
    (char, index, all) => Array.from(char).length === 1 && all.indexOf(char) === index,
  )
}

/** The same character in full width, which only a careless reader takes for the same. */
function wideOf(char: string): readonly string[] {
  return /^[!-~]$/.test(char) ? [String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0)] : []
}

function isBlank(char: string): boolean {
  return char.trim() === ""
}

/** True for patterns of plain ASCII. Characters beyond it have more forms than we try. */
function isAsciiPlain({ exact, careless }: Patterns["asked"][number]): boolean {
  return [...exact, ...careless].every((piece) => piece === one || piece === any || /^[ -~]$/.test(piece))
}
