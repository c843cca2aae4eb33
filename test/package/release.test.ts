// A release from end to end, by its page: a maintainer makes it, a user verifies and installs it. And the workflow
// that makes one on a public CI.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { findHelm } from "../../src/setup/helm.mjs"
import { commitToRelease } from "../../src/setup/release/commit.mjs"
import { writeChart, writeRecipe } from "../../src/setup/release/parts.mjs"
import { aFolder } from "../support/opened.ts"
import { reachesBuild } from "./containers/build-stage.ts"
import { openTerminal } from "./pages/reader.ts"
import { walk } from "./pages/walk.ts"
import { bringPackages, git, installMinisign, layTree, minisign, releaserEnv } from "./releasing.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const textOf = (path: string) => readFileSync(join(root, path), "utf8")
const { version } = JSON.parse(textOf("package.json")) as { version: string }

const machine = { env: process.env, log: () => undefined }

/** The parts, in the order of their names. */
const parts = [
  `countersign-${version}.cdx.json`,
  `countersign-${version}.tgz`,
  `countersign-chart-${version}.tgz`,
  `countersign-image-${version}.tar.gz`,
]

/** What is in a folder, by path. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = globSync("**/{*,.*}", { cwd: folder }).filter((path) => lstatSync(join(folder, path)).isFile())
  return new Map(files.toSorted().map((path) => [path, readFileSync(join(folder, path), "latin1")]))
}

/**
 * Makes the parts anew, in other folders and at another time: the package comes from the build of all tests here, the
 * rest from a clone in which each file has a date and a mode of its own.
 */
async function expectSameBytes(tree: string, downloads: string): Promise<void> {
  const [made, work] = [aFolder("again"), aFolder("work")]
  const clone = join(work, "clone")
  git(work, "clone", "--quiet", "--no-tags", tree, clone)
  for (const path of globSync("charts/**/*.yaml", { cwd: clone })) {
    chmodSync(join(clone, path), 0o600)
    utimesSync(join(clone, path), 1, 1)
  }
  const sources = { clone, work, helm: await findHelm(machine), env: releaserEnv, commit: commitToRelease(clone) }
  await writeChart(made, sources)
  writeRecipe(made, sources)
  copyFileSync(join(process.env["PACKAGE_HOME"] ?? "", `countersign-${version}.tgz`), join(made, String(parts[1])))
  const again = parts.slice(1).map((name) => readFileSync(join(made, name)))
  expect(parts.slice(1).filter((name, index) => !again[index]?.equals(readFileSync(join(downloads, name))))).toEqual([])
}

test("the page leads a maintainer to a release, the same when made anew, and a user to what it holds", async () => {
  const home = aFolder("releasing")
  const [tree, bin, prefix] = [join(home, "countersign"), join(home, "bin"), join(home, "global")]
  layTree(tree, bringPackages)
  git(home, "init", "--quiet", "--bare", "public.git")
  git(tree, "remote", "add", "origin", "../public.git")
  await installMinisign(bin)
  symlinkSync(await findHelm(machine), join(bin, "helm"))
  const path = [bin, join(prefix, "bin"), releaserEnv["PATH"]].join(delimiter)
  const env = { ...releaserEnv, npm_config_prefix: prefix, npm_config_prefer_offline: "true", PATH: path }
  const page = walk("docs/releasing.md", openTerminal(tree, env), () => [
    // Nobody sits here to type a password.
    ["minisign -G", "minisign -G -W"],
  ])

  await page.give("minisign -G")
  const made = await page.give("npm run release -- --key ../countersign.key")
  await page.give("git tag")
  page.pass("git clone --no-tags . ../again")
  const id = git(tree, "rev-parse", "HEAD")
  expect(made.out).toContain(`git tag --annotate v${version} --message "countersign ${version}" ${id}`)
  expect(made.out).not.toMatch(/trial|has no minisign\.pub/)
  expect(git(join(home, "public.git"), "rev-parse", `v${version}^{commit}`)).toBe(id)
  const downloads = join(tree, "release")
  expect(readdirSync(downloads).toSorted()).toEqual(["SHA256SUMS", "SHA256SUMS.minisig", ...parts, "minisign.pub"])
  await expectSameBytes(tree, downloads)

  const user = openTerminal(downloads, env)
  page.moveTo(user)
  const verified = await page.give("minisign -V")
  const installed = await page.give("npm install --global")
  await page.give("tar --extract")
  page.pass("docker build")
  const values = await page.give("helm show values")
  page.end()
  expect(verified.out).toContain(
    `verified\nTrusted comment: countersign ${version}, commit ${id} of 2026-11-29T08:00:00.000Z\n`,
  )
  expect(verified.out.match(/^.*(?=: OK$)/gm)).toEqual(parts)
  expect(installed.out).toMatch(new RegExp(`^${version}$`, "m"))
  expect(values.out.trim()).toBe(textOf("charts/countersign/values.yaml").trim())
  const recipe = filesIn(join(downloads, `countersign-image-${version}`))
  const reaches = reachesBuild(textOf(".dockerignore"))
  const wanted = git(tree, "ls-files")
    .split("\n")
    .filter((file) => reaches(file) || /^(?:Dockerfile|\.dockerignore|compose\.yaml)$/.test(file))
  expect([...recipe.keys()]).toEqual(wanted.toSorted())
  expect([...recipe].filter(([file, text]) => readFileSync(join(tree, file), "latin1") !== text)).toEqual([])

  appendFileSync(join(downloads, `countersign-${version}.tgz`), "x")
  const other = await user.give(verified.given)
  appendFileSync(join(downloads, "SHA256SUMS"), "x")
  const forged = await user.give(verified.given)
  expect([other.code, other.out]).toEqual([1, expect.stringContaining(`countersign-${version}.tgz: FAILED`)])
  expect([forged.code, forged.err]).toEqual([1, expect.stringContaining("Signature verification failed")])
}, 900_000)

const workflow = parse(textOf(".github/workflows/release.yml"))
const steps: readonly Readonly<Record<string, string>>[] = workflow.jobs.release.steps

test("the workflow of a public CI reads only, pins its actions to commits, and only runs npm run release", () => {
  const uses = textOf(".github/workflows/release.yml").match(/(?<=uses: ).*/g) ?? []
  const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]))

  expect(Object.keys(workflow.jobs)).toEqual(["release"])
  expect(workflow.permissions).toEqual({ contents: "read" })
  expect(workflow.jobs.release).not.toHaveProperty("permissions")
  expect(workflow.on).toEqual({ workflow_dispatch: null })
  expect(uses.length).toBe(steps.filter((step) => step["uses"] !== undefined).length)
  for (const used of uses) expect(used).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  expect(commands).toEqual(['sudo env CI=true npm run release -- --key /dev/stdin <<< "$MINISIGN_KEY"'])
})

test("the workflow's command reads the key that the CI hands it, and shows it to nobody", async () => {
  const home = aFolder("workflow")
  const [tree, bin] = [join(home, "countersign"), join(home, "bin")]
  layTree(tree, 'env > "$SEEN"; exit 3')
  await installMinisign(bin)
  // As sudo does, this lets no variable through but those that it knows.
  writeFileSync(join(bin, "sudo"), '#!/bin/sh\nexec env --unset=MINISIGN_KEY "$@"\n')
  chmodSync(join(bin, "sudo"), 0o755)
  await minisign(["-G", "-W", "-p", join(home, "minisign.pub"), "-s", join(home, "key")])
  const publicKey = readFileSync(join(home, "minisign.pub"), "utf8").trim().split("\n").at(-1) ?? ""
  const secret = readFileSync(join(home, "key"), "utf8")
  const seen = join(home, "seen")
  const path = [bin, releaserEnv["PATH"]].join(delimiter)
  const terminal = openTerminal(tree, { ...releaserEnv, PATH: path, MINISIGN_KEY: secret, SEEN: seen })

  const said = await terminal.give(steps.find(({ run }) => run !== undefined)?.["run"] ?? "")

  const shown = [said.out, said.err, readFileSync(seen, "utf8")].join("\n")
  expect(said.code).toBe(1)
  expect(said.err).toContain(`signed by the key ${publicKey}`)
  expect(said.err).toContain(".ci/run ended with 3, so nothing is released")
  expect(shown).toContain("CI=true")
  expect(shown).not.toContain(secret.trim().split("\n").at(-1))
})
