// Servers of a bench as processes of their own, on the servers' core: the product and its floors.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onServerCore } from "./cores.ts"

/** A server process. */
export interface Child {
  readonly url: string
  readonly pid: number
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts `bench/parts/<script>` with an environment and waits until it prints `up URL`. It ends with this process. */
export async function startChild(script: string, env: Readonly<Record<string, string>>): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const [command, ...args] = [...onServerCore, process.execPath, path]
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] })
  const url = await said(child, script)
  return { url, pid: child.pid ?? 0, kill: (signal = "SIGTERM") => end(child, signal) }
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

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  await ended
}
