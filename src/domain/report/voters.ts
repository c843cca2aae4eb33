// Counts votes by person: how often each of them voted, and how long it took them.
import { type TellingEvent, wordIn } from "./course.ts"
import { ranksOf, type Times } from "./tally.ts"

/** The entry of a vote: the chain of its case, and its place in that chain, from 1. */
export interface VotePlace {
  readonly chain: string
  readonly n: number
}

/** What one person did in a range. */
export interface CountedVoter {
  /** `team:user`. */
  readonly person: string
  readonly approved: number
  readonly rejected: number
  readonly calledBack: number
  /** How many of their votes they took back. */
  readonly withdrawn: number
  /** How long they took, from when people were asked about what they voted on. */
  readonly time: Times
  /** Their newest vote in the whole ledger: its record tells their name, unless that was erased. */
  readonly newest: VotePlace
}

interface Voter {
  approved: number
  rejected: number
  calledBack: number
  withdrawn: number
  readonly times: number[]
}

/** Takes votes, and counts. */
export function createVoters() {
  const voters = new Map<string, Voter>()
  const newest = new Map<string, VotePlace>()
  const voterOf = (person: string): Voter => {
    const known = voters.get(person)
    if (known !== undefined) return known
    const voter = { approved: 0, rejected: 0, calledBack: 0, withdrawn: 0, times: [] }
    voters.set(person, voter)
    return voter
  }
  return {
    /** Takes any vote of the ledger, in order. */
    see: (event: TellingEvent, place: VotePlace): void => {
      const person = wordIn(event["person"])
      if (person !== null) newest.set(person, place)
    },
    /** Takes a vote of the range. `ms`: how long its person took. */
    voted: (event: TellingEvent, ms: number): void => {
      const voter = voterOf(wordIn(event["person"]) ?? "")
      voter[verbOf(event)] += 1
      voter.times.push(Math.max(0, ms))
    },
    /** Takes a vote that was taken back in the range. */
    withdrawn: (event: TellingEvent): void => {
      voterOf(wordIn(event["person"]) ?? "").withdrawn += 1
    },
    /** Most votes first, then by id. */
    counted: (): readonly CountedVoter[] =>
      [...voters]
        .map(([person, { times, ...counts }]) => {
          return { person, ...counts, time: ranksOf(times), newest: newest.get(person) ?? { chain: "", n: 0 } }
        })
        .toSorted((a, b) => b.time.count - a.time.count || (a.person < b.person ? -1 : 1)),
  }
}

function verbOf({ kind, verb }: TellingEvent): "approved" | "rejected" | "calledBack" {
  if (kind === "called-back") return "calledBack"
  return verb === "approve" ? "approved" : "rejected"
}
