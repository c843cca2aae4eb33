// A Python program that calls agents over A2A: it reads one call a line, and says for each what its client saw.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { terminalEnv } from "../../support/terminal.ts"

/** What a client is to do with the agent at an address. */
export interface ClientCall {
  readonly do: "send" | "stream" | "poll" | "get" | "cancel"
  readonly agent: string
  readonly token: string
  readonly text?: string
  readonly task?: string
  readonly context?: string
}

/** What it saw: its events in short, and the task as it stands for it; or its error. */
export interface ClientAnswer {
  readonly saw?: readonly string[]
  readonly task?: {
    readonly id: string
    readonly context: string
    readonly state: string
    readonly said: string
    readonly artifacts: readonly string[]
  }
  /** What agno's classes took for the run's content. */
  readonly content?: string
  readonly error?: string
}

/** A running client. */
export interface PythonClient {
  ask(call: ClientCall): Promise<ClientAnswer>
  close(): Promise<void>
}

/** Starts a program of this folder. Whoever starts it closes it. */
export function startPythonClient(python: string, program: string): PythonClient {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(python, [path], { env: terminalEnv, stdio: ["pipe", "pipe", "pipe"] })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let complaint = ""
  child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-4_000)))
  return {
    ask: async (call) => {
      child.stdin.write(`${JSON.stringify(call)}\n`)
      const line = await lines.next()
      if (line.done === true) throw new Error(`${program} ended: ${complaint}`)
      return JSON.parse(line.value) as ClientAnswer
    },
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}
