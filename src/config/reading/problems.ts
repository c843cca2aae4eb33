// The problems of a config, their places, and the error that lists them.

/** Where a setting stands: a place in the file (line and column from 1), an environment variable, or a path. */
export type ProblemPlace =
  | {
      readonly kind: "file"
      readonly file: string
      readonly line: number
      readonly col: number
      /** The key path, as in `rules[1].approvers`; empty for the file as a whole. */
      readonly key: string
    }
  | { readonly kind: "env"; readonly name: string }
  /** A file or folder itself. Absolute. */
  | { readonly kind: "path"; readonly path: string }

/** One thing that is wrong, in words, with an example of what is right. It never holds the value that was found. */
export interface ConfigProblem {
  readonly place: ProblemPlace
  readonly what: string
  readonly example?: string
}

/** Makes a problem of the value at `path`. */
export type Report = (path: readonly PropertyKey[], what: string) => ConfigProblem

/** `config_unreadable`: the file cannot be read. `config_invalid`: a setting is missing or wrong. */
export type ConfigErrorCode = "config_unreadable" | "config_invalid"

/** The error if Countersign cannot start with a config. It lists every problem; trying again cannot help. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
  readonly code: ConfigErrorCode
  /** Those of the file itself first, then those of its keys in the file's order, then those of the environment. */
  readonly problems: readonly ConfigProblem[]
  readonly retryable = false

  constructor(code: ConfigErrorCode, problems: readonly ConfigProblem[], options?: ErrorOptions) {
    const ordered = inFileOrder(problems)
    super(describeProblems(ordered), options)
    this.code = code
    this.problems = ordered
  }
}

/** All problems as text for a terminal: one line each. */
function describeProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(describeProblem)
  if (lines.length === 1) return `The configuration is wrong: ${lines.join("")}`
  return [`The configuration has ${lines.length} problems:`, ...lines.map((line) => `  ${line}`)].join("\n")
}

/** A place in words: `countersign.yaml:3:5 rules[0].quorum`, the variable, or the path. */
export function describeWhere(place: ProblemPlace): string {
  switch (place.kind) {
    case "env":
      return `environment variable ${place.name}`
    case "path":
      return place.path
    case "file":
      return `${place.file}:${place.line}:${place.col}${place.key === "" ? "" : ` ${place.key}`}`
  }
}

function describeProblem({ place, what, example }: ConfigProblem): string {
  return `${describeWhere(place)} ${what}${example === undefined ? "" : `. For example: ${example}`}`
}

function inFileOrder(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.toSorted((a, b) => {
    if (a.place.kind === "file" && b.place.kind === "file") {
      return a.place.line - b.place.line || a.place.col - b.place.col
    }
    return Number(a.place.kind === "env") - Number(b.place.kind === "env")
  })
}

/** A path as people write it: `["rules", 1, "approvers"]` becomes `rules[1].approvers`. */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`
    const name = withoutToken(String(part))
    return text === "" ? name : `${text}.${name}`
  }, "")
}

/** Hides a token that somebody put where a key belongs. A key itself is no secret. */
function withoutToken(key: string): string {
  return /^(xox|xapp|agno_pat|ey)/.test(key) || key.length > 40 ? `${key.slice(0, 4)}…` : key
}
