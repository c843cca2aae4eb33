// The facts of a case below its headline: who asks, for whom, where, and how long ago.
import { visible } from "../../../blockkit/text.ts"
import type { CardModel } from "../../../domain/case/card-model.ts"
import { type Call, callsOf } from "../../../domain/content/approval.ts"
import { approvalTakes } from "../../../domain/content/inputs.ts"
import type { RunOrigin } from "../../../domain/content/run.ts"
import { firstLines } from "../../lines/fit-lines.ts"
import { bold, channel, code, type Line, link, listedUpTo, moment, say, sentence } from "../../lines/spans.ts"
import { createTextFitter, oneLine, type TextFitter } from "../../lines/text-fitter.ts"
import { nameUnits, toolOf } from "./headline.ts"

/** Who asks, since when, and by when people have to decide, if there is a deadline. */
export function askedLine(model: CardModel, fitter: TextFitter): Line {
  const { summary } = model
  const who = fitter.word(askerOf(model) ?? unnamed, nameUnits)
  const since = moment(summary.createdAt ?? model.openedAt)
  const deadline = deadlineOf(model)
  const by = deadline === null ? "" : sentence` · decide by ${moment(deadline.at)}${deadline.after}`
  const url = model.origin?.link ?? null
  const where = url === null ? "" : sentence` in ${link(url, "a thread")}`
  const how = scheduleOf(model) === null ? "" : ", by a schedule"
  return sentence`Asked by ${who}${how}${where} · since ${since}${by}`
}

/** The tool, who asks, since when and by when; and the instance, if there are several. */
export function contextLine(model: CardModel, instances: number, fitter: TextFitter): Line {
  const call = onlyCall(model)
  const tool = call === null ? [] : [...calledLine(call, fitter), say(" · ")]
  const where = instances > 1 ? [say(` · at ${oneLine(visible(model.instance))}`)] : []
  return [...tool, ...askedLine(model, fitter), ...where]
}

/** The tool of a call as the platform names it, and the member of a team that calls it. */
export function calledLine({ tool, memberName }: Call, fitter: TextFitter): Line {
  const member: Line = memberName === null ? [] : [say(" by "), code(fitter.word(memberName, nameUnits))]
  return [code(fitter.word(toolOf(tool), nameUnits)), ...member]
}

/** The one open call of a case; null if there are more, or if it is not gated. */
export function onlyCall({ approval }: CardModel): Call | null {
  const [first, second] = approval === null ? [] : callsOf(approval).filter((call) => call.open)
  return first?.gated === true && second === undefined ? first : null
}

/** Who asks, by the name that Slack shows; else the platform's name for them, or null. */
export function askerOf({ summary, requesterName }: CardModel): string | null {
  return requesterName ?? summary.requester
}

/** Who asks, by Slack's name, with the platform's own name for them. */
function requesterInFull({ summary: { requester }, requesterName }: CardModel): string | null {
  return requesterName === undefined || requester === null ? requester : `${requesterName} (${requester})`
}

/** The words if the platform does not name the requester. */
const unnamed = "somebody unknown"

const maxParts = 3
const partUnits = 60
const voidWords = "Votes from before do not count."

/** What changed after people were first asked, and when: one line each. The model is masked. */
export function changeLines({ changed, look }: CardModel): readonly Line[] {
  const { content, rulesAt } = changed ?? {}
  const rules =
    rulesAt === undefined
      ? []
      : [sentence`${bold("Asked anew")} ${moment(rulesAt)}: other rules are in force. ${voidWords}`]
  if (content === undefined) return rules
  const { at, times, parts } = content
  // Each part stands in full below, so a short name here hides nothing.
  const short = parts.map((name) => code(createTextFitter().word(name, partUnits)))
  const hidden = look.argumentsInDetails === true ? "see Details" : "only ids that the platform keeps"
  const what = look.argumentsInDetails === true || short.length === 0 ? [say(hidden)] : listedUpTo(short, maxParts)
  const begun = times === 1 ? sentence`${bold("Changed")} ` : sentence`${bold(`Changed ${times} times`)}, last `
  return [sentence`${begun}${moment(at)}: ${what}. ${voidWords} Details show what it was.`, ...rules]
}

/** Warnings about a case on its card, one line each. */
export function warningLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  return [...workflowLines(model, fitter), ...aroundLines(model), ...escalatedLines(model)]
}

/** The deadline of the rules or of the platform, whichever is earlier; and what happens then. */
function deadlineOf({ time, approval }: CardModel): { readonly at: number; readonly after: string } | null {
  const expiresAt = approval?.expiresAt ?? null
  const { decideBy, thenReject } = time
  if (decideBy === null || (expiresAt !== null && expiresAt < decideBy))
    return expiresAt === null ? null : { at: expiresAt, after: ", then it expires and does not run" }
  return { at: decideBy, after: thenReject ? ", then it is rejected" : ", after that nobody can decide it here" }
}

/** One line for each fact. What the platform does not say is left out, except the requester. */
export function factLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const { approval, summary } = model
  const line = (name: string, value: string | null | undefined): readonly Line[] =>
    value === null || value === undefined ? [] : [[bold(`${name}: `), say(fitter.word(value, nameUnits))]]
  return [
    ...line("Requested by", requesterInFull(model) ?? unnamed),
    ...line("Started by", scheduleOf(model)),
    ...(model.origin === undefined ? [] : [originLine(model.origin)]),
    [
      bold(model.status.kind === "settled" ? "Asked: " : "Waiting since: "),
      moment(summary.createdAt ?? model.openedAt),
    ],
    ...timeLines(model),
    ...aroundLines(model),
    ...line("Agent", agentOf(model)),
    ...line("Team", approval?.teamId ?? model.around.team),
    ...workflowLines(model, fitter, true),
    ...line("Instance", model.instance),
    ...(model.onHold === true ? [[bold("On hold: "), say(holdWords)]] : []),
  ]
}

const holdWords = "the case, and the arguments that it still has, stay until the hold ends."

/** The schedule that started the run, as the platform names it, or null. */
function scheduleOf({ approval }: CardModel): string | null {
  const { scheduleId: id, scheduleRunId: run } = approval ?? {}
  if (id === undefined) return null
  return `schedule ${id}${run === undefined ? "" : `, run ${run}`}`
}

/** Where the run began, by its session. Whoever started the run named that session. */
function originLine({ place, link: url }: RunOrigin): Line {
  const where = channel(place.channel)
  const thread: Line = url === null ? [where] : sentence`${link(url, "a thread")} of ${where}`
  return sentence`${bold("Began in: ")}${thread}`
}

/** By when people have to decide, and who else was asked. */
function timeLines(model: CardModel): readonly Line[] {
  const deadline = deadlineOf(model)
  const by: readonly Line[] = deadline === null ? [] : [[bold("Decide by: "), moment(deadline.at), say(deadline.after)]]
  return [...by, ...escalatedLines(model)]
}

function escalatedLines({ time: { escalatedAt } }: CardModel): readonly Line[] {
  return escalatedAt === null
    ? []
    : [[bold("Escalated: "), moment(escalatedAt), say(", more people are asked since then")]]
}

/** Which step of which workflow the call belongs to. `full`: with the workflow's id. */
function workflowLines({ workflow }: CardModel, fitter: TextFitter, full = false): readonly Line[] {
  if (workflow === undefined) return []
  const { id, name, step } = workflow
  const whole = name === null || name === id ? id : full ? `${name} (${id})` : name
  const steps = step === null ? "" : `, step ${fitter.word(step, nameUnits)}`
  return [sentence`${bold("Workflow:")} ${fitter.word(whole, nameUnits)}${steps}`]
}

/** A fact that the record does not tell: nothing enforces the decision. */
function aroundLines({ around }: CardModel): readonly Line[] {
  return around.unenforced ? [[bold("Your decision is not binding: "), say(adviceWords)]] : []
}

/** True if nobody could look up the team: a call may be a team member's (`docs/platform-facts.md`, trap 23). */
export function isTeamUnknown({ approval, around }: CardModel): boolean {
  const agents = approval !== null && approval.agentId !== null && approval.teamId === null
  return agents && !around.seen && approval.workflowId === null
}

const adviceWords =
  "it is advice to whoever runs this workflow. They have to continue it on the agent's platform, and can do so " +
  "whatever is decided here."

/** The agent's name and id; only one of them if they are the same. */
function agentOf({ approval, summary }: CardModel): string | null {
  const id = approval?.agentId ?? null
  if (summary.agent === null || id === null || summary.agent === id) return summary.agent ?? id
  return `${summary.agent} (${id})`
}

const maxRelated = 3
const apart = "Both cards have to be decided."
const runOnce = " Run it once, and enter the same result on both."

/** One line for each related approval; none once the case is settled. */
export function relatedLines({ related, status, summary, approval }: CardModel): readonly Line[] {
  if (status.kind === "settled" || status.kind === "replaced") return []
  const what = summary.calls > 1 ? "At least one of these calls" : "This call"
  const once = approvalTakes(approval) === "result" ? runOnce : ""
  const lines = related.map(({ of, link: url }): Line => {
    const [here, there] = of === "team" ? ["an agent in a team", "the team"] : ["a team of agents", "its agent"]
    const card = url === null ? say("another card (see Home)") : link(url, "another card")
    return sentence`${what} needs two decisions: here for ${here}, on ${card} for ${there}. ${apart}${once}`
  })
  return firstLines(lines, maxRelated, { noun: "approval", where: [say("each of them in the list of what waits")] })
}
