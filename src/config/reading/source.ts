// Reads the text of countersign.yaml: replaces ${NAME}, and remembers where everything stands.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLSeq,
} from "yaml"
import { sha256 } from "../../domain/content/canonical.ts"
import type { Environment } from "./environment.ts"
import { type ConfigNeed, standInFor } from "./need.ts"
import { type ConfigProblem, keyPath, type ProblemPlace } from "./problems.ts"

/** A file that was read: its value, and where each key stands. */
export type Source = ReturnType<typeof readSource>

/** What is read. */
interface SourceOptions {
  readonly text: string
  readonly file: string
  readonly env: Environment
  readonly need: ConfigNeed
}

/** Reads `text`. Never throws: problems are in `problems`, each with its line and column. */
export function readSource(options: SourceOptions) {
  const { file } = options
  const lines = new LineCounter()
  const document = parseDocument(options.text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number, key: string): ProblemPlace => {
    const { line, col } = lines.linePos(offset)
    return { kind: "file", file, line: Math.max(line, 1), col: Math.max(col, 1), key }
  }
  const syntax: ConfigProblem[] = document.errors.map((error) => ({
    place: at(error.pos[0], ""),
    what: syntaxWords(error.code),
  }))
  const fill = substitute(document, options, at)
  const read = syntax.length > 0 ? { value: {}, problems: [] } : toValue(document, at)
  return {
    file,
    /** SHA-256 of the file's text. */
    hash: sha256(options.text),
    /** What the file says, `${NAME}` replaced; an empty file, or one with a syntax error, is `{}`. */
    value: read.value,
    /** What is wrong with the text itself. */
    problems: [...syntax, ...fill.problems, ...read.problems],
    /** Where the value at `path` stands; if it is missing, where its nearest parent stands. */
    placeOf: (path: readonly PropertyKey[]) => at(offsetOf(document, path), keyPath(path)),
    /** Where the key itself stands, for a key that should not be there. */
    placeOfKey: (path: readonly PropertyKey[], key: string) =>
      at(offsetOfKey(document, path, key), keyPath([...path, key])),
    /** True if the value at `path` stands there literally, and not as a single `${NAME}`. */
    literal: (path: readonly PropertyKey[]) => {
      const node = nodeAt(document, path)
      return isScalar(node) && node.value !== null && !fill.fromEnvironment.has(node)
    },
  }
}

type At = (offset: number, key: string) => ProblemPlace
const reference = /\$(\$\{|\{([^}]*)\})/g

/** Replaces `${NAME}` in every value; `$${` stands for a literal `${`. A name without a value is a problem. */
function substitute(document: Document.Parsed, { env, need }: Pick<SourceOptions, "env" | "need">, at: At) {
  const problems: ConfigProblem[] = []
  const fromEnvironment = new Set<Node>()
  visit(document, {
    Scalar(position, node, ancestors) {
      if (position === "key" || typeof node.value !== "string" || !node.value.includes("${")) return
      if (/^\$\{[^}]*\}$/.test(node.value)) fromEnvironment.add(node)
      node.value = node.value.replace(reference, (whole, escaped: string, name: string | undefined) => {
        if (name === undefined) return whole === "$${" ? "${" : escaped
        const value = env[name]
        if (value !== undefined && value !== "") return value
        const key = pathOf(ancestors, position)
        const standIn = standInFor(need, key, name)
        if (standIn === null) problems.push({ place: at(node.range?.[0] ?? 0, key), ...unsetWords(name) })
        return standIn ?? "unset"
      })
    },
  })
  return { problems, fromEnvironment }
}

/** The key path of a scalar, made from its parents. */
function pathOf(ancestors: readonly unknown[], position: unknown): string {
  const path = ancestors.flatMap((ancestor, index): PropertyKey[] => {
    if (isPair(ancestor)) return isScalar(ancestor.key) ? [String(ancestor.key.value)] : []
    if (!isSeq(ancestor)) return []
    const place =
      typeof position === "number" && index === ancestors.length - 1
        ? position
        : indexIn(ancestor, ancestors[index + 1])
    return [place]
  })
  return keyPath(path)
}

function indexIn(list: YAMLSeq, member: unknown): number {
  return list.items.findIndex((item) => item === member)
}

function unsetWords(name: string): { what: string; example: string } {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return { what: `names \${${name}}, which is not set in the environment`, example: `${name}=… in the environment` }
  }
  return { what: "holds ${…} with something that is no variable's name", example: "${PLATFORM_TOKEN}" }
}

function toValue(document: Document.Parsed, at: At): { value: unknown; problems: readonly ConfigProblem[] } {
  try {
    const value: unknown = document.toJS()
    return { value: value ?? {}, problems: [] }
  } catch {
    // Thrown for an alias without its anchor, and for aliases that would multiply beyond measure.
    return { value: {}, problems: [{ place: at(0, ""), what: "uses an alias (*name) that cannot be resolved" }] }
  }
}

function nodeAt(document: Document.Parsed, path: readonly PropertyKey[]): Node | undefined {
  const found: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  if (!isNode(found)) return undefined
  return isAlias(found) ? found.resolve(document) : found
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(document, path.slice(0, length))
    if (node?.range) return node.range[0]
  }
  return 0
}

function offsetOfKey(document: Document.Parsed, path: readonly PropertyKey[], key: string): number {
  const parent = nodeAt(document, path)
  const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined
  return isNode(pair?.key) && pair.key.range ? pair.key.range[0] : offsetOf(document, path)
}

/** Our own words for a fault: the parser's words may quote the line, and a line may hold a secret. */
function syntaxWords(code: string): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "has the same key twice"
    case "TAB_AS_INDENT":
      return "is indented with a tab; YAML takes spaces only"
    case "BAD_INDENT":
    case "MISSING_CHAR":
      return "is not valid YAML: the indentation or a bracket, quote or colon is wrong here"
    case "MULTIPLE_DOCS":
      return "holds more than one document; remove the line ---"
    default:
      return `is not valid YAML (${code.toLowerCase().replaceAll("_", " ")})`
  }
}
