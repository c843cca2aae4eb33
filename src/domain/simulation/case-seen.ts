// What we saw of a case while it waited, and who would be asked under other rules. From both we estimate its wait.
import type { Case } from "../case/case.ts"
import { type Identity, idsOf } from "../people/human.ts"
import { personKey, type SlackId } from "../people/person.ts"
import { quorumOf, type Verb } from "../policy/judge.ts"
import { type Rule, ruleHash } from "../rule/rule.ts"

/** Who has to decide a case: for each rule its people (`personKey`), and how many of them have to agree. */
export type AskedOfCase = readonly { readonly people: ReadonlySet<string>; readonly quorum: number }[]

/** What we saw of a case while it asked. Times are ms since it began to ask. */
export interface CourseSeen {
  /** When it began to ask, epoch ms. */
  readonly at: number
  /** Who voted, when, and whether the vote agrees with the verdict. */
  readonly votes: readonly { readonly person: string; readonly ms: number; readonly agrees: boolean }[]
  /** The verdict; an approval if there is none yet. */
  readonly verdict: Verb
  /** After how long it was decided; else how long it has waited, or had waited when it ended. */
  readonly ms: number
  /** False if it is still open, or if time or somebody elsewhere ended it. */
  readonly decided: boolean
}

/** What we saw of a case, the people that it asked, and those that it would ask under other rules. */
export interface CaseSeen extends CourseSeen {
  readonly before: ReadonlySet<string>
  readonly after: AskedOfCase
  /** Who may not approve it: the requester, if the rules say so. `all`: nobody may. */
  readonly barred: ReadonlySet<string> | "all"
}

/** What else is known about a case. */
export interface Seeing {
  /** The people that the case asked. */
  readonly before: ReadonlySet<string>
  /** The rules that would ask, and their people by `ruleHash`. */
  readonly rules: readonly Rule[]
  readonly people: ReadonlyMap<string, ReadonlySet<string>>
  /** The person that the requester's claim means; null: nobody knows. */
  readonly known: SlackId | null
  readonly identities: readonly Identity[]
  /** Epoch ms. */
  readonly now: number
}

/** What we saw of a case; null if nobody knows since when it asked, because it changed or began anew meanwhile. */
export function seenOf(current: Case, seeing: Seeing): CaseSeen | null {
  const { rules, people, known, before, now } = seeing
  const course = courseOf(current, now)
  if (course === null) return null
  const after = rules.map((rule) => {
    const quorum = quorumOf(rule, known === null ? "unknown" : "other")
    return { people: people.get(ruleHash(rule)) ?? new Set<string>(), quorum }
  })
  return { ...course, before, after, barred: barredBy(seeing) }
}

function courseOf(current: Case, now: number): CourseSeen | null {
  const { revision, ended, state, openedAt, votes } = current
  if (revision.number > 1 || ended.length > 0 || state === "frozen") return null
  const after = (at: number) => Math.max(0, at - openedAt)
  const { verdict, at, decided } = endSeen(current, now)
  const seen = votes.map((vote) => {
    return { person: personKey(vote.person), ms: after(vote.at), agrees: vote.verb === verdict }
  })
  return { at: openedAt, votes: seen, verdict, ms: after(at), decided }
}

interface End extends Pick<CourseSeen, "verdict" | "decided"> {
  /** Epoch ms. */
  readonly at: number
}

/** How a case ended, as far as we saw. A held rejection counts as a decision. */
function endSeen({ decision, votes, time, outcome }: Case, now: number): End {
  if (decision !== null && decision.by === undefined) return { verdict: decision.verb, at: decision.at, decided: true }
  const rejection = votes.find(({ verb }) => verb === "reject")
  if (rejection !== undefined) return { verdict: "reject", at: rejection.at, decided: true }
  return { verdict: "approve", at: Math.min(now, time.expired?.at ?? now, outcome?.at ?? now), decided: false }
}

/** Who may not approve, because they asked for it (R6). */
function barredBy({ rules, known, identities }: Seeing): CaseSeen["barred"] {
  const strict = rules.filter(({ forbidSelfApproval }) => forbidSelfApproval)
  if (known !== null) return new Set(strict.length === 0 ? [] : idsOf(known, identities).map(personKey))
  return strict.some(({ unknownRequester }) => unknownRequester === "refuse") ? "all" : new Set()
}
