// Brings curl before the commands of pages are given.
import { bringCurl } from "../../tools/test-programs.mjs"

/** Throws if there is no curl, and none can be installed. */
export async function setup(): Promise<void> {
  const log = (line: string) => void process.stderr.write(`countersign: ${line}\n`)
  await bringCurl({ env: process.env, log })
}
