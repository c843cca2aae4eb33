// Pages that messages name, and what pages link to: each is there, and among what the package brings, so that whoever
// installed it can read it.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { sources, withoutComments } from "../imports.ts"
import { pageLinks } from "../support/page-links.ts"

const root = new URL("../..", import.meta.url).pathname

/** What the build copies into the package, as it says itself. */
function copied(): readonly string[] {
  const [, list = ""] =
    /const copied = \[([^\]]*)\]/.exec(readFileSync(join(root, "src/setup/build.mjs"), "utf8")) ?? []
  return [...list.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name)
}

/** True if the build copies this file or folder, or one that it is in. */
function isBrought(path: string): boolean {
  return copied().some((one) => path === one || path.startsWith(`${one}/`))
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

  expect(pages).toEqual(expect.arrayContaining(["docs/agentos.md", "docs/how-to/agentos-gate.md", "docs/policy.md"]))
  expect(pages.filter((page) => !existsSync(join(root, page)))).toEqual([])
  expect(pages.filter((page) => !isBrought(page))).toEqual([])
})

test("each relative link of a page of the package leads to what the package brings, too", () => {
  const links = pageLinks(
    root,
    copied().flatMap((path) => [path, `${path}/**`]),
  )

  expect(links.length).toBeGreaterThan(200)
  expect(links.filter(({ to }) => !existsSync(join(root, to)) || !isBrought(to))).toEqual([])
})
