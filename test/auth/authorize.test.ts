// Every served route against the specification's rows, and what scopes open it.
import { expect, test } from "vitest"
import { authorize } from "../../src/auth/authorize.ts"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { publicRoutes, servedRoutes } from "../../src/auth/route-table.ts"
import { createScopeSet } from "../../src/auth/scopes.ts"

const match = createRouteMatcher(servedRoutes, publicRoutes)

/** The rows of 4.1 to 4.3 that are served, and our own. */
const rows: readonly [string, string, string][] = [
  ["GET", "/approvals", "approvals:read"],
  ["GET", "/approvals/count", "approvals:read"],
  ["GET", "/approvals/x", "approvals:read"],
  ["GET", "/approvals/x/status", "approvals:read"],
  ["POST", "/approvals", "approvals:create"],
  ["POST", "/approvals/x/resolve", "approvals:write"],
  ["DELETE", "/approvals/x", "approvals:delete"],
  ["GET", "/service-accounts", "service_accounts:read"],
  ["POST", "/service-accounts", "service_accounts:write"],
  ["DELETE", "/service-accounts/x", "service_accounts:delete"],
  ["GET", "/agents", "agents:read"],
  ["GET", "/agents/x", "agents:read"],
  ["POST", "/agents/x/runs", "agents:run"],
  ["POST", "/agents/x/runs/y/continue", "agents:run"],
  ["POST", "/agents/x/runs/y/cancel", "agents:run"],
]

function opens(method: string, path: string, scopes: readonly string[]): boolean {
  const found = match(method, path)
  if (found.kind !== "route") throw new Error(`${method} ${path} is no route`)
  return authorize(createScopeSet(scopes), found.route, found.resourceId).ok
}

test.each(rows)("%s %s opens to %s and its equals, to nothing else", (method, path, scope) => {
  const [resource = "", action = ""] = scope.split(":")
  const perResource = resource === "agents"

  expect(opens(method, path, [scope])).toBe(true)
  expect(opens(method, path, [`${resource}:*:${action}`])).toBe(true)
  expect(opens(method, path, ["service:admin"])).toBe(true)
  expect(opens(method, path, [`${resource}:x:${action}`])).toBe(perResource)
  expect(opens(method, path, [`${resource}:other:${action}`])).toBe(path === "/agents")
  expect(opens(method, path, [])).toBe(false)
  expect(
    opens(
      method,
      path,
      rows.map(([, , other]) => other).filter((other) => other !== scope),
    ),
  ).toBe(false)
})

test("reading a run needs both scopes", () => {
  expect(opens("GET", "/agents/x/runs/y", ["agents:read", "agents:run"])).toBe(true)
  expect(opens("GET", "/agents/x/runs/y", ["agents:x:read", "agents:run"])).toBe(true)
  expect(opens("GET", "/agents/x/runs/y", ["agents:run"])).toBe(false)
})

test("the refusal names all scopes of the route", () => {
  const found = match("GET", "/agents/x/runs/y")
  const verdict = found.kind === "route" ? authorize(createScopeSet([]), found.route, found.resourceId) : null

  expect(verdict).toEqual({ ok: false, required: ["agents:read", "agents:run"] })
})

test("every served route is one of the rows", () => {
  const named = rows.map(([method, path]) => `${method} ${path.replace(/\/[xy](?=\/|$)/g, "/*")}`)

  expect(Object.keys(servedRoutes).sort()).toEqual([...named, "GET /agents/*/runs/*"].sort())
})
