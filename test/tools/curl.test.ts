// How curl is found, and what is said when there is none.

import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { bringCurl } from "./test-programs.mjs"

const silent = () => undefined

test("one on PATH will do", async () => {
  const folder = aFolder("curl")
  writeFileSync(join(folder, "curl"), "")
  chmodSync(join(folder, "curl"), 0o755)

  await expect(bringCurl({ env: { PATH: folder }, log: silent })).resolves.toBeUndefined()
})

test("when there is none and none can be installed, the error says what to do", async () => {
  const env = { PATH: aFolder("curl"), XDG_CACHE_HOME: aFolder("curl") }

  await expect(bringCurl({ env, log: silent })).rejects.toThrow(/pages call curl[^]*apt-get install curl/)
})
