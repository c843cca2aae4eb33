// What a case asks for, in the words of its card. Adapters do not know each other, so these words are handed in.
import type { Case } from "../domain/case/case.ts"

/** A part of a line. `literal`: what an agent or a platform wrote; `strong`: a name, or words that stand out. */
export interface LinePart {
  readonly text: string
  readonly style: "plain" | "strong" | "literal"
}

/** One line of words. */
export type WordsLine = readonly LinePart[]

/** One call: its label, and all that it says, as words with literal text below them (null: none). */
export interface CallWords {
  readonly label: WordsLine
  readonly passages: readonly { readonly words: WordsLine; readonly literal: string | null }[]
}

/** Tells what a case asks for, and masks what its rules mask. */
export interface CardWords {
  /** Who wants to do what, in one sentence. */
  headline(found: Case): WordsLine
  /** What the case is about, without who asks. */
  subject(found: Case): WordsLine
  /** All calls with their arguments; empty once the content is gone. */
  calls(found: Case): readonly CallWords[]
  /** The names of what changed when the content last changed; known only while people are asked. */
  changed(found: Case): readonly string[]
}
