// Runs the programs in Python that read the interface description.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { openApiPython } from "../tools/agentos.mjs"

/** How a program ended, and all that it said. */
interface Ended {
  readonly code: number
  readonly said: string
}

/** Runs `python`, or a program that stands beside it, in a folder. */
export function runTool(name: string, args: readonly string[], folder: string): Promise<Ended> {
  const bin = dirname(openApiPython(process.env))
  const path = [bin, process.env["PATH"]].join(delimiter)
  const env = { ...process.env, PATH: path, PYTHONPATH: folder, NO_COLOR: "1", COLUMNS: "200" }
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    const child = execFile(join(bin, name), args, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, said: out + err }),
    )
  })
}

/** A folder for what they write, and what removes it. */
export function aFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "countersign-openapi-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
