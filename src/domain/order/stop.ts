// A stop: while it is in force, nothing that it covers is approved or let run (R21). Says which cases it covers.
import { type Approval, ruledCalls } from "../content/approval.ts"
import type { Orderer } from "../people/orderer.ts"
import { matchFields } from "../policy/policy.ts"
import type { Match } from "../rule/rule.ts"
import { builtInInstance } from "../rule/rules-change.ts"

/** The words of a stop, in the order in which we say them. */
export const stopWords = ["instance", "agent", "team", "workflow", "tool"] as const

/** What a stop covers: calls for which all these words hold, as in the `match` of a rule. Empty: everything. */
export type StopMatch = Pick<Match, (typeof stopWords)[number]>

/** One stop in force. */
export interface Stop {
  readonly id: string
  readonly match: StopMatch
  readonly by: Orderer
  /** Why, in their words. */
  readonly reason: string
  /** When, epoch ms. */
  readonly at: number
  /** When it ends by itself, epoch ms; null: never. */
  readonly until: number | null
}

/** A stop that ended a short while ago. Who pressed before its end approves nothing that it covered. */
export interface EndedStop extends Pick<Stop, "id" | "match"> {
  /** Epoch ms. */
  readonly endedAt: number
}

/** For how long we remember a stop that ended, in ms: no press counts that is older (R11). */
export const endedKnownMs = 600_000

/** The most stops at once. */
export const maxStops = 50

/** How a stop covers a case: for certain, or only because the platform left a field null. */
export type StopCover = "certain" | "perhaps"

/** What a stop looks at of a case. The content may be gone. */
export interface Stoppable {
  readonly instance: string
  readonly approval: Approval | null
}

/**
 * How a stop covers a case; null if it does not. All words have to hold for one call, and one such call is enough. A
 * field that is null counts as matched, and so do all fields but the instance if the content is gone.
 */
export function coverOf({ match }: Pick<Stop, "match">, { instance, approval }: Stoppable): StopCover | null {
  if (instance === builtInInstance) return null
  if (approval === null) return match.instance === undefined || match.instance.includes(instance) ? "perhaps" : null
  const covers = ruledCalls(approval).flatMap((call) => {
    const verdicts = matchFields({ match }, approval, call).map(({ verdict }) => verdict)
    if (verdicts.includes("no")) return []
    return verdicts.includes("possible") ? ["perhaps" as const] : ["certain" as const]
  })
  return covers.includes("certain") ? "certain" : (covers[0] ?? null)
}

/** True if both stop the same calls. */
export function isSameMatch(one: StopMatch, other: StopMatch): boolean {
  return stopWords.every((word) => wordsOf(one, word).join("\n") === wordsOf(other, word).join("\n"))
}

function wordsOf(match: StopMatch, word: keyof StopMatch): readonly string[] {
  return [...new Set(match[word] ?? [])].toSorted()
}

/** What a stop covers as it is typed: `everything`, or `agent:billing tool:refund_*`. */
export function wordsOfStop(match: StopMatch): string {
  const words = stopWords.flatMap((word) => (match[word] ?? []).map((value) => `${word}:${value}`))
  return words.length === 0 ? "everything" : words.join(" ")
}

/** What to type to stop whoever asks for this: its agent, else its team. Null if nobody can type either. */
export function agentWords(approval: Approval | null): string | null {
  if (approval === null) return null
  const agents = [...ruledCalls(approval).map(({ agentId }) => agentId), approval.agentId]
  const named = [...agents.map((name) => ["agent", name] as const), ["team", approval.teamId] as const]
  const found = named.find(([, name]) => name !== null && name !== "" && !/\s/u.test(name))
  return found === undefined ? null : found.join(":")
}
