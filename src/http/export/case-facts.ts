// What lines of CSV tell of a case beside what an entry says: what was asked, by whom, under which rules.
import type { Case } from "../../domain/case/case.ts"
import { personKey } from "../../domain/people/person.ts"
import { seenContentOf } from "../../domain/simulation/kept-content.ts"
import type { Reading, Tampered } from "../../flow/ports.ts"
import type { CardWords } from "../card-words.ts"
import { tellCase } from "../reading/telling.ts"

/** The facts of a case; null, or empty, where its record is gone or was not written by us. */
export interface CaseFacts {
  /** What was asked, in a sentence. */
  readonly asked: string | null
  readonly tool: string | null
  readonly agent: string | null
  readonly requester: string | null
  /** The names of those who voted, by `team:user`. */
  readonly names: ReadonlyMap<string, string>
  /** The rules that its votes count under, or that ask while there is none. */
  readonly rules: readonly string[]
  readonly content: KeptWord
}

/** What is kept of a case. `removed`: not even its record; `not ours`: somebody else wrote the record. */
export type KeptWord = "whole" | "masked" | "erased" | "removed" | "not ours"

const words = { masked: "masked", "not-kept": "erased" } as const

/** The facts of a case as it is now. */
export function factsOf(found: Case | Tampered | null, cardWords: Pick<CardWords, "subject">): CaseFacts {
  if (found === null) return { ...nothing, content: "removed" }
  if ("kind" in found) return { ...nothing, content: "not ours" }
  const { tool, agent, requester, votes, rules } = tellCase(found, () => null)
  const { lacks } = seenContentOf(found)
  const voted = (found.decision?.votes ?? found.votes).map(({ person, name }) => [personKey(person), name] as const)
  const under = votes.flatMap((vote) => vote.rules)
  return {
    asked: cardWords
      .subject(found)
      .map(({ text }) => text)
      .join(""),
    tool,
    agent,
    requester,
    names: new Map(voted),
    rules: [...new Set(under.length > 0 ? under : rules.map(({ name }) => name))],
    content: lacks === null ? "whole" : words[lacks],
  }
}

const nothing = { asked: null, tool: null, agent: null, requester: null, names: new Map<string, string>(), rules: [] }

/** How many cases are remembered: entries of a case stand near each other. */
const maxRemembered = 1_000

/** Makes what reads the cases behind entries, and remembers what `of` makes of the last ones. Throws `StoreError`. */
export function createCaseMemory<Kept>(
  reading: Pick<Reading, "case">,
  of: (found: Case | Tampered | null) => Kept,
): (caseId: string) => Promise<Kept> {
  const known = new Map<string, Kept>()
  return async (caseId) => {
    const kept = known.get(caseId) ?? of(await reading.case(caseId))
    // The case that was asked for last is the last one to be forgotten.
    known.delete(caseId)
    known.set(caseId, kept)
    const [oldest] = known.keys()
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    return kept
  }
}
