// Walks docs/how-to/agentos-gate.md as its reader does: runs its blocks by bash in a folder of their own.
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished } from "vitest"
import { program } from "../cli/command.ts"
import { until } from "../stories/acts.ts"
import { aFolder } from "./opened.ts"

const page = readFileSync(new URL("../../docs/how-to/agentos-gate.md", import.meta.url), "utf8")

/** A folder in which the page's commands run. */
export interface Walk {
  readonly folder: string
  /** Runs the page's only block with these words, and gives what it printed. */
  readonly run: (words: string) => Promise<string>
  /** Starts the page's gate before a platform, and gives its address. Ended with the test. */
  readonly startGate: (platformUrl: string) => Promise<RunningGate>
  /** A file that a command wrote, or a key that one needs. */
  readonly read: (name: string) => string
  readonly write: (name: string, text: string) => void
}

/** The page's gate, as a process of its own. */
export interface RunningGate {
  readonly url: string
  /** What it said on stderr so far. */
  readonly err: () => string
}

/** Makes a folder, and takes it away with the test. */
export function walkGatePage(): Walk {
  const folder = aFolder("gate-page")
  const bin = join(folder, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "countersign"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(join(bin, "countersign"), 0o755)
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env
  const place = { cwd: folder, env: { PATH: `${bin}:${PATH}`, HOME, NODE_COMPILE_CACHE } }
  const read = (name: string) => readFileSync(join(folder, name), "utf8")
  return {
    folder,
    read,
    write: (name, text) => writeFileSync(join(folder, name), text),
    run: async (words) => (await promisify(execFile)("bash", ["-ec", blockWith(words)], place)).stdout,
    startGate: async (platformUrl) => {
      const block = blockWith("--upstream-routes all")
        .replace("countersign service", "exec countersign service")
        .replace("--port 7780", "--port 0")
        .replace("https://agents.example.com", platformUrl)
      return startGate(block, place)
    },
  }
}

/** The block of the page with these words, as the installed command is called. */
function blockWith(words: string): string {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block)
  const found = blocks.filter((block) => block.includes(words))
  expect(found, words).toHaveLength(1)
  return found.join("").replaceAll(/npm run (--silent )?countersign --/g, "countersign")
}

async function startGate(
  block: string,
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<RunningGate> {
  const child = spawn("bash", ["-ec", block], { ...place, stdio: ["ignore", "pipe", "pipe"] })
  let out = ""
  let err = ""
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()))
  const exited = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await exited
  })
  const url = await until("the gate's address", () => {
    if (child.exitCode !== null) throw new Error(`the gate ended: ${err}`)
    return /^listening on (\S+)$/m.exec(out)?.[1]
  })
  return { url, err: () => err }
}
