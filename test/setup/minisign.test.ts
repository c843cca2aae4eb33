// How minisign is found, and what is said when there is none.
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findMinisign } from "../../src/setup/release/signing.mjs"
import { aFolder } from "../support/opened.ts"

const silent = () => undefined

test("the minisign that MINISIGN names is taken as it is, and else the first on PATH that can be run", async () => {
  const [first, second] = [aFolder("minisign"), aFolder("minisign")]
  for (const folder of [first, second]) writeFileSync(join(folder, "minisign"), "")
  chmodSync(join(second, "minisign"), 0o755)
  const env = { PATH: `${first}:${second}`, XDG_CACHE_HOME: aFolder("minisign") }

  expect(await findMinisign({ env: { ...env, MINISIGN: "/opt/minisign" }, log: silent })).toEqual({
    program: "/opt/minisign",
    env: {},
  })
  expect(await findMinisign({ env, log: silent })).toEqual({ program: join(second, "minisign"), env: {} })
})

test("when there is no minisign and none can be fetched, the error says what to do", async () => {
  const env = { PATH: aFolder("minisign"), XDG_CACHE_HOME: aFolder("minisign") }

  await expect(findMinisign({ env, log: silent })).rejects.toThrow(
    /fetching it failed[^]*apt-get install minisign[^]*set MINISIGN/,
  )
})
