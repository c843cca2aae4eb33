// What the ledger's entries up to one make of oversight: who may do what, who is away, and whose votes count.
import type { LedgerLine } from "./stop-oracle.ts"

/** Who may do what under one config. People are `team:user`. */
export interface Roles {
  readonly approvers: readonly string[]
  readonly quorum: number
  readonly standIns: readonly string[]
  readonly breakers: readonly string[]
  readonly reviewers: readonly string[]
  /** Who approves another config, two of them. */
  readonly changers: readonly string[]
}

/** So many approve another config. */
export const changeQuorum = 2

/** One absence: `standIn` may vote for `person` in this time, epoch ms. */
export interface Away {
  readonly person: string
  readonly standIn: string
  readonly from: number
  readonly until: number
}

/** What the oracle is told beside the ledger. */
export interface Told {
  /** By the revision of the config. */
  readonly roles: ReadonlyMap<string, Roles>
  /** The case of a proposal, by the proposal's id. */
  readonly caseOf: (proposal: string) => string
  /** Who asked for a case, as `team:user`; null: nobody knows. */
  readonly requesterOf: (caseId: string) => string | null
  /** Absences whose entries Redis may have lost, by their ids. */
  readonly absences?: ReadonlyMap<string, Away>
}

/** A vote that counts. */
export interface Counted {
  readonly verb: string
  /** For whom it is. */
  readonly for: readonly string[]
  readonly glass: boolean
  readonly calledBack: boolean
}

/** What the entries up to one make of all. */
export interface Standing {
  readonly told: Told
  /** Null before the first config is active. */
  roles: Roles | null
  revision: string | null
  /** True once Redis lost its end: what it lost is told nowhere. */
  lost: boolean
  readonly absences: Map<string, Away>
  /** The votes that count, by chain and person. */
  readonly votes: Map<string, Map<string, Counted>>
  /** The chains of the cases that are proposals of another config. */
  readonly proposals: Set<string>
  /** Chains in which others may decide as well, since nobody did in time. */
  readonly escalated: Set<string>
}

/** Says what of an entry may not be; called before the entry itself has its effect. */
export type Follow = (line: LedgerLine, next: LedgerLine | undefined) => readonly string[]

/** The people whom an entry names. */
export function peopleIn(event: LedgerLine["event"]): readonly string[] {
  return (event["people"] ?? []) as readonly string[]
}

/** The votes of a chain that count. */
export function votesOn({ votes }: Standing, chain: string): ReadonlyMap<string, Counted> {
  return votes.get(chain) ?? new Map()
}
