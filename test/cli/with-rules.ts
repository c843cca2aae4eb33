// Rules of a test's own in a folder of their own, and the commands that look at them.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { aFolder } from "../support/opened.ts"
import { command } from "./command.ts"

/** A command with rules of the test's own, in a folder of its own. */
export function withRules(rules: string, env: Readonly<Record<string, string>> = {}) {
  const cwd = aFolder("policy")
  writeFileSync(join(cwd, "countersign.yaml"), `rules:${rules}\n`)
  return { cwd, run: (...args: readonly string[]) => command(args, { env, cwd }).ended }
}
