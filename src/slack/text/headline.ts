// The headline: action and object of a case in plain words, the first thing that anybody reads.
import { type Call, openGatedCalls } from "../../domain/approval.ts"
import type { Face } from "../../domain/face.ts"
import { isJsonArray, isWireNumber, type Json } from "../../domain/json.ts"
import { writeJson } from "./argument-text.ts"
import { bold, code, type Line, listed, say } from "./spans.ts"
import type { Lens } from "./text-fitter.ts"

/** Names in a headline are short; the whole of them stands below it. */
export const NAME_UNITS = 120
const VALUE_UNITS = 60
const TOOLS_NAMED = 3

/** “Admin Agent” wants to run delete_user_data with user_id: "U-100", for every kind of pause. */
export function headlineOf(face: Face, lens: Lens): Line {
  const agent = bold(face.summary.agent === null ? "An agent" : quoted(face.summary.agent, lens))
  if (face.approval === null)
    return [agent, say(" wanted to run "), code(lens.word(toolOf(face.summary.tool), NAME_UNITS))]
  const calls = openGatedCalls(face.approval)
  const [first] = calls
  if (first === undefined) return [agent, say(" waits for a decision")]
  if (calls.length > 1) return [agent, say(` wants to run ${calls.length} tools: `), ...namesOf(calls, lens)]
  return [agent, ...askFor(first, lens)]
}

/** A name that cannot be read as words of ours: it stands between quotation marks, and has none of its own. */
function quoted(name: string, lens: Lens): string {
  if (/[“”]/.test(name)) lens.omit()
  return `“${lens.word(name.replaceAll("“", "⟨U+201C⟩").replaceAll("”", "⟨U+201D⟩"), NAME_UNITS)}”`
}

/** The name of a tool, or what stands for a missing one. */
export function toolOf(name: string | null): string {
  return name ?? "a tool without a name"
}

function askFor(call: Call, lens: Lens): Line {
  const tool = code(lens.word(toolOf(call.tool), NAME_UNITS))
  const object = objectOf(call)
  if (call.pauseType === "user_input") return [say(" needs input to run "), tool, ...object]
  if (call.pauseType !== "external_execution") return [say(" wants to run "), tool, ...object]
  return [say(" asks a person to run "), tool, ...object, say(", and to bring back the result")]
}

/** The first short argument, and how many more there are. Only a hint: the arguments stand in full below. */
function objectOf(call: Call): Line {
  const entries = Object.entries(call.args)
  const short = entries.find(([name, value]) => isShort(name, value))
  if (short === undefined) return entries.length === 0 ? [] : [say(` with ${counted(entries.length, "argument")}`)]
  const more = entries.length === 1 ? "" : ` and ${entries.length - 1} more`
  return [say(" with "), code(`${short[0]}: ${writeJson(short[1], 0)}`), say(more)]
}

function isShort(name: string, value: Json): boolean {
  const scalar = value === null || typeof value !== "object" || isWireNumber(value)
  if (!scalar || isJsonArray(value) || !/^[\w.-]+$/.test(name)) return false
  const text = `${name}: ${writeJson(value, 0)}`
  return text.length <= VALUE_UNITS && /^[\u0020-\u007E]*$/.test(text)
}

function namesOf(calls: readonly Call[], lens: Lens): Line {
  const named = calls.slice(0, TOOLS_NAMED).map((call) => [code(lens.word(toolOf(call.tool), NAME_UNITS))])
  const rest = calls.length - named.length
  return listed(rest === 0 ? named : [...named, [say(`${rest} more`)]])
}

/** "1 call", "2 calls". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
