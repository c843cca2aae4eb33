// What is said about each call of a case, and about what approvers filled in (R3): literal text under words of ours.
import type { CardModel } from "../../../domain/case/card-model.ts"
import { type Approval, type Call, callsOf, isQuestion, openGatedCalls } from "../../../domain/content/approval.ts"
import { isListed } from "../../../domain/content/changes.ts"
import { isJsonObject, type JsonObject } from "../../../domain/content/json.ts"
import { counterproposalIn, type ProposedCall } from "../../../domain/send-back/counterproposal.ts"
import { bold, code, type Line, mention, say } from "../../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../../lines/text-fitter.ts"
import { askedOtherwise, choiceWords } from "../send-back/send-back-words.ts"
import { argumentPassages, callPassages, type Passage, under } from "./argument-text.ts"
import { calledLine } from "./case-facts.ts"
import { nameUnits, sentenceOf, toolOf } from "./headline.ts"

/** A call, or what somebody filled in: its label, and all that it says. */
export interface Labelled {
  readonly label: Line
  readonly passages: readonly Passage[]
}

/** Every open call of an approval, gated or not; and the record itself, if it says something else. */
export function labelledCalls(model: CardModel, fitter: TextFitter): readonly Labelled[] {
  const { approval, look } = model
  if (approval === null) return []
  const calls = callsOf(approval)
  const open = calls.filter((call) => call.open)
  const labelled = open.map((call) => ({
    label: labelOf(call, model, fitter),
    passages: [...callPassages(call, look.showFirst), ...fullNames({ tool: call.tool, member: call.memberName })],
  }))
  return isListed(approval, calls) ? labelled : [...labelled, recordItself(approval, fitter)]
}

function labelOf(call: Call, model: CardModel, fitter: TextFitter): Line {
  const gated = model.approval === null ? [] : openGatedCalls(model.approval)
  const called = calledLine(call, fitter)
  if (!call.gated) return [...called, say(` is not part of this decision: ${fateOf(call)}`)]
  if (gated.length === 1) return called
  const at = gated.indexOf(call)
  const sentence = sentenceOf(model, at)
  const said: Line = sentence === null ? [] : [say(" · "), ...(sentence.ok ? sentence.line : sentence.why)]
  return [bold(`${at + 1} of ${gated.length}: `), ...called, ...said]
}

/** What the platform does with a call that is not part of the decision (`docs/platform-facts.md` 3.3). */
function fateOf(call: Call): string {
  return isQuestion(call)
    ? "the platform will answer it with nothing, so nobody is asked"
    : "the platform will refuse it"
}

function recordItself(approval: Approval, fitter: TextFitter): Labelled {
  const tool = code(fitter.word(toolOf(approval.toolName), nameUnits))
  const label = [bold("The record itself "), say("names another call: "), tool]
  return { label, passages: argumentPassages(Object.entries(approval.toolArgs ?? {})) }
}

/** What each voter filled in, whole, in the order of their votes. */
export function filledIn(model: CardModel): readonly Labelled[] {
  return model.votes.flatMap(({ user, values }) =>
    values === null ? [] : [{ label: [mention(user), say(filledWords(values))], passages: passagesOfFilled(values) }],
  )
}

/** A person who ran the call brings its result and nothing else. */
function filledWords({ values, proposal }: JsonObject): string {
  if (proposal !== undefined) return " proposed instead"
  return values === undefined ? " ran it and entered" : " filled in"
}

function passagesOfFilled(filled: JsonObject): readonly Passage[] {
  const { values, result } = filled
  return [
    ...(counterproposalIn(filled)?.calls ?? []).flatMap(proposedPassages),
    ...(isJsonObject(values) ? argumentPassages(Object.entries(values)) : []),
    ...(typeof result === "string" ? argumentPassages([["result", result]]) : []),
  ]
}

/** What is proposed instead of one call. */
function proposedPassages({ tool, choice, args }: ProposedCall): readonly Passage[] {
  const changes = Object.entries(args)
  const said = choice === "changed" && changes.length === 0 ? askedOtherwise : choiceWords[choice]
  const words = [code(createTextFitter().word(toolOf(tool), nameUnits)), say(`: ${said.toLowerCase()}`)]
  return [{ words, literal: null }, ...argumentPassages(changes)]
}

/** The calls that are over, by name; empty if there are none. */
export function doneCalls({ approval }: CardModel): readonly Labelled[] {
  if (approval === null) return []
  const done = callsOf(approval).filter((call) => !call.open)
  const label = [bold("Done already, not part of this decision")]
  const literal = done.map((call) => call.tool ?? "").join("\n")
  return done.length === 0 ? [] : [{ label, passages: [{ words: [], literal }] }]
}

/** The names in the head that are too long for it; empty if there are none. */
export function longNames({ approval, summary, instance, workflow }: CardModel): readonly Labelled[] {
  const { agentId = null, teamId = null } = approval ?? {}
  const { id = null, name = null, step = null } = workflow ?? {}
  const names = { agent: summary.agent, agent_id: agentId, requester: summary.requester, instance }
  const passages = fullNames({ ...names, team: teamId, workflow: id, workflow_name: name, step })
  return passages.length === 0 ? [] : [{ label: [bold("Names")], passages }]
}

/** Names that are too long for a label or hold invisible characters; empty if there are none. */
function fullNames(names: JsonObject): readonly Passage[] {
  const odd = Object.entries(names).filter(([, name]) => typeof name === "string" && !fits(name))
  return under("Names in full", argumentPassages(odd))
}

function fits(name: string): boolean {
  const fitter = createTextFitter()
  fitter.word(name, nameUnits)
  return fitter.whole()
}

/** Says that Details have what was left out, such as "38 more lines". */
export function standsInDetails(left: string): string {
  return `${left} in Details`
}

/** Counts the parts of a call that have no room on a card. */
export function moreParts(count: number): string {
  return standsInDetails(counted(count, "more part"))
}

/** Counts the calls that have no room on a card. */
export function moreCalls(count: number): Line {
  return [bold(`and ${counted(count, "more call")}`), say(", all of them in Details.")]
}

/** Stands for the arguments if the operator wants none in a channel. */
export const keptBackWords = "The arguments stand in Details."
