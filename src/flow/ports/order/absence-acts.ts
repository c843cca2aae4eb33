// Absences, as people begin and end them: what is asked, what it comes to, and where the store keeps them.
import type { Absence, AbsenceRefusal } from "../../../domain/order/absence.ts"
import type { Orderer } from "../../../domain/people/orderer.ts"
import type { SlackId } from "../../../domain/people/person.ts"

export type { Absence }

/** What an absence came to. `away`: they are away already, by this absence. */
export type AbsenceBegun =
  | { readonly kind: "begun" | "away"; readonly absence: Absence }
  | { readonly kind: "refused"; readonly why: AbsenceRefusal }

/** Who ends an absence, and when (epoch ms). */
export interface AbsenceEnd {
  readonly by: Orderer
  readonly at: number
}

/** The absences in the record of the active config. Throws a `PortError` if Redis gives none that we believe. */
export interface AbsenceBook {
  /** Those in force or to come, as Redis has them now. */
  listAbsences(): Promise<readonly Absence[]>
  /** Begins an absence. Nobody judges here whether a rule lets the other person stand in. */
  beginAbsence(wanted: Omit<Absence, "id">): Promise<AbsenceBegun>
  /** Ends an absence, and returns it; null if there is none with this id. It can always be ended. */
  endAbsence(id: string, how: AbsenceEnd): Promise<Absence | null>
}

/** Who is away, who stands in, and until when. */
export interface AwayAsk {
  readonly person: SlackId
  readonly standIn: SlackId
  /** Epoch ms. */
  readonly until: number
}

/** Somebody who may stand in for a person, and the rules that say so. */
export interface PossibleStandIn {
  readonly id: SlackId
  readonly name: string
  readonly rules: readonly string[]
}

/**
 * What going away comes to. `begun`: under these rules the other person may vote meanwhile; `alsoAway`: until when that
 * person is away, too (epoch ms; absent: they are not). `nobody`: no rule lets that person stand in; `may`: whom rules
 * name.
 */
export type AwayOutcome =
  | { readonly kind: "begun"; readonly absence: Absence; readonly rules: readonly string[]; readonly alsoAway?: number }
  | AbsenceBegun
  | { readonly kind: "nobody"; readonly may: readonly PossibleStandIn[] }
  /** Redis is older than what we know: nobody may be let vote before an operator has looked (R17). */
  | { readonly kind: "rolled-back" }

/** What coming back comes to. `none`: there is no such absence, or no longer. */
export type BackOutcome =
  | { readonly kind: "ended"; readonly absence: Absence }
  | { readonly kind: "none" | "not-yours" }

/** What people may ask about absences. Each throws a `PortError` if Slack or Redis does not answer. */
export interface AbsenceActs {
  /** Begins this person's own absence. */
  away(ask: AwayAsk): Promise<AwayOutcome>
  /** Ends an absence: this person's own or, by its id, also one in which they stand in. */
  back(person: SlackId, absence: string | null): Promise<BackOutcome>
  /** Who may stand in for this person, by the rules in force. */
  mayStandIn(person: SlackId): Promise<readonly PossibleStandIn[]>
}
