// Holds what a clone needs to work anywhere: exact and complete packages, scripts that set themselves up, no traces of
// a machine.
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tasks } from "../src/setup/tasks.mjs"

const root = new URL("..", import.meta.url).pathname

type LockedPackage = {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Manifest = {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly files: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8")
}

/** The name of the package that the lock puts at this path. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
}

const manifest = JSON.parse(textOf("package.json")) as Manifest
const lock = JSON.parse(textOf("package-lock.json")) as {
  readonly version: string
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const locked = Object.entries(lock.packages).filter(([path]) => path !== "")

test("every locked package can be checked and names no host to fetch it from", () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([])
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
})

test("every version is exact", () => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides })

  expect(versions.filter(([, version]) => !/^(?:npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test("whatever names the version of this project names that of package.json", () => {
  const chart = textOf("charts/countersign/Chart.yaml")
  const [ours] = Object.values(lock.packages)
  const named = projectFiles()
    .filter((path) => !path.startsWith("test/"))
    .flatMap((path) =>
      [...textOf(path).matchAll(/\bcountersign(?:-chart-|-image-|-|:)(\d+\.\d+\.\d+)/g)].map(([, it]) => [path, it]),
    )
  const places = [
    ...named,
    ["package-lock.json", lock.version],
    ["package-lock.json", ours?.version],
    ...[...chart.matchAll(/^(?:appVersion|version): (.+)$/gm)].map(([, it]) => ["Chart.yaml", it]),
  ]

  expect(places.length).toBeGreaterThan(20)
  expect(places.filter(([, version]) => version !== manifest.version)).toEqual([])
})

test("the lock holds the native parts for every platform, without which npm ci refuses it", () => {
  const names = new Set(locked.map(([path]) => nameOf(path)))
  const wanted = locked.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  )
  const missing = wanted.filter(({ name }) => !names.has(name)).map(({ path, name }) => `${path} wants ${name}`)

  expect(wanted.length).toBeGreaterThan(100)
  expect(missing, "pin a version all of whose native parts are published, and lock it anew").toEqual([])
})

test("no package needs its install script: each that has one brings its binaries as packages", () => {
  const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  const without = scripted.filter(([path, { optionalDependencies = {} }]) => {
    const native = Object.keys(optionalDependencies).filter((other) => /(linux|darwin|win32)/.test(other))
    return native.length === 0 && nameOf(path) !== "fsevents"
  })

  expect(without.map(([path]) => path)).toEqual([])
  expect(textOf(".npmrc")).toContain("ignore-scripts=true")
})

test("every npm script sets the machine up by itself, in the shell's place, and names a task that exists", () => {
  const scripts = Object.entries(manifest.scripts)
  // npm passes a signal on to the shell that it starts, and no further: without `exec` the program would live on.
  const names = scripts.map(([, command]) => /^exec node src\/setup\/start\.mjs ([\w:]+)$/.exec(command)?.[1])

  expect(scripts.filter((_script, index) => !tasks.has(names[index] ?? ""))).toEqual([])
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining([...tasks.keys()]))
})

test("no file mentions a path of the machine that it was written on, or a registry's host", () => {
  const found = projectFiles().flatMap((path) => tracesIn(textOf(path)).map((trace) => `${path}: ${trace}`))

  expect(found).toEqual([])
})

test("git ignores every file with a secret that a page makes or names, so that nobody commits one", () => {
  const pages = globSync(["README.md", "compose.yaml", "docs/**/*.{md,yaml}", "integrations/*/README.md"], {
    cwd: root,
  })
  const secret =
    /(?<![\w./*-])(?:[\w-]+\/|\.[\w-]+\/)*(?:[\w.-]+\.(?:token|jwt|secret|pem|sqlite|env)|\.env)(?![\w/(-])/g
  const files = [...new Set(pages.flatMap((page) => textOf(page).match(secret) ?? []))]
  const ignored = files.filter((file) => spawnSync("git", ["check-ignore", "-q", file], { cwd: root }).status === 0)

  expect(files).toEqual(
    expect.arrayContaining([".env", "config/platform.token", "gate.env", "gate.sqlite", "upstream.jwt"]),
  )
  expect(files.filter((file) => !ignored.includes(file))).toEqual([])
})

test("traces are seen where there are some", () => {
  expect(tracesIn(["see /wo", "rk/main/x"].join(""))).toHaveLength(1)
  expect(tracesIn(["(/ro", "ot/.cache)"].join(""))).toHaveLength(1)
  expect(tracesIn(["https://registry.", "npmjs.org/zod"].join(""))).toHaveLength(1)
  expect(tracesIn(["https://py", "pi.org/project/x"].join(""))).toHaveLength(1)
  expect(tracesIn(["/ho", "me/somebody/.cache"].join(""))).toHaveLength(1)
  expect(tracesIn("/home/node/.cache, /app/work/x and https://example.com/root/x and the npm registry")).toEqual([])
})

/** What is tracked, or would be if everything were added. */
function projectFiles(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  const paths = listed.toString().split("\0").filter(Boolean)
  return paths.filter((path) => !/\.(png|jpg|gif|ico|woff2?|db|gz)$/.test(path))
}

function tracesIn(text: string): readonly string[] {
  // In pieces, so that this file does not contain what it forbids.
  const paths = ["wo" + "rk", "ro" + "ot", "home/(?!node)\\w+"].map((folder) => `(?<![\\w.$}])/${folder}/`)
  const hosts = [
    "registry\\.\\w+",
    "registry\\.npm" + "js\\.org",
    "(?:www\\.)?py" + "pi\\.org",
    "[\\w.-]*pkg\\." + "dev",
    "[\\w.-]*artifact" + "ory[\\w.-]*",
  ]
  const forbidden = new RegExp([...paths, `//(?:${hosts.join("|")})`].join("|"), "g")
  return text.match(forbidden) ?? []
}
