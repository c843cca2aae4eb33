// What a source file imports, and where it stands: shared by the tests that look at the tree.
import { globSync, readFileSync } from "node:fs"

const src = new URL("../src", import.meta.url).pathname

/** One import of a file: a path or a package, for types alone, or only once it is asked for (`await import`). */
export interface Import {
  readonly target: string
  readonly typeOnly: boolean
  readonly late: boolean
}

/** Every source file below `src`, by its path there. */
export function sources(): ReadonlyMap<string, string> {
  const paths = globSync("**/*.{ts,tsx,mjs}", { cwd: src }).toSorted()
  return new Map(paths.map((path) => [path, readFileSync(`${src}/${path}`, "utf8")]))
}

/** The folder directly below `src`, or the file there without its ending. */
export function moduleOf(path: string): string {
  const [top = ""] = path.split("/")
  return withoutEnding(top)
}

/** A path without what follows the last dot of its name. */
export function withoutEnding(path: string): string {
  return path.replace(/\.[a-z]+$/, "")
}

/** All that code imports or exports from elsewhere. Comments have to be gone. */
export function importsIn(code: string): readonly Import[] {
  const statement = /^\s*(?:import|export)\s+(type\s)?[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']/gm
  const dynamic = /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]/g
  return [
    ...[...code.matchAll(statement)].map(([, type, from, bare]) => ({
      target: from ?? bare ?? "",
      typeOnly: type !== undefined,
      late: false,
    })),
    ...[...code.matchAll(dynamic)].map(([, target = ""]) => ({ target, typeOnly: false, late: true })),
  ]
}

/** The code alone; a comment within a string stays. */
export function withoutComments(source: string): string {
  const stringOrComment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[^]*?\*\//g
  return source.replace(stringOrComment, (_all, text: string | undefined) => text ?? "")
}
