// One place for words: what people read in Slack stands in src/slack/text, and nowhere else in src/slack.
import { expect, test } from "vitest"
import { parseAst } from "vitest/node"
import { sources } from "../../imports.ts"

/** Words that stand elsewhere: how path and text begin, and why. A reason that nothing needs any more is a breach. */
const excuses: Readonly<Record<string, string>> = {
  "slack/transport/": "errors, which only operators read",
  "slack/directory/": "errors, and what a waiting call is called in logs",
  "slack/app.ts: Slack cannot deliver": "an error, which the health check tells",
  "slack/chat/metadata.ts: ": "what a waiting call is called in logs",
  "slack/chat/audit-channel.ts: audit channel": "what the place is called in logs",
  "slack/chat/shared-channels.ts: …": "errors, which lists tell in other words",
  "slack/lists/command-messages.ts: help more": "what a button types",
  "slack/listeners/commands.ts: count …": "what somebody may type",
  "slack/lines/fit-lines.ts: ": "counts what has no room, wherever it is cut",
  "slack/lines/text-fitter.ts: ": "counts what has no room, wherever it is cut",
  "slack/lines/spans.ts: ": "how a time and the end of a list are written",
  "slack/lines/value-lines.ts:  in Details": "looked for, not said",
}

test("no file beside src/slack/text holds words that people read", () => {
  const files = [...sources()].filter(([path]) => path.startsWith("slack/") && !path.startsWith("slack/text/"))

  const found = files.flatMap(([path, source]) => wordsIn(source).map((one) => ({ ...one, path })))

  const left = found.filter(({ path, text }) => !reasons.some((begins) => `${path}: ${text}`.startsWith(begins)))
  expect(left.map(({ path, line, text }) => `src/${path}:${line}: ${text}`)).toEqual([])
  const needed = (begins: string) => found.some(({ path, text }) => `${path}: ${text}`.startsWith(begins))
  expect(reasons.filter((begins) => !needed(begins))).toEqual([])
})

const reasons = Object.keys(excuses)

test.each([
  ["a sentence", 'const told = "Nothing waits."', "Nothing waits."],
  ["the beginning of one", 'const why = ", because of "', ", because of "],
  ["a template", "const left = `and ${count} more`", "and … more"],
  ["a label", 'button(id, "Reject")', "Reject"],
  ["a label that opens a form", 'const label = "Reject…"', "Reject…"],
  ["a small word that is shown", 'rich([say("by")])', "by"],
  ["a small word in a sentence", "const line = sentence`by${who}`", "by…"],
  ["a noun that is counted", 'firstLines(lines, 3, { noun: "rule", where })', "rule"],
  ["what is chosen", 'const text = open ? "It waits." : name', "It waits."],
])("%s is found, with its line", (_, code, text) => {
  expect(wordsIn(`// What it is for.\n${code}\n`)).toEqual([{ line: 2, text }])
})

test.each([
  ["an import", 'import { words } from "./two words.ts"\nexport { say } from "./A b.ts"'],
  ["a comment", "/** Two words. */ const at = 1 // two words"],
  ["a type", 'type Kind = "two words" | `a ${string} b`\nconst kind = one as "Two words"'],
  ["an error", 'if (late) throw new Error("It is late.")\nconst late = new ChatError({ message: "It is late." })'],
  ["a line of a log", 'log.warn("It is late.", { why: "not known" })\ncontext.log.info("It is late.")'],
  ["a name of Slack's", 'const block = { type: "rich_text", "Retry-After": `${id}.r${revision}` }'],
  ["what joins words", 'joined(parts, " · ")\nsay(`${name}: `)\nsay(", ")'],
])("%s holds no words", (_, code) => {
  expect(wordsIn(code)).toEqual([])
})

/** A text that people read, and where it stands in its file. */
interface Found {
  readonly line: number
  readonly text: string
}

/** A node of the tree that the parser gives. */
type Tree = { readonly type?: string; readonly start?: number } & Readonly<Record<string, unknown>>

/** Calls whose texts are shown, even a single small word. */
const shows = /^(?:say|bold|code|quote|plain|counted|sentence)$/

function wordsIn(source: string): readonly Found[] {
  const found: Found[] = []
  const visit = (node: unknown, isShown: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, isShown)
    if (!isTree(node) || isUnread(node)) return
    const text = textOf(node)
    if (text !== null && (isRead(text) || (isShown && /\p{L}/u.test(text))))
      found.push({ line: source.slice(0, node.start).split("\n").length, text })
    const called = shows.test(nameOf(node["callee"] ?? node["tag"]))
    const isNoun = node.type === "Property" && nameOf(node["key"]) === "noun"
    for (const [key, value] of Object.entries(node))
      visit(value, (called && (key === "arguments" || key === "quasi")) || (isNoun && key === "value"))
  }
  visit(parseAst(source, { lang: "ts" }).body, false)
  return found
}

function isTree(node: unknown): node is Tree {
  return typeof node === "object" && node !== null && !Array.isArray(node)
}

/** The text of a literal, or of a template with "…" for each value. Null for anything else. */
function textOf(node: Tree): string | null {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : null
  if (node.type !== "TemplateLiteral") return null
  return (node["quasis"] as readonly { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("…")
}

/** True for a word beside a blank, and for a single word that begins with a capital. */
function isRead(text: string): boolean {
  return /\p{L}{2}[^\s\p{L}]* | [^\s\p{L}]*\p{L}{2}/u.test(text) || /^\p{Lu}\p{Ll}+…?$/u.test(text)
}

/** True for imports, types, errors and lines of a log. */
function isUnread(node: Tree): boolean {
  const { type = "" } = node
  if (type === "ThrowStatement" || (/^(?:Import|Export|TS)/.test(type) && !holdsCode(node))) return true
  const called = nameOf(node["callee"])
  return (type === "NewExpression" && called.endsWith("Error")) || isLog(node["callee"])
}

/** True for what is exported here, and for a value beside a type (`as const`). */
function holdsCode({ type, declaration, expression }: Tree): boolean {
  return (type?.startsWith("Export") === true && isTree(declaration)) || isTree(expression)
}

function isLog(callee: unknown): boolean {
  return isTree(callee) && callee.type === "MemberExpression" && nameOf(callee["object"]) === "log"
}

/** The last name of what is called, or of a key. */
function nameOf(node: unknown): string {
  if (!isTree(node)) return ""
  return node.type === "Identifier" ? String(node["name"]) : nameOf(node["property"])
}
