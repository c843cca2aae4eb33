// Compares what the rules in force say of cases with whom these cases asked: so one sees how far a replay can be
// trusted.
import type { Case } from "../case/case.ts"
import { demandHash, demandOf, type Policy } from "../policy/policy.ts"
import type { KeptContent } from "./kept-content.ts"

/** Why a case is not compared: a field is masked or gone, other rules judged it last, or its record cannot be read. */
export interface NotCompared {
  readonly masked: number
  readonly notKept: number
  readonly otherRules: number
  readonly unreadable: number
}

/** How often the rules in force ask whom a case asked. */
export interface Reproduced {
  readonly same: number
  readonly different: number
  /** The ids of cases that asked others: the first of them. */
  readonly named: readonly string[]
  readonly notCompared: NotCompared
}

/** Takes cases, and counts. */
export interface Reproduction {
  take(current: Case, content: KeptContent): void
  unreadable(): void
  report(): Reproduced
}

/** So many that differ are named. */
const maxNamed = 1_000

/** Makes it for the rules in force. */
export function createReproduction(inForce: Policy): Reproduction {
  const counts = { same: 0, different: 0 }
  const named: string[] = []
  const notCompared = { masked: 0, notKept: 0, otherRules: 0, unreadable: 0 }
  return {
    take: (current, content) => {
      const cause = causeOf(current, content, inForce)
      if (cause !== null) {
        notCompared[cause] += 1
        return
      }
      const same = asksTheSame(current, content, inForce)
      counts[same ? "same" : "different"] += 1
      if (!same && named.length < maxNamed) named.push(current.id)
    },
    unreadable: () => void (notCompared.unreadable += 1),
    report: () => ({ ...counts, named, notCompared }),
  }
}

function causeOf({ revision, state }: Case, { lacks }: KeptContent, inForce: Policy): keyof NotCompared | null {
  // Nobody knows what was judged last of a record that contradicts itself.
  if (state === "frozen") return "unreadable"
  if (revision.policy !== inForce.revision) return "otherRules"
  switch (lacks) {
    case "masked":
      return "masked"
    case "not-kept":
      return "notKept"
    case null:
      return null
  }
}

/** The hash covers each rule with its approvers and its quorum. */
function asksTheSame({ revision }: Case, { approval }: KeptContent, { rules }: Policy): boolean {
  return demandHash(demandOf(approval, rules, revision)) === revision.demand
}
