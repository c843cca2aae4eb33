// What scopes open which route: every row of the specification with every form of scope (5.3).
import { describe, expect, test } from "vitest"
import { authorize, type Verdict } from "../../src/auth/authorize.ts"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { createScopeSet } from "../../src/auth/scopes.ts"
import { createRoutes, type RoutesOptions } from "../../src/service/gate/routes.ts"
import { specRows } from "./spec-rows.ts"

function judge(request: string, scopes: readonly string[], options: RoutesOptions = {}): Verdict {
  const [method = "", path = ""] = request.split(" ")
  const found = createRouteMatcher(createRoutes(options))(method, path.replaceAll("*", "x"))
  if (found.kind !== "route") throw new Error(`${request} is ${found.kind}`)
  return authorize(createScopeSet(scopes), found)
}
const opens = (request: string, scopes: readonly string[]): boolean => judge(request, scopes).ok

const everyScope = [...new Set(specRows.map(([, , scope]) => scope))]
const families = ["agents", "teams", "workflows"]

describe.each(specRows)("%s: %s", (_section, request, scope) => {
  const [resource = "", action = ""] = scope.split(":")
  const isList = families.some((family) => request === `GET /${family}`)
  const perResource = families.includes(resource) && request.includes(`/${resource}/*`)

  test("5.3: opens to its scope, the wildcard form and the admin scope", () => {
    expect(opens(request, [scope])).toBe(true)
    expect(opens(request, [`${resource}:*:${action}`])).toBe(true)
    expect(opens(request, ["service:admin"])).toBe(true)
  })

  test("5.3, rule 3: does not open to every other scope together", () => {
    expect(
      opens(
        request,
        everyScope.filter((other) => other !== scope),
      ),
    ).toBe(false)
    expect(judge(request, [])).toEqual({ ok: false, required: [scope] })
  })

  test("5.3, rule 2: per-resource forms count for agents, teams and workflows only, and for their own id", () => {
    expect(opens(request, [`${resource}:x:${action}`])).toBe(perResource || isList)
    expect(opens(request, [`${resource}:other:${action}`])).toBe(isList)
  })

  test("5.3, rule 4: the legacy names are aliases of config:read and config:write, and of nothing else", () => {
    expect(opens(request, ["system:read"])).toBe(scope === "config:read")
    expect(opens(request, ["system:write"])).toBe(scope === "config:write")
  })

  test("5.2.8: all scopes in one string are one scope that opens nothing", () => {
    expect(opens(request, [everyScope.join(" ")])).toBe(false)
  })
})

test("5.5, rule 4: where a mapping is met, the refusal names the route's own scopes", () => {
  const scopeMappings = { "GET /agents/*": ["custom:read"] }

  expect(judge("GET /agents/x", ["custom:read", "agents:read"], { scopeMappings })).toEqual({ ok: true })
  const refused = { ok: false, required: ["agents:read"] }
  expect(judge("GET /agents/x", ["custom:read"], { scopeMappings })).toEqual(refused)
})

test("reading a run needs both scopes, and the refusal names both", () => {
  expect(opens("GET /agents/x/runs/y", ["agents:read", "agents:run"])).toBe(true)
  expect(opens("GET /agents/x/runs/y", ["agents:x:read", "agents:run"])).toBe(true)
  expect(judge("GET /agents/x/runs/y", ["agents:run"])).toEqual({ ok: false, required: ["agents:read", "agents:run"] })
})

test("an agent's id opens nothing of a team or of a workflow that has the same one", () => {
  expect(opens("GET /teams/x", ["agents:x:read"])).toBe(false)
  expect(opens("POST /a2a/workflows/x/v1/message:send", ["agents:x:run", "teams:x:run"])).toBe(false)
})

test("4.4: the gate of the deprecated dispatch routes is agents:run for all agents", () => {
  expect(opens("POST /a2a/message/send", ["agents:run"])).toBe(true)
  expect(judge("POST /a2a/message/send", ["agents:x:run", "teams:run"])).toEqual({
    ok: false,
    required: ["agents:run"],
  })
})

test("4.4: per-resource scopes authorize A2A paths under a custom prefix, too", () => {
  const options = { a2aPrefix: "/partners" }

  expect(judge("POST /partners/agents/x/v1/tasks:cancel", ["agents:x:run"], options).ok).toBe(true)
  expect(judge("POST /partners/agents/y/v1/tasks:cancel", ["agents:x:run"], options).ok).toBe(false)
})

test("a list that nobody filters needs the scope for all", () => {
  expect(judge("GET /agents", ["agents:x:read"], { lists: "whole" }).ok).toBe(false)
  expect(judge("GET /agents", ["agents:read"], { lists: "whole" }).ok).toBe(true)
})
