// One route: which patterns are allowed, what they fit, and which of two is the more exact one.
import { expect, test } from "vitest"
import { fits, isWithin, moreExactFirst, parsePattern, toRoute } from "../../src/auth/route.ts"

const exactFirst = (...patterns: readonly string[]) =>
  patterns
    .map((pattern) => ({ pattern, ...parsePattern(pattern) }))
    .toSorted(moreExactFirst)
    .map(({ pattern }) => pattern)

test("a pattern is a method and a path", () => {
  expect(parsePattern("GET /")).toEqual({ method: "GET", segments: [] })
  expect(parsePattern("DELETE /a/*/b")).toEqual({ method: "DELETE", segments: ["a", "*", "b"] })
  expect(parsePattern("GET /a/..b")).toEqual({ method: "GET", segments: ["a", "..b"] })
})

test.each(["", "GET", "GET /a b", "XGET /a", "HEAD /a", "GET a"])(
  "%j is refused: it is no method and path",
  (pattern) => {
    const said = `route ${JSON.stringify(pattern)}: expected "METHOD /path", for example "GET /approvals/*"`
    expect(() => parsePattern(pattern)).toThrowError(expect.objectContaining({ code: "route_invalid", message: said }))
  },
)

test.each(["GET /a//b", "GET /a/", "GET /a*", "GET /a/..", "GET /./a", "GET /a%2Fb"])(
  "%j is refused: one of its parts is no plain name",
  (pattern) => {
    expect(() => parsePattern(pattern)).toThrowError(/each part between slashes is a plain name, or \* for any one/)
  },
)

test("a star fits any part but an empty one, and a name only itself", () => {
  const pattern = parsePattern("GET /a/*")

  expect(fits(pattern, ["a", "x"])).toBe(true)
  for (const segments of [["a", ""], ["b", "x"], ["a"], ["a", "x", "y"]]) expect(fits(pattern, segments)).toBe(false)
})

test("a pattern lies within another of its method and length that has stars where they differ", () => {
  const isIn = (inner: string, outer: string) => isWithin(parsePattern(inner), parsePattern(outer))

  expect(isIn("GET /a/b", "GET /a/*")).toBe(true)
  expect(isIn("GET /a/*", "GET /a/*")).toBe(true)
  expect(isIn("GET /a/*", "GET /a/b")).toBe(false)
  expect(isIn("POST /a/b", "GET /a/*")).toBe(false)
  expect(isIn("GET /a/b/c", "GET /a/*")).toBe(false)
})

test("of two patterns that fit one path the one whose name stands further left comes first", () => {
  expect(exactFirst("GET /a/*", "GET /a/b")).toEqual(["GET /a/b", "GET /a/*"])
  expect(exactFirst("GET /a/b", "GET /a/*")).toEqual(["GET /a/b", "GET /a/*"])
  expect(exactFirst("GET /*/b", "GET /a/*", "GET /*/*", "GET /a/b")).toEqual([
    "GET /a/b",
    "GET /a/*",
    "GET /*/b",
    "GET /*/*",
  ])
  expect(exactFirst("GET /b", "GET /a")).toEqual(["GET /b", "GET /a"])
})

test("the resource of a route is the one whose id stands behind its family", () => {
  expect(toRoute("GET /agents/*/runs/*", []).resource).toEqual({ family: "agents", position: 1 })
  expect(toRoute("GET /agents/all", []).resource).toBeNull()
  expect(toRoute("GET /*", []).resource).toBeNull()
  expect(toRoute("GET /x/*", [])).toMatchObject({ stars: [1], access: "credential" })
})
