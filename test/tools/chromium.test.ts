// How a Chromium for the browser tests is found, and what is said when there is none.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { findChromium } from "./test-programs.mjs"

const silent = () => undefined

test("the one that CHROMIUM names is taken as it is", async () => {
  expect(await findChromium({ env: { CHROMIUM: "/opt/chrome", PATH: aFolder("chromium") }, log: silent })).toBe(
    "/opt/chrome",
  )
})

test("of those on PATH Chromium comes before Chrome, and what cannot be run is passed over", async () => {
  const [first, second] = [aFolder("chromium"), aFolder("chromium")]
  writeFileSync(join(first, "chromium"), "", { mode: 0o644 })
  writeFileSync(join(first, "google-chrome"), "", { mode: 0o755 })
  writeFileSync(join(second, "chromium"), "", { mode: 0o755 })

  const found = await findChromium({ env: { PATH: `${first}:${second}` }, log: silent })

  expect(found).toBe(join(second, "chromium"))
})

test("when there is none and none can be installed, the error says what to do", async () => {
  const failed = findChromium({ env: { PATH: aFolder("chromium") }, log: silent })

  await expect(failed).rejects.toThrow(/need Chromium[^]*apt-get install chromium[^]*set CHROMIUM/)
})
