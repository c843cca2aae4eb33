// How curl is found, and what is said when there is none.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bringCurl } from "./test-programs.mjs"

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-curl-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const silent = () => undefined

test("one on PATH will do", async () => {
  const folder = aFolder()
  writeFileSync(join(folder, "curl"), "")
  chmodSync(join(folder, "curl"), 0o755)

  await expect(bringCurl({ env: { PATH: folder }, log: silent })).resolves.toBeUndefined()
})

test("when there is none and none can be installed, the error says what to do", async () => {
  const env = { PATH: aFolder(), XDG_CACHE_HOME: aFolder() }

  await expect(bringCurl({ env, log: silent })).rejects.toThrow(/pages call curl[^]*apt-get install curl/)
})
