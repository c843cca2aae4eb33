// A reader's folder with a clone of this project: the files that git has, its packages, and nothing else.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A clone, and a folder for programs that come first on the reader's PATH. */
export interface Clone {
  readonly folder: string
  readonly bin: string
  readonly remove: () => void
}

/** Makes a clone in an empty folder. Its packages are those of this tree, as `npm ci` would install them. */
export function makeClone(): Clone {
  const home = mkdtempSync(join(tmpdir(), "countersign-reader-"))
  const folder = join(home, "countersign")
  const bin = join(home, "bin")
  mkdirSync(bin)
  copyTracked(folder, () => true)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return { folder, bin, remove: () => rmSync(home, { recursive: true, force: true }) }
}

/** Copies the files that git has, as they are here, into a folder: those that are wanted. */
export function copyTracked(folder: string, isWanted: (file: string) => boolean): void {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0")
  for (const file of files.filter((name) => name !== "" && existsSync(join(root, name)) && isWanted(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
}
