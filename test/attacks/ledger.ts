// What the ledger says of a seed in the end: nothing that a stop, an absence, broken glass or other rules do not allow.
import { caseIdOf } from "../../src/domain/case/case.ts"
import { builtInInstance } from "../../src/domain/rule/rules-change.ts"
import { oversightBreaches } from "../support/oversight-oracle.ts"
import type { Roles } from "../support/oversight-standing.ts"
import { type LedgerLine, stopBreaches } from "../support/stop-oracle.ts"
import type { Schedule } from "./schedule.ts"
import { changers, lastRevision, reviewers, rulesOf } from "./settings.ts"
import type { Stage } from "./stage.ts"
import { subjectOf } from "./stops.ts"

/** What the ledger tells that nobody lets happen. Nothing if somebody spoilt it: then it is evidence of nothing. */
export async function ledgerBreaches(stage: Stage): Promise<readonly string[]> {
  const { operator, asked, ordered, schedule } = stage
  if (ordered.matches.size === 0 && !schedule.overseen) return []
  if ((await operator.verifyLedger()).problem !== null) return []
  const lines: LedgerLine[] = []
  for await (const { entry } of operator.entries(0)) if (entry !== null) lines.push(entry)
  const subjects = new Map(asked.map((one) => [one.caseId, subjectOf(one)]))
  const caseOf = (proposal: string) => caseIdOf(stage.installation, builtInInstance, proposal)
  return [
    ...stopBreaches(lines, subjects, ordered.matches),
    ...(schedule.overseen ? oversightBreaches(lines, { roles: rolesIn(stage), caseOf, requesterOf: () => null }) : []),
  ]
}

/** Who may do what, by the revision of each config. */
function rolesIn({ schedule, hashes }: Pick<Stage, "schedule" | "hashes">): ReadonlyMap<string, Roles> {
  return new Map(hashes.slice(0, lastRevision).map((hash, at) => [hash, rolesOf(schedule, at + 1)]))
}

function rolesOf(schedule: Schedule, revision: number): Roles {
  const { people, quorum, standIns = [], breakers = [] } = rulesOf(schedule, revision)
  const keys = (those: readonly string[]) => those.map((user) => `T0SANDBOX:${user}`)
  return {
    approvers: keys(people),
    quorum,
    standIns: keys(standIns),
    breakers: keys(breakers),
    reviewers: keys(reviewers),
    changers: keys(changers),
  }
}
