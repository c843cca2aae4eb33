// The form that a vote needs: what the platform wants filled in, and the reason that the rules want.
import { demandNow } from "../domain/case.ts"
import { faceOf } from "../domain/face.ts"
import { asksForInput, type Inputs, inputsOf } from "../domain/inputs.ts"
import { type Verb, wantsReason } from "../domain/judge.ts"
import { readCase } from "./access.ts"
import type { VoteForm } from "./inbound.ts"
import type { Ports } from "./ports.ts"

const nothing: Inputs = { fields: [], result: [] }

/** The form for one vote on a case, or null if a press is enough. Canned reasons are offered for a rejection wherever a rule has some. */
export async function formFor(
  ports: Pick<Ports, "store" | "alarm" | "clock" | "policy">,
  caseId: string,
  verb: Verb,
  route: string,
): Promise<VoteForm | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || current.state !== "open" || current.approval === null) return null
  const { reasons: choices } = current.revision.look
  const required = wantsReason(demandNow(current, ports.policy).rules, verb)
  const inputs = verb === "approve" ? inputsOf(current.approval) : nothing
  const wanted = required || (verb === "reject" && choices.length > 0)
  if (!wanted && !asksForInput(inputs)) return null
  const earlier = current.votes.find((vote) => vote.verb === "approve")?.values ?? null
  return { face: faceOf(current, route), inputs, reason: wanted ? { required, choices } : null, earlier }
}
