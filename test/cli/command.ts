// Runs a command of ours as a process of its own, as a terminal would.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** The program as its sources stand, or another that COUNTERSIGN_PROGRAM names, such as the installed one. */
export const program =
  process.env["COUNTERSIGN_PROGRAM"] ?? fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

/** How a command ended, and what it said. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess
  /** What it said on stdout so far. */
  readonly out: () => string
  /** What it said on stderr so far. */
  readonly err: () => string
  readonly ended: Promise<Ended>
}

/** Starts `countersign …` with exactly this environment (and PATH, HOME and what Node compiled before), in a folder. */
export function command(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd: string; readonly program?: string },
): Running {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env
  const child = spawn(process.execPath, [options.program ?? program, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let out = ""
  let err = ""
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()))
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, out, err })))
  return { child, out: () => out, err: () => err, ended }
}
