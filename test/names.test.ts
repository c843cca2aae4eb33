// Holds the measures of the tree, so that a stranger finds their way.
import { globSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { sources } from "./imports.ts"
import { type Excuses, fragments, nameBreaches, wideLines } from "./names.ts"

const root = new URL("..", import.meta.url).pathname

/** What may be, and why. A reason that nothing needs any more is a breach too. */
const excuses: Excuses = {
  small: {
    "cli/countersign.mjs": "the entry of the npm package",
    "setup/start.mjs": "the entry of each npm script",
    "sandbox/page/main.tsx": "the entry of the page",
    "sandbox/page/completions.ts": "tried without a browser, and the page around it is TSX, which only a bundler reads",
    "sandbox/page/styles.d.ts": "what an import of a style is, for the compiler",
  },
  shared: { Log: "`log.ts` stands below all modules and imports none: the flow's port repeats its shape" },
}

test("the tree keeps its measures", () => {
  const beside = globSync("{test,bench}/**/*.{ts,tsx,mjs}", { cwd: root }).toSorted()

  const found = [
    ...nameBreaches(sources(), excuses),
    ...beside.flatMap((path) => besideBreaches(path, readFileSync(`${root}${path}`, "utf8"))),
  ]

  expect(found).toEqual([])
})

/** What tests and benches keep to. */
function besideBreaches(path: string, source: string): readonly string[] {
  return [...wideLines(path, source), ...(path.endsWith(".test.ts") ? fragments(path, source) : [])]
}

/** A module of files that breaches nothing: each is long enough. */
function breachesOf(files: Readonly<Record<string, string>>, more: Partial<Excuses> = {}): readonly string[] {
  const long = Object.entries(files).map(([path, code]) => [path, `${code}\n${"// One line.\n".repeat(70)}`] as const)
  return nameBreaches(new Map(long), { small: {}, shared: {}, ...more })
}

describe("the measures", () => {
  test.each([
    [
      "two files of one base name in a module",
      { "slack/a/card.ts": "", "slack/b/card.ts": "" },
      "slack/a/card.ts, slack/b/card.ts: base name card stands twice in the module",
    ],
    [
      "two exported types of one name in a module",
      { "slack/a.ts": "export interface Place {}", "slack/b.ts": "export type Place = string" },
      "slack/a.ts, slack/b.ts: type Place stands twice in the module",
    ],
    [
      "two functions of one name in a module",
      { "slack/a.ts": "export function placeOf(id: string) {}", "slack/b.ts": "async function placeOf() {}" },
      "slack/a.ts, slack/b.ts: function placeOf stands twice in the module",
    ],
    [
      "a function and an arrow of one name in a module",
      { "slack/a.ts": "const placeOf = (id: string) => id", "slack/b.ts": "function placeOf() {}" },
      "slack/a.ts, slack/b.ts: function placeOf stands twice in the module",
    ],
    [
      "one exported type name in two modules",
      { "slack/a.ts": "export interface Place {}", "store/b.ts": "export class Place {}" },
      "slack/a.ts, store/b.ts: type Place of several modules",
    ],
    [
      "a folder of sixteen files",
      Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`slack/a${index}.ts`, ""])),
      "slack/: more than 15 files",
    ],
    ["a line that is too wide", { "slack/a.ts": `// ${"x".repeat(118)}` }, "slack/a.ts: lines beyond 120 columns"],
    [
      "a limit that begins with most",
      { "slack/a.ts": "export const mostLines = 3" },
      "slack/a.ts: limit mostLines, which has to begin with max",
    ],
    ["a constant in capitals", { "slack/a.ts": "const AT_LEAST = 3" }, "slack/a.ts: constants in capitals"],
    [
      "an object shape that is no interface",
      { "slack/a.ts": "type Place = {\n  readonly at: number\n}" },
      "slack/a.ts: type Place, an object shape that has to be an interface",
    ],
  ])("see %s", (_, files, breach) => {
    expect(breachesOf(files)).toEqual([breach])
  })
})

describe("the measures allow", () => {
  test.each([
    ["a common base name", { "slack/errors.ts": "", "slack/a/errors.ts": "" }],
    [
      "a type that a second module hands on",
      { "slack/a.ts": "export interface Place {}", "store/b.ts": 'export type { Place } from "../slack/a.ts"' },
    ],
    ["one function name in two modules", { "slack/a.ts": "function sum() {}", "store/b.ts": "function sum() {}" }],
    [
      "one name of functions within others",
      { "slack/a.ts": "  function one() {}", "slack/b.ts": "  function one() {}" },
    ],
    ["overloads of a function", { "slack/a.ts": "function one(a: 1): 1\nfunction one(a: 2): 2" }],
    ["a folder of fifteen files", Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`slack/a${at}.ts`, ""]))],
    ["a line of 120 columns", { "slack/a.ts": `// ${"x".repeat(117)}` }],
    ["a union of types", { "slack/a.ts": "export type Place = Here | { readonly at: number }" }],
  ])("%s, which is no breach", (_, files) => {
    expect(breachesOf(files)).toEqual([])
  })

  test("one type name in two modules with a reason, while these share it", () => {
    const shared = { Place: "where a card hangs" }
    const both = { "slack/a.ts": "export interface Place {}", "store/b.ts": "export interface Place {}" }

    expect(breachesOf(both, { shared })).toEqual([])
    expect(breachesOf({ "slack/a.ts": "" }, { shared })).toEqual(["type Place needs no reason, no modules share it"])
  })
})

describe("a file below 70 lines", () => {
  const small = "slack/small.ts"
  const importing = (path: string, code = `import { a } from "../${small}"`) => [path, `${code}\n${"//\n".repeat(70)}`]
  const found = (importers: readonly string[][], reasons: Excuses["small"] = {}) =>
    nameBreaches(new Map([[small, "export const a = 1"], ...(importers as [string, string][])]), {
      small: reasons,
      shared: {},
    })

  test("a small file that one file imports is a breach, unless it has a reason", () => {
    expect(found([importing("cli/a.ts")])).toEqual([`${small}: below 70 lines, one importer at most`])
    expect(found([importing("cli/a.ts")], { [small]: "an entry point" })).toEqual([])
  })

  test("a small file that two files import, or one only when it is asked for, is none, and needs no reason", () => {
    const two = [importing("cli/a.ts"), importing("cli/b.ts")]

    expect(found(two)).toEqual([])
    expect(found([importing("cli/a.ts", `await import("../${small}")`)])).toEqual([])
    expect(found(two, { [small]: "an entry point" })).toEqual([`${small}: needs no reason, it is not too small`])
  })

  test("a small file that is a port of the flow is none", () => {
    expect(nameBreaches(new Map([["flow/ports/small.ts", ""]]), { small: {}, shared: {} })).toEqual([])
  })
})

describe("a title of a test", () => {
  const titleOf = (code: string) => fragments("a.test.ts", code)

  test.each([
    ["goes on from its suite", 'it("that is gone is told", () => {', "that is gone is told"],
    ["goes on after its rule", 'test("R14 whose key is another fails", () => {', "R14 whose key is another fails"],
    ["is only what a row says", ["  it.each(rows)", '("%s", (name) => {'].join(""), "%s"],
  ])("a title that %s is a breach", (_, code, title) => {
    expect(titleOf(code)).toEqual([`a.test.ts: "${title}" is no sentence`])
  })

  test.each([
    ["says whom it is about", 'it("a file that is gone is told", () => {'],
    ["says what a row is about", '  it.each([["a"]])("a file is told: %s", (name) => {'],
    ["belongs to a suite", ["describe.each(rows)", '("%s", (name) => {'].join("")],
  ])("a title that %s is no breach", (_, code) => {
    expect(titleOf(code)).toEqual([])
  })
})
