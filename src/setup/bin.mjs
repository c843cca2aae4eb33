// The installed command: runs the bundle beside it with a Node that is new enough. Becomes countersign.mjs.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cacheFolder } from "./cache-folder.mjs"
import { endLike, runInForeground } from "./foreground.mjs"
import { findNode } from "./node.mjs"

const bundle = fileURLToPath(new URL("main.mjs", import.meta.url))

// Code that was compiled once need not be compiled again. Not in the folder for temporary files, where others may
// write.
const compiled = join(cacheFolder(process.env), "compiled")

try {
  const command = [findNode(import.meta.url), bundle, ...process.argv.slice(2)]
  endLike(await runInForeground(command, { env: { NODE_COMPILE_CACHE: compiled, ...process.env } }))
} catch (error) {
  process.stderr.write(`countersign: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
