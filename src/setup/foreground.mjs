// Runs a program in our place: same terminal, same signals, same end.
import { spawn } from "node:child_process"

/** @typedef {{ readonly code: number } | { readonly signal: NodeJS.Signals }} End */

/** @type {readonly NodeJS.Signals[]} */
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"]

/** npm passes a signal on that its terminal sent us, too: the second one may come when the program has ended well. */
const ignore = () => undefined

/**
 * Runs a program with our terminal until it ends. Passes on the signals that reach us, except Ctrl-C in a terminal: the
 * terminal itself sends that to both. A signal that comes later does not end us. Throws if the program cannot be
 * started.
 * @param {readonly string[]} command program and arguments
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly cwd?: string }} options
 * @returns {Promise<End>}
 */
export async function runInForeground([program = "", ...args], { env, cwd = "." }) {
  const child = spawn(program, args, { env, cwd, stdio: "inherit" })
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of forwarded) process.off(signal, ignore).on(signal, ignore).on(signal, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) =>
        reject(new Error(`${program} could not be started: ${error.message}`, { cause: error })),
      )
      child.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 1 } : { signal }))
    })
  } finally {
    for (const signal of forwarded) process.off(signal, forward)
  }
}

/**
 * Ends this process in the way in which the program in its place ended.
 * @param {End} end
 */
export function endLike(end) {
  if ("code" in end) {
    process.exitCode = end.code
    return
  }
  process.off(end.signal, ignore)
  process.kill(process.pid, end.signal)
}
