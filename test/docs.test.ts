// Holds the pages of docs to the truth: every command is run or has its reason, every page is in the index, and every
// test that a page names is there. Their configs are held by test/config/examples.test.ts.
import { globSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { expect, test } from "vitest"
import { fitsCluster } from "./cluster-commands.ts"
import { commandsIn, isRun, isRunWithOthers, isTestThatIsThere, isWalked, textOf } from "./doc-commands.ts"
import { blocksOf, leftOut, walkedPages } from "./package/pages/blocks.ts"

const root = new URL("..", import.meta.url).pathname
const pages = globSync("docs/**/*.md", { cwd: root }).toSorted()

/** Commands that no test can run as they stand, and why. The README's are in `readme.test.ts`. */
const untested: Readonly<Record<string, string>> = {
  "npm run bench": "measures for an hour; test/bench runs its parts",
  "npm run bench -- click 8": "the same for one part",
  "npm run bench -- latency growth --quick": "the same for two parts, shorter",
  "npm run bench -- --report": "writes the page that test/bench compares",
  "npm run faults": ".ci/run runs it with a number of seeds",
  "npm run faults -- --seeds 1000": ".ci/run runs it with fewer seeds",
  "npm run faults -- --seeds N --report": "writes docs/faults.md, which test/faults compares",
  "npm run faults -- --seeds 1000 --report": "the same",
  "npm run faults -- --seeds 100": "the same",
  "npm run attacks": ".ci/run runs it with a number of seeds",
  "npm run attacks -- --seeds 100": "the same",
  "npm run bench -- click": "test/bench runs its parts",
  "npm run format": "changes files; npm run check finds what it would change",
  "npm run test:chart -- -u": "writes the manifests that the suite compares",
  "npm run test:openapi": "needs hours; test/openapi has its own page",
  "npm run release -- --key FILE": "names the command of the page, which is walked",
  "npm install --package-lock-only": "asks a registry; npm ci sees whether the lock is whole",
  "AGNO_VERSION=3.0.11 npm run test:agentos": "the same suite with another version of AgentOS, which it installs",
  "PYTHONPATH=src python -m unittest": "test/agentos/package.test.ts runs these tests from the wheel",
  "countersign refused:": "what a gate says, and no command",
  "countersign stop": "names a group; each of its commands is run",
  'curl -X POST -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:3000/stops?agent=billing-agent&reason=runaway%20refunds&for=2h"':
    "test/stories/stop-by-http.test.ts sends it by fetch",
  "npm run faults -- --attacked": "test/faults runs an attacked seed",
  "npm run faults -- --plant no-freshness": "test/faults/plants.test.ts runs the plants",
  "npm run attacks -- --seeds 2000": ".ci/run runs it with fewer seeds",
  "npm audit --omit=dev": "asks a registry about the packages of today",
  "npm run mutation": "runs the tests thousands of times",
  "npm run mutation -- --mutate src/domain/case/vote.ts": "the same for one file",
  "npm run test:engines": "fetches five servers; test/engines holds what it runs",
  "countersign run --activate": "test/stories starts bots that activate their config",
  "countersign receipt": "names a group; each of its commands is run",
  "countersign hold": "the same",
  "countersign sandbox --port 4400 > sandbox.env": "test/cli/run.test.ts starts one at any free port",
  "countersign doctor --gate countersign-gate.json": "test/cli/ledger/proof.test.ts gives it two files of its own",
  "node bench/earlier.ts FOLDER": "it compares with an earlier checkout, which a clone in a test does not have",
  "python -m bench.cost": "test/agentos/package.test.ts runs it with three calls",
  "docker build --tag countersign:0.2.0 .": "test/package/kubernetes.test.ts gives it",
  "docker buildx imagetools inspect node:24-slim": "it asks a registry of images, which tests do not",
  "npm run release": "names the command of the page, which is walked",
  "openssl genpkey -algorithm ed25519": "makes a key; test/proof signs with keys made the same way by Node",
  "redis-cli --rdb countersign-$(date +%F).rdb": "a snapshot; test/stories/restore.test.ts copies Redis's own file",
  "redis-server --dir /data --dbfilename countersign.rdb --appendonly no": "test/stories/restore.test.ts starts one so",
  "redis-cli config set appendonly yes": "the same",
  'redis-cli del "{countersign:default}:sum:0f1e2d3c4b5a69788796a5b4c3d2e1f0"':
    "test/store/freshness/sums.test.ts deletes one so",
  "redis-cli info persistence": "the same",
}

/** Pages beside docs whose commands count, too. */
const besides = ["CONTRIBUTING.md", "SECURITY.md", "integrations/agno/README.md", "ARCHITECTURE.md"]

test("every command in docs is run by a test or by .ci/run, or is listed with its reason", () => {
  const known = (command: string) =>
    untested[command] !== undefined ||
    [fitsCluster, isRun, isRunWithOthers, isTestThatIsThere, isWalked].some((holds) => holds(command))
  const found = [...pages, ...besides].flatMap((page) => commandsIn(textOf(page)).map((command) => ({ page, command })))

  expect(found.length).toBeGreaterThan(100)
  expect(found.filter(({ command }) => !known(command))).toEqual([])
})

test("every reason is for a command that docs have", () => {
  const given = [...pages, ...besides].flatMap((page) => commandsIn(textOf(page)))

  expect(Object.keys(untested).filter((command) => !given.includes(command))).toEqual([])
})

test("a command that nobody runs, and a test that is not there, are seen", () => {
  for (const command of [
    "countersign nonsense FILE",
    "countersign ledger prove NUMBER --nonsense",
    'npm test -- test/stories -t "pigs fly"',
  ])
    expect([isRun(command), isRunWithOthers(command), isTestThatIsThere(command)]).toEqual([false, false, false])
  for (const command of [
    "kubectl rollout status deployment/nonsense",
    "kubectl create secret generic nonsense --from-file=a",
    "kubectl apply --filename docs/kubernetes/nonsense.yaml",
    "helm nonsense",
  ])
    expect(fitsCluster(command)).toBe(false)
})

test.each(["README.md", "docs/README.md", "docs/llms.txt"])(
  "%s tells whoever installed the command how to give what pages give in a clone",
  (page) => {
    expect(commandsIn(textOf(page))).toEqual(
      expect.arrayContaining(["npm run countersign -- doctor", "countersign doctor"]),
    )
  },
)

test("every incident names the command that shows why it can't happen here", () => {
  const lines = textOf("docs/incidents.md")
    .split("\n")
    .filter((line) => /^\| [A-Z]/.test(line))

  expect(lines.length).toBeGreaterThan(15)
  for (const line of lines) expect(commandsIn(line).some(isTestThatIsThere), line).toBe(true)
})

test("every page that newcomers and operators follow is walked, and what is left out of it is there and has its reason", () => {
  const followed = ["README.md", ...globSync("docs/{quickstart-*,how-to/*}.md", { cwd: root })]
  const firstLines = walkedPages.flatMap((page) => blocksOf(page).map(({ text }) => text.split("\n")[0]))

  expect(followed.filter((page) => !walkedPages.includes(page))).toEqual([])
  expect(Object.keys(leftOut).filter((line) => !firstLines.includes(line))).toEqual([])
  expect(Object.keys(leftOut)).toHaveLength(5)
})

test.each(["docs/README.md", "docs/llms.txt"])(
  "every page of docs is in %s, and every link there leads somewhere",
  (index) => {
    const linked = [...textOf(index).matchAll(/\]\(([^)#\s]+)/g)].map(([, path = ""]) =>
      normalize(join(dirname(index), path)),
    )
    const wanted = pages.filter((page) => page !== "docs/README.md" && !/^docs\/decisions\/\d/.test(page))

    expect(wanted.filter((page) => !linked.includes(page))).toEqual([])
    expect(linked.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
  },
)
