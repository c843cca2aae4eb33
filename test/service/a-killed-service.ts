// Starts the service as a process of its own, which a test kills.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export type Child = { readonly url: string; readonly process: ChildProcess; readonly ended: Promise<void> }

/** Starts it over a database; with the address of a model its agent thinks. */
export async function startChild(file: string, ...modelUrl: readonly string[]): Promise<Child> {
  const script = fileURLToPath(new URL("killed-service.ts", import.meta.url))
  const child = spawn(process.execPath, [script, file, ...modelUrl], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  for await (const url of createInterface({ input: child.stdout })) return { url, process: child, ended }
  throw new Error("the service did not start")
}
