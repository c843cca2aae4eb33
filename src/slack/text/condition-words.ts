// The condition of a rule in words: why the rule is asked, and what nobody can tell.
import { clip } from "../../blockkit/text.ts"
import type { WhenReading } from "../../domain/policy/when.ts"
import { code, type Line, listedUpTo, type Span, say, sentence } from "./spans.ts"

/** A condition is the operator's own words: all of them stand in the config. */
const conditionUnits = 200
const pathUnits = 60
const maxPaths = 3

/** What follows on who must agree; nothing for a rule without a condition. */
export function conditionWords(when: WhenReading | undefined): Line {
  if (when === undefined) return []
  const held = shortCode(when.text, conditionUnits)
  if (when.truth !== "unknown") return sentence`, because ${held} holds`
  return sentence`, because nobody can tell whether ${held} holds${doubtfulPaths(when.doubts)}`
}

/** What a form says before it is sent: whom a condition asks too that looks at what is filled in. */
export function conditionAhead({ text }: WhenReading, who: Line): Line {
  return sentence`If ${shortCode(text, conditionUnits)} holds with what you fill in: ${who}`
}

function doubtfulPaths(doubts: readonly string[]): Line {
  if (doubts.length === 0) return []
  const named = listedUpTo(
    doubts.map((path) => shortCode(path, pathUnits)),
    maxPaths,
  )
  return [say(" (see "), ...named, say(")")]
}

function shortCode(text: string, units: number): Span {
  const { text: shown, cut } = clip(text.replaceAll(/\s+/g, " ").trim(), units)
  return code(cut === 0 ? shown : `${shown}…`)
}
