// How a Postgres is found, and what is said when there is none.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { findPostgres } from "./test-programs.mjs"

function withPrograms(folder: string, ...programs: readonly string[]): string {
  mkdirSync(folder, { recursive: true })
  for (const program of programs) {
    writeFileSync(join(folder, program), "")
    chmodSync(join(folder, program), 0o755)
  }
  return folder
}

const silent = () => undefined

test("the folder that POSTGRES_BIN names is taken as it is", async () => {
  const env = { POSTGRES_BIN: "/opt/postgres/bin", PATH: aFolder("postgres"), XDG_CACHE_HOME: aFolder("postgres") }

  expect(await findPostgres({ env, log: silent, system: aFolder("postgres") })).toEqual({
    bin: "/opt/postgres/bin",
    env: {},
  })
})

test("the first folder on PATH that holds all programs is taken, then the newest that Debian installed", async () => {
  const [client, system] = [withPrograms(aFolder("postgres"), "initdb"), aFolder("postgres")]
  withPrograms(join(system, "usr/lib/postgresql/9/bin"), "initdb", "postgres")
  const newest = withPrograms(join(system, "usr/lib/postgresql/17/bin"), "initdb", "postgres")
  const server = withPrograms(aFolder("postgres"), "initdb", "postgres")
  const cache = { XDG_CACHE_HOME: aFolder("postgres") }

  const onPath = { PATH: `${client}:${server}`, ...cache }
  expect(await findPostgres({ env: onPath, log: silent, system })).toEqual({ bin: server, env: {} })
  expect(await findPostgres({ env: { PATH: client, ...cache }, log: silent, system })).toEqual({ bin: newest, env: {} })
})

test("a Postgres that was fetched is taken with its libraries", async () => {
  const cache = aFolder("postgres")
  const root = join(cache, "countersign/postgres")
  const bin = withPrograms(join(root, "usr/lib/postgresql/15/bin"), "initdb", "postgres")
  const libraries = join(root, "usr/lib/x86_64-linux-gnu")
  mkdirSync(libraries, { recursive: true })

  const found = await findPostgres({
    env: { PATH: aFolder("postgres"), XDG_CACHE_HOME: cache },
    log: silent,
    system: aFolder("postgres"),
  })

  expect(found).toEqual({ bin, root, env: { LD_LIBRARY_PATH: `${libraries}:${join(root, "usr/lib")}` } })
})

test("when there is none and none can be fetched, the error says what to do", async () => {
  const env = { PATH: aFolder("postgres"), XDG_CACHE_HOME: aFolder("postgres") }

  await expect(findPostgres({ env, log: silent, system: aFolder("postgres") })).rejects.toThrow(
    /fetching it failed[^]*apt-get install postgresql[^]*set POSTGRES_BIN/,
  )
})
