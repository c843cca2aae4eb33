// The installed command: runs the bundle beside it with a Node that is new enough. Becomes dist/countersign.mjs.
import { fileURLToPath } from "node:url"
import { endLike, runInForeground } from "./foreground.mjs"
import { findNode } from "./node.mjs"

const bundle = fileURLToPath(new URL("main.mjs", import.meta.url))

try {
  const command = [findNode(import.meta.url), bundle, ...process.argv.slice(2)]
  endLike(await runInForeground(command, { env: process.env }))
} catch (error) {
  process.stderr.write(`countersign: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
