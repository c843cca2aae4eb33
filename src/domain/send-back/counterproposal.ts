// A counterproposal: what whoever sends a case back wants instead of its calls. It is part of a rejection, and decides
// nothing: the agent has to ask anew, and people vote on that (docs/decisions/0006-no-approve-with-edits.md).
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"

/** What becomes of one call: it is asked again as it is, asked again with changes, or not asked again. */
export type CallChoice = "as-is" | "changed" | "not-at-all"

/** What is proposed instead of one call. */
export interface ProposedCall {
  /** The id of the call; null if the platform gives none. */
  readonly call: string | null
  readonly tool: string | null
  readonly choice: CallChoice
  /** The arguments that are to change, with their new values. Empty unless the choice is `changed`. */
  readonly args: JsonObject
}

/**
 * What is proposed instead of the calls of a case, in their order. It stands as `proposal` in what a vote filled in.
 */
export interface Counterproposal {
  readonly calls: readonly ProposedCall[]
}

/** The longest counterproposal, as JSON, in bytes: platforms keep it in the approval's record. */
export const longestCounterproposal = 16_000

/** What a vote fills in: `{proposal}`. */
export function filledWith({ calls }: Counterproposal): JsonObject {
  return { proposal: { calls: calls.map((one) => ({ ...one })) } }
}

/** The counterproposal in what a vote filled in; null if there is none, or if it is not written as we write it. */
export function counterproposalIn(filled: JsonObject | null): Counterproposal | null {
  const proposal = filled?.["proposal"]
  if (!isJsonObject(proposal) || !isJsonArray(proposal["calls"])) return null
  const calls = proposal["calls"].map(proposedCall)
  return calls.every((one) => one !== null) ? { calls } : null
}

function proposedCall(value: Json): ProposedCall | null {
  if (!isJsonObject(value)) return null
  const { call = null, tool = null, choice, args } = value
  const named = isTextOrNull(call) && isTextOrNull(tool)
  return named && isChoice(choice) && isJsonObject(args) ? { call, tool, choice, args } : null
}

function isTextOrNull(value: Json): value is string | null {
  return value === null || typeof value === "string"
}

function isChoice(value: Json | undefined): value is CallChoice {
  return value === "as-is" || value === "changed" || value === "not-at-all"
}
