// Starts the servers of a bench, the product and its floors, as processes of their own on the servers' core.
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onServerCore } from "./cores.ts"

/** A server process. */
export interface Child {
  readonly url: string
  readonly pid: number
  /**
   * The longest time for which its loop was blocked since it was last asked, in ms; only for the product with
   * `BENCH_BLOCK`.
   */
  longestBlock(): Promise<number>
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Where `bench/parts/<script>` is: here, or in another checkout, by its folder. */
export function scriptIn(tree: string | undefined, script: string): string {
  return tree === undefined ? fileURLToPath(new URL(script, import.meta.url)) : join(tree, "bench/parts", script)
}

/**
 * Starts `bench/parts/<script>`, of this checkout or of the one in the folder `tree`, with an environment, and waits
 * until it prints `up URL`. It ends with this process.
 */
export async function startChild(script: string, env: Readonly<Record<string, string>>, tree?: string): Promise<Child> {
  const path = scriptIn(tree, script)
  const [command, ...args] = [...onServerCore, process.execPath, path]
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] })
  const url = await said(child, script)
  return {
    url,
    pid: child.pid ?? 0,
    longestBlock: () => longestBlock(child),
    kill: (signal = "SIGTERM") => end(child, signal),
  }
}

function said(child: ChildProcess, script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      words += chunk.toString()
      const url = /^up (\S+)$/m.exec(words)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} before it was up: ${words}`)))
  })
}

function longestBlock(child: ChildProcess): Promise<number> {
  const told = Promise.withResolvers<number>()
  const ended = () => told.reject(new Error("it ended before it said how long it was blocked"))
  child.stdout?.once("data", (chunk: Buffer) => told.resolve(Number(/^block (\S+)$/m.exec(chunk.toString())?.[1])))
  child.once("exit", ended)
  child.kill("SIGUSR2")
  return told.promise.finally(() => child.off("exit", ended))
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  await ended
}
