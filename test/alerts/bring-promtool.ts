// Finds or brings promtool before the alert rules are tried.
import { findPromtool } from "../tools/test-programs.mjs"

/** Sets `PROMTOOL` for all workers. */
export async function setup(): Promise<void> {
  const log = (line: string) => void process.stderr.write(`countersign: ${line}\n`)
  process.env["PROMTOOL"] = await findPromtool({ env: process.env, log })
}
