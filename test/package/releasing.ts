// A tree that somebody makes a release from: a clone with this project's files in one commit, and the key to sign it.
import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findMinisign } from "../../src/setup/release/signing.mjs"
import { terminalEnv } from "../support/terminal.ts"
import { copyTracked } from "./pages/clone.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What the clone in which a release is made gets instead of a run of the CI: the packages, in no time. */
export const bringPackages = `cp -al '${join(root, "node_modules")}' .`

/** Puts our packages into a tree, where git does not see them: a command. */
const lendPackages = `ln -s '${join(root, "node_modules")}' .; echo node_modules >> .git/info/exclude`

const person = { NAME: "Ann", EMAIL: "ann@example.com", DATE: "2026-11-29T08:00:00Z" }
const people = ["AUTHOR", "COMMITTER"].flatMap((role) =>
  Object.entries(person).map(([what, value]) => [`GIT_${role}_${what}`, value]),
)

/** The environment of whoever makes releases: git knows who they are. */
export const releaserEnv: NodeJS.ProcessEnv = { ...terminalEnv, ...Object.fromEntries(people) }

/** Lays a tree of the files that are wanted, whose `.ci/run` does this. */
export function layTree(folder: string, ci: string, isWanted = (_file: string): boolean => true): void {
  copyTracked(folder, (file) => isWanted(file) || file === ".ci/run")
  writeFileSync(join(folder, ".ci/run"), `${ci}\n`)
  git(folder, "init", "--quiet", "--initial-branch", "main")
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "--message", "a release")
  spawnSync("sh", ["-c", lendPackages], { cwd: folder })
}

/** Throws what git said if it failed. */
export function git(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, env: releaserEnv, encoding: "utf8" })
  if (status !== 0) throw new Error(`git ${args.join(" ")} ended with ${status}: ${stderr}`)
  return stdout.trim()
}

/** Runs minisign, which is brought if it is not there. `input` is what somebody types. */
export async function minisign(args: readonly string[], input = ""): Promise<SpawnSyncReturns<string>> {
  const { program, env } = await findMinisign({ env: process.env, log: () => undefined })
  return spawnSync(program, args, { input, encoding: "utf8", env: { ...process.env, ...env } })
}

/** Puts `minisign` into a folder of programs, as an installation would. */
export async function installMinisign(bin: string): Promise<void> {
  const { program, env } = await findMinisign({ env: process.env, log: () => undefined })
  const variables = Object.entries(env).map(([name, value]) => `${name}='${value}' `)
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "minisign"), `#!/bin/sh\n${variables.join("")}exec '${program}' "$@"\n`)
  chmodSync(join(bin, "minisign"), 0o755)
}
