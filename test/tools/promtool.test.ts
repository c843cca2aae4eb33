// How promtool is found, and what is said when there is none.

import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { findPromtool } from "./test-programs.mjs"

const silent = () => undefined

test("the one that PROMTOOL names is taken as it is", async () => {
  const env = { PROMTOOL: "/opt/promtool", PATH: aFolder("promtool"), XDG_CACHE_HOME: aFolder("promtool") }

  expect(await findPromtool({ env, log: silent })).toBe("/opt/promtool")
})

test("the first on PATH that can be run is taken, before one that was fetched", async () => {
  const [first, second, cache] = [aFolder("promtool"), aFolder("promtool"), aFolder("promtool")]
  writeFileSync(join(first, "promtool"), "")
  writeFileSync(join(second, "promtool"), "")
  chmodSync(join(second, "promtool"), 0o755)
  const env = { PATH: `${first}:${second}`, XDG_CACHE_HOME: cache }

  expect(await findPromtool({ env, log: silent })).toBe(join(second, "promtool"))
})

test("when there is none and none can be fetched, the error says what to do", async () => {
  const env = { PATH: aFolder("promtool"), XDG_CACHE_HOME: aFolder("promtool") }

  await expect(findPromtool({ env, log: silent })).rejects.toThrow(
    /fetching it failed[^]*apt-get install prometheus[^]*set PROMTOOL/,
  )
})
