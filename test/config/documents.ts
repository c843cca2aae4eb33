// Writes what people read of the schema: countersign.example.yaml and docs/configuration.md.
import { z } from "zod"
import { knownVariables } from "../../src/config/reading/environment.ts"
import { defaultOf, exampleOf, isWrapped, type Key, knownKeys, shapeOf } from "../../src/config/schema/keys.ts"
import { schema } from "../../src/config/schema/schema.ts"

/** Longest line of the example. */
const WIDTH = 120

const EXAMPLE_HEAD = `The configuration of Countersign, with every key that there is.
Copy it to countersign.yaml and keep what you need: only instances, slack and rules are needed, every other key has a
default. This file is written from src/config/schema; docs/configuration.md holds the same as tables.

\${NAME} is replaced by the environment variable NAME; write $\${ where you mean \${ itself. Secrets (tokens, the
signing secret, a Redis password) may stand here only as \${NAME}, never as such.

When a replica starts with a file that was never active, all replicas work under it from then on: under its rules,
identities, resolved_by, stop, Slack's api_url, and of each instance its name, url, how it resolves (not the
credential), resume, reject_user_input, beside_agno_slack and receipt_life. Everything else is each replica's own
(docs/running.md).`

const PAGE_HEAD = `# Configuration

The file is \`countersign.yaml\` in the working directory, or the one that \`COUNTERSIGN_CONFIG\` names, or the one that a
command is given with \`--config FILE\`, which wins. A \`countersign.yml\` is refused, so that nobody takes it for the config.
[countersign.example.yaml](../countersign.example.yaml) has every key with an example. This page and that file are
written from \`src/config/schema\`: change the schema, then run \`npm test -- test/config -u\`.

- \`\${NAME}\` is replaced by the environment variable \`NAME\`; write \`$\${\` where you mean \`\${\` itself.
- A **secret** may stand in the file only as \`\${NAME}\`.
- A **duration** is a number of milliseconds, or \`500ms\`, \`1s\`, \`2m\`, \`1h\`, \`30d\`.
- What the file leaves out comes from the environment where a variable is named below, else from the default. The file
  wins.
- Without \`instances\`, \`PLATFORM_URL\` and \`PLATFORM_TOKEN\` make one; without \`rules\`, \`APPROVALS_CHANNEL\` and
  \`APPROVERS\` do.
- An unknown key, or a value that is wrong, is refused at the start, with its place and with what would be right.
`

/** Variables that no key has, and what they say. */
const BESIDE: Readonly<Record<string, string>> = {
  COUNTERSIGN_CONFIG: "the file, if it is not ./countersign.yaml; --config goes before it",
  COUNTERSIGN_KEY: "the installation's key, 32 bytes or more, the same for all replicas; needed with a redis_url",
  COUNTERSIGN_RECEIPT_KEY: "what signs receipts: a private key in PEM or as a JWK; see receipts",
  HTTPS_PROXY: "the proxy through which https addresses are reached (docs/running.md)",
  HTTP_PROXY: "the proxy through which http addresses are reached",
  NO_PROXY: "hosts that need no proxy",
  NODE_EXTRA_CA_CERTS: "a file of CAs to believe besides the usual ones",
  OTEL_EXPORTER_OTLP_ENDPOINT: "the OpenTelemetry collector that traces go to; without it none are made",
}

/** countersign.example.yaml. */
export function exampleFile(): string {
  const variables = Object.keys(knownVariables).map((name) => `${name}: ${meaningOf(name)}.`)
  const head = [...EXAMPLE_HEAD.split("\n\n"), "The environment variables that are read:"].flatMap((part) => [
    "",
    ...comment(part),
  ])
  return `${[...head.slice(1), ...variables.flatMap(comment), ...keysOf("", shapeOf(schema), true)].join("\n")}\n`
}

/** The lines of the keys of a map, without indentation. */
function keysOf(path: string, shape: ReturnType<typeof shapeOf>, spaced = false): readonly string[] {
  return Object.keys(shape).flatMap((name) => {
    const key = keyOf(path + name)
    const lines = [
      ...comment(withDefault(key)),
      ...valueOf(path + name, name, key).map((line) => (key.off ? `# ${line}` : line)),
    ]
    return spaced ? ["", ...lines] : lines
  })
}

function valueOf(path: string, name: string, key: Key): readonly string[] {
  const type = unwrapped(key.type)
  const list = type instanceof z.ZodArray
  const members = list ? unwrapped(type.element) : type
  if (!(members instanceof z.ZodObject)) return [`${name}: ${key.sample ?? exampleOf(key)}`]
  const below = keysOf(`${path}.`, shapeOf(members))
  const more = key.more === undefined ? [] : ["", ...key.more.split("\n")]
  return [`${name}:`, ...[...(list ? asMember(below) : below), ...more].map((line) => (line === "" ? "" : `  ${line}`))]
}

/** Behind a dash; the dash stands before the first line, be it a comment. */
function asMember(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${index === 0 ? "- " : "  "}${line}`)
}

/** Words as lines of comment. */
function comment(words: string): readonly string[] {
  const lines: string[] = []
  for (const word of plain(words).split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && `# ${last} ${word}`.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.filter((line) => line !== "").map((line) => `# ${line}`)
}

function withDefault(key: Key): string {
  const value = defaultOf(key.type)
  const shown = value === undefined || [value, `"${value}"`].includes(exampleOf(key))
  return shown ? (key.description ?? "") : `${key.description} Default: ${value}.`
}

/** docs/configuration.md. */
export function configurationPage(): string {
  const top = [...knownKeys].filter(([path]) => !path.includes("."))
  const plainKeys = top.filter(([, { type }]) => Object.keys(shapeOf(type)).length === 0)
  const sections = top.filter(([, { type }]) => Object.keys(shapeOf(type)).length > 0)
  const parts = [
    PAGE_HEAD,
    "## Keys at the top\n",
    tableOf(plainKeys),
    ...sections.flatMap(([path, { description = "" }]) => [
      `## ${path}\n`,
      `${plain(description)}\n`,
      tableOf(
        [...knownKeys].filter(([below]) => below.startsWith(`${path}.`)),
        `${path}.`,
      ),
    ]),
    "## Environment variables\n",
    "| variable | says | for example |\n|---|---|---|",
    ...Object.entries(knownVariables).map(
      ([name, example]) => `| \`${name}\` | ${meaningOf(name)} | ${cell(example)} |`,
    ),
  ]
  return `${parts.join("\n")}\n`
}

function tableOf(keys: readonly (readonly [string, Key])[], prefix = ""): string {
  const rows = keys.map(([path, key]) => {
    const { description = "", secret, env, type } = key
    const value = defaultOf(type)
    const origin = env === undefined ? "" : ` Variable: \`${env}\`.`
    const kind = [kindOf(type), secret ? "secret" : ""].filter((word) => word !== "").join("; ")
    const name = path.slice(prefix.length)
    const without = needed(type) ? "**needed**" : value === undefined ? "" : `\`${value}\``
    return `| \`${name}\` | ${cell(kind)} | ${without} | ${cell(description)}${origin} |`
  })
  return ["| key | value | default | meaning |", "|---|---|---|---|", ...rows, ""].join("\n")
}

function cell(words: string): string {
  return plain(words).replaceAll("|", "\\|").replaceAll(/[*<]/g, String.raw`\$&`)
}

function needed(type: z.core.$ZodType): boolean {
  return !isWrapped(type)
}

/** What kind of value a key takes, in words. */
function kindOf(type: z.core.$ZodType): string {
  const said = z.globalRegistry.get(type)?.kind
  if (said !== undefined) return said
  if (isWrapped(type)) return kindOf(type.def.innerType)
  if (type instanceof z.ZodEnum) return type.options.join(", ")
  if (type instanceof z.ZodBoolean) return "true or false"
  if (type instanceof z.ZodPipe) return kindOf(type.in instanceof z.ZodTransform ? type.out : type.in)
  if (type instanceof z.ZodArray) return "list"
  if (type instanceof z.ZodObject) return "map"
  if (type instanceof z.ZodUnion) return "text or list"
  return "text"
}

function meaningOf(variable: string): string {
  const found = [...knownKeys].find(([, { env }]) => env === variable)
  const words = found?.[0] ?? BESIDE[variable]
  if (words === undefined) throw new Error(`say in test/config/documents.ts what ${variable} is for`)
  return words
}

function unwrapped(type: z.core.$ZodType): z.core.$ZodType {
  return isWrapped(type) ? unwrapped(type.def.innerType) : type
}

function keyOf(path: string): Key {
  const key = knownKeys.get(path)
  if (key === undefined) throw new Error(`there is no key ${path}`)
  return key
}

/** Our sources break long words over lines. */
function plain(words: string): string {
  return words.replaceAll(/\s+/g, " ").trim()
}
