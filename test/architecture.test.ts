// Holds the arrows of the design: which folder may import which, which package has which home, and what each file looks
// like.
import { posix } from "node:path"
import { describe, expect, test } from "vitest"
import { type Import, importsIn, moduleOf, sources as readSources, withoutComments } from "./imports.ts"
import { circlesOf, openModules, type RoomTables, roomBreaches, rooms, withTypes } from "./rooms.ts"

/** The flow's border: what it needs from outside, what may be asked of it, and the words for both. Types, no steps. */
const border = ["flow/ports", "flow/inbound", "flow/press", "flow/answer"]

/**
 * What each module of `src` may import of `src` besides itself: a folder, or a part of one. Inward only; adapters never
 * meet.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  domain: ["invisible", "secret"],
  flow: ["domain"],
  platform: ["domain", ...border, "log", "outgoing"],
  store: ["domain", ...border, "log", "repeat", "redis-address"],
  queue: ["domain", ...border, "log", "repeat"],
  proof: ["domain", ...border, "log", "repeat"],
  slack: ["domain", ...border, "log", "repeat", "blockkit", "outgoing"],
  http: ["domain", ...border, "log", "auth", "blockkit/text", "listen"],
  webhooks: ["domain", ...border, "outgoing"],
  measure: ["domain", ...border, "log"],
  auth: ["secret"],
  blockkit: ["invisible"],
  outgoing: [],
  service: [
    "auth",
    "domain/content/json",
    "domain/content/json-text",
    "domain/text/sendable",
    "domain/send-back/counterproposal",
    "domain/send-back/refusal-note",
    "domain/again/repeat-note",
    "platform/contract",
    "log",
    "listen",
  ],
  sandbox: ["blockkit", "log", "listen"],
  config: ["domain", "redis-address", "secret"],
  log: [],
  listen: [],
  invisible: [],
  "redis-address": [],
  secret: [],
  repeat: [],
  setup: [],
  bot: ["*"],
  cli: ["*"],
}

/** The modules, or files of one, that may import a package. A package that is not here has no home yet. */
const homes: Readonly<Record<string, readonly string[]>> = {
  "@a2a-js/sdk": ["service"],
  "@marcbachmann/cel-js": ["domain/condition/syntax"],
  "@hono/node-server": ["http", "service", "sandbox", "bot", "cli"],
  "@opentelemetry": ["measure"],
  "@slack": ["slack"],
  bootstrap: ["sandbox"],
  bullmq: ["queue"],
  commander: ["cli"],
  "cron-parser": ["service"],
  "csv-stringify": ["http/export"],
  esbuild: ["setup"],
  hono: ["http", "service", "sandbox", "bot", "cli"],
  ioredis: ["store"],
  "lossless-json": ["domain/content/json"],
  jose: ["platform", "auth", "service", "http", "proof"],
  "node-emoji": ["sandbox"],
  leven: ["config", "domain", "slack"],
  "node:sqlite": ["service"],
  openai: ["service/model"],
  "openid-client": ["http/sign-in"],
  "prom-client": ["measure"],
  re2js: ["domain/text/pattern"],
  react: ["sandbox"],
  "react-dom": ["sandbox"],
  "react-markdown": ["sandbox"],
  "remark-gfm": ["sandbox"],
  standardwebhooks: ["webhooks"],
  "temporal-polyfill": ["domain/policy"],
  undici: ["platform", "slack", "service", "outgoing", "webhooks"],
  ws: ["sandbox"],
  yaml: ["config", "service", "cli"],
  zod: [
    "domain/case/record",
    "domain/content/record",
    "domain/people/record",
    "domain/send-back/record",
    "flow/ports/record",
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

/** Parts of Node that a pure module may use, one to load packages late; all else is input, output or a clock. */
const pureNodeModules = ["node:crypto", "node:module"]
const pureModules = ["domain", "flow"]

/** Where time, randomness and the environment come from; they are handed to everybody else. */
const sources = ["config", "bot", "cli", "setup"]
const handedIn = /\bprocess\.env\b|\bDate\.now\b|\bMath\.random\b/g
const handedInToPureModules = /\bnew Date\(\)|\bperformance\.now\b|\brandom(?:UUID|Bytes|Int)\b/g

/** Each item of such a call lies on the stack, which takes some 120,000. */
const spreads = new RegExp(
  [String.raw`\.(?:push|unshift|splice|apply)`, String.raw`\bMath\.(?:max|min)`, String.raw`\bfromC\w+`]
    .map((call) => String.raw`${call}\((?:[^(){}]|\([^()]*\))*?\.\.\.`)
    .join("|"),
  "g",
)

const longestFile = 300

/** Every breach among the files, one line each, worded for whoever has to repair it. Keys are paths below `src`. */
function breaches(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([path, source]) => {
    const code = withoutComments(source)
    const found = [
      ...shapeBreaches(path, source),
      ...importsIn(code).flatMap((imported) => importBreaches(path, imported)),
      ...handedInBreaches(path, code),
      ...[...code.matchAll(spreads)].map(
        ([what]) => `calls ${what}, which overflows the stack where others write much`,
      ),
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
  const module = moduleOf(path)
  if (target.startsWith(".")) {
    const allowed = arrows[module]
    if (allowed === undefined) return [`stands in no module of the design`]
    const imported = posix.join(posix.dirname(path), target)
    return allowed.some((arrow) => covers(arrow, imported)) || moduleOf(imported) === module
      ? []
      : [`imports ${imported}`]
  }
  if (target.startsWith("node:") && homes[target] === undefined) {
    return pureModules.includes(module) && !pureNodeModules.includes(target) ? [`imports ${target}, and is pure`] : []
  }
  const name = Object.keys(homes).find((key) => target === key || target.startsWith(`${key}/`))
  if (name === undefined) return [`imports ${target}, which has no home`]
  if (name === "zod" && pureModules.includes(module) && typeOnly) return []
  return homes[name]?.some((home) => covers(home, path))
    ? []
    : [`imports ${target}, which is at home in ${homes[name]?.join(", ")}`]
}

function handedInBreaches(path: string, code: string): readonly string[] {
  const module = moduleOf(path)
  if (sources.includes(module)) return []
  const found = [
    ...code.matchAll(handedIn),
    ...(pureModules.includes(module) ? code.matchAll(handedInToPureModules) : []),
  ]
  return found.map(([what]) => `uses ${what}, which has to be handed in`)
}

function covers(arrow: string, path: string): boolean {
  return arrow === "*" || path.startsWith(`${arrow}/`) || path.replace(/\.[a-z]+$/, "") === arrow
}

function breachesOf(path: string, code: string): readonly string[] {
  return breaches(new Map([[path, `// What it is for.\n${code}\n`]]))
}

test("every file of src keeps to the arrows, the homes and the shape", () => {
  const files = readSources()

  const found = breaches(files)

  expect(files.size).toBeGreaterThan(5)
  expect(found).toEqual([])
})

/** The folder of people's own acts on orders. No step of a case uses it. */
const acts = "flow/order/"

test("R21 one file of the flow asks orders about a case, one what is on hold; else only acts and ports know orders", () => {
  const looking = [...readSources()].filter(
    ([path, source]) =>
      path.startsWith("flow/") &&
      (importsIn(source).some(({ target }) => target.includes("domain/order/")) || /\borders\(\)/.test(source)),
  )

  const others = looking.map(([path]) => path).filter((path) => !path.startsWith(acts))
  const ports = ["flow/ports.ts", "flow/ports/order/absence-acts.ts", "flow/ports/order/stop-acts.ts"]
  expect(others.toSorted()).toEqual(["flow/case/holds.ts", "flow/case/orders.ts", ...ports])
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
  ["helpers/text.ts", "stands in no module of the design", 'import { log } from "../log.ts"'],
  ["flow/poll.ts", "imports zod, which is at home in", 'import { z } from "zod"'],
  ["domain/case.ts", "imports zod, which is at home in", 'import { z } from "zod"'],
  ["domain/case.ts", "imports node:fs, and is pure", 'import { readFileSync } from "node:fs"'],
  ["queue/jobs.ts", "imports ioredis, which is at home in store", 'import { Redis } from "ioredis"'],
  ["domain/text/mask.ts", "imports re2js, which is at home in domain/text/pattern", 'import { RE2JS } from "re2js"'],
  ["sandbox/app.ts", "imports @slack/bolt, which is at home in slack", 'import { App } from "@slack/bolt"'],
  ["slack/app.ts", "imports left-pad, which has no home", 'import "left-pad"'],
  ["store/cases.ts", "uses Date.now, which has to be handed in", "const now = Date.now()"],
  ["slack/app.ts", "uses process.env, which has to be handed in", "const token = process.env['SLACK_BOT_TOKEN']"],
  ["queue/pace.ts", "uses Math.random, which has to be handed in", "const jitter = Math.random()"],
  ["flow/decide.ts", "uses new Date(), which has to be handed in", "const at = new Date()"],
  ["store/Cases.ts", "is not in kebab-case", ""],
  ["store/cases.ts", "has 301 lines, more than 300", "a\n".repeat(300)],
  ["flow/poll/rows.ts", "calls .push(...", "found.push(...rows)"],
  ["flow/poll/rows.ts", "calls Math.max(0, ...", "const last = Math.max(0, ...rows.map(({ at }) => at))"],
])("a breach in %s is seen: it %s", (path, breach, code) => {
  expect(breachesOf(path, code)).toEqual([expect.stringContaining(`${path}: ${breach}`)])
})

test("a file without an opening comment is a breach, and a first line for the shell is not its comment", () => {
  expect(breaches(new Map([["log.ts", "export const a = 1\n"]]))).toHaveLength(1)
  expect(breaches(new Map([["cli/main.ts", "#!/usr/bin/env node\n// What it is for.\n"]]))).toEqual([])
})

test("the folders of each module keep to its table, or the module is one of those that still have none", () => {
  expect(roomBreaches(readSources(), { rooms, open: openModules })).toEqual([])
})

test("no module has a circle between its folders, the domain not even one by types", () => {
  expect([...Object.values(rooms), withTypes(rooms["domain"] ?? {})].flatMap(circlesOf)).toEqual([])
})

describe("in a module whose folder b may import a, and whose own files may import b", () => {
  const files = {
    "slack/app.ts": 'import { b } from "./b/b.ts"',
    "slack/b/b.ts": 'import { a } from "../a/a.ts"\nimport { c } from "./deep/c.ts"',
    "slack/b/deep/c.ts": 'import { a } from "../../a/a.ts"\nimport type { C } from "../../c/c.ts"',
    "slack/c/c.ts": "",
    "slack/a/a.ts": 'import { log } from "../../log.ts"',
  }
  const table = { ".": ["b"], a: [], b: ["a", "type:c"], c: [] }
  const found = (more: Readonly<Record<string, string>>, tables: RoomTables = { rooms: { slack: table }, open: [] }) =>
    roomBreaches(new Map(Object.entries({ ...files, ...more })), tables)

  test("that much is no breach", () => {
    expect(found({})).toEqual([])
  })

  test.each([
    ["an import against the arrows", { "slack/a/x.ts": 'import "../b/b.ts"' }, "slack/a/x.ts: a imports b"],
    ["an import of more than types", { "slack/b/x.ts": 'import { c } from "../c/c.ts"' }, "slack/b/x.ts: b imports c"],
    ["an import of the module's own files", { "slack/a/x.ts": 'import "../app.ts"' }, "slack/a/x.ts: a imports ."],
    ["a folder without a row", { "slack/new/x.ts": "" }, "slack/new has no row in the table of slack"],
  ])("%s is a breach", (_, more, breach) => {
    expect(found(more)).toEqual([breach])
  })

  test.each([
    ["an arrow that nobody needs", { ...table, a: ["."] }, "slack: nobody needs that a imports ."],
    ["a row of a folder that is gone", { ...table, z: [] }, "slack has no folder z, but a row for it"],
  ])("%s is a breach", (_, slack, breach) => {
    expect(found({}, { rooms: { slack }, open: [] })).toEqual([breach])
  })

  test("a module without a table is told with the arrows that it has, unless it is listed as open", () => {
    const arrowsNow = JSON.stringify(table)

    expect(found({}, { rooms: {}, open: [] })).toEqual([`slack has folders and no table; today: ${arrowsNow}`])
    expect(found({}, { rooms: {}, open: ["slack"] })).toEqual([])
  })

  test.each([
    ["has a table by now", { rooms: { slack: table }, open: ["slack"] }],
    ["has no folders", { rooms: { slack: table }, open: ["log"] }],
  ])("a module that is listed as open and %s is a breach", (_, tables) => {
    expect(found({}, tables)).toEqual([expect.stringContaining("is listed as open without need")])
  })

  test("a circle between folders is found, one through the module's own files or through types is none", () => {
    expect(circlesOf({ a: ["b"], b: ["c"], c: ["a"], d: ["a"] })).toEqual(["a -> b -> c -> a"])
    expect(circlesOf({ ".": ["a"], a: ["."] })).toEqual([])
    expect(circlesOf({ a: ["b"], b: ["type:a"] })).toEqual([])
  })
})
