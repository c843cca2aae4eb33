// Reads our Dockerfile: its stages, and what the image of the last stage holds.
import { parse } from "yaml"

/** One statement: `COPY`, and what follows. */
export interface Statement {
  readonly verb: string
  readonly rest: string
}

/** A `COPY`: from another stage or from the project, whose it becomes, what, and where to. */
export interface Copy {
  readonly from: string | undefined
  readonly chown: string | undefined
  readonly sources: readonly string[]
  readonly target: string
}

/** What a container of the image begins with. */
export interface ImageConfig {
  readonly base: string
  readonly copies: readonly Copy[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
}

/** The statements of each stage, in order. */
export function stagesOf(dockerfile: string): readonly (readonly Statement[])[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean)
  const statements = lines.map((line) => ({ verb: line.split(" ")[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }))
  const stages: Statement[][] = []
  for (const statement of statements) {
    if (statement.verb === "FROM") stages.push([])
    stages.at(-1)?.push(statement)
  }
  return stages
}

/** What follows this verb, once for each statement. */
export function restOf(stage: readonly Statement[], verb: string): readonly string[] {
  return stage.filter((statement) => statement.verb === verb).map(({ rest }) => rest)
}

/** What the last stage makes. Throws on a statement that it does not know, so that none is passed over. */
export function imageOf(dockerfile: string): ImageConfig {
  const stage = stagesOf(dockerfile).at(-1) ?? []
  const known = ["FROM", "ENV", "WORKDIR", "COPY", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"]
  const odd = stage.filter(({ verb }) => !known.includes(verb))
  if (odd.length > 0) throw new Error(`nobody plays ${odd.map(({ verb }) => verb).join(", ")} here`)
  const last = (verb: string) => restOf(stage, verb).at(-1) ?? ""
  const list = (verb: string) => parse(last(verb).replace(/^[^[]*/, "")) as readonly string[]
  return {
    base: last("FROM"),
    copies: restOf(stage, "COPY").map(copyOf),
    env: Object.fromEntries(restOf(stage, "ENV").flatMap((rest) => rest.trim().split(/\s+/).map(pairOf))),
    folder: last("WORKDIR"),
    user: last("USER"),
    entrypoint: list("ENTRYPOINT"),
    command: list("CMD"),
    healthCheck: list("HEALTHCHECK"),
  }
}

/** What a `COPY` says. */
export function copyOf(rest: string): Copy {
  const words = rest.split(/\s+/)
  const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  const paths = words.filter((word) => !word.startsWith("--"))
  return { from: option("from"), chown: option("chown"), sources: paths.slice(0, -1), target: paths.at(-1) ?? "" }
}

/** `NAME=value`, cut at the first `=`. */
export function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=")
  return [text.slice(0, at), text.slice(at + 1)]
}
