// Messages about orders: which were sent. So each is sent by one replica, and by another one if that one died.
import type { Absence } from "./absence-acts.ts"

/** Who sends a message. `busy`: another process does just now, or died a short while ago. `told`: it was sent. */
export type TellingTurn = "yours" | "busy" | "told"

/** The people of an absence, as far as we tell them of its end. */
export type NotedAbsence = Pick<Absence, "id" | "person" | "standIn">

/** Which messages about orders were sent. It grants nothing. Throws a `PortError` if Redis does not answer. */
export interface ToldOrders {
  /** Asks for the turn to send a message now (epoch ms). Whoever gets it has half a minute; then somebody else may. */
  claim(message: string, at: number): Promise<TellingTurn>
  /** A message was sent, or nobody takes it. */
  done(message: string): Promise<void>
  /** Notes an absence before anybody is told of it, so that people are told of its end, too. */
  note(absence: NotedAbsence): Promise<void>
  /** The absences that were noted. What is not ours counts as not noted. */
  noted(): Promise<readonly NotedAbsence[]>
  /** Forgets a noted absence, and messages that nobody will send any more. */
  forget(absence: string, messages: readonly string[]): Promise<void>
}

/** What the people of an absence are told. `rules`: under which the other person may vote as we tell it. */
export type AbsenceNews =
  | { readonly kind: "begun"; readonly absence: Absence; readonly rules: readonly string[] }
  | { readonly kind: "over"; readonly absence: NotedAbsence }
