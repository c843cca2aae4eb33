#!/usr/bin/env node
// The installed command: runs main.ts, in a Node that is new enough. An older Node can run this file.
import module from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cacheFolder } from "../setup/cache-folder.mjs"
import { endLike, runInForeground } from "../setup/foreground.mjs"
import { findNode } from "../setup/node.mjs"

try {
  await start(findNode(import.meta.url))
} catch (error) {
  process.stderr.write(`countersign: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

/** @param {string} node the path of the Node that runs the program */
async function start(node) {
  if (node !== process.execPath) {
    const command = [node, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    return endLike(await runInForeground(command, { env: process.env }))
  }
  // Keeps compiled code for the next start, but not in the folder for temporary files, where others may write.
  // `NODE_COMPILE_CACHE` names another folder.
  module.enableCompileCache(process.env["NODE_COMPILE_CACHE"] || join(cacheFolder(process.env), "compiled"))
  await import("./main.ts")
}
