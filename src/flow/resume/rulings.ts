// What people decided about the calls of one case, and what the model reads of it.
import { repeatNote } from "../../domain/again/repeat-note.ts"
import type { Ruling } from "../../domain/case/ruling.ts"
import type { Decision, RepeatDecision, Vote } from "../../domain/case/vote.ts"
import { type Approval, type Call, openGatedCalls } from "../../domain/content/approval.ts"
import { counterproposalIn } from "../../domain/send-back/counterproposal.ts"
import { refusalNote } from "../../domain/send-back/refusal-note.ts"

/** A decision, or the votes that would make one. */
export type RuledBy =
  | RepeatDecision
  | (Pick<Exclude<Decision, RepeatDecision>, "verb" | "votes"> & { readonly by?: "expiry" })

/** The rulings on the open calls. `mayAskAgain`: true if people would be asked about a second call like this one. */
export function rulingsOf(
  approval: Approval,
  decision: RuledBy,
  mayAskAgain: (call: Call) => boolean,
): readonly Ruling[] {
  const { verb, votes } = decision
  const last = votes.at(-1)
  const filled = last?.values ?? null
  const sentBack = verb === "reject" ? counterproposalIn(filled) : null
  return openGatedCalls(approval).map((call, at) => {
    const proposed = sentBack?.calls[at]
    const said = { note: last?.reason ?? null, mayAskAgain: mayAskAgain(call) }
    const plain = decision.by === "again" ? repeatNote(decision) : plainNote(last)
    return { call, verb, filled, note: proposed === undefined ? plain : refusalNote({ proposed, ...said }) }
  })
}

function plainNote(vote: Vote | undefined): string {
  const said = vote?.calledBack === true ? "Whoever asked for this call called it back" : "A human rejected this call"
  const reason = vote?.reason ?? null
  return reason === null ? `${said}.` : `${said}: ${reason}`
}
