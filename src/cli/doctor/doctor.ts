// countersign doctor: probes everything that Countersign depends on, and says what is wrong, why it matters and what to do.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Terminal } from "../terminal.ts"
import { diagnose } from "./diagnose.ts"
import { healthy, report } from "./finding.ts"

/** Prints the findings, as text or as `{healthy, findings}`; exit code 1 if anything fails. */
export async function doctor(terminal: Terminal, options: { readonly json: boolean }): Promise<void> {
  const findings = await diagnose({
    env: process.env,
    readFile: (path) => readFileSync(path, "utf8"),
    cwd: process.cwd(),
    clock: Date.now,
    random: (size) => randomBytes(size),
  })
  const well = healthy(findings)
  terminal.out(options.json ? JSON.stringify({ healthy: well, findings }, null, 2) : report(findings))
  if (!well) process.exitCode = 1
}
