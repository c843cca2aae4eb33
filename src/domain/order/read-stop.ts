// Reads a stop as people type it: `agent:billing for:2h runaway refunds`. Words come first, the rest is the reason.
import leven from "leven"
import { hasVisibleText } from "../content/visible-text.ts"
import { type StopMatch, stopWords } from "./stop.ts"

/** A stop as it was typed. */
export interface TypedStop {
  readonly match: StopMatch
  readonly reason: string
  /** For how long, in ms; null: until somebody ends it. */
  readonly forMs: number | null
}

/**
 * What was typed, or why nothing is stopped. `no-words`: it does not say what to stop. `unknown-word`: `likely` is what
 * they may have meant. `not-alone`: `everything` beside other words. `two-times`: it says twice for how long.
 */
export type StopRead =
  | { readonly kind: "stop"; readonly stop: TypedStop }
  | { readonly kind: "no-words" | "no-reason" | "long-reason" | "not-alone" | "two-times" }
  | { readonly kind: "unknown-word"; readonly word: string; readonly likely: string }
  | { readonly kind: "no-value" | "long-value" | "bad-time"; readonly word: string }

/** The longest value of a word, and the longest reason, in characters. */
export const maxValue = 300
export const maxReason = 1_000

/** The word of a stop that covers all. */
export const everything = "everything"
const keyed = /^([^\s:]+):(.*)$/su
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const maxForMs = 180 * 86_400_000

/** Reads a stop. */
export function readStop(typed: readonly string[]): StopRead {
  const match: { -readonly [Word in keyof StopMatch]: StopMatch[Word] } = {}
  let forMs: number | null = null
  let all = false
  let at = 0
  for (const token of typed) {
    const [, key, value = ""] = keyed.exec(token) ?? []
    if (key === undefined && token !== everything) break
    at += 1
    if (key === undefined) all = true
    else if (key === "for") {
      if (forMs !== null) return { kind: "two-times" }
      forMs = durationIn(value)
      if (forMs === null) return { kind: "bad-time", word: token }
    } else {
      const word = stopWords.find((one) => one === key)
      if (word === undefined) return { kind: "unknown-word", word: token, likely: `${likelyKey(key)}:${value}` }
      if (!hasVisibleText(value)) return { kind: "no-value", word: token }
      if (value.length > maxValue) return { kind: "long-value", word: token }
      match[word] = [...(match[word] ?? []), value]
    }
  }
  const reason = typed.slice(at).join(" ")
  const named = Object.keys(match).length > 0
  if (!named && !all) return unknownIn(typed.slice(at))
  if (named && all) return { kind: "not-alone" }
  const flaw = flawOfReason(reason)
  return flaw === null ? { kind: "stop", stop: { match, reason, forMs } } : { kind: flaw }
}

/** Why a text is no reason; null if it is one. */
export function flawOfReason(reason: string): "no-reason" | "long-reason" | null {
  if (!hasVisibleText(reason)) return "no-reason"
  return reason.length > maxReason ? "long-reason" : null
}

/** A first word that is almost `everything` was meant so. */
function unknownIn([word = ""]: readonly string[]): StopRead {
  const near = word.length > 5 && leven(word.toLowerCase(), everything) <= 3
  return near ? { kind: "unknown-word", word, likely: everything } : { kind: "no-words" }
}

function likelyKey(key: string): string {
  const steps = (word: string) => leven(key.slice(0, 40).toLowerCase(), word)
  return [...stopWords, "for"].reduce((best, word) => (steps(word) < steps(best) ? word : best))
}

function durationIn(text: string): number | null {
  const [, count, unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitsMs[unit] ?? Number.NaN)
  return ms <= maxForMs ? ms : null
}

/** The most names that an answer offers in the place of one that nobody knows. */
const maxNearest = 3

/** The names that are most like this one, the nearest first. */
export function nearestTo(value: string, names: readonly string[]): readonly string[] {
  const typed = value.slice(0, 80).toLowerCase()
  const stepsTo = (name: string) => leven(typed, name.slice(0, 80).toLowerCase())
  const holds = (name: string) => (name.toLowerCase().includes(typed) ? 0 : 1)
  return names
    .map((name) => ({ name, at: [holds(name), stepsTo(name)] as const }))
    .toSorted((one, other) => one.at[0] - other.at[0] || one.at[1] - other.at[1])
    .slice(0, maxNearest)
    .map(({ name }) => name)
}
