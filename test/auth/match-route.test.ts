// Routes: exact before pattern, one segment per star, no tricks by paths.
import { expect, test } from "vitest"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { publicRoutes, servedRoutes } from "../../src/auth/route-table.ts"

const match = createRouteMatcher(servedRoutes, publicRoutes)

const patternOf = (method: string, path: string): string => {
  const found = match(method, path)
  return found.kind === "route" ? found.route.pattern : found.kind
}

test.each([
  ["GET", "/approvals", "GET /approvals"],
  ["GET", "/approvals/", "GET /approvals"],
  ["GET", "/approvals/count", "GET /approvals/count"],
  ["GET", "/approvals/%63ount", "GET /approvals/count"],
  ["GET", "/approvals/counter", "GET /approvals/*"],
  ["GET", "/approvals/a%2Fstatus", "GET /approvals/*"],
  ["GET", "/approvals/a/status", "GET /approvals/*/status"],
  ["DELETE", "/approvals/count", "DELETE /approvals/*"],
  ["GET", "/agents/x/runs/y", "GET /agents/*/runs/*"],
  ["GET", "/health", "GET /health"],
  ["GET", "/approvals//", "unknown"],
  ["GET", "/approvals//status", "unknown"],
  ["GET", "//approvals", "unknown"],
  ["GET", "/Approvals", "unknown"],
  ["GET", "/approvals/%", "unknown"],
  ["GET", "approvals", "unknown"],
  ["GET", "/", "unknown"],
  ["HEAD", "/approvals", "wrong_method"],
  ["OPTIONS", "/approvals", "wrong_method"],
  ["PUT", "/approvals/a", "wrong_method"],
])("%s %s means %s", (method, path, pattern) => {
  expect(patternOf(method, path)).toBe(pattern)
})

test("identifiers are decoded once, and the one that scopes may name is told apart", () => {
  const found = match("POST", "/agents/a%20b/runs/r%252F/continue")

  expect(found).toMatchObject({ kind: "route", ids: ["a b", "r%2F"], resourceId: "a b" })
})

test("an approval's id is no id for per-resource scopes", () => {
  expect(match("GET", "/approvals/x")).toMatchObject({ ids: ["x"], resourceId: null })
})

test("a wrong method names those that would do", () => {
  expect(match("PUT", "/approvals/a")).toEqual({ kind: "wrong_method", allow: ["DELETE", "GET"] })
})

test("the more exact route wins wherever it stands in the table", () => {
  const forwards = createRouteMatcher({ "GET /a/*": [], "GET /*/b": [], "GET /a/b": [] }, [])
  const backwards = createRouteMatcher({ "GET /a/b": [], "GET /*/b": [], "GET /a/*": [] }, [])

  for (const other of [forwards, backwards]) {
    expect(other("GET", "/a/b")).toMatchObject({ route: { pattern: "GET /a/b" } })
    expect(other("GET", "/a/c")).toMatchObject({ route: { pattern: "GET /a/*" } })
    expect(other("GET", "/c/b")).toMatchObject({ route: { pattern: "GET /*/b" } })
  }
})

test("a malformed row is refused with an example", () => {
  expect(() => createRouteMatcher({ "/approvals": [] }, [])).toThrowError(
    expect.objectContaining({ code: "route_invalid", message: expect.stringContaining('"METHOD /path"') }),
  )
})
