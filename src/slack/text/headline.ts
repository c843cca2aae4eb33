// The headline: action and object of a case in plain words, the first thing that anybody reads.
import type { CardModel } from "../../domain/case/card-model.ts"
import { type Call, openGatedCalls } from "../../domain/content/approval.ts"
import { isJsonArray, isWireNumber, type Json } from "../../domain/content/json.ts"
import { writeJson } from "./argument-text.ts"
import { bold, code, type Line, listed, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

/** Names in a headline are short; the whole of them stands below it. */
export const nameUnits = 120
const valueUnits = 60
const maxTools = 3

/** “Admin Agent” wants to run delete_user_data with user_id: "U-100", for every kind of pause. */
export function headlineOf(model: CardModel, fitter: TextFitter): Line {
  const agent = bold(model.summary.agent === null ? "An agent" : quoted(model.summary.agent, fitter))
  if (model.approval === null)
    return sentence`${agent} wanted to run ${code(fitter.word(toolOf(model.summary.tool), nameUnits))}`
  const calls = openGatedCalls(model.approval)
  const [first] = calls
  if (first === undefined) return sentence`${agent} waits for a decision`
  if (calls.length > 1) return sentence`${agent} wants to run ${calls.length} tools: ${namesOf(calls, fitter)}`
  return [agent, ...askFor(first, fitter)]
}

/** A name that cannot be read as words of ours: it stands between quotation marks, and has none of its own. */
function quoted(name: string, fitter: TextFitter): string {
  if (/[“”]/.test(name)) fitter.omit()
  return `“${fitter.word(name.replaceAll("“", "⟨U+201C⟩").replaceAll("”", "⟨U+201D⟩"), nameUnits)}”`
}

/** The name of a tool, or what stands for a missing one. */
export function toolOf(name: string | null): string {
  return name ?? "a tool without a name"
}

function askFor(call: Call, fitter: TextFitter): Line {
  const tool = code(fitter.word(toolOf(call.tool), nameUnits))
  const object = objectOf(call)
  if (call.pauseType === "user_input") return sentence` needs input to run ${tool}${object}`
  if (call.pauseType !== "external_execution") return sentence` wants to run ${tool}${object}`
  return sentence` asks a person to run ${tool}${object}, and to bring back the result`
}

/** The first short argument, and how many more there are. Only a hint: the arguments stand in full below. */
function objectOf(call: Call): Line {
  const entries = Object.entries(call.args)
  const short = entries.find(([name, value]) => isShort(name, value))
  if (short === undefined) return entries.length === 0 ? [] : [say(` with ${counted(entries.length, "argument")}`)]
  const more = entries.length === 1 ? "" : ` and ${entries.length - 1} more`
  return sentence` with ${code(`${short[0]}: ${writeJson(short[1], 0)}`)}${more}`
}

function isShort(name: string, value: Json): boolean {
  const scalar = value === null || typeof value !== "object" || isWireNumber(value)
  if (!scalar || isJsonArray(value) || !/^[\w.-]+$/.test(name)) return false
  const text = `${name}: ${writeJson(value, 0)}`
  return text.length <= valueUnits && /^[\u0020-\u007E]*$/.test(text)
}

function namesOf(calls: readonly Call[], fitter: TextFitter): Line {
  const named = calls.slice(0, maxTools).map((call) => code(fitter.word(toolOf(call.tool), nameUnits)))
  const rest = calls.length - named.length
  return listed(rest === 0 ? named : [...named, say(`${rest} more`)])
}

/** "1 call", "2 calls". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
