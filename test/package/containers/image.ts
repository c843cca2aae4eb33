// Lays out images as folders: the programs of a base image that are on this machine, and what our Dockerfile puts on
// top.
import { execFileSync } from "node:child_process"
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { findRedis } from "../../../src/setup/redis/find-redis.mjs"
import { type ImageConfig, imageOf } from "../../support/dockerfile.ts"
import { must } from "./network.ts"

/** An image: its files, and what a container of it begins with. */
export interface Image extends Omit<ImageConfig, "base" | "copies"> {
  readonly root: string
}

/** Who is who in each image. */
const users = { root: 0, node: 1000, valkey: 999 } as const

/** The numbers of a user and its group, by name or number. */
export function idOf(user: string): number {
  const found = Object.entries(users).find(([name]) => name === user)?.[1] ?? Number(user)
  if (!Number.isInteger(found)) throw new Error(`no user ${user} in the image`)
  return found
}

/** What Debian's slim image has of what containers need here. */
const debianPrograms = ["/bin/sh", "/usr/bin/env", "/usr/bin/setpriv", "/bin/cat"]

/** Makes the folder of a base image, with programs of this machine at these places, and the libraries they load. */
function layBase(root: string, programs: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}): void {
  const folders = ["dev", "proc", "etc", "home/node", "root", "usr/local/bin", "usr/bin", "bin", "data", "app"]
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  mkdirSync(join(root, "tmp"), { mode: 0o1777 })
  chownSync(join(root, "home/node"), users.node, users.node)
  chownSync(join(root, "data"), users.valkey, users.node)
  const line = ([name, id]: readonly [string, number]) => `${name}:x:${id}:${id}::${homeOf(name)}:/bin/sh\n`
  writeFileSync(join(root, "etc/passwd"), Object.entries(users).map(line).join(""))
  for (const empty of ["etc/hosts", "etc/resolv.conf"]) writeFileSync(join(root, empty), "")
  const all = { ...Object.fromEntries(debianPrograms.map((path) => [path, path])), ...programs }
  for (const [place, source] of Object.entries(all)) {
    put(root, place, source)
    for (const library of librariesOf(source, env)) put(root, library, library)
  }
}

/** The home folder of a user. */
export function homeOf(user: string): string {
  return user === "node" ? "/home/node" : "/root"
}

function put(root: string, place: string, source: string): void {
  const target = join(root, place)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  cpSync(realpathSync(source), target, { dereference: true })
}

/** The libraries that a program loads, each at its place. */
function librariesOf(program: string, env: NodeJS.ProcessEnv): readonly string[] {
  const options = { encoding: "utf8", env: { ...process.env, ...env } } as const
  const lines = execFileSync("ldd", [realpathSync(program)], options).split("\n")
  return lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

/**
 * Makes the bot's image from the Dockerfile of a project whose package is built. Its `dist` stands for what the first
 * stage makes, as test/package/image.test.ts holds, and `data` is empty.
 */
export async function buildBotImage(project: string, root: string): Promise<Image> {
  const config = imageOf(readFileSync(join(project, "Dockerfile"), "utf8"))
  if (config.base !== "node:24-slim") throw new Error(`nobody lays out ${config.base} here`)
  layBase(root, { "/usr/local/bin/node": process.execPath })
  for (const { from, chown, sources, target } of config.copies) {
    for (const source of sources) {
      if (from === undefined || !source.startsWith("/build/")) throw new Error(`nobody copies ${source} here`)
      const place = join(root, config.folder, target)
      mkdirSync(place, { recursive: true })
      if (source !== "/build/data") await must(["cp", "-a", `${join(project, basename(source))}/.`, place])
      const [user = "root"] = chown?.split(":") ?? []
      if (chown !== undefined) await must(["chown", "-R", `${idOf(user)}:${idOf(user)}`, place])
    }
  }
  return { ...config, root }
}

/** As the image's own: options alone are the server's, and whoever reaches the container is let in. */
const redisEntry = `#!/bin/sh
case "$1" in -*) set -- valkey-server "$@" ;; esac
[ "$1" != valkey-server ] || set -- "$@" --protected-mode no
exec "$@"
`

/** Lays out `valkey/valkey`, with this machine's Redis as its server. Its entry gives up root for `valkey`. */
export async function layRedisImage(root: string): Promise<Image> {
  const { command: server, env } = await findRedis({ env: process.env, log: () => undefined })
  const beside = ["valkey-cli", "redis-cli"].map((name) => join(dirname(server), name))
  const client = beside.find((path) => existsSync(path))
  if (client === undefined) throw new Error(`there is no redis-cli beside ${server}`)
  layBase(root, { "/usr/bin/valkey-server": server, "/usr/bin/valkey-cli": client }, env)
  writeFileSync(join(root, "usr/local/bin/docker-entrypoint.sh"), redisEntry, { mode: 0o755 })
  const command = ["valkey-server"]
  return { root, env, folder: "/data", user: "valkey", entrypoint: ["docker-entrypoint.sh"], command, healthCheck: [] }
}
