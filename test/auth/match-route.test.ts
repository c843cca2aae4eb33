// Routes: exact before pattern, one segment per star, no tricks by paths.
import { describe, expect, test } from "vitest"
import { createRouteMatcher, type RouteMatcher } from "../../src/auth/match-route.ts"
import { toRoute } from "../../src/auth/route.ts"
import { createRoutes } from "../../src/service/gate/routes.ts"

const match = createRouteMatcher(createRoutes())

const patternOf = (method: string, path: string, matcher: RouteMatcher = match): string => {
  const found = matcher(method, path)
  return found.kind === "route" ? found.route.pattern : found.kind
}

test.each([
  ["GET", "/approvals", "GET /approvals"],
  ["GET", "/approvals/", "GET /approvals"],
  ["GET", "/approvals/count", "GET /approvals/count"],
  ["GET", "/approvals/%63ount", "GET /approvals/count"],
  ["GET", "/approvals/count/", "GET /approvals/count"],
  ["GET", "/approvals/counter", "GET /approvals/*"],
  ["GET", "/approvals/a/status", "GET /approvals/*/status"],
  ["DELETE", "/approvals/count", "DELETE /approvals/*"],
  ["GET", "/components/a/configs/current", "GET /components/*/configs/current"],
  ["GET", "/components/a/configs/currently", "GET /components/*/configs/*"],
  ["POST", "/databases/all/migrate", "POST /databases/all/migrate"],
  ["POST", "/databases/some/migrate", "POST /databases/*/migrate"],
  ["GET", "/knowledge/content/sources", "GET /knowledge/content/*"],
  ["GET", "/knowledge/other/sources", "GET /knowledge/*/sources"],
  ["POST", "/a2a/agents/x/v1/message%3Asend", "POST /a2a/agents/*/v1/message:send"],
  ["GET", "/agents/x/runs/y", "GET /agents/*/runs/*"],
  ["GET", "/health", "GET /health"],
])("the request %s %s means %s", (method, path, pattern) => {
  expect(patternOf(method, path)).toBe(pattern)
})

describe("a path that could be read in two ways is unknown", () => {
  test.each([
    "/approvals/a%2Fstatus",
    "/approvals/a%2fresolve",
    "/approvals/a%5Cresolve",
    "/approvals/a\\resolve",
    "/approvals/.",
    "/approvals/..",
    "/approvals/%2e%2e",
    "/approvals/./count",
    "/approvals//",
    "/approvals//status",
    "//approvals",
    "//",
    "/approvals/a%00",
    "/approvals/a%0d%0a",
    "/approvals/%",
    "/approvals/%ff",
    "/Approvals",
    "approvals",
    "",
    "/",
  ])("a path that could be read in two ways is unknown: %j", (path) => {
    expect(patternOf("GET", path)).toBe("unknown")
  })
})

test.each(["HEAD", "OPTIONS", "PUT", "TRACE", "get"])("%s is no method of a known path", (method) => {
  expect(patternOf(method, "/approvals")).toBe("wrong_method")
})

test("identifiers are decoded once, and the one that scopes may name is told apart", () => {
  expect(match("POST", "/agents/a%20b/runs/r%252F/continue")).toMatchObject({
    kind: "route",
    ids: ["a b", "r%2F"],
    resourceId: "a b",
  })
})

test("an approval's id is no id for per-resource scopes", () => {
  expect(match("GET", "/approvals/x")).toMatchObject({ ids: ["x"], resourceId: null })
})

test("a wrong method names those that would do", () => {
  expect(match("PUT", "/approvals/a")).toEqual({ kind: "wrong_method", allow: ["DELETE", "GET"] })
})

test("the more exact route wins wherever it stands in the table", () => {
  const rows = ["GET /a/*", "GET /*/b", "GET /a/b"].map((pattern) => toRoute(pattern, []))

  for (const builtIn of [rows, rows.toReversed()]) {
    const other = createRouteMatcher({ builtIn, added: [] })
    expect(patternOf("GET", "/a/b", other)).toBe("GET /a/b")
    expect(patternOf("GET", "/a/c", other)).toBe("GET /a/*")
    expect(patternOf("GET", "/c/b", other)).toBe("GET /*/b")
  }
})

test("a literal that leads nowhere gives way to the star", () => {
  const builtIn = ["GET /a/b/c", "GET /a/*/d"].map((pattern) => toRoute(pattern, []))

  expect(patternOf("GET", "/a/b/d", createRouteMatcher({ builtIn, added: [] }))).toBe("GET /a/*/d")
})

test.each([
  "/approvals",
  "get /approvals",
  "HEAD /approvals",
  "GET /a//b",
  "GET /a/",
  "GET /a*",
  "GET /a%2Fb",
  "GET /..",
])("%j is refused as a pattern, with an example", (pattern) => {
  expect(() => toRoute(pattern, [])).toThrowError(
    expect.objectContaining({ code: "route_invalid", message: expect.stringContaining('"GET /approvals/*"') }),
  )
})

test("4.4: a prefix whose routes would hide others of the service is refused", () => {
  expect(() => createRoutes({ a2aPrefix: "/agents" })).not.toThrow()
  expect(patternOf("GET", "/agents/x", createRouteMatcher(createRoutes({ a2aPrefix: "/agents" })))).toBe(
    "GET /agents/*",
  )
})
