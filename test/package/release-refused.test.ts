// What stands in the way of a release is said with what to do about it, before the CI runs where that can be known, and
// nothing is left behind.
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { until } from "../stories/acts.ts"
import { git, layTree, minisign, releaserEnv } from "./releasing.ts"

const home = mkdtempSync(join(tmpdir(), "countersign-refused-"))
const [bare, plainKey, lockedKey] = ["bare", "plain.key", "locked.key"].map((name) => join(home, name))
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

interface Place {
  readonly tree: string
  /** A file beside the tree. */
  readonly beside: (name: string, text?: string) => string
}

beforeAll(async () => {
  const isWanted = (file: string) => /^(?:src\/setup\/|package\.json|CHANGELOG\.md|\.gitignore)/.test(file)
  layTree(join(home, "bare"), 'touch "$SEEN"; exit 3', isWanted)
  await minisign(["-G", "-W", "-p", join(home, "plain.pub"), "-s", String(plainKey)])
  await minisign(["-G", "-p", join(home, "locked.pub"), "-s", String(lockedKey)], "right\nright\n")
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A clone to release from, in a folder of its own with one for what is temporary. */
function aPlace(): Place {
  const folder = mkdtempSync(join(home, "place-"))
  const tree = join(folder, "tree")
  git(home, "clone", "--quiet", String(bare), tree)
  mkdirSync(join(folder, "temporary"))
  const beside = (name: string, text?: string) => {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text)
    return path
  }
  return { tree, beside }
}

function begin({ tree, beside }: Place, args: readonly string[]) {
  const env = { ...releaserEnv, TMPDIR: beside("temporary"), SEEN: beside("seen") }
  const child = spawn(process.execPath, [join(tree, "src/setup/release/release.mjs"), ...args], { cwd: tree, env })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (said += chunk))
  return { child, ended: once(child, "close").then(([code]) => ({ code: Number(code), said })) }
}

/** Changes the changelog of a tree, and commits that. */
function rewrite({ tree }: Place, change: (text: string) => string): void {
  const path = join(tree, "CHANGELOG.md")
  writeFileSync(path, change(readFileSync(path, "utf8")))
  git(tree, "commit", "--quiet", "--all", "--message", "another changelog")
}

const heading = new RegExp(String.raw`^## \[${version}\] - .*$`, "m")
const key = ["--key", String(plainKey)]

/** What is wrong, how it comes about, what is given then, and what is said. */
const refused: readonly (readonly [string, (place: Place) => readonly string[], RegExp])[] = [
  [
    "files that are not committed",
    ({ tree }) => {
      appendFileSync(join(tree, "package.json"), " ")
      writeFileSync(join(tree, "new.txt"), "")
      return key
    },
    /tree is not clean[^]*commit these files, or take them away[^]* M package\.json\n\?\? new\.txt/,
  ],
  [
    "a version that the changelog lacks",
    (place) => {
      rewrite(place, (text) => text.replace(heading, ""))
      return key
    },
    /CHANGELOG\.md does not have \d[\d.]+: put "## \[\d[\d.]+\] - \d{4}-\d\d-\d\d" above its notes, commit/,
  ],
  ...["", " - soon", " - 2026-13-45"].map((date): (typeof refused)[number] => [
    `a version whose date is "${date}"`,
    (place) => {
      rewrite(place, (text) => text.replace(heading, `## [${version}]${date}`))
      return key
    },
    /CHANGELOG\.md gives \d[\d.]+ no date: write "## \[/,
  ]),
  [
    "a version without notes",
    (place) => {
      rewrite(place, (text) => text.replace(heading, `$&\n\n## [0.0.1] - 2026-01-01\n`))
      return key
    },
    /CHANGELOG\.md says nothing about/,
  ],
  [
    "a version that has a tag",
    ({ tree }) => {
      git(tree, "tag", `v${version}`)
      return key
    },
    /was released before: there is a tag v\d[^]*Give this commit another version/,
  ],
  [
    "a folder that is not empty",
    ({ tree }) => {
      mkdirSync(join(tree, "release"))
      writeFileSync(join(tree, "release/old"), "")
      return key
    },
    /\/tree\/release is not empty: take away what is in it, or name another folder by --out/,
  ],
  [
    "a file in place of the folder",
    (place) => [...key, "--out", place.beside("file", "")],
    /file is a file: name a folder/,
  ],
  ["no key", () => [], /There is no key to sign with: name its file[^]*Usage: npm run release -- --key FILE/],
  ["an option that there is not", () => ["--kye", "x"], /Unknown option '--kye'[^]*Usage: npm run release/],
  [
    "a key that is not there",
    ({ beside }) => ["--key", beside("none")],
    /There is no reading the key in .*none: ENOENT/,
  ],
  ["another file than a key", ({ beside }) => ["--key", beside("x", "x")], /x is no secret key of minisign: docs\/rel/],
  [
    "a key that is broken",
    ({ beside }) => ["--key", beside("broken", readFileSync(String(plainKey), "utf8").replace("RWQAAEIy", "RWQAAEIz"))],
    /minisign does not take the key in .*broken: /,
  ],
  [
    "a key whose password is not given",
    () => ["--key", String(lockedKey)],
    /has a password: name a file with it by --pass/,
  ],
  [
    "a wrong password",
    ({ beside }) => ["--key", String(lockedKey), "--password-file", beside("password", "wrong\n")],
    /The password in .*password is not that of the key in .*locked\.key/,
  ],
  [
    "another key than users verify by",
    ({ tree }) => {
      writeFileSync(join(tree, "minisign.pub"), readFileSync(join(home, "locked.pub")))
      git(tree, "add", "minisign.pub")
      git(tree, "commit", "--quiet", "--message", "a key")
      return key
    },
    /Users verify by the key in minisign\.pub, and .*plain\.key is another: its public key is RW/,
  ],
  [
    "a tree without git",
    ({ tree }) => {
      rmSync(join(tree, ".git"), { recursive: true })
      return key
    },
    /A release is made of a commit of this project's git repository[^]*not a git repository/,
  ],
]

test.each(refused)("%s: the release is refused before its CI runs", async (_what, prepare, words) => {
  const place = aPlace()
  const args = prepare(place)
  const before = readdirSync(place.tree).toSorted()

  const { code, said } = await begin(place, args).ended

  expect(said).toMatch(words)
  expect(code).toBe(1)
  expect(existsSync(place.beside("seen"))).toBe(false)
  expect(readdirSync(place.tree).toSorted()).toEqual(before)
  expect(readdirSync(place.beside("temporary"))).toEqual([])
})

test("a CI that fails ends a release whose key has a password, and leaves nothing of it", async () => {
  const place = aPlace()
  const args = ["--key", String(lockedKey), "--password-file", place.beside("password", "right\n")]
  const before = readdirSync(place.tree).toSorted()

  const { code, said } = await begin(place, args).ended

  expect(said).toContain(".ci/run ended with 3, so nothing is released. Mend what it says, commit that, and try again.")
  expect(said).not.toMatch(/right\n|password to/)
  expect(code).toBe(1)
  expect(existsSync(place.beside("seen"))).toBe(true)
  expect(readdirSync(place.tree).toSorted()).toEqual(before)
  expect(readdirSync(place.beside("temporary"))).toEqual([])
})

test("a release that is stopped takes its CI along, and leaves nothing of it", async () => {
  const place = aPlace()
  const ci = `echo $$ > '${place.beside("pid")}'; exec sleep 600`
  const running = begin(place, [...key, "--ci", ci])
  const pid = await until("the CI to begin", () => {
    const file = place.beside("pid")
    return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined
  })

  running.child.kill("SIGTERM")
  const { code } = await running.ended

  expect(code).toBe(1)
  expect(readdirSync(place.tree)).not.toContain("release")
  expect(readdirSync(place.beside("temporary"))).toEqual([])
  await until("the CI to end", () => (isThere(pid) ? undefined : true))
})

/** Whether a process runs. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // it does not
  }
}
