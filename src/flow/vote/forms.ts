// The forms of votes: what has to be filled in, and whether a press alone is enough.
import { lastingMs } from "../../domain/again/lasting.ts"
import { cardModelOf } from "../../domain/case/card-model.ts"
import { type Case, demandNow } from "../../domain/case/case.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { asksForInput, type Inputs, inputsOf } from "../../domain/content/inputs.ts"
import { leftToAgnoSlack } from "../../domain/content/run.ts"
import { workflowOf } from "../../domain/content/surroundings.ts"
import { type Verb, wantsReason } from "../../domain/policy/judge.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { editableCalls } from "../../domain/send-back/editable.ts"
import { maskText } from "../../domain/text/mask.ts"
import { readCase } from "../case/commit.ts"
import type { VoteForm } from "../ports/inbound.ts"
import type { Interaction, Manner, Press, SendBackForm } from "../ports/interaction.ts"
import type { Ports, TakenBefore } from "../ports.ts"

/** What forms need. */
export type FormPorts = Pick<Ports, "store" | "alarm" | "clock" | "policy" | "conduct">

const nothing: Inputs = { fields: [], result: [] }

/** What somebody wants to do by a form. */
type Wish = Pick<Press, "verb"> & Manner

/**
 * The form for one act; null if the case is not open, or if it takes no form. A rejection by a form always has a field
 * for a reason.
 */
export async function formFor(
  ports: FormPorts,
  { caseId, route }: Pick<Press["target"], "caseId" | "route">,
  wish: Wish,
): Promise<VoteForm | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isAsked(current, ports.clock())) return null
  const pressed = wish.verb === "approve" && wish.glass === undefined
  return pressed ? formOf(ports, current, wish.verb, route) : askedForm(ports, current, wish, route)
}

/** True if a vote by a button on a card or in Details needs a form. `current` is the case as we read it. */
export function needsForm(
  ports: Pick<Ports, "clock" | "policy">,
  { verb, surface, target }: Pick<Interaction, "verb" | "surface" | "target">,
  current: TakenBefore["read"],
): boolean {
  if (!isVote(verb)) return false
  if (surface === "form" || surface === "command" || surface === "home") return false
  if (!current || "kind" in current || !isAsked(current, ports.clock())) return false
  return formOf(ports, current, verb, target.route) !== null
}

/** The form that somebody asked for: what the vote needs, or just a field for a reason. */
export function askedForm(
  ports: Pick<Ports, "policy" | "conduct">,
  current: Case,
  { verb, calledBack, glass, sendBack }: Wish,
  route: string,
): VoteForm {
  if (glass === true) return breakingForm(current, route)
  const reason = { required: false, choices: [] }
  const plain = { model: cardModelOf(current, route), inputs: nothing, reason, earlier: null }
  const made: VoteForm = (calledBack === true ? null : formOf(ports, current, verb, route)) ?? plain
  // A call that is sent back is asked again, so its rejection never lasts.
  const { lastingMs: _never, ...form } = made
  if (sendBack !== true) return made
  return { ...form, reason: form.reason ?? reason, sendBack: sendBackForm(ports, current) }
}

/** True if we may show a form. If not, we carry the interaction out: its answer says why it does not count. */
function isAsked({ state, approval, time }: Case, now: number): boolean {
  return state === "open" && approval !== null && !isOver(time, now)
}

function formOf(ports: Pick<Ports, "policy">, current: Case, verb: Verb, route: string): VoteForm | null {
  const { reasons: choices } = current.revision.look
  const { rules } = demandNow(current, ports.policy)
  const required = wantsReason(rules, verb)
  const inputs = verb === "approve" && current.approval !== null ? inputsOf(current.approval) : nothing
  const wanted = required || (verb === "reject" && choices.length > 0)
  const lasts = verb === "reject" ? lastingMs(rules) : null
  if (!wanted && lasts === null && !asksForInput(inputs)) return null
  const earlier = current.votes.find((vote) => vote.verb === "approve")?.values ?? null
  const reason = wanted || lasts !== null ? { required, choices } : null
  const form = { model: cardModelOf(current, route), inputs, reason, earlier }
  return lasts === null ? form : { ...form, lastingMs: lasts }
}

function breakingForm(current: Case, route: string): VoteForm {
  const inputs = current.approval === null ? nothing : inputsOf(current.approval)
  const earlier = current.votes.find((vote) => vote.verb === "approve")?.values ?? null
  const reason = { required: true, choices: [] }
  return { model: cardModelOf(current, route), inputs, reason, earlier, glass: wordToType(current) }
}

/** What is typed to break the glass: the tool of a single call if people can read and type its name, else the id. */
function wordToType({ id, approval, revision }: Case): NonNullable<VoteForm["glass"]> {
  const calls = approval === null ? [] : openGatedCalls(approval)
  const tool = calls.length === 1 ? (calls[0]?.tool ?? "") : ""
  const legible = /^[!-~]{1,200}$/.test(tool) && maskText(tool, revision.look.mask) === tool
  return legible ? { word: tool, names: "tool" } : { word: id, names: "case" }
}

function sendBackForm(ports: Pick<Ports, "conduct">, current: Case): SendBackForm {
  const { approval, revision } = current
  const calls = approval === null ? [] : editableCalls(approval, revision.look.mask)
  return { calls, unheard: unheardWhy(ports, current) }
}

/** Why no model hears of a proposal; null if one does. Only who continues the run can tell the model. */
function unheardWhy({ conduct }: Pick<Ports, "conduct">, current: Case): SendBackForm["unheard"] {
  const { instance, approval, around } = current
  if (workflowOf(approval, around) !== null) return "workflow"
  const known = conduct.get(instance)
  if (known === undefined || known.resume === "off" || known.resume === "approved") return "not-continued"
  if (approval !== null && leftToAgnoSlack(approval.sessionId, known.besideAgnoSlack) !== null) return "agno-slack"
  return null
}

/** True for the verb of a vote, and not of another act. */
export function isVote(verb: Interaction["verb"]): verb is Verb {
  return verb === "approve" || verb === "reject"
}
