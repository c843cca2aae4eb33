// Arguments as people read them: text stays text, every digit stays, and no argument can look like words of ours.
import type { Call, Oversize } from "../../../domain/content/approval.ts"
import { canonicalJson } from "../../../domain/content/canonical.ts"
import { isCommonType } from "../../../domain/content/inputs.ts"
import { type Json, type JsonObject } from "../../../domain/content/json.ts"
import type { RequirementMember } from "../../../domain/content/requirement.ts"
import { bold, code, joined, type Line, listed, say, sentence } from "../../lines/spans.ts"
import { grouped } from "../../lines/text-fitter.ts"
import { isLongText, isPlainKey, linesAfter, writeKey } from "../../lines/value-lines.ts"

/** Words of ours, and the literal box below them. Null: there is no box. */
export interface Passage {
  readonly words: Line
  readonly literal: string | null
}

/** How many names stand in one line of ours. */
const namesALine = 10

/**
 * The arguments, one on each line; a text of several lines gets its own box. Below we name the empty ones. `first`: the
 * names that come first.
 */
export function argumentPassages(
  members: readonly RequirementMember[],
  first: readonly string[] = [],
): readonly Passage[] {
  const empty: string[] = []
  const passages: Passage[] = []
  let lines: string[] = []
  const endBox = () => {
    if (lines.length > 0) passages.push({ words: [], literal: lines.join("\n") })
    lines = []
  }
  for (const [name, value] of inOrder(members, first)) {
    const named = isPlainKey(name)
    if (named && value === "") empty.push(name)
    else if (named && isLongText(value)) {
      endBox()
      passages.push(ownBox(name, value))
    } else for (const one of linesAfter(`${writeKey(name)}:`, value, 0)) lines.push(one)
  }
  endBox()
  return [
    ...passages,
    ...namesSaid(empty, say(": empty")),
    ...(passages.some(({ words, literal }) => words.length === 0 && nullPattern.test(literal ?? ""))
      ? [nullPassage]
      : []),
  ]
}

/** All that one call says: its arguments, the form of user input, and what we did not understand, as it is. */
export function callPassages(call: Call, first: readonly string[] = []): readonly Passage[] {
  const fields = call.fields.map((field): RequirementMember => [textIn(field["name"]), field["value"] ?? null])
  const args = Object.entries(call.args).filter((member) => !isRepeated(member, fields))
  const asked = argumentPassages(args, first)
  const none = args.length === 0 && fields.length === 0 ? [instead[call.oversize ? "oversize" : "none"]] : []
  return [
    ...none,
    ...asked,
    ...formPassages(call, fields, first),
    ...under("What each is for", argumentPassages(call.fields.flatMap(describedIn))),
    ...under("Also in the form", argumentPassages(call.fields.flatMap(besideIn))),
    ...under("Also in the record", argumentPassages(call.others)),
  ]
}

/** First what a person has to fill in, then what the agent filled in already. */
function formPassages(call: Call, fields: readonly RequirementMember[], first: readonly string[]): readonly Passage[] {
  const filled = fields.filter((field) => !isUnfilled(field))
  const names = inOrder(fields.filter(isUnfilled), first).map(([name]) => name)
  return [
    ...under("To fill in", namesSaid(names, say(": nothing filled in by the agent"))),
    ...under(isSuggested(call) ? "To check in the form" : "Filled in by the agent", argumentPassages(filled, first)),
  ]
}

/** True if a person has to fill the field in. A name that needs quotes is shown among the values instead. */
function isUnfilled([name, value]: RequirementMember): boolean {
  return value === null && isPlainKey(name)
}

/** True if the agent filled in the whole form, so a person has to check it. */
export function isSuggested({ fields }: Call): boolean {
  return fields.every(({ value }) => value !== undefined && value !== null)
}

/** Passages below a heading of ours; empty if there are no passages. */
export function under(heading: string, passages: readonly Passage[]): readonly Passage[] {
  const [first, ...rest] = passages
  if (first === undefined) return []
  return [
    { ...first, words: first.words.length === 0 ? [bold(heading)] : [bold(heading), say(" · "), ...first.words] },
    ...rest,
  ]
}

/** Passages as text alone, for notifications and screen readers. */
export function passagesAsText(passages: readonly Passage[], words: (line: Line) => string): string {
  return passages
    .flatMap((one) => [...(one.words.length === 0 ? [] : [words(one.words)]), one.literal ?? []])
    .join("\n")
}

/** What stands in place of arguments. */
const instead: Readonly<Record<"none" | "oversize", Passage>> = {
  none: { words: [say("no arguments")], literal: null },
  oversize: { words: [say("its arguments are too large to show")], literal: null },
}

/** Why nobody can approve the content: it is too large to show, or programs read it in different ways. */
export function unapprovableWords(oversize: Oversize | undefined): string {
  if (oversize === undefined) return ambiguousWords
  const size = `${grouped(oversize.characters)} characters in ${grouped(oversize.values)} values`
  return `It is too large to show, with ${size}. Please reject it, so that the agent can ask for less at a time.`
}

const ambiguousWords =
  "Nobody can be sure what would run: the arguments hold a damaged character, or the same name twice, and programs " +
  "read that in different ways. Please reject it, so that the agent can ask again."

/** The platform writes NaN and Infinity as null, so a null may be either (R2). A text that says null is quoted. */
const nullPassage: Passage = {
  words: sentence`${code("null")} means no value here, or no number: the platform does not say which.`,
  literal: null,
}
const nullPattern = /[:\-,[{] ?null(?:$|[\],}])/m

/** First the names in `first`, in that order, then the others in the order of the wire. */
function inOrder(members: readonly RequirementMember[], first: readonly string[]): readonly RequirementMember[] {
  if (first.length === 0) return members
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  return members.toSorted(([one], [other]) => rank(one) - rank(other))
}

function namesSaid(names: readonly string[], what: Line[number]): readonly Passage[] {
  const count = Math.ceil(names.length / namesALine)
  return Array.from({ length: count }, (_, at) => {
    const some = names.slice(at * namesALine, (at + 1) * namesALine)
    return { words: [...listed(some.map((name) => code(name))), what], literal: null }
  })
}

/**
 * True if the form repeats this argument: the agent fills in both alike. Masked or null values may differ although they
 * look the same (R2).
 */
function isRepeated([name, value]: RequirementMember, fields: readonly RequirementMember[]): boolean {
  const same = fields.filter(([other]) => other === name)
  const written = canonicalJson(value)
  return same.length === 1 && !/▒|null/.test(written) && same.every(([, other]) => canonicalJson(other) === written)
}

function describedIn({ name, description }: JsonObject): readonly RequirementMember[] {
  return description === undefined || description === null || description === "" ? [] : [[textIn(name), description]]
}

/** The choices within a type, as Python writes them. */
const literalType = /^(?:typing\.)?Literal\[(.+)\]$/s

/** What else a field says. Its type is left out if forms know it. If the type lists choices, only these are shown. */
function besideIn(field: JsonObject): readonly RequirementMember[] {
  const { name, value: _value, description: _description, field_type: type, ...others } = field
  const common = type === undefined || type === null || (typeof type === "string" && isCommonType(type))
  const choices =
    typeof type === "string" && !Object.hasOwn(others, "choices") ? literalType.exec(type)?.[1] : undefined
  const odd = common ? {} : choices === undefined ? { field_type: type } : { choices }
  const beside = { ...(typeof name === "string" ? {} : { name: name ?? null }), ...odd, ...others }
  return Object.keys(beside).length === 0 ? [] : [[textIn(name), beside]]
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

function ownBox(name: string, value: string): Passage {
  const returns = isAllCrLf(value)
  const text = returns ? value.replaceAll("\r\n", "\n") : value
  const odd = [...edgesOf(text), ...(returns ? ["its lines end the Windows way (CR LF)"] : [])]
  return { words: joined([code(name), ...odd.map(say)], " · "), literal: text }
}

function isAllCrLf(text: string): boolean {
  return text.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(text)
}

/** The white space at the ends of lines or of the text, which people cannot see. */
function edgesOf(text: string): readonly string[] {
  return [
    ...(/^\s/.test(text) ? ["begins with white space"] : []),
    ...(/\S\n$/.test(text) ? ["ends with a line break"] : /\s$/.test(text) ? ["ends with white space"] : []),
    ...(/[ \t]\n/.test(text) ? ["white space at ends of lines"] : []),
  ]
}
