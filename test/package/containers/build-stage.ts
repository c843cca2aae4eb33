// Runs the first stage of our Dockerfile in a folder, which gets of the project what .dockerignore lets through.
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { copyOf, type Statement, stagesOf } from "../../support/dockerfile.ts"
import { copyTracked } from "../pages/clone.ts"
import { must } from "./network.ts"

/** Where the stage runs: the project, its context's folder and its own, both made here, and its environment. */
export interface BuildStage {
  readonly project: string
  readonly context: string
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Lays the context and runs the stage's statements in order. Throws on one that it does not know. */
export async function runBuildStage(stage: BuildStage): Promise<void> {
  copyTracked(stage.context, reachesBuild(readFileSync(join(stage.project, ".dockerignore"), "utf8")))
  mkdirSync(stage.folder, { recursive: true })
  const [statements = []] = stagesOf(readFileSync(join(stage.project, "Dockerfile"), "utf8"))
  for (const statement of statements) await take(statement, stage)
}

/** Whether a file reaches the build, by a .dockerignore that leaves out everything but what it names. */
export function reachesBuild(ignore: string): (file: string) => boolean {
  const [all, ...named] = ignore.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const odd = named.filter((line) => !/^![\w./-]+$/.test(line))
  if (all !== "*" || odd.length > 0)
    throw new Error(`nobody reads these lines of .dockerignore: ${all}, ${odd.join(", ")}`)
  const paths = named.map((line) => line.slice(1))
  return (file) => paths.some((path) => file === path || file.startsWith(`${path}/`))
}

async function take({ verb, rest }: Statement, { context, folder, env }: BuildStage): Promise<void> {
  if (verb === "FROM" && rest === "node:24-slim AS build") return
  if (verb === "WORKDIR" && rest === "/build") return
  if (verb === "RUN") return must(["sh", "-c", rest], { cwd: folder, env })
  if (verb !== "COPY") throw new Error(`nobody plays ${verb} ${rest} here`)
  const { sources, target } = copyOf(rest)
  for (const source of sources) copyInto(join(context, source), join(folder, target))
}

/** As `COPY` does: of a folder what is in it, of a file itself. */
function copyInto(source: string, target: string): void {
  if (!existsSync(source)) throw new Error(`${basename(source)} does not reach the build: look at .dockerignore`)
  const place = statSync(source).isDirectory() ? target : join(target, basename(source))
  cpSync(source, place, { recursive: true })
}
