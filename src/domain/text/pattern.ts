// Patterns: the regular expressions of rules, on an engine that takes linear time (R20). Only this file uses it.
import { createRequire } from "node:module"
import type * as Re2 from "re2js"

const load = createRequire(import.meta.url)

/** Loads the engine with the first pattern, like the parser of conditions (`src/domain/condition/syntax.ts`). */
function re2(): typeof Re2 {
  const found: typeof Re2 = load("re2js")
  return found
}

/** Where a pattern matches: from `start` until before `end`, in UTF-16 units. */
export interface PatternMatch {
  readonly start: number
  readonly end: number
}

/** How much matching may still cost, in steps of some 10 ns. */
export interface PatternWork {
  left: number
}

/** A pattern that costs more than this for each character makes others wait, even without hostile text. */
const largest = 1_000
/** What each look costs on top of that, in steps. */
const eachLook = 500
/** How many compiled patterns are kept. */
const maxKept = 500

const kept = new Map<string, Re2.RE2JS>()

/** Why a pattern cannot be used, and what to write instead, as the end of a sentence; null if it can. */
export function patternProblem(source: string): string | null {
  const { RE2JS, RE2JSException } = re2()
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    if (compiled.programSize() > largest) return "is too large: write + or * instead of large counts"
    return compiled.matches("")
      ? "matches where nothing stands: write + instead of *, and nothing optional alone"
      : null
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return outside.find(([part]) => source.includes(part))?.[1] ?? "is no pattern of RE2 (see docs/policy.md)"
  }
}

/** Parts of JavaScript's patterns that RE2 does not have, and what to use instead. */
const outside: readonly (readonly [string, string])[] = [
  ["(?=", "looks ahead, which takes more than linear time: match what follows too"],
  ["(?!", "looks ahead, which takes more than linear time: match what follows too"],
  ["(?<=", "looks behind, which takes more than linear time: match what stands before too"],
  ["(?<!", "looks behind, which takes more than linear time: match what stands before too"],
  [String.raw`\u`, String.raw`has \u, which RE2 does not know: write the character itself, or \x{00e9}`],
  [String.raw`\k`, String.raw`has \k, which takes more than linear time: repeat the part itself`],
]

/**
 * Every match of a pattern in a text, in any case and in order, without empty matches. Each search for the next match
 * may read to the end of the text, so we count that cost. Null once the allowed work is used up.
 */
export function matchesIn(text: string, source: string, work: PatternWork): readonly PatternMatch[] | null {
  const pattern = compiledOf(source)
  const size = pattern.programSize()
  const matcher = pattern.matcher(text)
  const found: PatternMatch[] = []
  for (let from = 0; from <= text.length; ) {
    work.left -= eachLook + (text.length - from) * size
    if (work.left < 0) return null
    if (!matcher.find()) break
    const [start, end] = [matcher.start(), matcher.end()]
    if (end > start) found.push({ start, end })
    from = Math.max(end, from + 1)
  }
  return found
}

function compiledOf(source: string): Re2.RE2JS {
  const known = kept.get(source)
  if (known !== undefined) return known
  const { RE2JS } = re2()
  const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  if (kept.size >= maxKept) kept.clear()
  kept.set(source, pattern)
  return pattern
}
