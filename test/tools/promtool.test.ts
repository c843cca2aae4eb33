// How promtool is found, and what is said when there is none.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findPromtool } from "./test-programs.mjs"

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-promtool-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const silent = () => undefined

test("the one that PROMTOOL names is taken as it is", async () => {
  const env = { PROMTOOL: "/opt/promtool", PATH: aFolder(), XDG_CACHE_HOME: aFolder() }

  expect(await findPromtool({ env, log: silent })).toBe("/opt/promtool")
})

test("the first on PATH that can be run is taken, before one that was fetched", async () => {
  const [first, second, cache] = [aFolder(), aFolder(), aFolder()]
  writeFileSync(join(first, "promtool"), "")
  writeFileSync(join(second, "promtool"), "")
  chmodSync(join(second, "promtool"), 0o755)
  const env = { PATH: `${first}:${second}`, XDG_CACHE_HOME: cache }

  expect(await findPromtool({ env, log: silent })).toBe(join(second, "promtool"))
})

test("when there is none and none can be fetched, the error says what to do", async () => {
  const env = { PATH: aFolder(), XDG_CACHE_HOME: aFolder() }

  await expect(findPromtool({ env, log: silent })).rejects.toThrow(
    /fetching it failed[^]*apt-get install prometheus[^]*set PROMTOOL/,
  )
})
