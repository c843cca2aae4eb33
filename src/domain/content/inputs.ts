// Inputs: what a person fills in so that an approved call can run, and how typed text becomes its values.

import { type Approval, type Call, openGatedCalls } from "./approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject, parseJson } from "./json.ts"
import { hasVisibleText } from "./visible-text.ts"

/** How a field is filled in. Types that lose their meaning on the wire (`Literal`, `Optional`) are text. */
export type InputKind = "text" | "integer" | "number" | "truth" | "json" | "choice"

/** One field of the forms of an approval's open calls. Calls with a field of the same name share its value. */
export interface InputField {
  readonly name: string
  readonly kind: InputKind
  /** The platform's own word for the type. */
  readonly type: string
  readonly description: string
  /** What the agent filled in, or null. It is only a guess: whoever approves is responsible for the value. */
  readonly guess: Json
  /** What there is to choose from; empty unless `kind` is `choice`. */
  readonly choices: readonly Json[]
  /** How many calls get the value. */
  readonly calls: number
}

/** What an approval asks for. `result`: tools that somebody else runs; a person enters what these tools return. */
export interface Inputs {
  readonly fields: readonly InputField[]
  readonly result: readonly string[]
}

const kinds: Readonly<Record<string, InputKind>> = {
  int: "integer",
  integer: "integer",
  float: "number",
  number: "number",
  decimal: "number",
  bool: "truth",
  boolean: "truth",
  list: "json",
  array: "json",
  tuple: "json",
  set: "json",
  dict: "json",
  object: "json",
}

/**
 * True for text, and for types that forms have fields for: nobody needs to read such a type's name. The names `Literal`
 * and `Optional` alone say nothing that a person could use.
 */
export function isCommonType(type: string): boolean {
  const name = type.toLowerCase().replace(/^(?:typing\.)?optional\[(\w+)\]$/, "$1")
  return ["", "str", "string", "text", "literal", "optional"].includes(name) || Object.hasOwn(kinds, name)
}

/** The keys under which a platform may list the choices. */
const choiceKeys = ["choices", "options", "enum", "allowed_values"]

/** What the open gated calls of an approval ask for. Both lists are empty if they ask for nothing. */
export function inputsOf(approval: Approval): Inputs {
  const calls = openGatedCalls(approval)
  const asked = calls.filter((call) => call.pauseType === "user_input").flatMap((call) => call.fields)
  const names = [...new Set(asked.map(nameOf))]
  const fields = names.map((name) => fieldOf(asked.filter((field) => nameOf(field) === name)))
  return { fields, result: calls.filter(isExternal).map((call) => call.tool ?? "") }
}

/** What it takes to approve: a press, or first a form for values or for a result. If we keep no content: a press. */
export function approvalTakes(approval: Approval | null): "press" | "form" | "result" {
  if (approval === null) return "press"
  const { fields, result } = inputsOf(approval)
  if (fields.length > 0) return "form"
  return result.length > 0 ? "result" : "press"
}

/** True if approving takes more than pressing a button. */
export function asksForInput({ fields, result }: Inputs): boolean {
  return fields.length > 0 || result.length > 0
}

/** Names of what a person left out (`{values?, result?}`); "result" stands for the result. */
export function missingIn(inputs: Inputs, filled: JsonObject | null): readonly string[] {
  const values = isJsonObject(filled?.["values"]) ? filled["values"] : {}
  const result = filled?.["result"]
  const missing = inputs.fields.filter((field) => isMissing(field, values)).map(({ name }) => name)
  const brought = inputs.result.length === 0 || (typeof result === "string" && hasVisibleText(result))
  return brought ? missing : [...missing, "result"]
}

function isMissing(field: InputField, values: JsonObject): boolean {
  const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined
  return value === undefined || isLeftBlank(field, value)
}

/** True for a text without anything to see, unless the call itself suggested that text. Other kinds are never blank. */
export function isLeftBlank({ kind, guess }: InputField, value: Json): boolean {
  return kind === "text" && typeof value === "string" && !hasVisibleText(value) && value !== guess
}

/** What typed text means for a field. `why` is a sentence for the person who typed it. */
export type Coerced = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** Reads typed text as a field's type. Numbers keep each digit. A choice, typed as word or JSON, becomes its value. */
export function coerce(field: InputField, typed: string): Coerced {
  if (field.kind === "text") return { ok: true, value: typed }
  const text = typed.trim()
  switch (field.kind) {
    case "integer":
      return /^-?(0|[1-9]\d*)$/.test(text) ? read(text) : cannotCoerce("Please enter a whole number, such as 42.")
    case "number":
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)
        ? read(text)
        : cannotCoerce("Please enter a number, such as 12.50.")
    case "truth":
      return text === "true" || text === "false" ? read(text) : cannotCoerce("Please choose true or false.")
    case "choice": {
      const written = (write: (choice: Json) => string) => field.choices.find((choice) => write(choice) === typed)
      const chosen = written(JSON.stringify) ?? written(wordOf)
      return chosen === undefined ? cannotCoerce("Please choose one of the values.") : { ok: true, value: chosen }
    }
    case "json":
      return readJson(text)
  }
}

/** A value as the text that `coerce` reads back. */
export function wordOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function read(text: string): Coerced {
  return { ok: true, value: parseJson(text) }
}

function readJson(text: string): Coerced {
  const words = 'Please enter a list or an object as JSON, such as [1, 2] or {"a": 1}.'
  try {
    const value = parseJson(text)
    return isJsonArray(value) || isJsonObject(value) ? { ok: true, value } : cannotCoerce(words)
  } catch (error) {
    if (error instanceof SyntaxError) return cannotCoerce(words)
    throw error
  }
}

function cannotCoerce(why: string): Coerced {
  return { ok: false, why }
}

function fieldOf(asked: readonly JsonObject[]): InputField {
  const [first = {}] = asked
  const type = textIn(first, "field_type")
  const choices = choicesIn(first)
  return {
    name: nameOf(first),
    kind: choices.length > 0 ? "choice" : (kinds[type.toLowerCase()] ?? "text"),
    type,
    description: textIn(first, "description"),
    // If the same tool is called twice, it runs with the last values (`docs/platform-facts.md` 3.3).
    guess: asked.at(-1)?.["value"] ?? null,
    choices,
    calls: asked.length,
  }
}

function choicesIn(field: JsonObject): readonly Json[] {
  const lists = choiceKeys.map((key) => field[key]).filter((list) => isJsonArray(list))
  return (lists[0] ?? []).filter((choice) => typeof choice !== "object" || isWireNumber(choice))
}

function isExternal(call: Call): boolean {
  return call.pauseType === "external_execution"
}

function nameOf(field: JsonObject): string {
  return textIn(field, "name")
}

function textIn(field: JsonObject, key: string): string {
  const value = field[key]
  return typeof value === "string" ? value : ""
}
