// What a rule says about a call (`say`), with the call's values marked in it. It is left out if too long, never cut.
import { escapedLength, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { isWireNumber, type Json } from "../../domain/content/json.ts"
import { partsOfSentence } from "../../domain/policy/sentence.ts"
import { code, type Line, plainWords, type Span, say, sentence } from "./spans.ts"
import { createTextFitter } from "./text-fitter.ts"

/** How long the name of an argument may be. */
const nameUnits = 100
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
  const argument = code(createTextFitter().word(name, nameUnits))
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
