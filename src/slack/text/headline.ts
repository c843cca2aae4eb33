// The headline: action and object of a case in plain words. People read it first.
import type { CardModel } from "../../domain/case/card-model.ts"
import { type Call, openGatedCalls } from "../../domain/content/approval.ts"
import { isWireNumber, type Json } from "../../domain/content/json.ts"
import { isSuggested, valueOnLine } from "./argument-text.ts"
import { sentenceOf } from "./rule-sentence.ts"
import { bold, code, type Line, listed, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

/** Names in a headline are short; in full they stand below it. */
export const nameUnits = 120
const valueUnits = 60
const maxTools = 3

/** “Admin Agent” wants to run delete_user_data with user_id: U-100, for every kind of pause. */
export function headlineOf(model: CardModel, fitter: TextFitter): Line {
  const agent = agentIn(model, fitter)
  if (model.approval === null)
    return sentence`${agent} wanted to run ${code(fitter.word(toolOf(model.summary.tool), nameUnits))}`
  const calls = openGatedCalls(model.approval)
  const [first] = calls
  if (first === undefined) return sentence`${agent} waits for a decision`
  if (calls.length > 1) return sentence`${agent} wants to run ${calls.length} tools: ${namesOf(calls, fitter)}`
  const said = sentenceOf(model, 0)
  return said?.ok === true ? [agent, say(asksOf(first)), ...said.line] : [agent, ...askFor(model, first, fitter)]
}

/** The same after the decision, without who asked: delete_user_data with user_id: U-100. At most `named` arguments. */
export function subjectOf(model: CardModel, fitter: TextFitter, named = 1): Line {
  const calls = model.approval === null ? [] : openGatedCalls(model.approval)
  const [first] = calls
  if (first === undefined) return [code(fitter.word(toolOf(model.summary.tool), nameUnits))]
  if (calls.length > 1) return sentence`${calls.length} tools: ${namesOf(calls, fitter)}`
  const said = sentenceOf(model, 0)
  if (said?.ok === true) return said.line
  return [code(fitter.word(toolOf(first.tool), nameUnits)), ...objectOf(model, first, named)]
}

/** The agent that asks, marked as a name. */
export function agentIn({ summary }: CardModel, fitter: TextFitter): Line[number] {
  return bold(summary.agent === null ? "An agent" : quotedName(summary.agent, fitter))
}

function asksOf(call: Call): string {
  if (call.pauseType === "external_execution") return " asks a person to do this, and to bring back the result: "
  if (call.pauseType !== "user_input" || call.fields.length === 0) return " asks: "
  return isSuggested(call) ? " suggests: " : " needs input: "
}

/** A name in quotation marks, so that nobody takes it for words of ours. Its own quotation marks are replaced. */
function quotedName(name: string, fitter: TextFitter): string {
  if (/[“”]/.test(name)) fitter.omit()
  return `“${fitter.word(name.replaceAll("“", "⟨U+201C⟩").replaceAll("”", "⟨U+201D⟩"), nameUnits)}”`
}

/** The name of a tool, or words for a missing one. */
export function toolOf(name: string | null): string {
  return name ?? "a tool without a name"
}

function askFor(model: CardModel, call: Call, fitter: TextFitter): Line {
  const tool = code(fitter.word(toolOf(call.tool), nameUnits))
  const object = objectOf(model, call, 1)
  if (call.pauseType === "user_input" && call.fields.length > 0)
    return sentence` ${isSuggested(call) ? "suggests running" : "needs input to run"} ${tool}${object}`
  if (call.pauseType !== "external_execution") return sentence` wants to run ${tool}${object}`
  return sentence` asks a person to run ${tool}${object}, and to bring back the result`
}

/** The first short arguments, and how many others there are. Only a hint: all arguments stand in full below. */
function objectOf({ look }: CardModel, call: Call, named: number): Line {
  const entries = Object.entries(call.args)
  const short = look.argumentsInDetails === true ? [] : shortIn(entries, look.showFirst)
  if (short.length === 0) return entries.length === 0 ? [] : [say(` with ${counted(entries.length, "argument")}`)]
  const shown = short.slice(0, named).map(([name, value]) => code(`${name}: ${valueOnLine(value)}`))
  const rest = entries.length - shown.length
  return sentence` with ${listed(rest === 0 ? shown : [...shown, say(counted(rest, "more argument"))])}`
}

/** The short arguments; first those that the rule shows first. */
function shortIn(entries: readonly (readonly [string, Json])[], first: readonly string[] = []) {
  const short = entries.filter(([name, value]) => isShort(name, value))
  const wanted = first.map((name) => short.find(([one]) => one === name)).filter((one) => one !== undefined)
  return [...wanted, ...short.filter((one) => !wanted.includes(one))]
}

function isShort(name: string, value: Json): boolean {
  const scalar = value !== null && value !== "" && (typeof value !== "object" || isWireNumber(value))
  if (!scalar || !/^[\w.-]+$/.test(name)) return false
  const text = `${name}: ${valueOnLine(value)}`
  return text.length <= valueUnits && /^[\u0020-\u007E]*$/.test(text)
}

function namesOf(calls: readonly Call[], fitter: TextFitter): Line {
  const named = calls.slice(0, maxTools).map((call) => code(fitter.word(toolOf(call.tool), nameUnits)))
  const rest = calls.length - named.length
  return listed(rest === 0 ? named : [...named, say(counted(rest, "more tool"))])
}

/** "1 call", "2 calls". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
