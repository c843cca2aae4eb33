// Pages that messages name: each is there, and among what the package brings, so that whoever installed it can read it.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { sources, withoutComments } from "../imports.ts"

const root = new URL("../..", import.meta.url).pathname

/** What the build copies into the package, as it says itself. */
function copied(): readonly string[] {
  const [, list = ""] =
    /const copied = \[([^\]]*)\]/.exec(readFileSync(join(root, "src/setup/build.mjs"), "utf8")) ?? []
  return [...list.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name)
}

/** Every file of docs, and every file at the top, that stands in a text of the program; comments do not count. */
function namedInMessages(): readonly string[] {
  const named = /(?<![\w/:.])(?:docs\/[\w/-]+(?:\.\w+)+|[\w.-]+\.example\.yaml)/g
  return [...sources()].flatMap(([path, source]) =>
    path.startsWith("setup/") ? [] : [...withoutComments(source).matchAll(named)].map(([name]) => name),
  )
}

test("each page that a message names is there, and the package brings it", () => {
  const pages = [...new Set(namedInMessages())]
  const brought = copied()

  expect(pages).toEqual(expect.arrayContaining(["docs/agentos.md", "docs/how-to/agentos-gate.md", "docs/policy.md"]))
  expect(pages.filter((page) => !existsSync(join(root, page)))).toEqual([])
  expect(pages.filter((page) => !brought.some((one) => page === one || page.startsWith(`${one}/`)))).toEqual([])
})
