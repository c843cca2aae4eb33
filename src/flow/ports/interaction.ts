// One person's act on a surface: who, about what, where and when. `slack/` makes it; a ticket keeps it.
import type { z } from "zod"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import type { EditableCall } from "../../domain/send-back/editable.ts"
import type {
  answerInteractionSchema,
  askAgainInteractionSchema,
  askInteractionSchema,
  interactionPlaceSchema,
  replyToSchema,
  reviewInteractionSchema,
  targetSchema,
  voteInteractionSchema,
  withdrawInteractionSchema,
} from "./record/port-records.ts"

/** What a button or view claims to be about (R18); we check it against the record. */
export interface Target extends Frozen<z.infer<typeof targetSchema>> {}

/** Where the act was made: on the message of a card, or in a view that we opened. */
export type InteractionPlace = Frozen<z.infer<typeof interactionPlaceSchema>>

/** How we can answer a person privately. */
export type ReplyTo = Frozen<z.infer<typeof replyToSchema>>

/** A vote as Slack delivers it. */
export interface VoteInteraction extends Frozen<z.infer<typeof voteInteractionSchema>> {}

/** A voter's act of taking their vote back. */
export interface WithdrawInteraction extends Frozen<z.infer<typeof withdrawInteractionSchema>> {}

/** What a reviewer says of broken glass. */
export interface ReviewInteraction extends Frozen<z.infer<typeof reviewInteractionSchema>> {}

/** A question about a case, or the press that asks for its form. */
export interface AskInteraction extends Frozen<z.infer<typeof askInteractionSchema>> {}

/** The answer to a question, or the press that asks for its form. */
export interface AnswerInteraction extends Frozen<z.infer<typeof answerInteractionSchema>> {}

/** An approver's act of ending a rejection that lasts. */
export interface AskAgainInteraction extends Frozen<z.infer<typeof askAgainInteractionSchema>> {}

/** A vote, or the press that asks for the form of one. A press on a Home has no place. */
export interface Press extends Omit<VoteInteraction, "on" | "replyTo"> {
  readonly on: InteractionPlace | null
  /** Set for a press that is to open the form: what the form asks for is still to come. */
  readonly forForm?: true
}

/** What kind of vote it is, if it is no plain one: a call-back, by breaking glass, or one that sends the case back. */
export type Manner = Pick<VoteInteraction, "calledBack" | "glass" | "sendBack">

/** The manner of an act, and nothing else of it. */
export function mannerOf({ calledBack, glass, sendBack }: Manner): Manner {
  return { ...(calledBack && { calledBack }), ...(glass && { glass }), ...(sendBack && { sendBack }) }
}

/** What a form to send back asks: what becomes of each call, and what its arguments should be. */
export interface SendBackForm {
  readonly calls: readonly EditableCall[]
  /** Why no model hears of it; null if one does. */
  readonly unheard: "not-continued" | "agno-slack" | "workflow" | "held" | null
}

/** An act that a ticket keeps. */
export type Interaction =
  | VoteInteraction
  | WithdrawInteraction
  | ReviewInteraction
  | AskInteraction
  | AnswerInteraction
  | AskAgainInteraction
