// Holds the arrows of the design: which folder may import which, which package has which home, and what each file looks like.
import { globSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { expect, test } from "vitest"

const src = new URL("../src", import.meta.url).pathname

/** The flow's border: what it needs from outside, what may be asked of it, and the words for both. Types, no steps. */
const border = ["flow/ports", "flow/inbound", "flow/press", "flow/answer"]

/** What each house of `src` may import of `src` besides itself: a folder, or a part of one. Inward only; adapters never meet. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  flow: ["domain"],
  platform: ["domain", ...border, "log", "outgoing"],
  store: ["domain", ...border, "log", "repeat"],
  queue: ["domain", ...border, "log", "repeat"],
  proof: ["domain", ...border, "log", "repeat"],
  slack: ["domain", ...border, "log", "repeat", "blockkit", "outgoing"],
  http: ["domain", ...border, "log", "auth", "blockkit/text"],
  measure: ["domain", ...border, "log"],
  auth: [],
  blockkit: [],
  outgoing: [],
  service: ["auth", "domain/json", "platform/contract", "log"],
  sandbox: ["blockkit", "log"],
  config: ["domain"],
  log: [],
  repeat: [],
  setup: [],
  bot: ["*"],
  cli: ["*"],
}

/** The houses, or files of one, that may import a package. A package that is not here has no home yet. */
const homes: Readonly<Record<string, readonly string[]>> = {
  "@a2a-js/sdk": ["service"],
  "@hono/node-server": ["http", "service", "sandbox", "bot", "cli"],
  "@opentelemetry": ["measure"],
  "@slack": ["slack"],
  bullmq: ["queue"],
  commander: ["cli"],
  esbuild: ["setup"],
  hono: ["http", "service", "sandbox", "bot", "cli"],
  ioredis: ["store"],
  jose: ["platform", "auth", "service", "http", "proof"],
  "node:sqlite": ["service"],
  "prom-client": ["measure"],
  re2js: ["domain/pattern"],
  react: ["sandbox"],
  "react-dom": ["sandbox"],
  "slack-blocks-to-jsx": ["sandbox"],
  "temporal-polyfill": ["domain"],
  undici: ["platform", "slack", "service", "outgoing"],
  ws: ["sandbox"],
  yaml: ["config", "service", "cli"],
  zod: [
    "config",
    "platform",
    "auth",
    "store",
    "queue",
    "proof",
    "blockkit",
    "slack",
    "http",
    "service",
    "sandbox",
    "cli",
  ],
}

/** Parts of Node that a pure house may use; everything else of Node is input, output or a clock. */
const pureNodeModules = ["node:crypto"]
const pureHouses = ["domain", "flow"]

/** Where time, randomness and the environment come from; they are handed to everybody else. */
const sources = ["config", "bot", "cli", "setup"]
const handedIn = /\bprocess\.env\b|\bDate\.now\b|\bMath\.random\b/g
const handedInToPureHouses = /\bnew Date\(\)|\bperformance\.now\b|\brandom(?:UUID|Bytes|Int)\b/g

const longestFile = 300

type Import = { readonly target: string; readonly typeOnly: boolean }

/** Every breach among the files, one line each, worded for whoever has to repair it. Keys are paths below `src`. */
function breaches(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([path, source]) => {
    const code = withoutComments(source)
    const found = [
      ...shapeBreaches(path, source),
      ...importsIn(code).flatMap((imported) => importBreaches(path, imported)),
      ...handedInBreaches(path, code),
    ]
    return found.map((breach) => `${path}: ${breach}`)
  })
}

function shapeBreaches(path: string, source: string): readonly string[] {
  const [first = "", second = ""] = source.split("\n")
  const opening = first.startsWith("#!") ? second : first
  const lines = source.trimEnd().split("\n").length
  return [
    ...(/^(?:\/\/|\/\*\*?) ?\S/.test(opening) ? [] : ["does not begin with a comment that says what it is for"]),
    ...(lines > longestFile ? [`has ${lines} lines, more than ${longestFile}`] : []),
    ...(path.split("/").every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))
      ? []
      : ["is not in kebab-case"]),
  ]
}

function importBreaches(path: string, { target, typeOnly }: Import): readonly string[] {
  const house = houseOf(path)
  if (target.startsWith(".")) {
    const allowed = arrows[house]
    if (allowed === undefined) return [`stands in no house of the design`]
    const imported = posix.join(posix.dirname(path), target)
    return allowed.some((arrow) => covers(arrow, imported)) || houseOf(imported) === house
      ? []
      : [`imports ${imported}`]
  }
  if (target.startsWith("node:") && homes[target] === undefined) {
    return pureHouses.includes(house) && !pureNodeModules.includes(target) ? [`imports ${target}, and is pure`] : []
  }
  const name = Object.keys(homes).find((key) => target === key || target.startsWith(`${key}/`))
  if (name === undefined) return [`imports ${target}, which has no home`]
  if (name === "zod" && house === "domain" && typeOnly) return []
  return homes[name]?.some((home) => covers(home, path))
    ? []
    : [`imports ${target}, which is at home in ${homes[name]?.join(", ")}`]
}

function handedInBreaches(path: string, code: string): readonly string[] {
  const house = houseOf(path)
  if (sources.includes(house)) return []
  const found = [...code.matchAll(handedIn), ...(pureHouses.includes(house) ? code.matchAll(handedInToPureHouses) : [])]
  return found.map(([what]) => `uses ${what}, which has to be handed in`)
}

function covers(arrow: string, path: string): boolean {
  return arrow === "*" || path.startsWith(`${arrow}/`) || path.replace(/\.[a-z]+$/, "") === arrow
}

/** The folder directly below `src`, or the file there without its ending. */
function houseOf(path: string): string {
  const [top = ""] = path.split("/")
  return top.replace(/\.[a-z]+$/, "")
}

function importsIn(code: string): readonly Import[] {
  const statement = /^\s*(?:import|export)\s+(type\s)?[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']/gm
  const dynamic = /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]/g
  return [
    ...[...code.matchAll(statement)].map(([, type, from, bare]) => ({
      target: from ?? bare ?? "",
      typeOnly: type !== undefined,
    })),
    ...[...code.matchAll(dynamic)].map(([, target = ""]) => ({ target, typeOnly: false })),
  ]
}

function withoutComments(source: string): string {
  const stringOrComment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[^]*?\*\//g
  return source.replace(stringOrComment, (_all, text: string | undefined) => text ?? "")
}

function breachesOf(path: string, code: string): readonly string[] {
  return breaches(new Map([[path, `// What it is for.\n${code}\n`]]))
}

test("every file of src keeps to the arrows, the homes and the shape", () => {
  const paths = globSync("**/*.{ts,tsx,mjs}", { cwd: src })

  const found = breaches(new Map(paths.map((path) => [path, readFileSync(`${src}/${path}`, "utf8")])))

  expect(paths.length).toBeGreaterThan(5)
  expect(found).toEqual([])
})

test.each([
  ["flow/poll.ts", 'import { Case } from "../domain/case.ts"'],
  ["slack/card.ts", 'import type { Chat } from "../flow/ports.ts"\nimport { limits } from "../blockkit/limits.ts"'],
  ["store/cases.ts", 'import { Redis } from "ioredis"\nimport { keys } from "./keys.ts"'],
  [
    "service/approvals.ts",
    'import { contract } from "../platform/contract.ts"\nimport { DatabaseSync } from "node:sqlite"',
  ],
  ["domain/digest.ts", 'import { createHash } from "node:crypto"\nimport type { infer } from "zod"'],
  ["domain/note.ts", '// Date.now is not used\nconst text = "see https://example.com/a" /* process.env */'],
  ["cli/main.ts", 'import { start } from "../bot.ts"\nconst now = Date.now()'],
  ["bot.ts", 'import { log } from "./log.ts"\nimport { poll } from "./flow/poll.ts"'],
])("what the design allows in %s is no breach", (path, code) => {
  expect(breachesOf(path, code)).toEqual([])
})

test.each([
  ["domain/case.ts", "imports store/commit.ts", 'import { commit } from "../store/commit.ts"'],
  ["flow/poll.ts", "imports slack/card.ts", 'import {\n  a,\n  b,\n} from "../slack/card.ts"'],
  ["slack/card.ts", "imports flow/decide.ts", 'import { decide } from "../flow/decide.ts"'],
  ["store/cases.ts", "imports queue/jobs.ts", 'export * from "../queue/jobs.ts"'],
  ["queue/worker.ts", "imports platform/client.ts", 'const { x } = await import("../platform/client.ts")'],
  ["service/app.ts", "imports platform/client.ts", 'import { client } from "../platform/client.ts"'],
  ["auth/routes.ts", "imports log.ts", 'import { log } from "../log.ts"'],
  ["helpers/text.ts", "stands in no house of the design", 'import { log } from "../log.ts"'],
  ["flow/poll.ts", "imports zod, which is at home in", 'import { z } from "zod"'],
  ["domain/case.ts", "imports zod, which is at home in", 'import { z } from "zod"'],
  ["domain/case.ts", "imports node:fs, and is pure", 'import { readFileSync } from "node:fs"'],
  ["queue/jobs.ts", "imports ioredis, which is at home in store", 'import { Redis } from "ioredis"'],
  ["domain/mask.ts", "imports re2js, which is at home in domain/pattern", 'import { RE2JS } from "re2js"'],
  ["sandbox/app.ts", "imports @slack/bolt, which is at home in slack", 'import { App } from "@slack/bolt"'],
  ["slack/app.ts", "imports left-pad, which has no home", 'import "left-pad"'],
  ["store/cases.ts", "uses Date.now, which has to be handed in", "const now = Date.now()"],
  ["slack/app.ts", "uses process.env, which has to be handed in", "const token = process.env['SLACK_BOT_TOKEN']"],
  ["queue/pace.ts", "uses Math.random, which has to be handed in", "const jitter = Math.random()"],
  ["flow/decide.ts", "uses new Date(), which has to be handed in", "const at = new Date()"],
  ["store/Cases.ts", "is not in kebab-case", ""],
  ["store/cases.ts", "has 301 lines, more than 300", "a\n".repeat(300)],
])("a breach in %s is seen: it %s", (path, breach, code) => {
  expect(breachesOf(path, code)).toEqual([expect.stringContaining(`${path}: ${breach}`)])
})

test("a file without an opening comment is a breach, and a first line for the shell is not its comment", () => {
  expect(breaches(new Map([["log.ts", "export const a = 1\n"]]))).toHaveLength(1)
  expect(breaches(new Map([["cli/main.ts", "#!/usr/bin/env node\n// What it is for.\n"]]))).toEqual([])
})
