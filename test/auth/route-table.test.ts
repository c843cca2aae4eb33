// The route table against the specification's rows, one by one (4.1 to 4.4, 5.3, 5.4).
import { expect, test } from "vitest"
import { authorize } from "../../src/auth/authorize.ts"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { isWithin, parsePattern } from "../../src/auth/route.ts"
import { controlPlaneScopes, createScopeSet } from "../../src/auth/scopes.ts"
import {
  a2aRoutes,
  createRouteTable,
  ownRoutes,
  publicRoutes,
  servedRoutes,
} from "../../src/service/gate/route-table.ts"
import { createRoutes } from "../../src/service/gate/routes.ts"
import { specRows } from "./spec-rows.ts"

test.each(specRows)("%s: %s needs %s and nothing else", (_section, request, scope) => {
  expect(servedRoutes[request]).toEqual([scope])
})

test("4.1 to 4.4: the table has the specification's 118 rows, our own, and no others", () => {
  const specified = specRows.map(([, request]) => request)

  expect(specified).toHaveLength(118)
  expect(Object.keys(servedRoutes).sort()).toEqual([...specified, ...Object.keys(ownRoutes)].sort())
})

test("routes beside the specification ask for approvals, or read with the scopes of the real service", () => {
  const runsOf = (family: string, ...scopes: readonly string[]) => ({
    [`GET /${family}/*/runs`]: scopes,
    [`GET /${family}/*/runs/*`]: scopes,
  })
  expect(ownRoutes).toEqual({
    "POST /approvals": ["approvals:create"],
    "GET /knowledge/content/*/status": ["knowledge:read"],
    "GET /metrics/refresh/status": ["metrics:read"],
    "GET /sessions/*/run-previews": ["sessions:read"],
    ...runsOf("agents", "agents:read", "agents:run"),
    ...runsOf("teams", "teams:read", "teams:run"),
    ...runsOf("workflows", "workflows:read", "workflows:run"),
    ...runsOf("sessions", "sessions:read"),
  })
  expect(publicRoutes).toEqual(["GET /health", "GET /info", "GET /docs", "GET /openapi.json"])
})

test("4.4: a custom prefix carries the A2A routes, and the default one is gone", () => {
  const table = createRouteTable("/partners/a2a")

  expect(table["POST /partners/a2a/teams/*/v1/message:send"]).toEqual(["teams:run"])
  expect(Object.keys(table).filter((pattern) => pattern.includes(" /a2a/"))).toEqual([])
  expect(Object.keys(table)).toHaveLength(Object.keys(servedRoutes).length)
})

test.each(["", "/", "a2a", "/a2a/", "//a2a", "/a2a/..", "/./a2a", "/a b", "/a%2Fb", "/*", "/a?b"])(
  "4.4: %j is refused as a prefix",
  (prefix) => {
    expect(() => a2aRoutes(prefix)).toThrowError(expect.objectContaining({ code: "prefix_invalid" }))
  },
)

test("5.3, rule 1: run is an action of agents, teams and workflows only", () => {
  const runners = specRows.filter(([, , scope]) => scope.endsWith(":run")).map(([, , scope]) => scope.split(":")[0])

  expect(new Set(runners)).toEqual(new Set(["agents", "teams", "workflows"]))
  expect(new Set(specRows.map(([, , scope]) => scope.split(":")[1]))).toEqual(
    new Set(["read", "write", "delete", "run"]),
  )
})

test("5.4: the thirteen scopes of the control plane are known, and all together open no route", () => {
  const match = createRouteMatcher(createRoutes())
  const held = createScopeSet([...controlPlaneScopes])
  const opened = specRows.filter(([, request]) => {
    const [method = "", path = ""] = request.split(" ")
    const found = match(method, path.replaceAll("*", "x"))
    return found.kind === "route" && authorize(held, found).ok
  })

  const actions = (resource: string, ...names: readonly string[]) => names.map((name) => `${resource}:${name}`)
  expect([...controlPlaneScopes]).toEqual([
    ...actions("os", "read", "write", "delete"),
    ...actions("org", "read", "write", "delete"),
    ...actions("org:members", "read", "write"),
    ...actions("org:roles", "read", "write", "delete"),
    ...actions("billing", "read", "write"),
  ])
  expect(opened).toEqual([])
})

test("where two rows fit one path, the more exact one lies within the other or needs the same scope", () => {
  const rows = Object.entries(servedRoutes).map(([pattern, scopes]) => ({ ...parsePattern(pattern), pattern, scopes }))
  const clashes = rows.flatMap((left) =>
    rows
      .filter((right) => left.pattern < right.pattern && overlap(left.segments, right.segments))
      .filter((right) => left.method === right.method && !isWithin(left, right) && !isWithin(right, left))
      .filter((right) => String(left.scopes) !== String(right.scopes))
      .map((right) => `${left.pattern} and ${right.pattern}`),
  )

  expect(clashes).toEqual([])
})

function overlap(left: readonly string[], right: readonly string[]): boolean {
  return (
    left.length === right.length &&
    left.every((segment, at) => segment === "*" || right[at] === "*" || segment === right[at])
  )
}
