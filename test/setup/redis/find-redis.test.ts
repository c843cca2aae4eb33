// Finding a Redis: PATH before the cache, too old ones passed over, and a plain message when there is none.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { findRedis } from "../../../src/setup/redis/find-redis.mjs"
import { aFolder } from "../../support/opened.ts"

/** A machine on which nothing is installed but what the test puts there. */
function aMachine() {
  const home = aFolder("machine")
  const said: string[] = []
  const env = { PATH: join(home, "bin"), HOME: home }
  return { home, env, said, log: (line: string) => void said.push(line) }
}

/** A program of the shell, as everything that is looked for here could be. */
function put(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const redis7 = "echo 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64'"

test("a redis-server on PATH is taken, and nothing is said", async () => {
  const machine = aMachine()
  const command = put(join(machine.home, "bin/redis-server"), redis7)

  expect(await findRedis(machine)).toEqual({ command, env: {} })
  expect(machine.said).toEqual([])
})

test("a valkey-server does as well", async () => {
  const machine = aMachine()
  const command = put(join(machine.home, "bin/valkey-server"), "echo 'Valkey server v=8.1.1 sha=00000000:0'")

  expect((await findRedis(machine)).command).toBe(command)
})

test("a server that is too old, or does not run, is passed over for the unpacked one in the cache", async () => {
  const machine = aMachine()
  put(join(machine.home, "bin/redis-server"), "echo 'Redis server v=6.0.16 sha=00000000:0'")
  put(join(machine.home, "bin/valkey-server"), "exit 1")
  const unpacked = join(machine.home, ".cache/countersign/redis")
  const command = put(join(unpacked, "usr/bin/redis-server"), redis7)
  mkdirSync(join(unpacked, "usr/lib/x86_64-linux-gnu"), { recursive: true })

  const found = await findRedis(machine)

  expect(found.command).toBe(command)
  expect(found.env["LD_LIBRARY_PATH"]).toContain(join(unpacked, "usr/lib/x86_64-linux-gnu"))
})

test("XDG_CACHE_HOME moves the cache", async () => {
  const machine = aMachine()
  const command = put(join(machine.home, "elsewhere/countersign/redis/usr/bin/redis-server"), redis7)

  const found = await findRedis({
    ...machine,
    env: { ...machine.env, XDG_CACHE_HOME: join(machine.home, "elsewhere") },
  })

  expect(found.command).toBe(command)
})

test("where there is no server and no package manager the message says what to do", async () => {
  const machine = aMachine()

  const refused = await findRedis(machine).catch((error: Error) => error.message)

  expect(refused).toMatch(/^No Redis server was found and none could be installed\./)
  expect(refused).toContain("Install Redis 6.2 or later")
  expect(refused).toContain("REDIS_URL=redis://127.0.0.1:6379")
  expect(machine.said[0]).toContain("no Redis found, installing one")
})

test.runIf(process.platform === "linux")("what a package manager says when it fails is passed on", async () => {
  const machine = aMachine()
  put(join(machine.home, "bin/apt-get"), "echo 'E: Unable to locate package redis-server' >&2; exit 100")

  await expect(findRedis(machine)).rejects.toThrow("E: Unable to locate package redis-server")
})

test.runIf(process.platform === "linux")(
  "packages are unpacked into the cache once, also when two ask at once",
  async () => {
    const machine = aMachine()
    const root = join(machine.home, "package")
    put(join(root, "usr/bin/redis-server"), redis7)
    put(join(machine.home, "bin/apt-get"), aptGet)
    put(join(machine.home, "bin/dpkg"), `/bin/cp -r ${root}/usr "$3"`)

    const both = await Promise.all([findRedis(machine), findRedis(machine)])
    rmSync(join(machine.home, "bin/apt-get"))
    const later = await findRedis(machine)

    const command = join(machine.home, ".cache/countersign/redis/usr/bin/redis-server")
    expect([...both, later].map((found) => found.command)).toEqual([command, command, command])
  },
)

/** Plays Debian's apt-get for an ordinary user and, by failing to install, for root. */
const aptGet = `
case "$*" in
  *-s\\ install*) echo 'Inst liblzf1 (3.6-3 Debian:12/stable [amd64])' ;;
  *-qy\\ redis-server) echo 'E: dpkg was interrupted'; exit 100 ;;
  *download\\ redis-server\\ redis-tools\\ liblzf1) : > redis-server_7.deb ;;
  *update*) ;;
  *) echo "unexpected: $*"; exit 1 ;;
esac`
