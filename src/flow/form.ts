// The form that a vote needs: what the platform wants filled in, and the reason that the rules want.
import { type Case, demandNow } from "../domain/case/case.ts"
import { faceOf } from "../domain/case/card-model.ts"
import { asksForInput, type Inputs, inputsOf } from "../domain/content/inputs.ts"
import { type Verb, wantsReason } from "../domain/policy/judge.ts"
import { isOver } from "../domain/policy/timing.ts"
import { readCase } from "./access.ts"
import type { VoteForm } from "./inbound.ts"
import type { Ports } from "./ports.ts"
import type { Press } from "./press.ts"

type FormPorts = Pick<Ports, "store" | "alarm" | "clock" | "policy">

const nothing: Inputs = { fields: [], result: [] }

/** The form for one vote on a case, or null if a press is enough. Canned reasons are offered for a rejection wherever a rule has some. */
export async function formFor(ports: FormPorts, caseId: string, verb: Verb, route: string): Promise<VoteForm | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isAsked(current, ports.clock())) return null
  return formOf(ports, current, verb, route)
}

/** The form of a vote that was made by a button on a card or in Details, where it needs one; `current` is the case as it was read. */
export function neededForm(
  ports: Pick<Ports, "clock" | "policy">,
  press: Press,
  current: Case | "frozen" | null | undefined,
): VoteForm | null {
  const { verb, surface, target } = press
  if (verb === "withdraw" || surface === "form" || surface === "command" || surface === "home") return null
  if (current === undefined || current === null || current === "frozen" || !isAsked(current, ports.clock())) return null
  return formOf(ports, current, verb, target.route)
}

/** The form of a rejection, with room for a reason in any case; null for a case that is not open. */
export async function rejectionFor(ports: FormPorts, caseId: string, route: string): Promise<VoteForm | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isAsked(current, ports.clock())) return null
  const needed = formOf(ports, current, "reject", route)
  const reason = { required: false, choices: [] }
  return needed ?? { face: faceOf(current, route), inputs: nothing, reason, earlier: null }
}

/** Else the press is carried out as it is, which says why it does not count. */
function isAsked({ state, approval, time }: Case, now: number): boolean {
  return state === "open" && approval !== null && !isOver(time, now)
}

function formOf(ports: Pick<Ports, "policy">, current: Case, verb: Verb, route: string): VoteForm | null {
  const { reasons: choices } = current.revision.look
  const required = wantsReason(demandNow(current, ports.policy).rules, verb)
  const inputs = verb === "approve" && current.approval !== null ? inputsOf(current.approval) : nothing
  const wanted = required || (verb === "reject" && choices.length > 0)
  if (!wanted && !asksForInput(inputs)) return null
  const earlier = current.votes.find((vote) => vote.verb === "approve")?.values ?? null
  return { face: faceOf(current, route), inputs, reason: wanted ? { required, choices } : null, earlier }
}
