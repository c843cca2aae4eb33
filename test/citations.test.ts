// Holds what the project cites of itself to the truth: each rule, section, trap, file and heading that is named is
// there.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { breaches, citations } from "./citations.ts"

const root = new URL("..", import.meta.url).pathname

/** Read for citations: code and pages, without this file, whose examples cite what is not there. */
const read = /^(?:src|test|bench|docs)\/.*\.(?:tsx?|mjs|css|md|ya?ml|py)$|^[^/]+\.(?:md|ya?ml)$|^Dockerfile$|^\.ci\//
const unread = /^test\/citations\.|^test\/fixtures\/.*\.json$/

test("everything that code, tests and pages cite is there", () => {
  const files = projectFiles()

  expect(citations(files).length).toBeGreaterThan(2000)
  expect(breaches(files)).toEqual([])
})

/** All that is tracked, or would be if everything were added, by path. What is not read has no text. */
function projectFiles(): ReadonlyMap<string, string> {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  const paths = [...new Set(listed.toString().split("\0").filter(Boolean))]
  const textOf = (path: string) => (read.test(path) && !unread.test(path) ? readFileSync(join(root, path), "utf8") : "")
  return new Map(paths.map((path) => [path, textOf(path)]))
}

/** A small project: a few rules and sections, a page with headings, a card and its test. */
const project: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "# How\n## 3 Rules\n**R1 One.** A rule.\n\n**R2 Two.**\n",
  "docs/specification.md":
    "# The API\n## 4. Routes\n### 4.1 Resolve\n1. One.\n2. Two.\n### 4.2 Others\n## 5. Callers\n",
  "docs/platform-facts.md":
    "# AgentOS\n## 2. Calls\n### 2.1 List\n## 9. Traps\n\n| trap | AgentOS |\n|---|---|\n| 1 | lies |\n| 2 | dies |\n" +
    "\n| probe | asks |\n|---|---|\n| 0 | the token |\n",
  "docs/slack-facts.md": "# Slack\n## 5. Limits\n### 5.1 The table\n",
  "docs/guide.md": "# Guide\n## How it's `done`\n```sh\n# no heading\n```\n## Twice\n## Twice\n",
  "docs/picture.png": "",
  "src/slack/card.ts": "",
  "test/slack/views/card.test.ts": "",
  "test/fixtures/agentos/list-empty.json": "",
}

function breachesOf(path: string, text: string): readonly string[] {
  return breaches(new Map(Object.entries({ ...project, [path]: text })))
}

test.each([
  ["src/flow/poll/poll.ts", "// Only the rules R1, R2 (R1) and not XR77 or R1a."],
  ["src/flow/poll/poll.ts", "const R21 = 21 // a name, no rule"],
  ["src/flow/poll/poll.ts", "// See `docs/platform-facts.md` 2.1, traps 1 and 2; probe 0."],
  [
    "src/flow/poll/poll.ts",
    "/**\n * Asks twice (`docs/platform-facts.md`, trap\n * 2), as specification 4.2 to 5, 4.1, rules 1 and 2, says.\n */",
  ],
  ["src/flow/poll/poll.ts", "// Since AgentOS 3.1 and 2.7.2 (9.9 s), by RFC 9110, section 9.9."],
  ["src/auth/scopes.ts", "// The routes of 4.1 (5, 4.2): by RFC 7517, section 9.9, and A2A 0.3.0."],
  ["test/auth/scopes.test.ts", 'test("4.1, rule 2: is told (4.2)", () => { expect("9.9").toBe("no: 1.2") })'],
  ["test/flow/poll.test.ts", 'test("trap 2: R2: nothing", () => {})'],
  [
    "src/flow/poll/poll.ts",
    "// As `slack/card.ts`, card.test.ts, `src/slack/` and `../../slack/card.ts` do; not in https://a.b/src/x.ts.",
  ],
  ["src/flow/poll/poll.ts", 'const shown = "src/nothing.ts"\nconst todo = "see docs/guide.md#twice"'],
  [
    "docs/other.md",
    "The `card.ts`, `dist/check-call.mjs`, `test/slack/views/*.test.ts`, `src/slack/{card,card}.ts`, `config.yaml`, `slack/`.",
  ],
  [
    "docs/other.md",
    "[a](guide.md), [b](guide.md#how-its-done), [c](guide.md#twice-1), [d](../src/slack/card.ts), [e](https://a.b/#c)",
  ],
  ["docs/other.md", '# Own\n[own](#own) <img src="picture.png" width="1"> `[x](nothing.md)`'],
  [
    "docs/platform-facts.md",
    `${project["docs/platform-facts.md"]}See 2.1 (2, 2.1): [\`list-empty\`]. It is 2.9.0 (2.7.2).`,
  ],
])("what %s cites is there: %s", (path, text) => {
  expect(breachesOf(path, text)).toEqual([])
})

test.each([
  ["src/flow/poll/poll.ts", "// Held (R2,\n// R21).", 2, "rule R21 of ARCHITECTURE.md"],
  ["test/flow/poll.test.ts", 'test("R0: nothing", () => {})', 1, "rule R0 of ARCHITECTURE.md"],
  [
    "src/flow/poll/poll.ts",
    "// (`docs/platform-facts.md` 2.1 and\n// 9.9)",
    1,
    "section 9.9 of docs/platform-facts.md",
  ],
  ["docs/other.md", "By `docs/slack-facts.md` 5.2.", 1, "section 5.2 of docs/slack-facts.md"],
  ["src/flow/poll/poll.ts", "/** By specification 6. */", 1, "section 6 of docs/specification.md"],
  ["src/flow/poll/poll.ts", "// (specification 4.1, rules 2 and 3)", 1, "section 4.1.3 of docs/specification.md"],
  ["src/auth/scopes.ts", "/**\n * As (4.3) says.\n */", 2, "section 4.3 of docs/specification.md"],
  ["src/service/app.ts", "// 4.3: what it serves.", 1, "section 4.3 of docs/specification.md"],
  ["test/auth/scopes.test.ts", 'test("4.1.3: it opens", () => {})', 1, "section 4.1.3 of docs/specification.md"],
  ["test/auth/scopes.test.ts", 'test("7: it opens", () => {})', 1, "section 7 of docs/specification.md"],
  ["test/flow/poll.test.ts", "test('R0 says \"no\"', () => {})", 1, "rule R0 of ARCHITECTURE.md"],
  ["test/auth/rows.ts", 'const rows = [\n  ["4.3", "GET /x", "x"],\n]', 2, "section 4.3 of docs/specification.md"],
  ["ARCHITECTURE.md", "## 1 One\nAs sections 1 and\n2 say.", 2, "section 2 of ARCHITECTURE.md"],
  ["docs/specification.md", "## 1. One\nSection 2 says (1).", 2, "section 2 of docs/specification.md"],
  ["src/flow/poll/poll.ts", "// Never, by traps 1, 2 and 3.", 1, "trap 3 of docs/platform-facts.md"],
  ["test/traps/flow.test.ts", 'test("trap 78: nothing", () => {})', 1, "trap 78 of docs/platform-facts.md"],
  ["src/cli/doctor.ts", "// Asks as probe 1 does.", 1, "probe 1 of docs/platform-facts.md"],
  ["src/flow/poll/poll.ts", "// As `slack/cards.ts` does.", 1, "slack/cards.ts"],
  ["src/flow/poll/poll.ts", "// As test/slack/cards.test.ts does.", 1, "test/slack/cards.test.ts"],
  ["src/flow/poll/poll.ts", 'const todo = "see docs/guides.md"', 1, "docs/guides.md"],
  ["src/flow/poll/poll.ts", 'const todo = "see docs/guide.md#thrice"', 1, "heading #thrice of docs/guide.md"],
  ["docs/other.md", "Tried by\n`slack/hostile*.test.ts`.", 2, "slack/hostile*.test.ts"],
  ["docs/other.md", "All of `nothing/`.", 1, "nothing"],
  ["docs/other.md", "[gone](slack/card.ts)", 1, "docs/slack/card.ts"],
  ["docs/other.md", "[gone](guide.md#no-heading)", 1, "heading #no-heading of docs/guide.md"],
  ["docs/other.md", "# Own\n[gone](#other)", 2, "heading #other of docs/other.md"],
  ["docs/other.md", '<img src="gone.png">', 1, "docs/gone.png"],
  ["compose.yaml", "# As docs/gone.md says.", 1, "docs/gone.md"],
])("in %s a citation of nothing is seen: %s", (path, text, line, cites) => {
  expect(breachesOf(path, text)).toEqual([`${path}:${line}: cites ${cites}, which is not there`])
})

test("a sample that was never recorded is seen", () => {
  const found = breachesOf(
    "docs/platform-facts.md",
    `${project["docs/platform-facts.md"]}[\`list-empty\`, \`list-full\`]`,
  )

  expect(found).toEqual([expect.stringContaining("cites test/fixtures/agentos/list-full.json, which is not there")])
})

test("a rule is what begins a heading, an item or a bold line of the page of rules", () => {
  const rules = "## R1 One\n\n**R2 Two.** Not as R4,\nR4, or R4.\n- **R3** three\n"

  expect(breachesOf("ARCHITECTURE.md", `${rules}R1, R2, R3.`)).toEqual(
    [3, 4].map((line) => `ARCHITECTURE.md:${line}: cites rule R4 of ARCHITECTURE.md, which is not there`),
  )
})
