// What a case's record keeps of a counterproposal: of its own, once it is sent back, and of one that it answers.
import { z } from "zod"
import { number, object, text } from "../../content/record/values.ts"

/** The schema of `SentBackNote`. */
export const sentBackSchema = z.object({
  /** `sessionKey` of the session in which the agent may ask anew. */
  session: text,
  /** The calls, by their place among the open ones, that another case has answered. */
  answered: z.array(number),
})

/** The schema of `AnsweredCall`. */
export const answeredCallSchema = z.object({
  /** The place of the call among the open ones of the case that answers. */
  call: number,
  /** The arguments that were proposed: those of the call that was sent back, with the changes. */
  expected: object,
  /** The names of arguments that nobody can compare, because rules mask them. */
  masked: z.array(text),
  /** The names of arguments that the proposal changes. */
  changed: z.array(text),
})

/** The schema of `EarlierProposal`. */
export const earlierProposalSchema = z.object({
  /** The place of the call that the values are for, among the open ones of the case. */
  call: number,
  /** Who proposed them, as `team:user`. */
  by: text,
  /** Empty once the content is erased. */
  values: object,
})

/** The schema of `CounterproposalAnswer`. */
export const counterproposalAnswerSchema = z.object({
  /** The case that was sent back. */
  case: text,
  /** Who proposed, as `team:user`, and the rules under which they rejected. */
  by: text,
  rules: z.array(text),
  /** When, epoch ms. */
  at: number,
  /** Set if the call comes from another run of the session. */
  otherRun: z.literal(true).exactOptional(),
  /** Empty once the content is erased. */
  calls: z.array(answeredCallSchema),
  /** What was proposed before that, for calls that were sent back in turn. */
  earlier: z.array(earlierProposalSchema).exactOptional(),
})
