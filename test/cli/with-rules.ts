// Rules of a test's own in a folder of their own, and the commands that look at them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { command } from "./command.ts"

/** A command with rules of the test's own, in a folder of its own. */
export function withRules(rules: string, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "countersign-policy-"))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, "countersign.yaml"), `rules:${rules}\n`)
  return { cwd, run: (...args: readonly string[]) => command(args, { env, cwd }).ended }
}
