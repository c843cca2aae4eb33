// Options that can be given in three places: as a flag, an environment variable, or a key of a YAML file.
import { readFileSync } from "node:fs"
import { type Command, Option } from "commander"
import { parse } from "yaml"
import { CommandError } from "./terminal.ts"
import { type NumberBounds, wholeNumberOf } from "./whole-number.ts"

/** One option. `name` is the flag's name. The variable is the prefix and the name in capitals; the YAML key has `_`. */
export interface OptionRow {
  readonly name: string
  /** `texts` may be given several times. `switch` takes no value, and turns on what it names. */
  readonly kind: "text" | "texts" | "integer" | "switch"
  /** The word for the value in the help; none for a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** The least and the greatest number that is allowed. */
  readonly bounds?: NumberBounds
  readonly help: string
}

/** Makes rows. `value`: the word for the value in the help. */
export const row = {
  text: (name: string, value: string, help: string, choices?: readonly string[]): OptionRow =>
    choices === undefined ? { name, kind: "text", value, help } : { name, kind: "text", value, help, choices },
  texts: (name: string, value: string, help: string): OptionRow => ({ name, kind: "texts", value, help }),
  integer: (name: string, value: string, bounds: NumberBounds, help: string): OptionRow => ({
    name,
    kind: "integer",
    value,
    bounds,
    help,
  }),
  switch: (name: string, help: string): OptionRow => ({ name, kind: "switch", help }),
}

/** Where we look for options, first place first: `flags` as commander gives them, the environment, the file. */
export interface OptionPlaces {
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The prefix of the variables, for example `SERVICE_`. */
  readonly prefix: string
  /** The path of the YAML file; undefined: there is none. */
  readonly file?: string | undefined
}

/** The options that were given, by name. Undefined: given nowhere. */
export type Given = ReturnType<typeof gather>

/** The environment variable of an option. */
export function variableOf(name: string, prefix: string): string {
  return prefix + name.toUpperCase().replaceAll("-", "_")
}

/** The YAML key of an option. */
export function keyOf(name: string): string {
  return name.replaceAll("-", "_")
}

/**
 * Adds the table's options to a command. Its action gets the `flags` for `gather`, which also reads variables. We do
 * not use commander's `env()`: it would take any text for a switch that is on, and an empty variable for a value.
 */
export function addOptions(command: Command, rows: readonly OptionRow[], prefix: string): Command {
  for (const row of rows) {
    const flag = `--${row.name}${row.kind === "switch" ? "" : ` <${row.value ?? row.kind}>`}`
    const option = new Option(flag, `${row.help} (${variableOf(row.name, prefix)})`)
    if (row.kind === "texts") option.argParser((text: string, before: unknown) => [...textsIn(before), text])
    if (row.choices !== undefined) option.choices(row.choices)
    command.addOption(option)
  }
  return command
}

/** Finds each option. A flag overrides a variable, and a variable overrides the file. Throws `CommandError`. */
export function gather(rows: readonly OptionRow[], places: OptionPlaces) {
  const file = places.file === undefined ? {} : readFile(places.file, rows)
  const found = new Map<string, unknown>()
  for (const one of rows) {
    const source = sourcesOf(one, places, file).find(({ value }) => value !== undefined && value !== null)
    if (source !== undefined) found.set(one.name, valueOf(one, source))
  }
  return {
    text: (name: string) => asText(found.get(name)),
    texts: (name: string) => (found.has(name) ? textsIn(found.get(name)) : undefined),
    integer: (name: string) => (found.has(name) ? Number(found.get(name)) : undefined),
    isOn: (name: string) => found.get(name) === true,
  }
}

/** A value, and where it was given. */
interface Source {
  readonly place: string
  readonly value: unknown
}

function sourcesOf(
  row: OptionRow,
  { flags, env, prefix }: OptionPlaces,
  file: Record<string, unknown>,
): readonly Source[] {
  const variable = variableOf(row.name, prefix)
  return [
    { place: `--${row.name}`, value: flagIn(row, flags) },
    { place: variable, value: env[variable] === "" ? undefined : env[variable] },
    { place: keyOf(row.name), value: file[keyOf(row.name)] },
  ]
}

/** The value of a flag. Commander keeps `--no-thing` as `thing: false`. */
function flagIn(row: OptionRow, flags: OptionPlaces["flags"]): unknown {
  if (row.name.startsWith("no-")) return flags[camelCase(row.name.slice(3))] === false ? true : undefined
  return flags[camelCase(row.name)]
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

function valueOf(row: OptionRow, { place, value }: Source): unknown {
  switch (row.kind) {
    case "switch":
      return switchOf(place, value)
    case "integer":
      return wholeNumberOf(place, String(value), row.bounds)
    case "texts":
      return textsOf(place, value)
    case "text":
      return textOf(row, place, value)
  }
}

function switchOf(place: string, value: unknown): boolean {
  const word = String(value).toLowerCase()
  if (["true", "1", "yes", "on"].includes(word)) return true
  if (["false", "0", "no", "off"].includes(word)) return false
  throw new CommandError(`${place}: expected true or false`)
}

function textOf({ choices }: OptionRow, place: string, value: unknown): string {
  const text = asText(value)
  if (text === undefined || text === "") throw new CommandError(`${place}: expected a text that is not empty`)
  if (choices !== undefined && !choices.includes(text))
    throw new CommandError(`${place}: expected one of ${choices.join(", ")}`)
  return text
}

/** Reads several texts: from a list, from one text, or, in a variable, from a list in JSON. */
function textsOf(place: string, value: unknown): readonly string[] {
  const list: unknown = typeof value === "string" && value.startsWith("[") ? jsonIn(place, value) : value
  const texts = Array.isArray(list) ? list : [list]
  if (!texts.every((text) => typeof text === "string" && text !== "")) {
    throw new CommandError(`${place}: expected texts that are not empty`)
  }
  return textsIn(texts)
}

function jsonIn(place: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError(`${place}: begins like a JSON list and is none`, { cause })
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : []
}

function readFile(path: string, rows: readonly OptionRow[]): Record<string, unknown> {
  const content = readYaml(path)
  if (content === null || content === undefined) return {}
  if (typeof content !== "object" || Array.isArray(content)) throw new CommandError(`${path}: expected keys and values`)
  const known = new Set(rows.map((row) => keyOf(row.name)))
  const stranger = Object.keys(content).find((key) => !known.has(key))
  if (stranger !== undefined) {
    throw new CommandError(`${path}: ${stranger} is no option; there are ${[...known].join(", ")}`)
  }
  return Object.fromEntries(Object.entries(content))
}

/** Reads a YAML or JSON file. Throws `CommandError`. */
export function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"))
  } catch (cause) {
    throw new CommandError(`${path}: ${cause instanceof Error ? cause.message : "it cannot be read"}`, { cause })
  }
}

/** Adds `--config` to a command that reads countersign.yaml. `starts` puts its value into the command's terminal. */
export function readsConfig(command: Command): Command {
  return command.option(
    "--config <file>",
    "the config; default: COUNTERSIGN_CONFIG, else countersign.yaml in this folder",
  )
}

/** The text below a command's options. */
export function example(...lines: readonly [string, ...string[]]): string {
  return ["", lines.length === 1 ? "Example:" : "Examples:", ...lines.map((line) => `  ${line}`)].join("\n")
}

/** Collects the values of an option that may be given several times. */
export function alsoOf(name: string, before: readonly string[]): readonly string[] {
  return [...before, name]
}
