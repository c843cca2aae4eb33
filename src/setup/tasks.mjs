// Says what each npm script does: its steps in order, and whether it needs a Redis on the machine.

/**
 * A step of a task, at the project's root: a program for Node 24 (`node`), or a tool of node_modules/.bin. If it has a
 * title, we print that with the time that the step took.
 * @typedef {{ readonly command: readonly string[], readonly title?: string }} Step
 * @typedef {{ readonly steps: (args: readonly string[]) => readonly Step[], readonly needsRedis: (args:
 *   readonly string[]) => boolean }} Task
 */

const countersign = ["node", "src/cli/main.ts"]
const stryker = ["stryker", "run", "test/mutation/stryker.config.mjs"]
const biome = ["biome", "check", "--config-path", ".biome.json"]
/** Tests by their configuration's folder. @type {(folder: string) => string[]} */
const vitest = (folder) => ["vitest", "run", "--config", `${folder}/vitest.config.ts`]
const never = () => false
const always = () => true

/**
 * The tests that only look at files. They run without the tests' configuration, because that starts a Redis. They read
 * the whole tree, which takes long on a busy machine.
 * @type {readonly string[]}
 */
const fileTests = [
  "vitest",
  "run",
  "--dir=test",
  "--reporter=dot",
  "--testTimeout=90000",
  "test/architecture.test.ts",
  "test/citations.test.ts",
  "test/names.test.ts",
  "test/repository.test.ts",
]

/** @type {readonly Step[]} */
const checks = [
  { title: "types", command: ["tsc", "--noEmit", "-p", "."] },
  { title: "types of the page", command: ["tsc", "--noEmit", "-p", "src/sandbox/page"] },
  { title: "format", command: biome },
  { title: "lint", command: ["oxlint", "-c", ".oxlintrc.json", "--type-aware", "src", "test", "bench"] },
  { title: "dead code", command: ["knip"] },
  { title: "arrows and files", command: fileTests },
]

/** @type {Readonly<Record<string, Task>>} */
const table = {
  demo: { needsRedis: always, steps: (args) => [{ command: [...countersign, "demo", ...args] }] },
  countersign: {
    needsRedis: ([command]) => command === "demo",
    steps: (args) => [{ command: [...countersign, ...args] }],
  },
  test: { needsRedis: always, steps: (args) => [{ command: [...vitest("test"), ...args] }] },
  check: { needsRedis: never, steps: () => checks },
  coverage: { needsRedis: always, steps: (args) => [{ command: [...vitest("test/coverage"), ...args] }] },
  "test:browser": { needsRedis: always, steps: (args) => [{ command: browserTests(args) }] },
  "test:alerts": { needsRedis: never, steps: (args) => [{ command: [...vitest("test/alerts"), ...args] }] },
  "test:chart": { needsRedis: never, steps: (args) => [{ command: [...vitest("test/chart"), ...args] }] },
  "test:install": { needsRedis: never, steps: (args) => [{ command: [...vitest("test/install"), ...args] }] },
  "test:package": { needsRedis: always, steps: (args) => [{ command: [...vitest("test/package"), ...args] }] },
  "test:engines": { needsRedis: always, steps: (args) => [{ command: ["node", "test/engines/run.ts", ...args] }] },
  "test:agentos": {
    needsRedis: always,
    steps: (args) => [
      { command: ["node", "test/tools/install-agentos.mjs"] },
      { command: ["node", "test/tools/install-openapi.mjs"] },
      { command: [...vitest("test/agentos"), ...args] },
    ],
  },
  "test:openapi": {
    needsRedis: never,
    steps: (args) => [
      { command: ["node", "test/tools/install-openapi.mjs"] },
      { command: [...vitest("test/openapi"), ...args] },
    ],
  },
  format: { needsRedis: never, steps: () => [{ command: [...biome, "--write"] }] },
  bench: { needsRedis: always, steps: (args) => [{ command: ["node", "bench/run.ts", ...args] }] },
  faults: { needsRedis: always, steps: (args) => [{ command: ["node", "test/faults/run.ts", ...args] }] },
  attacks: { needsRedis: always, steps: (args) => [{ command: ["node", "test/attacks/run.ts", ...args] }] },
  mutation: { needsRedis: always, steps: (args) => [{ command: [...stryker, ...args] }] },
  build: { needsRedis: never, steps: () => [{ command: ["node", "src/setup/build.mjs"] }] },
  release: {
    needsRedis: never,
    steps: (args) => [{ command: ["node", "src/setup/release/release.mjs", ...args] }],
  },
}

/**
 * With `--pictures` the tests also renew the pictures of the README.
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
function browserTests(args) {
  const rest = args.filter((arg) => arg !== "--pictures")
  const environment = rest.length === args.length ? [] : ["env", "PICTURES=docs"]
  return [...environment, ...vitest("test/browser"), ...rest]
}

/** The tasks by the name of their npm script. */
export const tasks = new Map(Object.entries(table))
