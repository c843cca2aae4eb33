// Runs other programs during set-up, waits for their end, and finds programs on PATH.
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/**
 * How a program ended. `output` is the end of what it wrote on both streams, at most 4,000 characters.
 * @typedef {{ readonly code: number, readonly output: string }} Ended
 */

/**
 * Runs a program to its end without a terminal. Never throws: if the program cannot be started, or a signal or the time
 * limit ends it, its code is -1. `timeoutMs` is 10 minutes by default.
 * @param {readonly string[]} command program and arguments
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly cwd?: string, readonly timeoutMs?: number }} options
 * @returns {Promise<Ended>}
 */
export function run([program = "", ...args], { env, cwd = ".", timeoutMs = 600_000 }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] })
    // We use a timer of our own: that of `spawn` keeps the process alive if the program cannot be started.
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs)
    let output = ""
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    /** @param {number | null} code */
    const end = (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? -1, output: output.trim() })
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    child.on("close", end)
    child.on("error", (error) => {
      output += error.message
      end(null)
    })
  })
}

/**
 * What functions need that find and install programs: the environment, and a log of installations.
 * @typedef {{ readonly env: NodeJS.ProcessEnv, readonly log: (line: string) => void }} Machine
 */

/** The folders of PATH, in its order. @type {(env: NodeJS.ProcessEnv) => string[]} */
export function pathFolders(env) {
  return (env["PATH"] ?? "").split(delimiter).filter(Boolean)
}

/**
 * True if there is a program that we may run.
 * @param {string} path
 */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // absent, or not ours to run: the next candidate is tried
  }
}

/**
 * The first of these programs on PATH.
 * @type {(names: readonly string[], env: NodeJS.ProcessEnv) => string | undefined}
 */
export function onPath(names, env) {
  return names.flatMap((name) => pathFolders(env).map((folder) => join(folder, name))).find(isExecutable)
}
