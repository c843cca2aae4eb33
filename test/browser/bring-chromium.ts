// Finds or brings the browser before the tests of the browser begin.
import { findChromium } from "../tools/test-programs.mjs"

/** Sets `CHROMIUM` for all workers. */
export async function setup(): Promise<void> {
  const log = (line: string) => void process.stderr.write(`countersign: ${line}\n`)
  process.env["CHROMIUM"] = await findChromium({ env: process.env, log })
}
