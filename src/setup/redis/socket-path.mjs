// Says where a server's socket lies: beside its data, or, if that path is too long, in a short private folder.
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { OwnRedisError } from "./own-redis-error.mjs"

/** A socket's path must fit into `sockaddr_un.sun_path` with its closing zero: 108 bytes on Linux, 104 on macOS. */
const longest = 103

/**
 * The same folder always gets the same path. Throws if the short folder exists and is not private to this user.
 * @param {string} folder
 * @returns {string} a path of at most 103 bytes, in an existing folder with mode 700
 */
export function socketPathFor(folder) {
  const home = resolve(folder)
  const beside = join(home, "redis.sock")
  if (Buffer.byteLength(beside) <= longest) return beside
  const name = `countersign-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`
  const base = Buffer.byteLength(tmpdir()) + name.length + 12 <= longest ? tmpdir() : "/tmp"
  const short = join(base, name)
  mkdirSync(short, { recursive: true, mode: 0o700 })
  const found = lstatSync(short)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new OwnRedisError(
      `${short} is not a private folder of this user; remove it, or choose a data folder with a shorter path.`,
    )
  }
  return join(short, "redis.sock")
}
