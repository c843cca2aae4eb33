// Finds the config's file, and opens it.
import { resolve } from "node:path"
import { type Environment, variable, variableProblem } from "./environment.ts"
import type { ConfigNeed } from "./need.ts"
import { ConfigError, type ConfigProblem } from "./problems.ts"
import { readSource, type Source } from "./source.ts"

/** The variable that names the file. */
export const fileVariable = "COUNTERSIGN_CONFIG"

/** The file that is read if nobody names one. */
const usualFile = "countersign.yaml"

/** Where we look for the file. */
export interface FilePlace {
  /** `process.env`. */
  readonly env: Environment
  /** The file's text, as `readFileSync(path, "utf8")` gives it; throws with code `ENOENT` if there is no file. */
  readonly readFile: (path: string) => string
  /** The working directory, where we look for the file and `data_folder`. */
  readonly cwd: string
  /** The file that the operator named on the command line; it counts before `COUNTERSIGN_CONFIG`. */
  readonly file?: string | undefined
  readonly need: ConfigNeed
}

/**
 * The config's file, read: the one that somebody named, else `countersign.yaml`; undefined if that is not there. Throws
 * `ConfigError` `config_unreadable` for a file that cannot be read, and for a `countersign.yml` that nobody named.
 */
export function openSource(place: FilePlace): Source | undefined {
  const { readFile, cwd, env, need } = place
  const file = place.file ?? variable(env, fileVariable) ?? usualFile
  const read = (name: string) => readSource({ text: readFile(resolve(cwd, name)), file: name, env, need })
  try {
    return read(file)
  } catch (cause) {
    const named = place.file !== undefined || variable(env, fileVariable) !== undefined
    if (!named && codeOf(cause) === "ENOENT") return refuseNeighbour(place)
    throw new ConfigError("config_unreadable", [unreadable(place, file, cause)], { cause })
  }
}

function unreadable({ cwd, env, file: given }: FilePlace, file: string, cause: unknown): ConfigProblem {
  const what = unreadableWords.get(codeOf(cause)) ?? "cannot be read by this user"
  if (given === undefined && variable(env, fileVariable) !== undefined)
    return variableProblem(fileVariable, `names ${file}, which ${what}`)
  return { place: { kind: "path", path: resolve(cwd, file) }, what }
}

const unreadableWords: ReadonlyMap<unknown, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist"],
  ["EISDIR", "is a folder, and must be a file"],
])

/** Throws if there is a `countersign.yml`: we do not read it, so its rules would not count. */
function refuseNeighbour({ readFile, cwd }: FilePlace): undefined {
  const neighbour = "countersign.yml"
  try {
    readFile(resolve(cwd, neighbour))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
  }
  const what = `is not read, since its name does not end in .yaml: rename it to ${usualFile}, or name it`
  const problem = {
    place: { kind: "path", path: resolve(cwd, neighbour) },
    what,
    example: `--config ${neighbour}`,
  } as const
  throw new ConfigError("config_unreadable", [problem])
}

/** The first problem to show if there is no file, and the environment does not say all that a file would say. */
export function noFileProblem(cwd: string): ConfigProblem {
  const todo = "go to the folder of the file, or name it"
  const what = `has no ${usualFile}, and the environment alone does not say all: ${todo}`
  return { place: { kind: "path", path: resolve(cwd) }, what, example: `--config /etc/countersign/${usualFile}` }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined
}
