// What npm installs on machines other than this one: every package that has native parts gets the one that fits.
import { copyFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { run } from "../../src/setup/processes.mjs"
import { aFolder } from "../support/opened.ts"
import { terminalEnv } from "../support/terminal.ts"

const root = new URL("../..", import.meta.url).pathname

type Machine = { readonly os: string; readonly cpu: string }

type LockedPackage = {
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A package, and those of its native parts that fit a machine. */
type Native = { readonly name: string; readonly parts: readonly string[] }

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/**
 * The packages with a native part for this system, as the lock knows them. The project itself is the one that wants a
 * Node.
 */
function nativePackagesFor({ os, cpu }: Machine): readonly Native[] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const ofSystem = Object.keys(optionalDependencies).filter((part) => lockedPart(part)?.os?.includes(os))
    const parts = ofSystem.filter((part) => lockedPart(part)?.cpu?.includes(cpu) ?? true)
    return ofSystem.length === 0 ? [] : [{ name: path.replace(/^.*node_modules\//, ""), parts }]
  })
}

function lockedPart(name: string): LockedPackage | undefined {
  return lock.packages[`node_modules/${name}`]
}

/** A folder in which npm installed the locked packages as it would on that machine. */
async function installedFor({ os, cpu }: Machine): Promise<string> {
  const folder = aFolder("install")
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) copyFileSync(join(root, file), join(folder, file))
  const flags = [`--os=${os}`, `--cpu=${cpu}`, "--no-save", "--prefer-offline", "--loglevel=error"]
  const { code, output } = await run(["npm", "install", ...flags], { env: terminalEnv, cwd: folder })
  if (code !== 0)
    throw new Error(`npm install for ${os} ${cpu} ended with ${code}. It needs the network. It said:\n${output}`)
  return folder
}

test.each([
  { os: "darwin", cpu: "arm64", node: false },
  { os: "linux", cpu: "arm64", node: true },
])("on $os $cpu every package finds its native part", async ({ node, ...machine }) => {
  const natives = nativePackagesFor(machine)

  const folder = await installedFor(machine)

  const there = (part: string): boolean => existsSync(join(folder, "node_modules", part, "package.json"))
  const without = natives.filter(({ parts }) => !parts.some(there)).map(({ name }) => name)
  expect(without, "pin a version all of whose native parts are published, and lock it anew").toEqual([])
  const names = natives.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(["@biomejs/biome", "esbuild", "oxc-parser", "oxlint", "typescript"]))
  expect(names.includes("")).toBe(node)
})
