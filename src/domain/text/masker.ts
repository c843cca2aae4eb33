// The masker: masks in any JSON what the words name, so that people see it, and counts the masks, in linear time (R20).
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"
import { globMatches } from "./glob.ts"
import { matchesIn, type PatternMatch, type PatternWork } from "./pattern.ts"

/** What was hidden. */
export interface Hidden {
  /** How many values, or parts of texts, are masked. */
  count: number
  /** How many masks hide an object, a list, or a text too long to search. Somebody has to reveal these (R4). */
  whole: number
  /** How many texts we changed so that nobody takes them for a mask of ours. */
  imitations: number
}

/** Masks values. `another` makes a masker whose masks look different, to show that two masked values differ. */
export interface Masker {
  readonly text: (text: string) => string
  readonly value: (value: Json) => Json
  readonly members: (object: JsonObject) => JsonObject
  readonly hides: (name: string) => boolean
  readonly hide: (value: Json) => Json
  /** Masks a text whole, because nobody knows what is in it. */
  readonly hideAll: (text: string) => string
  /** True if some of the words are names. */
  readonly byName: boolean
  readonly another: () => Masker
}

/** We do not search a longer text, but mask it whole. In UTF-16 units. */
const longest = 65_536
/** How much work we do to search one approval's texts, in steps of some 10 ns. We mask the rest whole. */
const maxSteps = 4_000_000
/** Our masks consist of these characters alone. */
const shade = "▒"
const edge = shade.repeat(4)

/** True if a mask of ours stands in a text that was masked. */
export function hasMask(text: string): boolean {
  return text.includes(shade)
}

/** `/…/` is a pattern for values, anything else the name of a key. */
export function isPattern(word: string): boolean {
  return word.length > 2 && word.startsWith("/") && word.endsWith("/")
}

/** Makes a masker, and counts its masks. */
export function createMasker(words: readonly string[]): { readonly masker: Masker; readonly hidden: Hidden } {
  const hidden: Hidden = { count: 0, whole: 0, imitations: 0 }
  const globs = words.filter((word) => !isPattern(word)).map((word) => word.toLowerCase())
  const look = createLook(words.filter(isPattern).map((word) => word.slice(1, -1)))
  const hides = (name: string): boolean => {
    const lower = globs.length === 0 ? "" : name.toLowerCase()
    return globs.some((glob) => globMatches(glob, lower))
  }
  return { masker: maskerOf({ hidden, hides, look, byName: globs.length > 0, note: "" }), hidden }
}

interface Parts {
  readonly hidden: Hidden
  readonly hides: (name: string) => boolean
  readonly look: (text: string) => readonly PatternMatch[] | null
  readonly byName: boolean
  readonly note: string
}

function maskerOf(parts: Parts): Masker {
  const { hidden, hides, look, byName, note } = parts
  const mark = (length: number, why = ""): string => {
    hidden.count += 1
    return `${edge} ${note}${length} characters masked${why} ${edge}`
  }
  const hideAll = (one: string, why = ""): string => {
    hidden.whole += 1
    return mark(one.length, why)
  }
  const text = (one: string): string => {
    const matches = look(one)
    if (matches === null) return hideAll(one, " as a whole: too long to look through")
    const shown = (from: number, until?: number): string => unlikeMask(one.slice(from, until), hidden)
    if (matches.length === 0) return shown(0)
    const pieces = matches.map(({ start, end }, at) => shown(matches[at - 1]?.end ?? 0, start) + mark(end - start))
    return pieces.join("") + shown(matches.at(-1)?.end ?? 0)
  }
  const value = (one: Json): Json => {
    if (typeof one === "string") return text(one)
    if (isJsonArray(one)) return one.map(value)
    return isJsonObject(one) ? members(one) : one
  }
  const members = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, one]) => [name, hides(name) ? hide(one) : value(one)]))
  const hide = (one: Json): Json => {
    if (one === null || one === "") return one
    if (isJsonArray(one) || isJsonObject(one)) hidden.whole += 1
    return mark(typeof one === "string" ? one.length : JSON.stringify(one).length)
  }
  return {
    text,
    value,
    members,
    hides,
    hide,
    hideAll,
    byName,
    another: () => maskerOf({ ...parts, note: "another value, " }),
  }
}

/** Where patterns match in a text, joined if they overlap. Null if the text is too long, or the work is used up. */
function createLook(patterns: readonly string[]): Parts["look"] {
  const work: PatternWork = { left: maxSteps }
  const looked = new Map<string, readonly PatternMatch[] | null>()
  const look = (text: string): readonly PatternMatch[] | null => {
    if (text.length > longest) return null
    const found: PatternMatch[] = []
    for (const pattern of patterns) {
      const matches = matchesIn(text, pattern, work)
      if (matches === null) return null
      for (const one of matches) found.push(one)
    }
    return joinedMatches(found.toSorted((a, b) => a.start - b.start))
  }
  return (text) => {
    if (patterns.length === 0 || text === "") return []
    const known = looked.get(text)
    if (known !== undefined) return known
    const matches = look(text)
    looked.set(text, matches)
    return matches
  }
}

function joinedMatches(matches: readonly PatternMatch[]): readonly PatternMatch[] {
  const whole: PatternMatch[] = []
  for (const match of matches) {
    const last = whole.at(-1)
    if (last === undefined || match.start > last.end) whole.push(match)
    else whole[whole.length - 1] = { start: last.start, end: Math.max(last.end, match.end) }
  }
  return whole
}

/** A text that looks like a mask of ours, changed so that nobody takes it for one. */
function unlikeMask(text: string, hidden: Hidden): string {
  if (!hasMask(text)) return text
  hidden.imitations += 1
  return text.replaceAll(/▒+/g, ({ length }) => (length === 1 ? "⟨U+2592⟩" : `⟨${length} × U+2592⟩`))
}
