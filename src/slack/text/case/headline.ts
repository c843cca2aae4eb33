// The headline: action and object of a case in plain words, or what its rule says (`say`). People read it first.

import { clip, escapedLength, visible } from "../../../blockkit/text.ts"
import type { CardModel } from "../../../domain/case/card-model.ts"
import { type Call, openGatedCalls } from "../../../domain/content/approval.ts"
import { approvalTakes } from "../../../domain/content/inputs.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "../../../domain/content/json.ts"
import { partsOfSentence } from "../../../domain/policy/sentence.ts"
import { hasMask } from "../../../domain/text/masker.ts"
import { bold, code, type Line, listed, plainWords, type Span, say, sentence } from "../../lines/spans.ts"
import { counted, createTextFitter, oneLine, type TextFitter } from "../../lines/text-fitter.ts"
import { valueOnLine } from "../../lines/value-lines.ts"
import { isSuggested } from "./argument-text.ts"

/** Names in a headline are short; in full they stand below it. */
export const nameUnits = 120
const maxTools = 3
/** How many characters of arguments a headline names, and how many of one value. */
const headlineUnits = 100
const valueUnits = 45
/** Deeper values are named as one. No more values than these are counted, and fewer are tried. */
const maxDepth = 4
const maxLeaves = 1_000
const maxTried = 100
/** So much of a text, and so many items of a list, are looked at. */
const lookedAt = 2 * valueUnits

/** The headline for any kind of pause, such as: “Admin Agent” wants to run “delete user data” with “user_id: U-1”. */
export function headlineOf(model: CardModel, fitter: TextFitter): Line {
  const agent = agentIn(model, fitter)
  if (model.approval === null) return sentence`${agent} wanted to run ${toolSpan(model.summary.tool, fitter)}`
  const calls = openGatedCalls(model.approval)
  const [first] = calls
  if (first === undefined) return sentence`${agent} waits for a decision`
  if (calls.length > 1) return sentence`${agent} wants to run ${toolsOf(calls, fitter)}`
  const said = sentenceOf(model, 0)
  return said?.ok === true ? [agent, say(asksOf(first)), ...said.line] : [agent, ...askFor(model, first, fitter)]
}

/** The headline after the decision, without who asked. `units`: how many characters of arguments it names at most. */
export function subjectOf(model: CardModel, fitter: TextFitter, units?: number): Line {
  const calls = model.approval === null ? [] : openGatedCalls(model.approval)
  const [first] = calls
  if (first === undefined) return [toolSpan(model.summary.tool, fitter)]
  if (calls.length > 1) return toolsOf(calls, fitter)
  const said = sentenceOf(model, 0)
  if (said?.ok === true) return said.line
  return [toolSpan(first.tool, fitter), ...argumentWords(model, first, units)]
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

function askFor(model: CardModel, call: Call, fitter: TextFitter): Line {
  const tool = toolSpan(call.tool, fitter)
  const object = argumentWords(model, call)
  if (call.pauseType === "user_input" && call.fields.length > 0)
    return sentence` ${isSuggested(call) ? "suggests running" : "needs input to run"} ${tool}${object}`
  if (call.pauseType !== "external_execution") return sentence` wants to run ${tool}${object}`
  return sentence` asks a person to run ${tool}${object}, and to bring back the result`
}

function toolSpan(tool: string | null, fitter: TextFitter): Span {
  return code(fitter.word(toolWords(tool), nameUnits))
}

/** The tools of several calls: "send payout 2 times", or "2 tools: send payout and send mail". */
function toolsOf(calls: readonly Call[], fitter: TextFitter): Line {
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)]
  const named = tools.slice(0, maxTools).map(([tool, { length }]): Line => {
    const span = toolSpan(tool, fitter)
    return length === 1 ? [span] : [span, say(` ${length} times`)]
  })
  const rest = tools.length - named.length
  const all = listed(rest === 0 ? named : [...named, say(counted(rest, "more tool"))])
  return tools.length === 1 ? all : sentence`${tools.length} tools: ${all}`
}

/** The name of a tool, or the words for a missing one. */
export function toolOf(name: string | null): string {
  return name ?? "a tool without a name"
}

/** A tool's name as words: `refund_payment` and `refundPayment` are "refund payment". */
export function toolWords(name: string | null): string {
  if (name === null) return toolOf(name)
  const words = name
    .split(/[\s_./:-]+|(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((one) => one !== "")
  if (words.length === 0) return name
  const allCapitals = !/\p{Ll}/u.test(name)
  return words.map((one) => (!allCapitals && /^\p{Lu}{2,}$/u.test(one) ? one : one.toLowerCase())).join(" ")
}

/**
 * The arguments that decide, as far as they fit into `units`, and how many there are besides. They are only a hint:
 * all arguments stand in full elsewhere.
 */
export function argumentWords({ look }: CardModel, call: Call, units = headlineUnits): Line {
  const leaves = ranked(leavesOf(call.args), look.showFirst ?? [])
  if (leaves.length === 0) return []
  const named: Span[] = []
  let left = look.argumentsInDetails === true ? 0 : units
  for (const leaf of leaves.slice(0, maxTried)) {
    const words = leaf.name.length < left ? wordsOf(leaf) : null
    if (words === null || words.length > left) continue
    named.push(code(words))
    left -= words.length
  }
  const rest = leaves.length - named.length
  const more = named.length === 0 ? "argument" : "more argument"
  const others = leaves.length < maxLeaves ? counted(rest, more) : `many ${more}s`
  return sentence` with ${listed(rest === 0 ? named : [...named, say(others)])}`
}

/** Words of such a line that join what follows, if nothing follows: " with", " and", " and 2 more". */
export const joinerAtEnd = /[\s,]*(?:\b(?:with|and)\b)?(?: (?:\d+|many)(?: more)?)?\s*$/

/** A value that is not empty, under its own name, and the argument that it stands in. */
interface Leaf {
  readonly argument: string
  readonly name: string
  readonly value: Json
}

function leavesOf(args: Readonly<Record<string, Json>>): readonly Leaf[] {
  const leaves: Leaf[] = []
  const take = (leaf: Leaf, depth: number): void => {
    if (leaves.length >= maxLeaves || isEmpty(leaf.value)) return
    const below = depth < maxDepth ? innerOf(leaf) : null
    if (below === null) leaves.push(leaf)
    else for (const member of below) take(member, depth + 1)
  }
  for (const [name, value] of Object.entries(args)) take({ argument: name, name, value }, 0)
  return leaves
}

function isEmpty(value: Json, depth = 0): boolean {
  if (value === null || value === "") return true
  if (depth > maxDepth || !isHolder(value)) return false
  return Object.values(value).every((one) => isEmpty(one, depth + 1))
}

/** What stands in an object, or in a list of objects; null for a value that is shown as one. */
function innerOf({ argument, name, value }: Leaf): readonly Leaf[] | null {
  if (isJsonArray(value)) return value.some(isHolder) ? value.map((item) => ({ argument, name, value: item })) : null
  if (!isJsonObject(value)) return null
  return Object.entries(value).map(([inner, one]) => ({ argument, name: inner, value: one }))
}

function isHolder(value: Json): value is JsonObject | readonly Json[] {
  return isJsonArray(value) || isJsonObject(value)
}

/** Puts those first that a rule shows first, or looks at. */
function ranked(leaves: readonly Leaf[], first: readonly string[]): readonly Leaf[] {
  const wanted = first.flatMap((name) => leaves.filter(({ argument }) => argument === name))
  return [...wanted, ...leaves.filter(({ argument }) => !first.includes(argument))]
}

/** The name and the value, or its beginning; null for a masked value, and for a name that is none. */
function wordsOf({ name, value }: Leaf): string | null {
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name)) return null
  const items = isJsonArray(value) ? value.slice(0, lookedAt).filter((item) => !isEmpty(item)) : [value]
  const texts = items.map((item) => valueOnLine(typeof item === "string" ? item.slice(0, lookedAt) : item))
  const text = oneLine(visible(texts.join(", ").slice(0, lookedAt)))
  if (hasMask(text)) return null
  const { text: shown, cut } = clip(text, valueUnits)
  return `${name}: ${shown}${cut === 0 ? "" : "…"}`
}

/** How long the name of an argument may be in such a sentence. */
const argumentUnits = 100
/** A longer sentence does not fit on one line. */
const sentenceUnits = 140

/** The sentence about a call, or why it is left out. */
export type RuleSentence = { readonly ok: true; readonly line: Line } | { readonly ok: false; readonly why: Line }

/** The sentence about the gated call at `at`; null if no rule has one, or none may be shown. The model is masked. */
export function sentenceOf({ approval, look }: CardModel, at: number): RuleSentence | null {
  const said = look.say?.[at] ?? null
  const call = approval === null ? undefined : openGatedCalls(approval)[at]
  const parts = said === null ? null : partsOfSentence(said)
  if (call === undefined || parts === null || typeof parts === "string") return null
  const named = parts.flatMap((part) => ("argument" in part ? [part.argument] : []))
  if (look.argumentsInDetails === true && named.length > 0) return null
  const lacking = named.find((name) => plainArgument(call.args, name) === null)
  if (lacking !== undefined) return { ok: false, why: lackingWords(lacking) }
  const line = parts.map((part): Span => {
    if ("words" in part) return say(part.words)
    return code(plainArgument(call.args, part.argument) ?? "")
  })
  if (escapedLength(plainWords(line)) <= sentenceUnits) return { ok: true, line }
  return { ok: false, why: [say(`It has no one-line summary here: that would be too long. ${readAll}`)] }
}

const readAll = "Please read all of it."

function lackingWords(name: string): Line {
  const argument = code(createTextFitter().word(name, argumentUnits))
  return sentence`It has no one-line summary here: ${argument} is missing, empty or not one line. ${readAll}`
}

/** An argument on one line as it is; null if it is missing, or if we would have to change it. */
function plainArgument(args: Readonly<Record<string, Json>>, name: string): string | null {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (isWireNumber(value)) return value.rawJSON
  if (typeof value !== "string" || value === "" || value.trim() !== value) return null
  return /[\n\t]/.test(value) || visible(value) !== value ? null : value
}

/** What the rules say about the risk, or null if none does. */
export function riskWords({ look, approval }: CardModel): string | null {
  const words = { low: "Low risk", medium: "Medium risk", high: "⚠ High risk" } as const
  const risk = look.risk === null || (look.danger && look.risk === "low") ? [] : [words[look.risk]]
  const what = approvalTakes(approval) === "result" ? "Running" : "Approving"
  const said = look.danger ? [`⚠ ${what} this cannot be undone`, ...risk] : risk
  return said.length === 0 ? null : said.join(" · ")
}
