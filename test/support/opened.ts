// When a test ends, closes what it opened for itself, the last opened first.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Opens something that is closed when the test ends. */
export async function opened<T extends { close(): unknown }>(opening: T | Promise<T>): Promise<T> {
  const made = await opening
  onTestFinished(async () => void (await made.close()))
  return made
}

/** Makes a folder that is removed when the test ends. */
export function aFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
